"""Progress of a run from plan and state: seconds by purpose, estimated, taken and left; the manual step that is due;
what damaged journal lines may hide. Estimates of single steps are in `plan/estimate`.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

from raidtui.core.fio.job import is_sequential
from raidtui.core.plan.estimate import Doing, Part, Times, besides_s, between_s, by_part, filesystem_of, kind_of
from raidtui.core.plan.model import Plan, Trial, carried_out, goes_on, steps_of
from raidtui.core.plan.roles import PersonRole
from raidtui.core.plan.steps import ManualStep, Write
from raidtui.core.run.state import RunState, StepState

_OTHER_PART: Part = "build"  # and all that goes with it
_DOUBT_S = 10.0  # an estimate keeps this much weight against what was seen
_MOVED = 0.1  # of what was estimated for the whole run that its end may move before it is said
Basis = Literal["assumed", "measured", "at least"]


def seconds_taken(state: RunState) -> Times:
    """Seconds of finished parts; a trial counts fio's share of its step."""
    ended = ((_part_of(step), step.ended_at_s - step.started_at_s) for step in state.steps if step.ended_at_s)
    trials = [
        trial_state.ended_at_s - trial_state.started_at_s for trial_state in state.trials if trial_state.ended_at_s
    ]
    return by_part([*(pair for pair in ended if pair[0] != "trial"), ("trial", sum(trials))])


def active_s(state: RunState) -> float:
    """Seconds with a worker, up to the newest event."""
    return max(0.0, state.now_s - state.started_at_s - state.idle_s)


def waited_s(state: RunState, now_s: float = 0.0) -> float:
    """Seconds waiting for a person, up to `now_s` if still waiting: no measure of speed."""
    waits = (step for step in state.steps if kind_of(step.role) == "person")
    return sum(max(0.0, (step.ended_at_s or now_s) - step.started_at_s) for step in waits)


class Paces(NamedTuple):
    """Seconds of what has ended: estimated, taken, and estimated of it in the present stage."""

    estimated: Times
    taken: Times
    of_stage: Times


def _paces(plan: Plan, state: RunState) -> Paces:
    taken_up_s = state.worker.at_s if state.worker else 0.0
    estimated, taken_s, of_stage = by_part(()), by_part(()), by_part(())  # of_stage: the one carried out
    for step in state.steps:
        step_part = _part_of(step)
        if step.ended_at_s is None or step.error:
            continue
        before_s = between_s(_doing(plan, step), len(plan.members), plan.command_s)
        may_take: list[tuple[Part, float]] = [("between", before_s)]
        if step_part != "trial":
            may_take.append((step_part, _step_s(plan, step)))
            taken_s[_alike(step_part)] += step.ended_at_s - step.started_at_s
        for timed_trial, may_take_s in may_take:
            may_take_s *= step.times
            estimated[_alike(timed_trial)] += may_take_s
            if step.stage == state.stage and step.started_at_s >= taken_up_s:
                of_stage[timed_trial] += may_take_s
    stage_trials = {trial.id for stage in plan.stages[state.stage : state.stage + 1] for trial in stage.trials}
    for trial in state.trials:
        if trial.ended_at_s is not None and state.is_final(trial.trial):
            may_take_s = _trial_s(plan, trial.expected_s)
            estimated["trial"] += may_take_s
            taken_s["trial"] += trial.ended_at_s - trial.started_at_s
            if trial.trial in stage_trials:
                of_stage["trial"] += may_take_s
    over_s = (state.step.started_at_s if state.step else state.now_s) - state.started_at_s - state.idle_s
    known_s = taken_s["trial"] + taken_s["sync"] + waited_s(state)
    taken_s[_OTHER_PART] = max(0.0, over_s - known_s)  # with what is between steps
    return Paces(estimated, taken_s, of_stage)


def left_s(plan: Plan, expected: Sequence[Times], state: RunState, now_s: float) -> float:
    """Seconds left: `expected` per stage, corrected by observation, separately for trials, resyncs and other steps."""
    estimated, taken_s, of_stage = _paces(plan, state)
    all_left_s = 0.0
    for number, times in enumerate(expected):
        if number < state.stage or _is_over(plan, number, state):
            continue
        for step_part, seconds in times.items():
            spent_s = of_stage[step_part] if number == state.stage else 0.0
            alike = _alike(step_part)
            all_left_s += max(0.0, seconds - spent_s) * (taken_s[alike] + _DOUBT_S) / (estimated[alike] + _DOUBT_S)
    if state.step is not None:
        all_left_s -= min(now_s - state.step.started_at_s, _present_s(plan, state))
    return max(0.0, all_left_s)


