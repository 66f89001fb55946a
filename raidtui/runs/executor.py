"""Carries out the steps of a plan, one at a time: resolves names from identities, looks before it writes, journals.

Knows the machine only through `system`; decides nothing that the plan does not say, except to refuse.
"""

import os
import re
import select
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core import events, filesystems, steps
from raidtui.core.disk import Disk, Standing
from raidtui.core.fioresult import FioResultError, parse
from raidtui.core.measurement import Measurement
from raidtui.core.plan import Plan, Stage, Trial
from raidtui.core.planning import MOUNTPOINT
from raidtui.core.safety import disks_of
from raidtui.core.samples import ARRAY
from raidtui.core.steps import Check, Command, Question, Step, Wait, Write
from raidtui.runs.child import Child
from raidtui.runs.journal import Journal
from raidtui.runs.sampler import Sampler
from raidtui.system import block, leftovers, md, members
from raidtui.system.discovery import read_machine
from raidtui.system.process import run

_CHECKED_S = 1.0  # how long a look at the members holds
_STOP_TRIES = 10  # an array may be held for a moment by a probe
_EDGE_S = 1.0  # dropped at both ends of a trial's window: starting and ending jobs
_QUERY_S = 60.0
_SETTLE = ("udevadm", "settle", "--timeout=30")
_DEAD_STATES = ("", "clear", "inactive", "broken")


class StepFailed(Exception):
    """A step did not do what it should; the text is the tool's own words or one sentence."""


class Stopped(Exception):
    """Someone asked the run to stop."""


