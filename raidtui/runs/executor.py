"""Carries out steps: resolves names from identities, checks before writing, journals. Uses only the host it is given;
decides nothing but refusals.
"""

import errno
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import msgspec

from raidtui.core.plan import member_steps, steps
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.steps import (
    Check,
    Command,
    Edit,
    ManualStep,
    Restore,
    SetOwner,
    Step,
    TakeOut,
    Wait,
    Write,
)
from raidtui.core.results import disturbance
from raidtui.core.results.figure import stalled
from raidtui.core.run import events
from raidtui.core.run.state import RunState
from raidtui.runs import boot, rebuild
from raidtui.runs import target as runs_target
from raidtui.runs.care import following
from raidtui.runs.checks import look
from raidtui.runs.context import StageContext
from raidtui.runs.disks import containers, groups, own_pool, self_tests, tables, volumes
from raidtui.runs.host import Host
from raidtui.runs.journal import Journal
from raidtui.runs.measure import alarm, journal_extents, measure, need_cool
from raidtui.runs.member_guard import MembersError, NotBegun
from raidtui.runs.proof import until_cut
from raidtui.runs.removal.intents import before_command
from raidtui.runs.sampler import Sampler
from raidtui.runs.waiting import Refused, StepFailed, Stopped, Waiter

_STOP_TRIES = 10  # an array may be held for a moment by a probe
_SYNC_BEGINS = 150  # looks, five a second
_MOST_WORDS = 500  # characters of a tool's words in an error


