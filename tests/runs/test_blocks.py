"""A block whose baseline is off the others', and a test that stood still for a second, are measured once more.

Nothing is measured: every trial has the rate that a function gives it.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan import estimate
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Trial
from raidtui.core.plan.steps import Command
from raidtui.core.results.analysis import compare
from raidtui.core.run import events, progress
from raidtui.runs import executor as runs_executor
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import Ended, Stopped
from tests.builders import handmade
from tests.runs.rig import FINISHED, Rig, plan_of

Rate = Callable[[Trial, int], float]  # of a trial that is measured for the so many-th time
_MOST_RUNS = 3


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> Callable[[Rate], Counter[str]]:
    """Trials have these rates from now on; how often each was measured."""

    def given(rate: Rate) -> Counter[str]:
        times: Counter[str] = Counter()

        def measure(context: StageContext, step: Command) -> Ended:
            trial = context.plan.trial(step.trial)
            assert trial and times[trial.id] < _MOST_RUNS
            times[trial.id] += 1
            told = rate(trial, times[trial.id])
            stalls = int(told < 0)
            disks = {context.plan.members[0].id: DiskRates(1e6, 1e6, 0.9, stalls=stalls)}
            done = handmade.measurement(trial, abs(told), disks=disks)
            context.journal.add(events.TrialStarted(at_s=1.0, trial=trial.id, expected_s=trial.expected_s))
            context.journal.add(events.TrialEnded(at_s=2.0, trial=trial.id, measurement=done))
            return Ended(0, "")

        monkeypatch.setattr(runs_executor, "measure", measure)
        return times

    return given


def rig_of(folder: Path, repeat: int) -> Rig:
    rig = Rig(folder, plan_of(repeat=repeat))
    rig.build()
    return rig


def test_a_block_whose_baseline_is_off_the_others_is_measured_once_more(
    tmp_path: Path, measured: Callable[[Rate], Counter[str]]
) -> None:
    times = measured(lambda trial, time: 100 * (0.9 if (trial.block, time) == (2, 1) else 1.0))
    rig = rig_of(tmp_path, 3)
    assert rig.go() == FINISHED
    again = {trial.id for trial in rig.plan.trials if times[trial.id] > 1}
    assert again == {trial.id for trial in rig.plan.trials if trial.block == 2}
    (asked,) = rig.journal.state.asked_again
    assert (asked.why, asked.block) == ("baseline", 2) and asked.share == pytest.approx(-0.1)
    assert rig.journal.state.is_complete(()) is False and all(map(rig.journal.state.is_final, times))
    assert rig.array is None and rig.superblocks == {}
    warned = compare(rig.plan, rig.journal.state).warnings
    assert any("block 2 was measured again" in text and "10 % less" in text for text in warned)
    assert not any("it counts" in text for text in warned)


def test_a_block_that_is_off_again_counts_and_the_others_stay(
    tmp_path: Path, measured: Callable[[Rate], Counter[str]]
) -> None:
    times = measured(lambda trial, time: 100 * (1.2 if trial.block == 3 else 1.0))
    rig = rig_of(tmp_path, 3)
    assert rig.go() == FINISHED
    assert {trial.block for trial in rig.plan.trials if times[trial.id] == 2} == {3} and max(times.values()) == 2
    assert any("20 % more" in text and "it counts" in text for text in compare(rig.plan, rig.journal.state).warnings)


def test_of_two_blocks_nobody_can_tell_which_is_off(tmp_path: Path, measured: Callable[[Rate], Counter[str]]) -> None:
    times = measured(lambda trial, time: 100.0 + 20 * (trial.block == 2))
    rig = rig_of(tmp_path, 2)
    assert rig.go() == FINISHED and set(times.values()) == {1}
    assert any("one of the two was disturbed" in text for text in compare(rig.plan, rig.journal.state).warnings)


def test_blocks_within_5_percent_are_left_alone(tmp_path: Path, measured: Callable[[Rate], Counter[str]]) -> None:
    times = measured(lambda trial, time: 100 * (1 + 0.03 * trial.block))
    rig = rig_of(tmp_path, 3)
    rig.go()
    assert set(times.values()) == {1} and not any(
        "block" in text for text in compare(rig.plan, rig.journal.state).warnings
    )


def test_a_test_that_stood_still_is_repeated_and_a_stall_that_returns_counts(
    tmp_path: Path, measured: Callable[[Rate], Counter[str]]
) -> None:
    def rate(trial: Trial, time: int) -> float:
        once = trial.id == "s1-member0-seq_read" and time == 1
        return -100.0 if once or trial.id == "s2-rand_write" else 100.0

    times = measured(rate)
    rig = rig_of(tmp_path, 1)
    assert rig.go() == FINISHED
    assert {trial for trial, count in times.items() if count == 2} == {"s1-member0-seq_read", "s2-rand_write"}
    assert [one.trials for one in rig.journal.state.asked_again] == [("s1-member0-seq_read",), ("s2-rand_write",)]
    flags = {row.job: row.flags for row in compare(rig.plan, rig.journal.state).rows}
    assert any("it counts" in text for text in flags["rand_write"])


@pytest.mark.parametrize("how", [{"runtime_s": None}, {"rounds": 25}])
def test_a_test_over_a_size_and_one_in_rounds_are_not_repeated(
    tmp_path: Path, measured: Callable[[Rate], Counter[str]], how: dict[str, int | None]
) -> None:
    times = measured(lambda trial, time: -100.0)
    plan = plan_of()
    other = [replace(one, **how) for one in plan.stages[1].trials]
    stages = (plan.stages[0], replace(plan.stages[1], trials=tuple(other)))
    rig = Rig(tmp_path, replace(plan, stages=stages))
    rig.build()
    rig.go()
    assert all(times[trial.id] == 1 for trial in other) and times["s1-members-seq_read"] == 2


def test_a_test_during_a_rebuild_is_not_repeated(tmp_path: Path, measured: Callable[[Rate], Counter[str]]) -> None:
    times = measured(lambda trial, time: -100.0)
    plan = plan_of()
    setup = replace(plan.stages[1].setup or Setup(), failed=1, rebuild_min_kib_s=1000)
    stages = (plan.stages[0], replace(plan.stages[1], setup=setup))
    rig = Rig(tmp_path, replace(plan, stages=stages))
    rig.build()
    rig.go()
    assert all(times[trial.id] == 1 for trial in plan.stages[1].trials) and times["s1-members-seq_read"] == 2


def test_a_repeated_block_that_was_stopped_is_gone_on_with(
    tmp_path: Path, measured: Callable[[Rate], Counter[str]]
) -> None:
    """What was asked for again is known to the journal; what was measured since is not measured a third time."""

    def rate(trial: Trial, time: int) -> float:
        if (trial.block, trial.job, trial.target, time) == (2, "seq_read", "array", 2) and not resumed:
            raise Stopped
        return 100 * (0.9 if (trial.block, time) == (2, 1) else 1.0)

    resumed = False
    times = measured(rate)
    rig = rig_of(tmp_path, 3)
    assert rig.go()[0] == "stopped"
    left_s = progress.left_s(rig.plan, estimate.stages(rig.plan), rig.journal.state, rig.journal.state.now_s)
    assert left_s > 0
    resumed = True
    rig.open()
    assert rig.go() == FINISHED
    assert all(map(rig.journal.state.is_final, (trial.id for trial in rig.plan.trials)))
    assert {trial.block for trial in rig.plan.trials if times[trial.id] > 1} == {2} and len(
        rig.journal.state.asked_again
    ) == 1
