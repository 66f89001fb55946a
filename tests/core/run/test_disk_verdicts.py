"""One verdict a disk: failed by what failed, passed only by both self-tests, all passes and the counters."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import OfTarget
from raidtui.core.run.disk_changes import DiskVerdict, disk_verdicts
from raidtui.core.run.events import DataDiffered, HealthRead, SelfTestResult, SelfTestsEnded
from raidtui.core.run.state import RunState, fold_all
from tests.builders import sweeps

PLAN = sweeps.plan("burn-in", 2, repeat=2)
FIRST, OTHER = (member.id for member in PLAN.members)
GOOD = OfTarget(read_bytes=1000, written_bytes=1000)
PASSED, NONE = SelfTestResult(passed=True), SelfTestResult(words="no long test: not supported")
FAILED = SelfTestResult(passed=False, words="completed: read failure")


def state(**of_first: Any) -> RunState:
    """A burn-in of two good disks, but for what is given of the first one."""
    before, after = of_first.get("before", PASSED), of_first.get("after", PASSED)
    passes = of_first.get("passes", (GOOD, GOOD))
    made = sweeps.state(PLAN)
    trials = tuple(
        replace(
            trial,
            measurement=replace(
                trial.measurement,
                status=of_first.get("status", "failed" if one and one.error else "ok"),
                each={OTHER: GOOD, **({FIRST: one} if one else {})},
            ),
        )
        for trial, one in zip(made.trials, passes, strict=True)
        if trial.measurement
    )
    counts = ({"pending sectors": 0, "power-on hours": 5}, {"pending sectors": of_first.get("pending", 0)})
    read = [
        HealthRead(at_s=1.0, stage=0, disks={FIRST: dict(count), OTHER: {"pending sectors": 0}}) for count in counts
    ]
    told = [
        SelfTestsEnded(at_s=1.0, stage=number, length="long", after=is_after, disks={FIRST: one, OTHER: PASSED})
        for number, is_after, one in ((0, False, before), (9, True, after))
        if one
    ]
    return fold_all([*read[: of_first.get("looks", 2)], *told], replace(made, trials=trials))


def first(**of_first: Any) -> DiskVerdict:
    found = disk_verdicts(PLAN, state(**of_first))
    assert [one.member.id for one in found] == [FIRST, OTHER]
    return found[0]


BAD = OfTarget(read_bytes=500, written_bytes=1000, error="job 'write_verify.0': verification failed")


@pytest.mark.parametrize(
    "of_first, verdict, failed",
    [
        ({}, "passed", ()),
        ({"before": FAILED}, "failed", ("self-test before",)),
        ({"after": FAILED}, "failed", ("self-test after",)),
        ({"passes": (GOOD, BAD)}, "failed", ("write and read back",)),
        ({"passes": (BAD, None)}, "failed", ("write and read back",)),
        ({"pending": 8}, "failed", ("pending sectors 0 to 8",)),
        ({"before": FAILED, "pending": 8, "after": NONE}, "failed", ("self-test before", "pending sectors 0 to 8")),
        ({"before": NONE, "after": NONE}, "no self-test", ()),
        ({"after": NONE}, "no self-test", ()),
        ({"after": None}, "not checked", ()),
        ({"before": None}, "not checked", ()),
        ({"passes": (GOOD, None)}, "not checked", ()),
        ({"passes": (GOOD, OfTarget())}, "not checked", ()),
        ({"passes": (GOOD, OfTarget(written_bytes=1000, read_bytes=999))}, "not checked", ()),
        ({"status": "interrupted"}, "not checked", ()),
        ({"looks": 1}, "not checked", ()),
        ({"looks": 0}, "not checked", ()),
    ],
)
def test_each_verdict(of_first: dict[str, Any], verdict: str, failed: tuple[str, ...]) -> None:
    found = first(**of_first)
    assert (found.verdict, found.failed) == (verdict, failed)


def test_a_disk_beside_a_failed_one_passes() -> None:
    (found, other) = disk_verdicts(PLAN, state(passes=(BAD, BAD)))
    assert found.error == BAD.error and other.verdict == "passed" and other.error == ""


def test_what_a_pass_found_counts_whatever_the_passes_after_it_found() -> None:
    wrong = DataDiffered(at_s=1.0, trial=PLAN.trials[0].id, first={FIRST: 4096})
    found, other = disk_verdicts(PLAN, fold_all([wrong], state()))
    assert (found.verdict, found.failed) == ("failed", ("write and read back",))
    assert found.error == "gave back something else than was written, first at byte 4096"
    assert other.verdict == "passed"


def test_without_planned_self_tests_none_passes() -> None:
    plan = sweeps.plan("burn-in", 2, repeat=2, self_test="none")
    (found, _) = disk_verdicts(plan, RunState(trials=state().trials))
    assert (found.before, found.after, found.verdict) == ("none", "none", "not checked")


def test_arrays_other_questions_and_runs_not_begun_have_none() -> None:
    assert disk_verdicts(sweeps.plan("burn-in", 3, level="5"), state()) == ()
    assert disk_verdicts(sweeps.plan("disk-baseline", 2), state()) == ()
    assert disk_verdicts(PLAN, RunState()) == ()