class Executor:
    def __init__(self, path: Path, plan: Plan, journal: Journal, sampler: Sampler, waiter: Waiter, host: Host) -> None:
        self._journal = journal
        self._host = host
        self.waiter = waiter
        self.context = StageContext(path, plan, journal, sampler, waiter, host)
        waiter.alarm = partial(alarm, self.context)  # of whatever fio does: filling is the longest writing of all
        self._printed = ""
        self.begun: list[Step] = []  # the steps of this stage that were really begun: what an undo takes back
        self.refused = False  # was what ended the course of the run that something must not be touched?
        self.to_remove: tuple[str, ...] = ()  # names of arrays that a person typed to be removed
        self.measured: set[str] = set()  # identities of the members that trials of this stage have been on

    def begin(self, number: int, stage: Stage) -> None:
        self.begun, self.measured = [], set()
        self.context.begin(number, stage)

    def end(self, number: int, *, kept: bool) -> None:
        self._journal.add(events.StageEnded(at_s=time.time(), stage=number, kept=kept))

    def carry_out(self, step: Step, *, undoing: bool = False) -> None:
        """StepFailed or Stopped. An undo without effect is skipped."""
        if not undoing and self.waiter.stopping():
            raise Stopped
        if not undoing and self._journal.full:
            raise StepFailed(f"the disk that holds {self.context.path} is full: make room there, then resume the run")
        try:
            if undoing and (why_held := self._why_held(step)):
                raise StepFailed(why_held)
            self.context.members.hold(isinstance(step, Command) and step.locked)
            if self._moot(step) if undoing else self._is_done(step):
                self.context.passed(step, undoing=undoing)
                return
            self._do(step, undoing)
        except MembersError as error:
            raise (StepFailed if error.is_gone else Refused)(str(error)) from error
        except (ValueError, OSError) as error:
            raise StepFailed(str(error)) from error

    def release(self) -> None:
        self.context.members.hold(False)

    @property
    def state(self) -> RunState:
        return self._journal.state

    def repeats_stalled(self, trial_id: str) -> bool:
        """A trial that stalled for a second is repeated once. Not if size-limited (any length: reported, a person
        decides), in rounds (another follows), or during a rebuild, which may stall I/O.
        """
        setup = self.context.stage.setup if self.context.stage else None
        trial, measured = self.context.plan.trial(trial_id), self.state.measured(trial_id)
        if not trial or not trial.runtime_s or trial.rounds or (setup and setup.rebuild_min_kib_s):
            return False
        if not (measured and measured.status == "ok" and stalled(measured)):
            return False
        if any(asked_again.why == "stall" and trial_id in asked_again.trials for asked_again in self.state.asked_again):
            return False
        self._journal.add(events.TrialsRepeated(at_s=time.time(), trials=(trial_id,), why="stall"))
        return True

    def repeats_block(self) -> bool:
        """A block is repeated if its baseline differs from the others."""
        plan, block = self.context.plan, disturbance.odd(self.context.plan, self.state)
        if block is None or plan.answers.after == "keep":  # its array stands on the disks now
            return False
        measured_again = events.TrialsRepeated(
            at_s=time.time(),
            trials=disturbance.trials_of(plan, block.number),
            why="baseline",
            block=block.number,
            share=block.share,
        )
        self._journal.add(measured_again)
        return True

    def remember(self) -> None:
        """Data on members measured alone are a test's, for this boot."""
        members = [member for member in self.context.plan.members if member.id in self.measured]
        self.context.members.remember([member for member in members if not self.context.held((member.id,))])

    def restore_settings(self) -> None:
        """Last change first; settings of a vanished array are skipped."""
        for path in reversed(tuple(self._journal.state.settings)):
            self._restore(path)

    def _do(self, step: Step, undoing: bool) -> None:
        if isinstance(step, Command | ManualStep):  # before it is journalled: what is refused here was not written
            before_command(self.context, step, undoing=undoing)
        with self._journalled(step, undoing):
            match step:
                case Command(trial=""):
                    self._command(step, undoing)
                case Command():
                    self.measured |= set(self.context.named(step))
                    self._printed = measure(self.context, step).printed
                case ManualStep():
                    self.begun.append(step)
                    containers.await_person(self.context, step)
                case Write():
                    self._write(step)
                case Restore(path=path):
                    self._restore(path, lasting=undoing)
                case Edit():
                    boot.add(self.context, step)
                case TakeOut(path=path):
                    boot.take_out(self.context, path)
                case SetOwner():
                    boot.set_owner(self.context, step)
                case Wait(condition="settled"):
                    self.context.settle()
                case Wait(condition="sync-finished"):
                    self._await_sync()
                case Wait(condition="power-cut"):
                    until_cut.write_until_cut(self.context)
                case Wait(condition="check-ended"):
                    following.follow_check(self.context)
                case Wait(condition="rebuild-ended"):
                    following.follow_rebuild(self.context)
                case Wait(condition="growth-ended"):
                    following.follow_growth(self.context)
                case Wait(condition="short-self-tests-ended" | "long-self-tests-ended"):
                    self_tests.follow(self.context, step)
                case Wait(condition="rebuild-began"):
                    rebuild.await_begin(self.context)
                case Wait():
                    rebuild.watch(self.context, step.estimate_s)
                case Check():
                    look(self.context, step)

    @contextmanager
    def _journalled(self, step: Step, undoing: bool) -> Iterator[None]:
        resolved = step
        if isinstance(step, Command):
            resolved = msgspec.structs.replace(step, argv=self.context.resolved(step))
        sentence = steps.resolve(step.what, self.context.device_of)
        began_s = time.monotonic()  # the clock may be set meanwhile
        written_bytes = self.context.sampler.written_bytes()
        self._journal.add(
            events.StepStarted(
                at_s=time.time(),
                stage=self.context.number,
                what=sentence,
                line=steps.shell(resolved),
                role=steps.role_of(step),
                undoing=undoing,
                estimate_s=step.estimate_s or None if isinstance(step, Wait | Command) else None,
                members=self.context.named(step) if isinstance(step, Command) else (),
                array=self._created(step),
            )
        )
        self._printed = ""
        error = None
        refused = False
        try:
            yield
        except Exception as failed:
            error, refused = str(failed) or "stopped", isinstance(failed, NotBegun)
            raise
        finally:
            self._journal.add(
                events.StepEnded(
                    at_s=time.time(),
                    what=sentence,
                    error=error,
                    refused=refused,
                    output=self._printed[-2000:],
                    duration_s=time.monotonic() - began_s,
                    written_bytes=max(0, self.context.sampler.written_bytes() - written_bytes),
                )
            )

    def _is_done(self, step: Step) -> bool:
        """Nothing to do: the object is gone, or done already, maybe by md."""
        permanent = self.context.stage and self.context.stage.permanent
        if not isinstance(step, Command | Write) or not permanent:
            is_gone = isinstance(step, Command) and self.context.is_gone(step)
            return is_gone or (is_done if self.context.proves else following.is_done)(self.context, step)
        return boot.is_needless(self.context, step)

    def _created(self, step: Step) -> str:
        array = self.context.stage.array if self.context.stage else None
        return array.uuid if array and steps.role_of(step) == "create" else ""

    def _command(self, step: Command, undoing: bool) -> None:
        if not undoing:
            self.begun.append(step)
        if step.role == "fill":
            self.context.need_mounted()
            need_cool(self.context, step)  # after it the step that follows, a fio too, looks
        if step.role == "mount" and not Path(step.folder).is_absolute():  # a folder of the system's has its own step
            (self.context.path / step.folder).mkdir(mode=0o700, exist_ok=True)
        on_group = step.role == "zero" and not step.members
        tries = _STOP_TRIES if step.role in ("stop", "take-out") or on_group else 1
        if step.role == "check":
            following.about_to_check(self.context, step)
        own_pool.last_look(self.context, step)
        containers.remove_old_backup(self.context, step)
        for attempt in range(1, tries + 1):
            if on_group:
                groups.stop_again(self.context)
            ended = self.context.run(step)
            self._printed = ended.printed
            if self.waiter.alarmed and not undoing:
                raise StepFailed(self.waiter.alarmed)
            if ended.status == 0:
                break
            if not undoing and self.waiter.stopping():
                raise Stopped
            if attempt < tries:
                self.waiter.pause(0.5)
        else:
            raise StepFailed(
                f"{step.argv[0]} failed ({ended.status}): {ended.printed[-_MOST_WORDS:] or 'it said nothing'}"
            )
        if step.role == "fill":
            journal_extents(self.context, step)
        if step.role == "stop":
            self.context.forget_array()
        if step.role in ("fail", "add"):
            self.context.absent = member_steps.absent_after(self.context.absent, step)
        if step.role == "remove" and self.context.plan.existing:
            runs_target.removed(self.context)
        if step.role == "make-folder":
            boot.folder_made(self.context, step.folder)
        if step.role == "remove-folder":
            self._journal.add(events.FileRemoved(at_s=time.time(), path=step.folder))

    def _write(self, step: Write) -> None:
        try:
            setting = self.context.setting(step.path)
            need_own(self.context, setting.shared_with())
            if step.lifts and (reason := why_limited(self.context, setting.read())):
                self.waiter.warn(f"{step.what}: {reason}; it stays as it is")
                return
            if step.restore:
                old = steps.chosen(setting.read())
                if not old:  # it could not be put back
                    raise OSError(errno.EINVAL, "its value cannot be read")
                if step.path not in self._journal.state.lasting:  # else an earlier worker noted it
                    self._journal.add(
                        events.SettingChanged(
                            at_s=time.time(), path=step.path, old=old, new=step.value, lasts=step.lasts
                        )
                    )
                self.begun.append(step)
            if step.by_rule:
                return
            setting.write(step.value)
            if step.restore and (value_now := steps.chosen(setting.read())) != step.value:
                self.waiter.warn(f"{step.what}: {setting.teller} says {value_now or 'nothing'!r} afterwards")
        except OSError as error:
            if not step.optional:
                raise
            self.waiter.warn(f"{step.what}: {error.strerror}; it stays as it is")

    def _restore(self, path: str, *, lasting: bool = False) -> None:
        """Skipped if gone with its array; failures are remembered. `lasting`: also what outlives the run."""
        olds = {**(self._journal.state.lasting if lasting else {}), **self._journal.state.settings}
        old = olds.get(path)
        if old is None:
            return
        if "{" in path and (why_held := self.context.held()):
            self.waiter.warn(f"{path} was not set back to {old}: {why_held}")
            return
        try:
            setting = self.context.setting(path)
            setting.write(old)
            if (value_now := steps.chosen(setting.read())) != old:
                raise StepFailed(f"{setting.teller} says {value_now or 'nothing'!r} afterwards")
        except (OSError, StepFailed, MembersError) as error:
            if not any(map(path.__contains__, ("{array}", "{group:"))) or self.context.parts():
                self.waiter.warn(f"{path} could not be set back to {old}: {error}")
                return
        self._journal.add(events.SettingRestored(at_s=time.time(), path=path, value=old))

    def _await_sync(self) -> None:
        """Idle twice: it pauses between recovery and resync. With a member to rebuild its start is awaited, longer. Of
        groups the least synced is told.
        """
        names = self.context.parts()
        assert names
        idle = 0
        while idle < (_SYNC_BEGINS if any(map(self._host.building, names)) else 2):
            syncs = [sync for name in names if (sync := self._host.sync(name))]
            idle = 0 if syncs else idle + 1
            if syncs:
                self._journal.add(events.sync_progress(time.time(), min(syncs, key=lambda sync: sync.done_bytes)))
            self.waiter.pause(self.context.sampler.interval_s if syncs else 0.2)
            if self.waiter.stopping():
                raise Stopped
        if any(map(self._host.is_dead, names)) or self.context.lost():
            whole = ", ".join(names)
            raise StepFailed(f"the sync of {whole} ended and {self.context.why_not_whole() or 'it is not whole'}")

    def _why_held(self, step: Step) -> str:
        """A program of ours may still write to what this undo touches, in a sentence; else ""."""
        match step:
            case Command():
                return self.context.held(self.context.touched(step))
            case Check():
                return self.context.held()
        return ""

    def _moot(self, step: Step) -> bool:
        """Nothing to undo. StepFailed if it is not ours."""
        context = self.context
        if isinstance(step, Restore):
            return step.path not in {**self._journal.state.settings, **self._journal.state.lasting}
        if isinstance(step, TakeOut):
            return step.path not in self._journal.state.edits
        if not isinstance(step, Command):
            return False
        if context.stage and context.stage.permanent:
            return boot.undo_is_needless(context, step)
        if step.role == "remove":
            return runs_target.nothing_to_remove(context)
        if step.role == "idle":
            return not following.is_own_check(context, step)
        if step.role == "unmount":
            return not self._host.is_mounted(context.path / step.folder)
        if step.role == "lock":
            return containers.is_closed(context)
        if step.role in volumes.UNDOES:
            return volumes.is_undone(context, step)
        if step.role == "destroy-pool":
            return own_pool.is_destroyed(context)
        if not step.members:
            return context.is_without(step)
        if step.role == "clear-label":
            return own_pool.is_cleared(context, step)
        if context.members.tables and step.role in ("wipe", "reread"):
            return tables.is_undone(context, step)
        (index,) = step.members
        if step.partition and not context.members.carrier(context.members.disk(context.plan.members[index])):
            return True
        if step.role == "zero":
            assert context.stage and context.stage.array
            node = context.node(index)
            uuid = self._host.superblock(node)
            if uuid is not None and uuid not in context.stage.array.uuids_on(index):
                raise Refused(f"{node} carries the superblock of another array ({uuid}); it is left alone")
            if uuid is not None:
                if foreign := context.foreign(index):
                    title = context.members.title(node.removeprefix("/dev/"))
                    raise Refused(f"{title} holds {foreign}, which this run did not make; it is left alone")
                context.ours.add(index)
            return uuid is None
        return step.role == "wipe" and index not in context.ours and not context.carries_ours(index)


