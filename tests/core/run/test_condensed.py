"""A state condensed at each event tells a live screen the same as the whole one, and grows no longer."""

import pytest

from raidtui.core.plan import estimate
from raidtui.core.run import events, progress
from raidtui.core.run.state import RunState, condensed, fold_all
from raidtui.core.units import Units
from raidtui.demo.recording import load
from raidtui.ui.render.live_lines import trial_lines
from tests.replay import RUNS

NEWEST = 3
RECORDED = ("existing-folder", "rack-of-24", "raid10-of-6", "raid5-twice")


@pytest.mark.parametrize("name", RECORDED)
def test_progress_and_the_newest_trials_are_the_whole_state_s(name: str) -> None:
    recording = load(RUNS / name)
    plan, stages = recording.plan, estimate.stages(recording.plan)
    trials = [trial.id for trial in plan.trials]
    whole = small = RunState()
    looked_at = events.StepStarted | events.TrialEnded | events.StageEnded
    assert sum(isinstance(event, looked_at) for event in recording.events) > 10
    for event in recording.events:
        whole, small = fold_all((event,), whole), condensed(fold_all((event,), small), NEWEST)
        if isinstance(event, looked_at):
            now_s = event.at_s + 1
            left_s = progress.left_s(plan, stages, whole, now_s)
            assert progress.left_s(plan, stages, small, now_s) == pytest.approx(left_s)
            assert progress.waited_s(small, now_s) == pytest.approx(progress.waited_s(whole, now_s))
            assert progress.writing(plan, small) == progress.writing(plan, whole)
            assert [*map(small.is_final, trials)] == [*map(whole.is_final, trials)]
            assert progress.basis(plan, small, now_s) == progress.basis(plan, whole, now_s)
            shape = (120, 1 + NEWEST)
            assert trial_lines(plan, small, shape, Units.DECIMAL) == trial_lines(plan, whole, shape, Units.DECIMAL)


def test_a_run_a_hundred_times_as_long_has_no_more_steps_and_no_more_figures() -> None:
    once = [event for event in load(RUNS / "raid5-of-3").events if not isinstance(event, events.RunEnded)]
    short, state = condensed(fold_all(once)), RunState()
    for _ in range(100):
        state = condensed(fold_all(once, state))
    ended = [trial.measurement for trial in state.trials if trial.measurement]
    assert len(state.steps) <= 2 * len(short.steps) and sum(step.times for step in state.steps) > 2000
    assert len(state.trials) == 100 * len(short.trials) and len({id(one) for one in ended[:-256]}) == 1
    assert all(measurement.read or measurement.write for measurement in ended[-256:])
