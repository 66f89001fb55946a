"""Self-tests of a burn-in: long, before anything is erased and after the last pass."""

import pytest

from raidtui import recipes
from raidtui.core.plan.answers import Answers, PlanRefused
from raidtui.core.plan.model import Plan, Stage, self_tests_after, self_tests_planned
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Check, Wait, role_of
from raidtui.core.units import TB
from tests.builders.racks import disk

DISKS = tuple(disk(number, size_bytes=4 * TB) for number in range(3))
LONG, SHORT = "long-self-tests-ended", "short-self-tests-ended"


def plan_of(recipe: str = "burn-in", *programs: str, **given: str) -> Plan:
    answers = Answers(disks=tuple(one.id for one in DISKS), recipe=recipe, repeat=1, **given)  # type: ignore[arg-type]
    return make(answers, recipes.load(recipe), DISKS, "here", programs=programs)


def waits(plan: Plan) -> list[str]:
    """What is done, stage by stage, the same in a row once."""
    done: list[str] = []
    for stage in plan.stages:
        roles = ["trial"] if stage.trials else [role_of(step) for step in stage.steps if isinstance(step, Wait)]
        done += [role for role in roles if role != "settled" and [role] != done[-1:]]
    return done


@pytest.mark.parametrize(
    "recipe, given, order",
    [
        ("burn-in", "", [LONG, "trial", LONG]),
        ("burn-in", "long", [LONG, "trial", LONG]),
        ("burn-in", "short", [SHORT, "trial", SHORT]),
        ("burn-in", "none", ["trial"]),
        ("disk-baseline", "", ["trial"]),
        ("disk-baseline", "none", ["trial"]),
        ("disk-baseline", "long", [LONG, "trial"]),
    ],
)
def test_a_burn_in_tests_twice_other_recipes_once_where_asked(recipe: str, given: str, order: list[str]) -> None:
    plan = plan_of(recipe, self_test=given)
    assert waits(plan) == order
    assert self_tests_planned(plan) == {after for after, at in ((False, 0), (True, -1)) if order[at] != "trial"}


def test_nothing_is_written_before_or_by_them_and_counters_are_read_around_each() -> None:
    plan = plan_of()
    (first, last) = (plan.stages[0], plan.stages[-1])
    for stage in (first, last):
        assert [type(step) for step in stage.steps] == [Check, Check, Wait, Check]
        assert [role_of(step) for step in stage.steps] == ["members-free", "health", LONG, "health"]
        assert stage.written_bytes == 0
    assert not self_tests_after(plan, 0) and self_tests_after(plan, len(plan.stages) - 1)
    assert len({stage.title for stage in plan.stages}) == len(plan.stages)


def test_both_are_in_the_estimate() -> None:
    def wait_s(stage: Stage) -> float:
        return sum(step.estimate_s for step in stage.steps if isinstance(step, Wait))

    plan, without = plan_of(), plan_of(self_test="none")
    tested_s = wait_s(plan.stages[0]) + wait_s(plan.stages[-1])
    assert wait_s(plan.stages[0]) > 4 * TB / 300e6
    assert plan.estimated_s["self-test"] >= tested_s
    assert plan.estimate_s - without.estimate_s == pytest.approx(tested_s, rel=0.01)


def test_without_smartctl_a_burn_in_says_so_and_an_asked_test_is_refused() -> None:
    plan = plan_of("burn-in", "fio", "mdadm")
    assert waits(plan) == ["trial"]
    assert "No long self-tests before and after: smartctl is not installed." in plan.notes
    with pytest.raises(PlanRefused, match="smartctl is not installed here"):
        plan_of("burn-in", "fio", "mdadm", self_test="long")
