"""A run with what is computed of it once: its comparison, answer and ranking, each when it is first asked for."""

from functools import cached_property

from raidtui.core.answer.answer import QUESTIONS, Answer, from_facts
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.ranking import Ranking
from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.results.ablation import Ablation, of_run
from raidtui.core.results.analysis import Comparison, compare
from raidtui.core.results.numerics import built, joined
from raidtui.core.run.state import RunState


class RunContext:
    """Plan and state of one run, finished or not."""

    def __init__(self, plan: Plan, state: RunState) -> None:
        self.plan, self.state = slots.as_made(plan), state

    @cached_property
    def comparison(self) -> Comparison:
        return compare(self.plan, self.state)

    @cached_property
    def _facts(self) -> AnswerFacts:
        return AnswerFacts(self.plan, self.state, self.comparison)

    @cached_property
    def answer(self) -> Answer:
        return from_facts(self._facts)

    @property
    def ranking(self) -> Ranking:
        return self._facts.ranking

    @cached_property
    def ablations(self) -> tuple[Ablation, ...]:
        """What explains its figures; none where nothing was changed to find out."""
        return of_run(self.plan, self.state, self.comparison)

    @cached_property
    def joined_plan(self) -> Plan:
        return joined(self.plan)

    @cached_property
    def built(self) -> list[tuple[int, Stage]]:
        return built(self.joined_plan)

    @property
    def is_sweep(self) -> bool:
        return len(self.built) > 1

    @property
    def ranks(self) -> bool:
        """Does it ask for a best setup of several?"""
        return self.is_sweep and QUESTIONS[self.answer.kind].ranks and len(self.ranking.ranked) > 1
