"""Carries out the steps of a plan, one at a time: resolves names from identities, looks before it writes, journals.

Knows the machine only through `system`; decides nothing that the plan does not say, except to refuse.
"""

import os
import re
import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core import events, filesystems, steps
from raidtui.core.fioresult import FioResultError, parse
from raidtui.core.measurement import Measurement, Status
from raidtui.core.plan import MOUNTPOINT, Plan, Stage, Trial
from raidtui.core.samples import ARRAY
from raidtui.core.steps import Check, Command, Question, Step, Wait, Write
from raidtui.runs.child import Child
from raidtui.runs.journal import Journal
from raidtui.runs.muster import Muster, MusterError
from raidtui.runs.sampler import Sampler
from raidtui.system import block, leftovers, md, members
from raidtui.system.process import run

_STOP_TRIES = 10  # an array may be held for a moment by a probe
_QUERY_S = 60.0
_SETTLE = ("udevadm", "settle", "--timeout=30")
_LIMIT_S = 600.0  # of a command that should take moments
_LAST_WORDS_S = 30.0  # for fio to write its result after an interruption
_CREATE = ("mdadm", "--create")
_NAMED = re.compile(r"\{(?:member|part):(\d+)")


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
        self._muster = Muster(plan)
        self._ours: set[str] = set()  # placeholders of members that carry, or carried, this stage's superblock
        self._stage_number = 0
        self._stage: Stage | None = None
        self._array: str | None = None  # kernel name
        self._geometry: dict[str, int] = {}
        self._output = ""
        self.begun: list[Step] = []  # the steps of this stage that were really begun: what an undo takes back
        self.stop_asked = False

    # What the worker calls

    def begin(self, number: int, stage: Stage) -> None:
        """The steps that follow belong to this stage."""
        self._stage_number, self._stage = number, stage
        self._array = self._sampler.names[ARRAY] = None
        self._ours = set()
        self.begun = []
        self._journal.add(events.StageStarted(at_s=time.time(), stage=number))

    def carry_out(self, step: Step, *, undoing: bool = False) -> None:
        """Do `step`; raises StepFailed or Stopped. An undo that has nothing to do is passed over."""
        if not undoing and self._stopping():
            raise Stopped
        try:
            self._muster.hold(isinstance(step, Command) and step.locked)
            if undoing and isinstance(step, Command) and self._moot(step):
                return
            self._do(step, undoing)
        except (MusterError, ValueError, OSError) as error:
            raise StepFailed(str(error)) from error

    def _do(self, step: Step, undoing: bool) -> None:
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
        if self._array is None:
            return
        folder = self._path / MOUNTPOINT
        if block.is_mounted(folder):
            self._run(("umount", str(folder)))
        node = f"/dev/{self._array}"
        if reason := members.why_not_free(node):
            raise StepFailed(f"the array {node} is in use: {reason}")
        planned = self._stage.filesystem.uuid if self._stage and self._stage.filesystem else None
        said = run(("blkid", "--probe", "--output", "export", node), timeout_s=_QUERY_S).stdout.splitlines()
        holds = dict(line.split("=", 1) for line in said if "=" in line)
        if "TYPE" in holds and holds.get("UUID") != planned:
            raise StepFailed(
                f"the array {node} holds {holds['TYPE']} {holds.get('UUID', '')}, which this run did not make;"
                f" if it is to be lost, wipe it first: wipefs --all {node}"
            )

    def release(self) -> None:
        """Let go of the members' nodes."""
        self._muster.hold(False)

    def restore_settings(self) -> None:
        """Put every changed setting back, the last one first; what is gone with its array needs none."""
        for path, old in self._journal.state.settings.items():
            try:
                Path(path).write_text(old)
            except OSError as error:
                self._warn(f"{path} could not be set back to {old}: {error.strerror}")
            self._journal.add(events.SettingRestored(at_s=time.time(), path=path, value=old))

    def look_for_members(self) -> dict[str, str]:
        """The nodes that the members have now, of those that are there."""
        found = self._muster.look(all_needed=False)
        self._sampler.names.update({identity: disk.name for identity, disk in found.items()})
        return {identity: disk.path for identity, disk in found.items()}

    # Names

    def _device_of(self, placeholder: str) -> str:
        kind, *numbers = placeholder.split(":")
        if kind == "array":
            self._array = self._find_array()
            if self._array is None:
                raise StepFailed("the run's array is not there any more")
            return f"/dev/{self._array}"
        member = self._plan.members[int(numbers[0])]
        disk = self._muster.disk(member)
        self._sampler.names[member.id] = disk.name
        if kind == "member":
            return disk.path
        node = block.partition(disk.name, int(numbers[1]))
        if node is None:
            raise StepFailed(f"{disk.name} ({disk.title}) no longer has partition {numbers[1]}; plan again")
        return node

    def _find_array(self) -> str | None:
        return md.find(self._stage.array.uuid) if self._stage and self._stage.array else None

    def _resolved(self, argv: tuple[str, ...]) -> tuple[str, ...]:
        """With the devices of this moment. Only a creation may name an array that is not there: by its own name."""
        if argv[:2] == _CREATE and self._find_array() is None:
            assert self._stage and self._stage.array
            node = f"/dev/md/{self._stage.array.name}"
            argv = tuple(word.replace("{array}", node) for word in argv)
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
        named = self._about_to_write(step) if not undoing else []
        argv = self._resolved(step.argv)
        if argv[:2] == _CREATE:
            self._ours |= {f"{{member:{index}}}" for index in named}
        if not undoing:
            self.begun.append(step)
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
        self._about_to_write(step)
        argv = self._resolved(step.argv)
        if trial.target == "filesystem" and not block.is_mounted(self._path / MOUNTPOINT):
            raise StepFailed("the run's file system is not mounted any more")
        (self._path / "fio" / f"{trial.id}.json").unlink(missing_ok=True)
        started_s = time.monotonic()
        self._sampler.mark()
        self._journal.add(events.TrialStarted(at_s=time.time(), trial=trial.id, expected_s=trial.expected_s))
        status = self._run(argv)
        self._sampler.mark()
        targets = tuple(word.removeprefix("--filename=") for word in argv if word.startswith("--filename="))
        measurement = self._result(trial, status, started_s, targets)
        self._journal.add(events.TrialEnded(at_s=time.time(), trial=trial.id, measurement=measurement))
        if self._array and md.is_dead(self._array):
            raise StepFailed(f"the array {self._array} is gone: {self._output[-500:]}")
        if self._stopping():
            raise Stopped

    def _result(self, trial: Trial, status: int, started_s: float, targets: tuple[str, ...]) -> Measurement:
        """What fio wrote, with the disks' own rates over the same time; failed, with its words, if it wrote nothing."""
        ended_s = time.monotonic()
        setup = self._stage.setup if self._stage else None
        about: dict[str, Any] = {
            "name": trial.id,
            "setup": msgspec.to_builtins(setup) if setup else None,
            "targets": targets,
        }
        try:
            text = (self._path / "fio" / f"{trial.id}.json").read_text(errors="replace")
            measurement = parse(f"{self._output}\n{text}", trial.id, exit_status=status)[0]
        except (OSError, FioResultError) as error:
            words = self._output[-500:] or str(error)
            lost: Status = "interrupted" if self.stop_asked else "failed"
            return Measurement(status=lost, error=words, rw=trial.rw, **about)
        lasting_s = (measurement.runtime_ms or 0) / 1000 or ended_s - started_s
        about["disks"] = dict(self._sampler.rates(started_s, ended_s, lasting_s))
        about["warnings"] = (*measurement.warnings, *self._trouble())
        if self._array and md.is_degraded(self._array):
            about |= {"status": "failed", "error": f"the array {self._array} is degraded"}
        if measurement.status == "failed" and not measurement.error:
            about["error"] = self._output[-500:] or f"fio ended with status {status}"
        if self.stop_asked:
            about["status"] = "interrupted"
        return msgspec.structs.replace(measurement, **about)

    def _trouble(self) -> list[str]:
        """What went on in the array while it was measured, and was not to."""
        sync = md.sync(self._array) if self._array else None
        skipped = self._stage is not None and self._stage.setup is not None and self._stage.setup.first_sync == "skip"
        return [f"a {sync.action} was running in the array"] if sync and not skipped else []

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
        assert self._array
        if md.is_dead(self._array) or md.is_degraded(self._array):
            raise StepFailed(f"the sync of {self._array} ended and the array is not whole; see `mdadm --detail`")

    # Checks

    def _check_free(self, _: Check | None = None) -> None:
        if not self._muster.held:  # what udev probes after our own last write is not somebody else's use
            self._run(_SETTLE)
        self._muster.check_free()

    def _about_to_write(self, step: Command) -> list[int]:
        """Look once more at the members if this command names one; the indices of those it names."""
        named = sorted({int(index) for word in step.argv for index in _NAMED.findall(word)})
        if named:
            if self._muster.due:
                self._check_free()
            self._muster.written |= {self._plan.members[index].id for index in named}
        return named

    def _check_array(self, check: Check) -> None:
        assert self._stage and self._stage.array
        self._array = self._find_array()
        if self._array is None:
            raise StepFailed(f"no array with the UUID {self._stage.array.uuid} came up; see `cat /proc/mdstat`")
        self._sampler.names[ARRAY] = self._array
        first = self._muster.disk(self._plan.members[0]).name
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
            disk = self._muster.disk(member)
            signatures = run(("wipefs", "--no-act", "--parsable", disk.path), timeout_s=_QUERY_S).stdout
            if signatures.strip() or md.superblock(disk.path):
                left.append(f"signatures on {disk.name} ({disk.title}): {signatures.strip() or 'md superblock'}")
        if left:
            raise StepFailed("; ".join(left))
        for index, member in enumerate(self._plan.members):  # our own test's data; after an erasure it would not be
            ours = member.id in self._muster.written or f"{{member:{index}}}" in self._ours
            if ours and self._stage and self._stage.setup:
                leftovers.remember(self._muster.disk(member).name)

    def _moot(self, step: Command) -> bool:
        """Has this undo nothing to do? StepFailed if what is there is not ours."""
        program, device = step.argv[0], step.argv[-1]
        if program == "umount":
            return not block.is_mounted(self._path / MOUNTPOINT)
        if device == "{array}":
            self._array = self._find_array()
            return self._array is None
        if step.argv[:2] == ("mdadm", "--zero-superblock"):
            assert self._stage and self._stage.array
            node = self._device_of(device.strip("{}"))
            uuid = md.superblock(node)
            if uuid not in (None, self._stage.array.uuid):
                raise StepFailed(f"{node} carries the superblock of another array ({uuid}); it is left alone")
            if uuid is not None:
                self._ours.add(device)
            return uuid is None
        return program == "wipefs" and device not in self._ours

    # Processes and time

    def tick(self) -> None:
        """Take a sample if one is due. A full disk must not keep the run from clearing away."""
        if not self._sampler.due_s():
            try:
                self._sampler.take()
            except OSError as error:
                self._warn(f"the counters of a second are lost: {error.strerror}")

    def _run(self, argv: tuple[str, ...]) -> int:
        """The exit status of `argv`; fio dies with us and is interrupted by a stop, the others have a time limit."""
        measuring = argv[0] == "fio"
        try:
            child = Child(argv, self._path, dies_with_us=measuring)
        except FileNotFoundError as error:
            raise StepFailed(f"{argv[0]} is not installed; `raidtui doctor` names its package") from error
        end_s = time.monotonic() + (float("inf") if measuring or argv[0].startswith("mkfs") else _LIMIT_S)
        interrupted = False

        def tick() -> None:
            nonlocal interrupted, end_s
            self.tick()
            if self._stopping() and measuring and not interrupted:
                child.interrupt()
                interrupted, end_s = True, time.monotonic() + _LAST_WORDS_S
            if time.monotonic() > end_s:
                child.kill()

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

    def _warn(self, text: str) -> None:
        self._journal.add(events.Warned(at_s=time.time(), text=text))