_MD_LIMIT = "200000"  # KiB/s, of the kernel (md.c, sysctl_speed_limit_max)


def why_limited(context: StageContext, limit: str) -> str:
    """Why md's limit is not for this run to lift, or ""."""
    if limit.split() != [_MD_LIMIT, "(system)"]:
        return f"it was set to {limit}"
    arrays = {path.parts[3] for path in context.host.matching("/sys/block/md*/md")} - {*context.parts(), context.array}
    busy = sorted(name for name in arrays if context.host.sync(name))
    return f"{', '.join(busy)} {'is' if len(busy) == 1 else 'are'} syncing, too" if busy else ""


def need_own(context: StageContext, shared_with: Iterable[str]) -> None:
    """OSError if the setting belongs to another disk too, outside of the plan."""
    others = {*shared_with}
    if others and (strangers := sorted(others - {disk.name for disk in context.members.here().values()})):
        has = "has it too, which is no disk" if len(strangers) == 1 else "have it too, which are no disks"
        raise OSError(errno.EPERM, f"{', '.join(strangers)} {has} of this plan")


def is_done(context: StageContext, step: Step) -> bool:
    """Whether a step of a proof took effect before its worker died, by the array itself."""
    cut = context.journal.state.cut
    match step:
        case Wait(condition="power-cut"):
            return cut is not None and cut.acknowledged is not None
        case Check(question="acknowledged"):
            return cut is not None and (cut.is_skipped or cut.found > 0)
    if not isinstance(step, Command):
        return False
    match step.role:
        case "stop":
            return context.array_in(step) is None
        case "assemble":
            return context.array_in(step) is not None
        case "fail" | "take-out":
            return _in_array(context, step) is False
        case "zero":
            return context.find_array() is not None and not context.carries_array(step.members[0])
        case "add":
            return _in_array(context, step) is True
        case "deactivate":
            return context.find_array() is None
        case "lock":
            return context.find_array() is None or containers.is_closed(context)
    return False


def _in_array(context: StageContext, step: Command) -> bool | None:
    """None: the array does not run."""
    name = context.part_with(step.members[0])
    return context.node(step.members[0]).removeprefix("/dev/") in context.host.slaves(name) if name else None
