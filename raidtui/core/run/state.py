"""Fold of a journal's events into one value, the input of screens and reports.

State of a running run in bounded size: equal steps merged, old trials without results. Same `progress`.

Data that tests got back otherwise than written, whatever became of the tests: by member, and in words.
"""

import sys
from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from raidtui.core.arrays.monitor import Monitor, Watch
from raidtui.core.fio.job import offered_iops
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.core.run import power_cut as power_cut
from raidtui.core.run.kernel import Message
from raidtui.core.text import visible

WORKER_DIED = "its worker died"  # the error of a step that was under way
_TAKES_APART = ("lock", "lvremove", "vgremove", "pvremove", "wipe", "stop", "zero", "destroy-pool")  # roles of steps


class TrialState(msgspec.Struct, frozen=True):
    """`times_asked`: repeats requested before it."""

    trial: str
    started_at_s: float
    expected_s: float
    ended_at_s: float | None = None
    measurement: Measurement | None = None
    lost: bool = False  # its array or a disk went away meanwhile
    queues: dict[str, dict[str, str]] = {}  # member identity -> setting -> value, as it was measured with
    times_asked: int = 0
    written_bytes: int = 0  # to all members meanwhile, by the kernel's counts: fio's ramp too


class StepState(msgspec.Struct, frozen=True):
    """`ended_at_s`: None while it runs; `error`: the tool's words."""

    stage: int
    role: str
    what: str
    line: str
    started_at_s: float
    members: tuple[str, ...] = ()  # identities of those that it names
    undoing: bool = False
    estimate_s: float | None = None
    ended_at_s: float | None = None
    error: str | None = None
    first_on: tuple[str, ...] = ()  # identities of the members that no step before it was on
    written_bytes: int = 0  # to all members meanwhile
    times: int = 1  # that it was done, where several are one (see `condensed`)


