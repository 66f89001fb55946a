"""Which figure a job is judged by: bytes/s in a row, IOPS at random, and none of a direction that moved nothing."""

import pytest

from raidtui.core.results.analysis import attempt
from raidtui.core.results.outliers import Compared
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from tests.builders import handmade
from tests.builders.journals import started

PLAN = handmade.plan()


@pytest.mark.parametrize(
    "job, way, rate, value",
    [
        ("seq_read", "read", 187.0, 187e6),
        ("rand_write", "write", 96.0, 96.0),
        ("mix", "read", 100.0, 70.0),
        ("seq_read", "write", 187.0, None),
    ],
)
def test_the_figure_of_a_job(job: str, way: str, rate: float, value: float | None) -> None:
    trial = PLAN.trial(f"filesystem-{job}")
    assert trial
    compared = Compared(trial, way, {}, [], [])  # type: ignore[arg-type]
    assert compared.value(handmade.measurement(trial, rate)) == pytest.approx(value)


def test_what_was_going_on_when_its_run_ended_runs_no_more() -> None:
    trial = PLAN.trial("filesystem-mix")
    assert trial
    state = fold_all([started(), events.TrialStarted(at_s=2, trial=trial.id, expected_s=1)])
    assert attempt(state, trial).running
    assert not attempt(fold_all([events.RunEnded(at_s=3, outcome="failed")], state), trial).running
