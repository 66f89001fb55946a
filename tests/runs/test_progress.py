"""What a headless run says while it goes on: each step once, and before a measurement how long is left."""

from types import SimpleNamespace
from typing import cast

import pytest

from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.runs import progress
from raidtui.runs.follow import Follower, View
from raidtui.runs.progress import Narrator
from tests.builders import handmade, sweeps
from tests.builders.journals import started

PLAN = sweeps.plan("quick", 3, level="5", first_sync="skip", fio={"runtime": "5s"})
FIRST, SECOND = PLAN.trials[:2]
BEGUN: list[events.AnyEvent] = [
    started(),
    events.StageStarted(at_s=1.0, stage=0),
    events.StepStarted(at_s=1.0, stage=0, what=f"Measure: {FIRST.title}", line="fio", role="measure"),
    events.TrialStarted(at_s=1.0, trial=FIRST.id, expected_s=FIRST.expected_s),
]


def told(*more: events.AnyEvent) -> list[str]:
    said: list[str] = []
    Narrator(said.append).show_new(PLAN, fold_all([*BEGUN, *more]))
    return said


def test_a_measurement_that_begins_says_how_long_the_run_may_take_yet() -> None:
    (line,) = told()
    assert line.startswith(f"[0/{len(PLAN.trials)}, 1 min") and line.endswith(f"left] Measure: {FIRST.title}")


def test_a_result_stands_below_its_own_test_where_the_next_has_begun() -> None:
    lines = told(
        events.TrialEnded(at_s=8.0, trial=FIRST.id, measurement=handmade.measurement(FIRST, 94.0)),
        events.StepEnded(at_s=8.0, what=f"Measure: {FIRST.title}"),
        events.StepStarted(at_s=8.0, stage=0, what=f"Measure: {SECOND.title}", line="fio", role="measure"),
        events.TrialStarted(at_s=8.0, trial=SECOND.id, expected_s=SECOND.expected_s),
        events.TrialEnded(at_s=16.0, trial=SECOND.id, measurement=handmade.measurement(SECOND, 47.0)),
    )
    headings = [line.partition("] Measure: ")[2] for line in lines]
    assert headings == [FIRST.title, "", SECOND.title, ""]
    assert "94.0 MB/s" in lines[1] and "47.0 MB/s" in lines[3]


def test_a_measurement_that_has_ended_says_its_figures_and_no_time() -> None:
    first, figures = told(
        events.TrialEnded(at_s=8.0, trial=FIRST.id, measurement=handmade.measurement(FIRST, 94.0)),
        events.StepEnded(at_s=8.0, what=f"Measure: {FIRST.title}"),
    )
    assert first == f"[1/{len(PLAN.trials)}] Measure: {FIRST.title}"
    assert "94.0 MB/s" in figures


def test_a_result_is_told_below_its_own_test_and_above_the_next() -> None:
    first, figures, second = told(
        events.TrialEnded(at_s=8.0, trial=FIRST.id, measurement=handmade.measurement(FIRST, 94.0)),
        events.StepEnded(at_s=8.0, what=f"Measure: {FIRST.title}"),
        events.StepStarted(at_s=8.0, stage=0, what=f"Measure: {SECOND.title}", line="fio", role="measure"),
    )
    assert (first[-len(FIRST.title) :], second[-len(SECOND.title) :]) == (FIRST.title, SECOND.title)
    assert "94.0 MB/s" in figures


def test_a_worker_that_has_not_begun_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_POLL_S", 0.0)
    ended = [*BEGUN, events.RunEnded(at_s=9.0, outcome="finished")]
    polled = [View(PLAN, fold_all(told), (), (), alive=False) for told in ([], ended)]
    view = progress.watch(cast(Follower, SimpleNamespace(poll=lambda: polled.pop(0), path="run")), lambda line: None)
    assert view.state.outcome == "finished" and not polled