class RunState(msgspec.Struct, frozen=True):
    """`outcome` is "" while the run is not over."""

    run: str = ""
    started_at_s: float = 0.0
    now_s: float = 0.0  # of the newest event
    ended_at_s: float = 0.0  # its end; what is cleared away later is no part of it
    idle_s: float = 0.0  # between one worker's last event and the next one's first
    taken_s: float = 0.0  # to its end, but for the time between workers
    written_bytes: int = 0  # to all members, by the steps that have ended
    worker: events.WorkerStarted | None = None
    nodes: dict[str, tuple[str, ...]] = {}  # member identity -> the device nodes that it has had, in order
    stage: int = 0
    stage_since_s: float = 0.0  # when it was begun the last time, or taken up by another worker
    stages_done: tuple[int, ...] = ()
    written: tuple[str, ...] = ()  # identities of the members that the run has begun to write to
    created: tuple[str, ...] = ()  # UUIDs of the arrays whose creation it has begun
    steps: tuple[StepState, ...] = ()
    trials: tuple[TrialState, ...] = ()
    asked_again: tuple[events.TrialsRepeated, ...] = ()
    passed_over: dict[str, str] = {}  # trial -> why it need not be measured
    arrays: dict[int, events.ArrayBuilt] = {}  # by stage, as last built
    filesystems: dict[int, events.FilesystemMade] = {}
    pools: dict[int, events.PoolMade] = {}  # by stage, as last made; not there until its GUID has been read
    healths: tuple[events.HealthRead, ...] = ()
    self_tests: events.SelfTestsEnded | None = None  # before anything was erased
    self_tests_after: events.SelfTestsEnded | None = None
    files: dict[str, int] = {}  # path -> inode, of files of the run's own that may be there yet
    files_removed: tuple[str, ...] = ()
    placed: dict[int, tuple[events.FilePlaced, ...]] = {}  # by stage, its test files as they lay when last filled
    edits: dict[str, events.FileEdited] = {}  # path -> the lines of the run that may be in it
    initramfs_older: bool = False  # a file was changed since that it has a copy of
    pool_at_boot: bool = False  # ZFS' cache file may name the run's pool
    owners: dict[str, events.OwnerChanged] = {}  # folder -> its owner and mode before and after
    monitor: Monitor | None = None
    watch: Watch | None = None
    rebuilds: tuple[events.RebuildProgress, ...] = ()
    mismatches: tuple[events.MismatchesCounted, ...] = ()
    grown: events.ArrayGrown | None = None
    differed: tuple[events.BlocksDiffered, ...] = ()
    wrong: tuple[events.DataDiffered, ...] = ()  # of tests that are no proof
    cut: power_cut.PowerCut | None = None
    queues: tuple[events.QueuesRead, ...] = ()
    kernel: dict[str, tuple[Message, ...]] = {}  # what it said while a trial was measured, the last time
    sync: events.SyncProgress | None = None  # None when no sync runs
    settings: dict[str, str] = {}  # path -> old value, still to be put back
    lasting: dict[str, str] = {}  # the same, where it is put back with the permanence alone
    changes: tuple[events.SettingChanged, ...] = ()  # all there ever were
    warnings: tuple[str, ...] = ()
    programs_left: tuple[events.ProgramLeft, ...] = ()  # killed, and not ended at that time
    stopping: bool = False
    outcome: str = ""
    reason: str = ""
    refused: bool = False  # it failed as something must not be touched
    kept: bool = False  # the array stands on purpose: from the end of its tests on, until it is taken apart
    tests_done: int | None = None  # the stage whose array was kept when its tests had ended
    left: tuple[str, ...] = ()
    damaged: int = 0  # lines of the journal that cannot be read

    @property
    def is_at_boot(self) -> bool:
        """Boot may refer to the run's array or pool."""
        return bool(self.edits) or self.pool_at_boot

    @property
    def ended(self) -> bool:
        return bool(self.outcome)

    @property
    def step(self) -> StepState | None:
        return self.steps[-1] if self.steps and self.steps[-1].ended_at_s is None else None

    @property
    def trial(self) -> TrialState | None:
        return self.trials[-1] if self.trials and self.trials[-1].ended_at_s is None else None

    @property
    def array(self) -> events.ArrayBuilt | None:
        return self.arrays.get(self.stage)

    def times_asked(self, trial: str) -> int:
        return sum(trial in asked_again.trials for asked_again in self.asked_again)

    def is_final(self, trial: str) -> bool:
        """Has a result that counts, or is not needed; not if interrupted, lost, or to be repeated."""
        if trial in self.passed_over:
            return True
        newest = self._ended(trial)
        if newest is None or newest.lost or newest.measurement is None:
            return False
        return newest.measurement.status != "interrupted"

    def is_complete(self, trials: Iterable[str]) -> bool:
        return self.outcome == "finished" and all(map(self.is_final, trials))

    def measured(self, trial: str) -> Measurement | None:
        """Newest result that counts; None before."""
        newest = self._ended(trial)
        return newest.measurement if newest else None

    def complete(self, trial: str) -> Measurement | None:
        """As `measured`, of a test that went well."""
        measured = self.measured(trial)
        return measured if measured and measured.status == "ok" else None

    def times_measured(self, trial: str) -> int:
        return len(self.ended_well(trial))

    def ended_well(self, trial: str) -> list[Measurement]:
        """All complete results, repeated ones included."""
        ended = (trial_state.measurement for trial_state in self.trials if trial_state.trial == trial)
        return [measurement for measurement in ended if measurement and measurement.status == "ok"]

    def _ended(self, trial: str) -> TrialState | None:
        newest = next((begun for begun in reversed(self.trials) if begun.trial == trial and begun.measurement), None)
        return newest if newest and newest.times_asked == self.times_asked(trial) else None


