"""All that an answer is made from, and one sentence of it with the values that it says."""

from functools import cached_property

import msgspec

from raidtui.core.answer.conclusions import Conclusion
from raidtui.core.answer.ranking import Ranked, Ranking
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.run.state import RunState


class Known:
    """All that an answer is made from."""

    def __init__(self, plan: Plan, state: RunState, comparison: Comparison) -> None:
        self.plan, self.state, self.comparison = plan, state, comparison

    @cached_property
    def ranking(self) -> Ranking:
        return Ranking(self.plan, self.comparison)

    @cached_property
    def ranked(self) -> list[Ranked]:
        """Those with a rank, best first."""
        return [one for one in self.ranking.ranked if one.place is not None]

    @property
    def rows(self) -> list[ResultRow]:
        """Those with a figure."""
        return [row for row in self.comparison.rows if row.array.value is not None]


class Part(msgspec.Struct, frozen=True):
    """One sentence, and what it says as values."""

    sentence: str
    conclusions: tuple[Conclusion, ...] = ()