def basis(plan: Plan, state: RunState, now_s: float) -> Basis:
    """ "assumed": nothing lengthy was timed yet; "at least": the current step exceeds its estimate."""
    if state.step is not None and now_s - state.step.started_at_s > _present_s(plan, state) + 1:
        return "at least"
    is_timed = any(trial.ended_at_s is not None and state.is_final(trial.trial) for trial in state.trials)
    is_timed |= any(_part_of(step) == "sync" and step.ended_at_s is not None for step in state.steps)
    return "measured" if is_timed else "assumed"


def moved(plan: Plan, state: RunState, left: float, now_s: float) -> tuple[float, Part] | None:
    """Seconds by which the end is later than the initial estimate (earlier: below 0), and the part that moved it most;
    None within a tenth of the estimate.
    """
    run_s = max(0.0, now_s - state.started_at_s - state.idle_s) if state.started_at_s else 0.0
    later_s = run_s + left - plan.estimate_s
    if abs(later_s) <= _MOVED * plan.estimate_s + _DOUBT_S:
        return None
    seen = _paces(plan, state)
    by: dict[Part, float] = {part: seen.taken[part] - seen.estimated[part] for part in (_OTHER_PART, "trial", "sync")}
    by["person"] = waited_s(state, now_s)
    if present := state.trial or state.step:
        part = _alike(_part_of(present)) if isinstance(present, StepState) else "trial"
        by[part] += max(0.0, now_s - present.started_at_s - _present_s(plan, state))
    return later_s, max(by, key=lambda part: by[part] if later_s > 0 else -by[part])


def _present_s(plan: Plan, state: RunState) -> float:
    if state.trial:
        return _trial_s(plan, state.trial.expected_s)
    return _step_s(plan, state.step) if state.step else 0.0


class Writing(NamedTuple):
    """Bytes to all members in the whole run. `is_assumed`: what is left relies on an unmeasured speed."""

    whole_bytes: int
    is_assumed: bool


def writing(plan: Plan, state: RunState) -> Writing:
    """Written, plus expected by job. A time-limited test writes what the disks allow: the plan's assumption is
    corrected by the first test of the job, before by jobs of the same pattern.
    """
    uncounted = _uncounted(state)
    planned: defaultdict[Hashable, float] = defaultdict(float)
    written: defaultdict[Hashable, float] = defaultdict(float)
    for ended in state.trials:
        trial = plan.trial(ended.trial)
        if trial and trial.written_bytes and ended.written_bytes and not ended.lost and state.is_final(trial.id):
            for key in _alike_keys(trial):
                planned[key] += trial.written_bytes
                written[key] += ended.written_bytes
    to_come, is_assumed = 0.0, False
    for number, stage in enumerate(plan.stages):
        for trial in stage.trials:
            if trial.written_bytes and (trial.id == uncounted or not state.is_final(trial.id)):
                known = next((key for key in _alike_keys(trial) if planned[key]), None)
                to_come += trial.written_bytes * (written[known] / planned[known] if known else 1.0)
                is_assumed |= known is None and bool(trial.runtime_s)
        to_come += _to_build_bytes(plan, number, state)
    return Writing(int(state.written_bytes + max(0.0, to_come)), is_assumed)


def _alike_keys(trial: Trial) -> tuple[Hashable, Hashable]:
    """Tests whose bytes predict each other: by job, else by pattern."""
    return trial.job, (is_sequential(trial.rw), bool(trial.runtime_s))


def _uncounted(state: RunState) -> str:
    """Test of the unfinished step (its bytes come at its end), or ""."""
    newest = state.trials[-1] if state.trials else None
    return newest.trial if newest and state.step and newest.started_at_s >= state.step.started_at_s else ""