# Where events of a kind are kept: all of them, or the last of each stage.
_ALL_KEPT: dict[type, str] = {
    events.ProgramLeft: "programs_left",
    events.HealthRead: "healths",
    events.RebuildProgress: "rebuilds",
    events.MismatchesCounted: "mismatches",
    events.QueuesRead: "queues",
    events.TrialsRepeated: "asked_again",
    events.DataDiffered: "wrong",
}
_BY_STAGE: dict[type, str] = {
    events.ArrayBuilt: "arrays",
    events.PoolMade: "pools",
    events.FilesystemMade: "filesystems",
}


def fold(state: RunState, event: events.AnyEvent | events.Unknown | events.Damaged) -> RunState:
    """Unknown events change nothing, damaged ones are counted."""
    if isinstance(event, events.Damaged):
        return replace(state, damaged=state.damaged + 1)
    if isinstance(event, events.Unknown):
        return state
    before_s, state = state.now_s, replace(state, now_s=event.at_s)
    if field := _ALL_KEPT.get(type(event)):
        return replace(state, **{field: (*getattr(state, field), event)})
    if field := _BY_STAGE.get(type(event)):
        return replace(state, **{field: {**getattr(state, field), state.stage: event}})
    match event:
        case events.WorkerStarted():
            return _taken_up(state, event, before_s or event.at_s)
        case events.StageStarted(stage=stage):
            return replace(state, stage=stage, stage_since_s=event.at_s, sync=None)
        case events.StageEnded(stage=stage, kept=kept):
            return replace(state, stages_done=(*state.stages_done, stage), kept=kept)
        case events.ArrayKept(stage=stage):
            return replace(state, kept=True, tests_done=stage)
        case events.StepStarted():
            begun = StepState(
                stage=event.stage,
                role=event.role,
                what=event.what,
                line=event.line,
                started_at_s=event.at_s,
                members=event.members,
                undoing=event.undoing,
                estimate_s=event.estimate_s,
                first_on=tuple(member for member in event.members if member not in state.written),
            )
            state = replace(
                state,
                steps=(*state.steps, begun),
                written=(*state.written, *begun.first_on),
                created=(*state.created, event.array) if event.array else state.created,
                pool_at_boot=state.pool_at_boot or (begun.role == "import-pool" and not begun.undoing),
                cut=None if event.array else state.cut,  # of an array that is gone
            )
            if begun.role != "create-pool":
                return state
            return replace(state, pools={stage: pool for stage, pool in state.pools.items() if stage != event.stage})
        case events.StepEnded() if state.steps:
            count = event.written_bytes
            ended = replace(state.steps[-1], ended_at_s=event.at_s, error=event.error, written_bytes=count)
            done = ended.role if event.error is None else ""
            return replace(
                state,
                steps=(*state.steps[:-1], ended),
                trials=_trials_written(state.trials, ended, count),
                sync=None,
                written_bytes=state.written_bytes + count,
                written=tuple(one for one in state.written if not event.refused or one not in ended.first_on),
                kept=state.kept and not (ended.undoing and done in _TAKES_APART),
                initramfs_older=state.initramfs_older and done != "initramfs",
                pool_at_boot=state.pool_at_boot and done != "pool-forgotten",
                cut=power_cut.ended(state.cut) if ended.role == "power-cut" else state.cut,
            )
        case events.SelfTestsEnded(after=True):
            return replace(state, self_tests_after=event)
        case events.SelfTestsEnded():
            return replace(state, self_tests=event)
        case events.FileMade(path=path, inode=inode):
            return replace(state, files={**state.files, path: inode})
        case events.FilePlaced(path=path):
            others = (placed for placed in state.placed.get(state.stage, ()) if placed.path != path)
            return replace(state, placed={**state.placed, state.stage: (*others, event)})
        case events.FileRemoved(path=path):
            own_files = {file: inode for file, inode in state.files.items() if file != path}
            return replace(state, files=own_files, files_removed=(*state.files_removed, path))
        case events.FileEdited(path=path):
            is_older = state.initramfs_older or event.in_initramfs
            return replace(state, edits={**state.edits, path: event}, initramfs_older=is_older)
        case events.LinesTakenOut(path=path):
            rest_edited = {name: edit for name, edit in state.edits.items() if name != path}
            is_older = state.initramfs_older or (path in state.edits and state.edits[path].in_initramfs)
            return replace(state, edits=rest_edited, initramfs_older=is_older)
        case events.OwnerChanged(folder=folder):
            return replace(state, owners={**state.owners, folder: event})
        case events.MonitorSeen(monitor=monitor, watch=watch):
            return replace(state, monitor=monitor, watch=watch)
        case events.SyncProgress():
            return replace(state, sync=event)
        case events.BlocksDiffered():
            return replace(state, differed=_differed(state.differed, event))
        case events.PowerCutAwaited() | events.PowerCutAnswered():
            return replace(state, cut=power_cut.after(state.cut, event))
        case events.ArrayGrown():
            return replace(state, grown=event)
        case events.TrialStarted():
            queues = state.queues[-1].disks if state.queues else {}
            times_asked = state.times_asked(event.trial)
            heard = {trial: messages for trial, messages in state.kernel.items() if trial != event.trial}
            begun_trial = TrialState(event.trial, event.at_s, event.expected_s, queues=queues, times_asked=times_asked)
            return replace(state, trials=(*state.trials, begun_trial), kernel=heard)
        case events.TrialEnded():
            return replace(state, trials=_ended(state.trials, event, state.times_asked(event.trial)))
        case events.KernelReported(trial=trial, messages=messages):
            return replace(state, kernel={**state.kernel, trial: messages})
        case events.TrialsPassedOver(trials=trials, reason=reason):
            return replace(state, passed_over=state.passed_over | dict.fromkeys(trials, reason))
        case events.SettingChanged(path=path, old=old, lasts=True):
            return replace(state, lasting={path: old, **state.lasting}, changes=(*state.changes, event))
        case events.SettingChanged(path=path, old=old):
            olds = state.settings | ({} if path in state.settings else {path: old})
            return replace(state, settings=olds, changes=(*state.changes, event))
        case events.SettingRestored(path=path):
            settings, lasting = (
                {other: old for other, old in olds.items() if other != path} for olds in (state.settings, state.lasting)
            )
            return replace(state, settings=settings, lasting=lasting)
        case events.Warned(text=text):
            return replace(state, warnings=(*state.warnings, text))
        case events.StopAsked():
            return replace(state, stopping=True)
        case events.RunEnded():
            measured_since = bool(state.trials) and state.trials[-1].started_at_s > state.ended_at_s
            if measured_since or not state.ended_at_s:
                state = replace(
                    state, ended_at_s=event.at_s, taken_s=max(0.0, event.at_s - state.started_at_s - state.idle_s)
                )
            return replace(
                state,
                outcome=event.outcome,
                reason=event.reason,
                refused=event.refused,
                kept=event.kept,
                left=event.left,
                sync=None,
            )
    return state