class Executor:
    """Steps of one plan on this machine. `wakeup` becomes readable when a signal came in."""

    def __init__(self, path: Path, plan: Plan, journal: Journal, sampler: Sampler, wakeup: int) -> None:
        self._path = path
        self._plan = plan
        self._journal = journal
        self._sampler = sampler
        self._wakeup = wakeup
        self._disks: dict[str, Disk] = {}
        self._checked_s = -_CHECKED_S
        self._stage_number = 0
        self._stage: Stage | None = None
        self._array: str | None = None  # kernel name
        self._geometry: dict[str, int] = {}
        self._locks: ExitStack | None = None
        self.stop_asked = False

    # What the worker calls

    def begin(self, number: int, stage: Stage) -> None:
        """The steps that follow belong to this stage."""
        self._stage_number, self._stage = number, stage
        self._array = None
        self._journal.add(events.StageStarted(at_s=time.time(), stage=number))

    def carry_out(self, step: Step, *, undoing: bool = False) -> None:
        """Do `step`; raises StepFailed or Stopped. An undo that has nothing to do is passed over."""
        if not undoing and self._stopping():
            raise Stopped
        self._hold(getattr(step, "locked", False))
        if undoing and isinstance(step, Command) and self._moot(step):
            return
        with self._journalled(step, undoing):
            match step:
                case Command(trial=""):
                    self._command(step, undoing)
                case Command():
                    self._measure(step)
                case Write(path=path, value=value):
                    self._write(path, value)
                case Wait(condition="settled"):
                    self._run(_SETTLE)
                case Wait():
                    self._await_sync()
                case Check(question=question):
                    looks: dict[Question, Callable[[Check], None]] = {
                        "members-free": self._check_free,
                        "array-built": self._check_array,
                        "geometry": self._check_geometry,
                        "mounted": self._check_mounted,
                        "members-blank": self._check_blank,
                    }
                    looks[question](step)

    def look_whether_ours_is_free(self) -> None:
        """StepFailed if the stage's array stands and somebody else uses it: a kept array may carry data by now."""
        self._array = self._find_array()
        folder = self._path / MOUNTPOINT
        if self._array and block.is_mounted(folder):
            self._run(("umount", str(folder)))
        if self._array and (reason := members.why_not_free(f"/dev/{self._array}")):
            raise StepFailed(f"the array {self._array} is in use: {reason}")

    def release(self) -> None:
        """Let go of the members' nodes."""
        self._hold(False)

    def restore_settings(self) -> None:
        """Put every changed setting back, the last one first."""
        for path, old in self._journal.state.settings.items():
            Path(path).write_text(old)
            self._journal.add(events.SettingRestored(at_s=time.time(), path=path, value=old))

    def look_for_members(self) -> dict[str, str]:
        """Find all members by identity; the nodes they have now. StepFailed if one is missing or has changed."""
        found = disks_of(read_machine())
        try:
            self._disks = {m.id: members.find(m.id, m.size_bytes, found) for m in self._plan.members}
        except ValueError as error:
            raise StepFailed(str(error)) from error
        for identity, disk in self._disks.items():
            self._sampler.names[identity] = disk.name
        return {identity: disk.path for identity, disk in self._disks.items()}

    # Names

    def _device_of(self, placeholder: str) -> str:
        kind, *numbers = placeholder.split(":")
        if kind == "array":
            self._array = self._array or self._find_array()
            assert self._stage and self._stage.array
            return f"/dev/{self._array}" if self._array else f"/dev/md/{self._stage.array.name}"
        disk = self._same_disk(self._plan.members[int(numbers[0])].id)
        if kind == "member":
            return disk.path
        node = block.partition(disk.name, int(numbers[1]))
        if node is None:
            raise StepFailed(f"{disk.name} ({disk.title}) no longer has partition {numbers[1]}; plan again")
        return node

    def _same_disk(self, identity: str) -> Disk:
        """The member as last seen, if the kernel still means the same disk by its name; else looked for again."""
        disk = self._disks.get(identity)
        if disk is None or not disk.diskseq or block.text(f"/sys/block/{disk.name}/diskseq") != str(disk.diskseq):
            self.look_for_members()
        return self._disks[identity]

    def _find_array(self) -> str | None:
        return md.find(self._stage.array.uuid) if self._stage and self._stage.array else None

    def _resolved(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(steps.resolve(word, self._device_of) for word in argv)

    # Steps

    @contextmanager
    def _journalled(self, step: Step, undoing: bool) -> Iterator[None]:
        if isinstance(step, Command):
            argv = self._resolved(step.argv)
            line = steps.shell(Command(what="", argv=argv))
        else:
            line = steps.shell(step)
        what = steps.resolve(step.what, self._device_of)
        started_s = time.time()
        estimate_s = step.estimate_s if isinstance(step, Wait) else None
        self._journal.add(
            events.StepStarted(
                at_s=started_s, stage=self._stage_number, what=what, line=line, undoing=undoing, estimate_s=estimate_s
            )
        )
        self._output = ""
        error: str | None = "stopped"
        try:
            yield
            error = None
        except StepFailed as failed:
            error = str(failed)
            raise
        finally:
            now_s = time.time()
            self._journal.add(
                events.StepEnded(
                    at_s=now_s, what=what, error=error, output=self._output[-2000:], duration_s=now_s - started_s
                )
            )

    def _command(self, step: Command, undoing: bool) -> None:
        if not undoing and any("{member:" in word for word in step.argv):
            self._recheck_free()
        argv = self._resolved(step.argv)
        tries = _STOP_TRIES if argv[:2] == ("mdadm", "--stop") else 1
        for attempt in range(1, tries + 1):
            status = self._run(argv)
            if status == 0:
                break
            if attempt < tries:
                self._pause(0.5)
        else:
            raise StepFailed(f"{argv[0]} failed ({status}): {self._output[-500:] or 'it said nothing'}")
        if argv[:2] == ("mdadm", "--stop"):
            self._array = self._sampler.names[ARRAY] = None

    def _measure(self, step: Command) -> None:
        trial = self._plan.trial(step.trial)
        assert trial
        if any("{member:" in word for word in step.argv):
            self._recheck_free()
        argv = self._resolved(step.argv)
        (self._path / "fio" / f"{trial.id}.json").unlink(missing_ok=True)
        started_s = time.monotonic()
        self._sampler.mark()
        self._journal.add(events.TrialStarted(at_s=time.time(), trial=trial.id, expected_s=trial.expected_s))
        status = self._run(argv, dies_with_us=True)
        self._sampler.mark()
        targets = tuple(word.removeprefix("--filename=") for word in argv if word.startswith("--filename="))
        measurement = self._result(trial, status, started_s, targets)
        self._journal.add(events.TrialEnded(at_s=time.time(), trial=trial.id, measurement=measurement))
        if self._array and block.text(f"/sys/block/{self._array}/md/array_state") in _DEAD_STATES:
            raise StepFailed(f"the array {self._array} is gone: {self._output[-500:]}")
        if self._stopping():
            raise Stopped

    def _result(self, trial: Trial, status: int, started_s: float, targets: tuple[str, ...]) -> Measurement:
        """What fio wrote, with the disks' own rates over the same time; failed, with its words, if it wrote nothing."""
        ramp_s = max(0.0, trial.expected_s - trial.runtime_s) if trial.runtime_s else 0.0
        ended_s = time.monotonic()
        inner = self._sampler.rates(started_s + ramp_s + _EDGE_S, ended_s - _EDGE_S)
        setup = self._stage.setup if self._stage else None
        about: dict[str, Any] = {
            "name": trial.id,
            "setup": msgspec.to_builtins(setup) if setup else None,
            "targets": targets,
            "disks": dict(inner or self._sampler.rates(started_s, ended_s)),
        }
        try:
            text = (self._path / "fio" / f"{trial.id}.json").read_text(errors="replace")
            measurement = parse(f"{self._output}\n{text}", trial.id, exit_status=status)[0]
        except (OSError, FioResultError) as error:
            words = self._output[-500:] or str(error)
            return Measurement(status="failed", error=words, rw=trial.rw, **about)
        if measurement.status == "failed" and not measurement.error:
            about["error"] = self._output[-500:] or f"fio ended with status {status}"
        if self.stop_asked:
            about["status"] = "interrupted"
        return msgspec.structs.replace(measurement, **about)

    def _write(self, path: str, value: str) -> None:
        target = Path(steps.resolve(path, self._device_of))
        old = re.sub(r".*\[(.*)\].*", r"\1", block.text(target))  # "a [b] c": b is chosen
        self._journal.add(events.SettingChanged(at_s=time.time(), path=str(target), old=old, new=value))
        target.write_text(value)

    def _await_sync(self) -> None:
        """Until the array's sync thread is idle twice in a row: it pauses between recovery and resync."""
        idle = 0
        while idle < 2:
            assert self._array
            sync = md.sync(self._array)
            idle = idle + 1 if sync is None else 0
            if sync:
                progress = msgspec.structs.asdict(sync)
                self._journal.add(events.SyncProgress(at_s=time.time(), **progress))
            self._pause(self._sampler.interval_s if sync else 0.2)
            if self._stopping():
                raise Stopped

    # Checks

    def _check_free(self, _: Check | None = None) -> None:
        """Identity, verdict, openers, counters: every member is the planned disk, and nobody else's."""
        self._run(_SETTLE)  # what udev probes after our own last write is not somebody else's use
        self.look_for_members()
        for member in self._plan.members:
            disk = self._disks[member.id]
            if disk.verdict.standing is Standing.REFUSE:
                raise StepFailed(f"{disk.name} ({disk.title}) must not be touched: {disk.verdict.reason}")
        for reason in members.not_free([disk.path for disk in self._disks.values()]).values():
            raise StepFailed(reason)
        self._checked_s = time.monotonic()

    def _recheck_free(self) -> None:
        if time.monotonic() - self._checked_s > _CHECKED_S:
            self._check_free()

    def _check_array(self, check: Check) -> None:
        assert self._stage and self._stage.array
        self._array = self._find_array()
        if self._array is None:
            raise StepFailed(f"no array with the UUID {self._stage.array.uuid} came up; see `cat /proc/mdstat`")
        self._sampler.names[ARRAY] = self._array
        first = self._disks[self._plan.members[0].id].name
        built = {
            "array_bytes": block.size_bytes(self._array),
            "data_offset_bytes": md.data_offset_bytes(self._array, first),
        }
        node = f"/dev/{self._array}"
        self._journal.add(
            events.ArrayBuilt(
                at_s=time.time(), node=node, size_bytes=built["array_bytes"], detail=md.settings(self._array)
            )
        )
        for key, planned in check.expected.items():
            if built[key] != planned:
                self._warn(f"{node}: {key} is {built[key]}, planned were {planned}: this mdadm lays out otherwise")

    def _check_geometry(self, check: Check) -> None:
        assert self._stage and self._stage.filesystem
        kind = self._stage.filesystem.kind
        argv = filesystems.readback_argv(kind, self._device_of("array"))
        assert argv
        done = run(argv, timeout_s=_QUERY_S)
        try:
            self._geometry = msgspec.to_builtins(filesystems.parse_geometry(kind, done.stdout))
        except ValueError as error:
            raise StepFailed(f"the geometry of {kind} cannot be read back: {error}") from error
        if self._geometry != check.expected:
            self._warn(f"{kind} has the geometry {self._geometry}, asked for was {check.expected}")

    def _check_mounted(self, _: Check) -> None:
        assert self._stage and self._stage.filesystem
        folder = self._path / MOUNTPOINT
        if not block.is_mounted(folder):
            raise StepFailed(f"nothing is mounted at {folder}")
        status = os.statvfs(folder)
        self._journal.add(
            events.FilesystemMade(
                at_s=time.time(),
                filesystem=self._stage.filesystem.kind,
                geometry=self._geometry,
                total_bytes=status.f_blocks * status.f_frsize,
                free_bytes=status.f_bavail * status.f_frsize,
            )
        )

    def _check_blank(self, _: Check) -> None:
        """Nothing recognises anything on the members, and no array of ours is left."""
        left = [f"the array {name}" for name in [self._find_array()] if name]
        for member in self._plan.members:
            disk = self._same_disk(member.id)
            signatures = run(("wipefs", "--no-act", "--parsable", disk.path), timeout_s=_QUERY_S).stdout
            if signatures.strip() or md.superblock(disk.path):
                left.append(f"signatures on {disk.name} ({disk.title}): {signatures.strip() or 'md superblock'}")
        if left:
            raise StepFailed("; ".join(left))
        if self._stage and self._stage.setup:  # what is left is our own test's data; after an erasure it would not be
            for disk in self._disks.values():
                leftovers.remember(disk.name)

    def _moot(self, step: Command) -> bool:
        """Has this undo nothing to do? StepFailed if what is there is not ours."""
        program, device = step.argv[0], step.argv[-1]
        if program == "umount":
            return not block.is_mounted(self._path / MOUNTPOINT)
        if device == "{array}":
            self._array = self._array or self._find_array()
            return self._array is None
        if step.argv[:2] == ("mdadm", "--zero-superblock"):
            assert self._stage and self._stage.array
            node = self._device_of(device.strip("{}"))
            uuid = md.superblock(node)
            if uuid not in (None, self._stage.array.uuid):
                raise StepFailed(f"{node} carries the superblock of another array ({uuid}); it is left alone")
            return uuid is None
        return False

    # Processes and time

    def tick(self) -> None:
        """Take a sample if one is due."""
        if not self._sampler.due_s():
            self._sampler.take()

    def _run(self, argv: tuple[str, ...], *, dies_with_us: bool = False) -> int:
        try:
            child = Child(argv, self._path, dies_with_us=dies_with_us)
        except FileNotFoundError as error:
            raise StepFailed(f"{argv[0]} is not installed; `raidtui doctor` names its package") from error
        interrupted = False

        def tick() -> None:
            nonlocal interrupted
            self.tick()
            if self._stopping() and dies_with_us and not interrupted:
                child.interrupt()
                interrupted = True

        status = child.wait(self._sampler.due_s, tick, self._wakeup)
        self._output = child.printed
        return status

    def _stopping(self) -> bool:
        """Was a stop asked for? Journalled when first noticed, not in the signal's handler."""
        if self.stop_asked and not self._journal.state.stopping:
            self._journal.add(events.StopAsked(at_s=time.time()))
        return self.stop_asked

    def _pause(self, duration_s: float) -> None:
        end_s = time.monotonic() + duration_s
        while (left_s := end_s - time.monotonic()) > 0:
            readable, _, _ = select.select([self._wakeup], [], [], min(left_s, self._sampler.due_s()))
            if readable:
                os.read(self._wakeup, 64)
            self.tick()

    def _hold(self, locked: bool) -> None:
        """Hold the members' nodes against udev's probing, or let go of them."""
        if locked and self._locks is None:
            self._locks = ExitStack()
            paths = [self._same_disk(member.id).path for member in self._plan.members]
            self._locks.enter_context(members.lock_nodes(paths))
        elif not locked and self._locks is not None:
            self._locks.close()
            self._locks = None

    def _warn(self, text: str) -> None:
        self._journal.add(events.Warned(at_s=time.time(), text=text))
