"""A headless run's progress as lines of text."""

import time
from collections.abc import Callable, Sequence

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan import estimate
from raidtui.core.plan.model import Plan
from raidtui.core.results import disturbance
from raidtui.core.run import progress
from raidtui.core.run.state import RunState, TrialState
from raidtui.core.text import visible
from raidtui.core.units import format_bytes, format_duration, format_iops, format_rate
from raidtui.runs.follow import Follower, View

_POLL_S = 0.5
_START_S = 30.0  # a worker that has not begun by then never will


class Narrator:
    """New events once each: steps, resync progress, results, warnings."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._print = show
        self._steps = self._measured = self._warnings = self._asked = 0
        self._sync_percent = -1
        self._expected: tuple[estimate.Times, ...] = ()  # what each stage may take

    def _say(self, line: str) -> None:
        """Cleaned: a journal has tools' output."""
        self._print(visible(line))

    def show_new(self, plan: Plan, state: RunState) -> None:
        ended = [trial for trial in state.trials if trial.measurement and trial.ended_at_s is not None]
        for step in state.steps[self._steps :]:
            self._show_results([trial for trial in ended if (trial.ended_at_s or 0.0) <= step.started_at_s])
            trials_done = sum(state.is_final(trial.id) for trial in plan.trials)
            measuring = step is state.step and step.role == "measure"
            left_words = f", {self._left_words(plan, state)} left" if measuring else ""
            count = "" if plan.care else f"[{trials_done}/{len(plan.trials)}{left_words}] "
            self._say(f"{count}{'clear away: ' if step.undoing else ''}{step.what}")
        self._steps = len(state.steps)
        if state.sync and state.sync.total_bytes:
            percent = 10 * (10 * state.sync.done_bytes // state.sync.total_bytes)
            if percent != self._sync_percent:
                rate = format_rate(state.sync.bytes_per_s)
                left_s = (state.sync.total_bytes - state.sync.done_bytes) / max(state.sync.bytes_per_s, 1.0)
                self._say(f"  {state.sync.action} {percent} % at {rate}, {format_duration(left_s)} left")
            self._sync_percent = percent
        self._show_results(ended)
        for warning in state.warnings[self._warnings :]:
            self._say(f"  warning: {warning}")
        self._warnings = len(state.warnings)
        for measured_again in state.asked_again[self._asked :]:
            self._say(f"  {disturbance.words(measured_again)}")
        self._asked = len(state.asked_again)

    def _show_results(self, ended: Sequence[TrialState]) -> None:
        """Each below the step that measured it, before the next one."""
        for trial in ended[self._measured :]:
            if trial.measurement:
                self._say(f"  {figures(trial.measurement)}")
        self._measured = max(self._measured, len(ended))

    def _left_words(self, plan: Plan, state: RunState) -> str:
        self._expected = self._expected or estimate.stages(plan)
        return format_duration(round(progress.left_s(plan, self._expected, state, state.now_s)))


def figures(measurement: Measurement) -> str:
    if measurement.status != "ok":
        return f"{measurement.status.upper()}: {measurement.error or ''}".rstrip(": ")
    rates = [
        f"{direction} {format_rate(transfers.bytes_per_s)}, {format_iops(transfers.iops)} IOPS"
        for direction, transfers in (("read", measurement.read), ("write", measurement.write))
        if transfers
    ]
    return "; ".join(rates) or format_bytes(0)


def watch(follower: Follower, show: Callable[[str], None], on_person: Callable[[], None] = lambda: None) -> View:
    """Until its end or its worker's death. `on_person`: at a manual step, once."""
    narrator, steps_shown = Narrator(show), 0
    began = time.monotonic()
    view = None
    while True:
        if polled := follower.poll():
            view = polled
            narrator.show_new(view.plan, view.state)
            if view.alive and progress.manual_step(view.plan, view.state) and steps_shown != len(view.state.steps):
                steps_shown = len(view.state.steps)
                on_person()
        begun = view is not None and view.state.worker is not None
        if view and begun and (view.state.ended or not view.alive):
            return view
        if not begun and time.monotonic() - began > _START_S:
            raise TimeoutError(f"the worker did not start; {follower.path}/worker.log may tell why")
        time.sleep(_POLL_S)