def _taken_up(state: RunState, event: events.WorkerStarted, before_s: float) -> RunState:
    """A new worker: what a dead one was doing ended without result, at its last event `before_s`."""
    steps, trials = state.steps, state.trials
    if state.step:
        steps = (*steps[:-1], replace(steps[-1], ended_at_s=before_s, error=WORKER_DIED))
    if state.trial:
        trials = (*trials[:-1], replace(trials[-1], ended_at_s=before_s))
    nodes_had = {key: tuple(dict.fromkeys((*state.nodes.get(key, ()), node))) for key, node in event.resolved.items()}
    return replace(
        state,
        worker=event,
        stage_since_s=event.at_s,
        nodes={**state.nodes, **nodes_had},
        run=visible(event.run),
        started_at_s=state.started_at_s or event.at_s,
        idle_s=state.idle_s + max(0.0, event.at_s - before_s),
        steps=steps,
        trials=trials,
        sync=None,
        stopping=False,
        outcome="",
        reason="",
        refused=False,
        left=(),
    )


def _ended(trials: tuple[TrialState, ...], event: events.TrialEnded, times_asked: int) -> tuple[TrialState, ...]:
    if trials and trials[-1].trial == event.trial and trials[-1].ended_at_s is None:
        begun, earlier = trials[-1], trials[:-1]
    else:  # its start was lost
        begun, earlier = TrialState(event.trial, event.at_s, 0.0, times_asked=times_asked), trials
    return (*earlier, replace(begun, ended_at_s=event.at_s, measurement=event.measurement, lost=event.lost))