def _to_build_bytes(plan: Plan, number: int, state: RunState) -> int:
    """Bytes before a stage's first test; 0 once that began."""
    if _is_over(plan, number, state) or (number < state.stage and number not in state.stages_done):
        return 0
    steps_here = _made(state, number, state.stage_since_s) if number == state.stage else []
    if any(_part_of(step) == "trial" for step in steps_here):
        return 0
    stage = plan.stages[number]
    planned = stage.written_bytes - sum(trial.written_bytes for trial in stage.trials)
    if goes_on(plan, number) and _stands(plan, number - 1, state):
        planned -= stage.sync_bytes
    return max(0, planned - sum(step.written_bytes for step in steps_here))


def _stands(plan: Plan, number: int, state: RunState) -> bool:
    """The next stage can reuse the array; not if another worker built it."""
    return not _is_over(plan, number, state) or bool(_made(state, number, state.worker.at_s if state.worker else 0.0))


def _made(state: RunState, stage: int, since_s: float) -> list[StepState]:
    return [step for step in state.steps if step.stage == stage and step.started_at_s >= since_s and not step.undoing]


def _is_over(plan: Plan, number: int, state: RunState) -> bool:
    return number in state.stages_done and not any(
        state.times_asked(trial.id) and not state.is_final(trial.id) for trial in plan.stages[number].trials
    )


def _doing(plan: Plan, step: StepState) -> Doing:
    return Doing(step.role, filesystem_of(plan, step.stage), bool(step.members))


def _part_of(step: StepState) -> Part:
    return "teardown" if step.undoing else kind_of(step.role)


def _step_s(plan: Plan, step: StepState) -> float:
    return (step.estimate_s or 0.0) + besides_s(_doing(plan, step), len(plan.members), plan.command_s)


def _trial_s(plan: Plan, expected_s: float) -> float:
    return expected_s + besides_s(Doing("measure"), len(plan.members), plan.command_s)


def _alike(part: Part) -> Part:
    """Trials, resyncs, other: a machine is slow in one of them."""
    return part if part in ("trial", "sync", "person") else _OTHER_PART


# What the program asks of the person, said before it does: what is typed at its first question is seen.
MANUAL_STEP_NOTES: dict[PersonRole, str] = {
    "encrypt": "cryptsetup prompts three times: YES in capital letters (create a container on the empty array), a new"
    " passphrase, the passphrase again. It is not shown while you type. Without it the data are lost. Then cryptsetup"
    " works silently for some seconds, up to a minute on a slow machine.",
    "unlock": "cryptsetup prompts once for the container's passphrase, then works silently for some seconds, up to a"
    " minute on a slow machine.",
}
# Said at once, while the first of it is got ready.
MANUAL_STEP_SOON = "raidtui checks the array first (some seconds), then explains the prompts."


def manual_step(plan: Plan, state: RunState) -> ManualStep | None:
    """The manual step that is due; None if none. Whether the worker lives is not checked."""
    step = state.step
    if step is None or step.undoing or state.stopping or not 0 <= step.stage < len(plan.stages):
        return None
    steps = carried_out(plan, step.stage).steps
    return next((planned for planned in steps if isinstance(planned, ManualStep) and planned.role == step.role), None)


def manual_step_hint(run: str) -> str:
    return f"the run waits for you: `raidtui passphrase {run}`, as root in a terminal"


def damage(plan: Plan, state: RunState) -> str:
    """Unreadable journal lines and settings that may be changed for it; "" if none."""
    if not state.damaged:
        return ""
    single = state.damaged == 1
    counted = f"{state.damaged} line{'' if single else 's'} of its journal cannot be read"
    missing = f"{counted}: what {'it' if single else 'they'} told, as a result or a changed setting, is missing"
    if paths := settings_in_doubt(plan, state):
        return f"{missing}. Perhaps changed, and not put back: {', '.join(paths)}"
    return missing


def settings_in_doubt(plan: Plan, state: RunState) -> tuple[str, ...]:
    """Paths of settings whose change may be missing in the damaged journal: fewer changes recorded than possible."""
    if not state.damaged:
        return ()
    last = max((state.stage, *(step.stage for step in state.steps)))
    begun = (step for number in range(min(last + 1, len(plan.stages))) for step in steps_of(plan, number))
    may_be = Counter(step.path for step in begun if isinstance(step, Write) and step.restore)
    put_back = Counter(change.path for change in state.changes)
    return tuple(path for path, times in may_be.items() if times > put_back[path])
