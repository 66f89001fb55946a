"""Recorded runs held against thresholds and against each other: what cannot be judged has not passed."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer import acceptance
from raidtui.core.answer.acceptance import CheckResult, RunValues
from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.run.state import RunState
from raidtui.core.threshold import BadThreshold, Expect
from raidtui.demo.recording import load
from tests.builders import sweeps
from tests.replay import RUNS

RAID5 = load(RUNS / "raid5-of-3").view()
RUN = RunValues(RAID5.plan, RAID5.state)


def slower(state: RunState, share: float, status: str = "ok") -> RunState:
    """The run with every rate by this share lower, or with trials that have another status."""

    def way(told: Direction | None) -> Direction | None:
        if told is None:
            return None
        return replace(told, iops=told.iops * (1 - share), bytes_per_s=told.bytes_per_s * (1 - share))

    def measurement(told: Measurement | None) -> Measurement | None:
        if told is None:
            return None
        return replace(told, read=way(told.read), write=way(told.write), status=status)

    trials = tuple(replace(trial, measurement=measurement(trial.measurement)) for trial in state.trials)
    return replace(state, trials=trials)


def outcomes(found: list[CheckResult]) -> list[str]:
    return [check.outcome for check in found]


def test_each_threshold_has_an_outcome_and_a_sentence() -> None:
    found = acceptance.of_thresholds(RUN, ["seq_read.gain < 5", "slow_disks > 0", "mismatch_sectors > 0"], ())
    assert outcomes(found) == ["failed", "passed", "failed"]
    assert found[0].sentence.startswith("it is 2.97") and found[0].value == pytest.approx(2.97, abs=0.01)
    assert found[2].sentence == "cannot be judged, it had md check nothing"


def test_every_test_is_judged_by_a_star_and_one_that_there_is_not_is_an_error() -> None:
    assert len(acceptance.of_thresholds(RUN, ["*.iops < 0"], ())) == len(RUN.comparison.rows)
    with pytest.raises(BadThreshold, match="did you mean seq_read"):
        acceptance.of_thresholds(RUN, ["seq_reed.gain < 1"], ())
    (none,) = acceptance.of_thresholds(RUN, ["seq_read.write.iops < 1"], ())
    assert none.outcome == "failed" and "no writes of seq_read" in none.sentence


def test_what_the_recipe_expects_of_a_test_that_was_left_out_is_skipped() -> None:
    expected = (Expect(fail_if="seq_read.gain < 5", why="the rack's rule"), Expect(fail_if="burn.iops < 1"))
    found = acceptance.of_thresholds(RUN, [], expected)
    assert outcomes(found) == ["failed", "skipped"]
    assert found[0].sentence.endswith("(the rack's rule)") and found[1].sentence == "this run has no test burn"


def test_another_run_is_slower_by_more_than_chance_alone() -> None:
    base = (RAID5.plan, RAID5.state, "base")
    for share, failed in ((0.0, 0), (0.08, 0), (0.30, 12)):  # of one repetition each 15 % tell
        other = RunValues(RAID5.plan, slower(RAID5.state, share))
        found = acceptance.against(other, *base)
        assert len(found) == 12 and outcomes(found).count("failed") == failed, share
    faster = acceptance.against(RunValues(RAID5.plan, slower(RAID5.state, -0.5)), *base)
    assert set(outcomes(faster)) == {"passed"} and "+50 %" in faster[0].sentence


def test_a_test_that_failed_here_has_not_passed() -> None:
    failed = RunValues(RAID5.plan, slower(RAID5.state, 0.0, "failed"))
    found = acceptance.against(failed, RAID5.plan, RAID5.state, "base")
    assert set(outcomes(found)) == {"failed"} and "no figure here (failed" in found[0].sentence
    assert found[-1].sentence == "it is 12"  # missing
    other_way = acceptance.against(RUN, RAID5.plan, slower(RAID5.state, 0.0, "failed"), "base")
    assert set(outcomes(other_way)) == {"skipped"}


def test_runs_without_a_common_test_are_no_base() -> None:
    folder = load(RUNS / "existing-folder").view()
    with pytest.raises(ValueError, match="no test on the same setup in common"):
        acceptance.against(RUN, folder.plan, folder.state, "base")


def test_a_test_of_another_queue_depth_is_not_held_against_it() -> None:
    deep = sweeps.plan("quick", 4, level="0", job=sweeps.SATURATED)
    made = sweeps.plan("quick", 4, level="0")
    run = RunValues(made, sweeps.state(made, lambda *_: 10.0))
    found = acceptance.against(run, deep, sweeps.state(deep), "base")
    skipped = [check for check in found if check.outcome == "skipped"]
    assert {check.sentence for check in skipped} == {
        "its queue depth differs from that in base; measure one of them again"
    }
    assert [check.outcome for check in found if check not in skipped] == ["failed"] * 6  # sequential ones, slower
    assert len(skipped) == 6
