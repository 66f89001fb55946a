"""All that an answer is made from."""

from functools import cached_property

from raidtui.core.answer.ranking import Ranked, Ranking
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.run.disk_changes import DiskVerdict, disk_verdicts
from raidtui.core.run.state import RunState


class AnswerFacts:
    def __init__(self, plan: Plan, state: RunState, comparison: Comparison) -> None:
        self.plan, self.state, self.comparison = plan, state, comparison

    @cached_property
    def ranking(self) -> Ranking:
        return Ranking(self.plan, self.comparison)

    @property
    def names(self) -> dict[int, str]:
        return self.ranking.names

    @cached_property
    def ranked(self) -> list[Ranked]:
        """Those with a rank, best first."""
        return [setup for setup in self.ranking.ranked if setup.place is not None]

    @cached_property
    def disk_verdicts(self) -> tuple[DiskVerdict, ...]:
        return disk_verdicts(self.plan, self.state)

    @property
    def rows(self) -> list[ResultRow]:
        """Those with a figure that nothing stands against."""
        doubted = self.ranking.doubted
        return [row for row in self.comparison.rows if row.array.value is not None and row.tested not in doubted]
