"""Members that fail on purpose: which setups may, what is done to them, and that no other plan is touched by it."""

import pytest

from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.member_steps import absent_after, may_fail, may_fail_words, members_out
from raidtui.core.plan.model import Stage, goes_on
from raidtui.core.plan.steps import Command, Write, chosen, role_of
from raidtui.core.script.render import script
from tests.builders import sweeps
from tests.builders.plans import of_role


def stage(**fields: object) -> Stage:
    setup = Setup(**{"level": "6", "first_sync": "skip", **fields})  # type: ignore[arg-type]
    return sweeps.plan("quick", 5, setup=setup).stages[-1]


def test_the_last_members_fail_are_taken_out_and_blank_before_anything_is_measured() -> None:
    steps = stage(failed=2).steps
    roles = [role_of(step) for step in steps]
    assert roles[4:10] == ["fail", "take-out", "zero"] * 2 and roles.index("measure") > 10
    named = [step.members for step in of_role(steps, "take-out")]
    assert named == [(3,), (4,)] and members_out(Setup(failed=2), 5) == (3, 4)
    assert all(isinstance(step, Command) and step.locked for step in steps[4:10])
    assert "fail" not in [role_of(step) for step in stage().steps]


def test_each_rebuild_begins_anew_before_its_test_and_is_watched_after_the_last() -> None:
    steps = stage(failed=1, rebuild_min_kib_s=1000).steps
    roles = [role_of(step) for step in steps]
    tests = roles.count("measure")
    assert roles.count("add") == roles.count("rebuild-began") == roles.count("take-out") == tests == 4
    assert all(roles[at - 1] == "rebuild-began" for at, role in enumerate(roles) if role == "measure")
    assert roles[-1] == "rebuild-alone"
    speeds = {step.path.rpartition("/")[2]: step.value for step in steps if isinstance(step, Write) and step.restore}
    assert speeds == {"sync_speed_max": "10000000", "sync_speed_min": "1000"}


def test_each_has_an_array_of_its_own() -> None:
    axes = Axes(level=("5",), first_sync=("skip",), failed=(1,), rebuild_min_kib_s=(0, 1000))
    made = sweeps.plan("rebuild", 4, axes=(axes,))
    assert len({one.array.uuid for one in made.stages if one.array}) == len(made.stages) == 2
    assert not any(goes_on(made, number) for number in range(2))
    assert "mdadm --fail" in script(sweeps.linked(made))


def test_who_is_absent_follows_from_the_steps() -> None:
    absent: set[int] = set()
    seen = []
    for step in stage(failed=1, rebuild_min_kib_s=1000).steps:
        absent = absent_after(absent, step)
        seen.append((role_of(step), set(absent)))
    assert ("fail", {4}) in seen and ("add", set()) in seen and seen[-1][1] == set()


@pytest.mark.parametrize(
    "said, value", [("1000 (system)", "system"), ("5000 (local)", "5000"), ("a [b] c", "b"), ("256", "256")]
)
def test_a_sync_speed_is_put_back_as_the_kernel_takes_it(said: str, value: str) -> None:
    assert chosen(said) == value


def test_what_has_failed_already_may_not_fail_once_more() -> None:
    assert [may_fail(setup, 2) for setup in (None, Setup(level="6"), Setup(level="6", failed=2))] == [2, 2, 0]


@pytest.mark.parametrize(
    "count, words", [(0, "no disk may fail"), (1, "any 1 disk may fail"), (2, "any 2 disks may fail")]
)
def test_how_many_may_fail(count: int, words: str) -> None:
    assert may_fail_words(count) == words