def _trials_written(trials: tuple[TrialState, ...], step: StepState, count: int) -> tuple[TrialState, ...]:
    """With the bytes of `step` added to its trial, if any."""
    if not trials or trials[-1].started_at_s < step.started_at_s or not count:
        return trials
    return (*trials[:-1], replace(trials[-1], written_bytes=count))


def fold_all(
    journal: Iterable[events.AnyEvent | events.Unknown | events.Damaged], state: RunState | None = None
) -> RunState:
    """From `state` on. Only the newest step and trial change: others are set aside, not copied per event."""
    state = state or RunState()
    steps: list[StepState] = []
    trials: list[TrialState] = []
    for event in journal:
        if len(state.steps) > 1 or len(state.trials) > 1:
            steps += state.steps[:-1]
            trials += state.trials[:-1]
            state = replace(state, steps=state.steps[-1:], trials=state.trials[-1:])
        state = fold(state, event)
    return replace(state, steps=(*steps, *state.steps), trials=(*trials, *state.trials))


def offered(state: RunState, trial: str, percent: int, jobs: int) -> str:
    """A share of a trial's IOPS, for one of `jobs` jobs; at least 1/s. ValueError if it has no result."""
    measured = state.complete(trial)
    iops = sum(transfers.iops for transfers in (measured.read, measured.write) if transfers) if measured else 0.0
    if not iops:
        raise ValueError(f"a share of what {trial} gives is asked for, and that has no figure")
    return str(offered_iops(iops, percent, jobs))


def _differed(
    before: tuple[events.BlocksDiffered, ...], event: events.BlocksDiffered
) -> tuple[events.BlocksDiffered, ...]:
    """With what one state was found to differ by in one piece: journalled at once, and again when more is known."""
    if not before or (before[-1].stage, before[-1].state) != (event.stage, event.state):
        return (*before, event)
    last = before[-1]
    both = replace(
        last,
        blocks=event.blocks or last.blocks,
        mismatches=max(last.mismatches, event.mismatches),
        count=max(last.count, event.count),
        trial=last.trial or event.trial,
        named=event.named or last.named,
        why_not=event.why_not,
        of_groups=event.of_groups or last.of_groups,
    )
    return (*before[:-1], both)


_NEWEST = 256  # trials: more than any screen has lines
_ENDED: dict[str, Measurement] = {}  # by status, one for all


def condensed(state: RunState, newest: int = _NEWEST) -> RunState:
    """Except for the newest step and the `newest` trials."""
    trials = list(state.trials)
    for number in reversed(range(len(trials) - newest)):
        if any(trials[number].measurement is ended for ended in _ENDED.values()):  # so are all before it
            break
        trials[number] = _without_figures(trials[number])
    return replace(
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
            kinds[kind] = replace(
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
        measurement = _ENDED.setdefault(measurement.status, Measurement(name="", status=measurement.status))
    return replace(trial, trial=sys.intern(trial.trial), measurement=measurement, queues={})


def first_bytes(state: RunState) -> dict[str, int]:
    """Member identity, or else path -> first byte of its first such test."""
    return {name: at_byte for event in reversed(state.wrong) for name, at_byte in event.first.items()}


def wrong_data_words(plan: Plan, state: RunState) -> list[str]:
    """A line a disk or file."""
    titles = {member.id: f"{member.model} {member.serial or member.id}".strip() for member in plan.members}
    return [
        f"{titles.get(name, name)} gave back something else than was written, first at byte {at_byte}"
        for name, at_byte in first_bytes(state).items()
    ]
