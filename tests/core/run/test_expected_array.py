"""Where a journal expects each member of a proof's array, and what lies there."""

from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.core.run.events import AnyEvent
from raidtui.core.run.proof import ExpectedArray, MemberIs, continued_at, expected_array, mkfs_begun
from raidtui.core.run.state import WORKER_DIED
from tests.builders.proofs import BEGUN, DEGRADED, HEALTHY, plan, step, told

MADE: Plan = plan()
ALL: list[MemberIs] = ["active", "active", "active"]


def of_member(at_s: float, role: str, index: int, *, ends: bool = True, error: str | None = None) -> list[AnyEvent]:
    members = (MADE.members[index].id,)
    begun = events.StepStarted(at_s=at_s, stage=0, what=role, line=role, role=role, members=members)
    return [begun, *([events.StepEnded(at_s=at_s, what=role, error=error)] if ends else [])]


def expected(*groups: list[AnyEvent]) -> ExpectedArray:
    state = told(*BEGUN, *groups)
    index = continued_at(MADE, state)
    assert index is not None
    return expected_array(MADE, state, index)


def standings(*groups: list[AnyEvent]) -> list[set[MemberIs]]:
    found = expected(*groups).standings
    return [set(found[index]) for index in sorted(found)]


def test_all_are_active_until_one_is_taken_out() -> None:
    assert standings() == standings(HEALTHY) == [{"active"}] * 3


def test_a_step_that_did_not_end_explains_both() -> None:
    assert standings(HEALTHY, of_member(7.0, "fail", 0, ends=False))[0] == {"active", "failed", "out"}
    died = of_member(7.0, "fail", 0, error=WORKER_DIED)
    assert standings(HEALTHY, died)[0] == {"active", "failed", "out"}


def test_a_step_that_ended_explains_one() -> None:
    failed = of_member(7.0, "fail", 0)
    assert standings(HEALTHY, failed) == [{"failed", "out"}, {"active"}, {"active"}]
    assert standings(HEALTHY, failed, of_member(7.1, "take-out", 0))[0] == {"out"}
    assert standings(HEALTHY, failed, of_member(7.1, "take-out", 0, ends=False))[0] == {"failed", "out"}


def test_a_later_step_says_that_those_before_it_took_effect() -> None:
    """What had taken effect when its worker died is not journalled by the next one."""
    assert standings(HEALTHY, of_member(7.0, "zero", 0, ends=False), step(7.5, "fill"))[0] == {"out"}


def test_a_blank_disk_is_rebuilt_until_its_end_was_awaited() -> None:
    added = of_member(10.0, "add", 0)
    assert standings(HEALTHY, DEGRADED, added)[0] == {"rebuilding", "active"}
    assert standings(HEALTHY, DEGRADED, added, step(11.0, "sync-finished"))[0] == {"active"}
    assert standings(HEALTHY, DEGRADED)[0] == {"out"}


def test_a_step_of_the_continuation_itself_says_nothing() -> None:
    """It assembles by UUID, and activates its volume."""
    assert standings(HEALTHY, step(7.0, "assemble"), step(7.1, "activate"), step(7.2, "settled")) == [{"active"}] * 3


def test_the_pass_is_that_of_the_last_verified_state_and_of_the_part_being_written() -> None:
    first, second = (tag for tag in MADE.stages[0].proof.tags)  # type: ignore[union-attr]
    at = 1 << 20
    assert not expected().passes.filled and expected(step(3.5, "measure")).passes.filled
    assert expected(HEALTHY).passes.filled and not expected(HEALTHY).passes.may_be(second, at)
    assert expected(HEALTHY, step(7.0, "fill")).passes.may_be(second, at)
    found = expected(HEALTHY, DEGRADED).passes
    assert found.may_be(second, at) and not found.may_be(first, at)


def test_a_member_that_was_out_alone_has_its_own_slot() -> None:
    assert expected(HEALTHY, DEGRADED, of_member(10.0, "add", 0)).slots == {0: {0}, 1: {1}, 2: {2}}


def test_a_begun_file_system_leaves_no_whole_pattern() -> None:
    assert not mkfs_begun(told(*BEGUN, HEALTHY)) and mkfs_begun(told(*BEGUN, HEALTHY, step(9.0, "mkfs")))
