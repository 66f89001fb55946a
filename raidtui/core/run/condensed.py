"""State of a running run in bounded size: equal steps merged, old trials without results. Same `progress`."""

import sys

import msgspec

from raidtui.core.fio.measurement import Measurement
from raidtui.core.run.state import RunState, StepState, TrialState

_NEWEST = 256  # trials: more than any screen has lines
_ENDED: dict[str, Measurement] = {}  # by status, one for all


def condensed(state: RunState, newest: int = _NEWEST) -> RunState:
    """Except for the newest step and the `newest` trials."""
    trials = list(state.trials)
    for number in reversed(range(len(trials) - newest)):
        if any(trials[number].measurement is ended for ended in _ENDED.values()):  # so are all before it
            break
        trials[number] = _without_figures(trials[number])
    return msgspec.structs.replace(
        state,
        steps=(*_merged_steps(state), *state.steps[-1:]),
        trials=tuple(trials),
        stages_done=tuple(dict.fromkeys(state.stages_done)),
        changes=(),
        kernel={},
    )


def _merged_steps(state: RunState) -> tuple[StepState, ...]:
    """Per stage and worker, as these are asked for separately."""
    begun_s = (state.stage_since_s, state.worker.at_s if state.worker else 0.0)
    kinds: dict[object, StepState] = {}
    for step in state.steps[:-1]:
        since = tuple(step.started_at_s >= moment_s for moment_s in begun_s)
        kind = (step.stage, step.role, step.undoing, bool(step.members), step.estimate_s, bool(step.error), *since)
        if step.ended_at_s is None:  # nobody knows when
            kinds[step.started_at_s] = step
        elif kind in kinds and (first := kinds[kind]).ended_at_s is not None:
            kinds[kind] = msgspec.structs.replace(
                first,
                ended_at_s=first.ended_at_s + step.ended_at_s - step.started_at_s,
                times=first.times + step.times,
                written_bytes=first.written_bytes + step.written_bytes,
            )
        else:
            kinds[kind] = step
    return tuple(kinds.values())


def _without_figures(trial: TrialState) -> TrialState:
    measurement = trial.measurement
    if measurement is not None:
        ended = Measurement(name="", status=measurement.status)
        measurement = _ENDED.setdefault(measurement.status, ended)
    return msgspec.structs.replace(trial, trial=sys.intern(trial.trial), measurement=measurement, queues={})
