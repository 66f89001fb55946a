"""Waits of a worker, with samples at each tick and stop requests. Knows durations, no disks."""

import errno
import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import msgspec

from raidtui.core.plan.roles import Role
from raidtui.core.run import events
from raidtui.runs.child import LAST_WORDS_S, Child, Stuck
from raidtui.runs.journal import Journal
from raidtui.runs.sampler import Sampler

_ALARM_S = 5.0
_SETTLES_WITHIN_S, _SETTLE_RETRY_S = 30.0, 0.5
_SETTLE = ("udevadm", "settle", f"--timeout={_SETTLES_WITHIN_S:.0f}")
_FOR_OTHERS, _OTHERS_UMASK = ("initramfs", "make-folder", "enable", "disable"), 0o022  # what is not the run's alone
LIMIT_S = 600.0  # of a command that should take moments
_LIMITS_S: dict[Role, float] = {"initramfs": 3600.0}  # of others: minutes for each kernel


class StepFailed(Exception):
    """The tool's words, or one sentence."""


class Refused(StepFailed):
    """In use or foreign: must not be touched. Nothing was done to it."""


class Unending(StepFailed):
    """A killed program that does not end; `pids` still there."""

    def __init__(self, program: str, pids: tuple[int, ...]) -> None:
        numbers = ", ".join(map(str, pids))
        several = len(pids) > 1
        super().__init__(
            f"{program} (pid {numbers}) {'do' if several else 'does'} not end; "
            f"{'they wait' if several else 'it waits'} for the kernel"
        )
        self.program, self.pids = program, pids


class Stopped(Exception):
    pass


class Ended(msgspec.Struct, frozen=True):
    """`printed`: its end. `silent`: the disks had stopped responding."""

    status: int
    printed: str
    silent: bool = False


class Waiter:
    """`wakeup`: readable after a signal."""

    def __init__(self, folder: Path, journal: Journal, sampler: Sampler, wakeup: int) -> None:
        self._folder = folder
        self._journal = journal
        self._sampler = sampler
        self._wakeup = wakeup
        self._losing = False  # samples are being lost
        self._looked_s = 0.0
        self.stop_asked = False
        self.alarm: Callable[[], str] = str  # why a test must not go on, "" where it may; asked now and then
        self.alarmed = ""  # what it said

    def run(
        self,
        argv: tuple[str, ...],
        stdin: str = "",
        role: Role = "settled",
        claim: AbstractContextManager[tuple[int, ...]] | None = None,
        log: Path | None = None,
    ) -> Ended:
        """Runs a step's program; it dies with us. `claim`: descriptors taken right before, released at its end. A stop
        interrupts fio and mkfs; others have a time limit, also if disks stop responding. Unending if killed and still
        there. `log`: where what it prints is kept.
        """
        measuring = role in ("fill", "measure")
        try:
            with claim or nullcontext(()) as kept_files:
                child = Child(
                    argv,
                    self._folder,
                    stdin=stdin,
                    dies_by=signal.SIGINT if measuring else signal.SIGKILL,
                    kept=kept_files,
                    umask=_OTHERS_UMASK if role in _FOR_OTHERS else -1,
                    log=log,
                )
        except FileNotFoundError as error:
            raise StepFailed(f"{argv[0]} is not installed; `raidtui doctor` names its package") from error
        long = measuring or role in ("mkfs", "create-pool")
        end_s = time.monotonic() + (float("inf") if long else _LIMITS_S.get(role, LIMIT_S))
        interrupted = late = silent = False

        def tick() -> None:
            nonlocal interrupted, late, silent, end_s
            self.tick()
            silent = silent or (long and self._sampler.silent_s() > LIMIT_S)
            if measuring and not self.alarmed and time.monotonic() - self._looked_s > _ALARM_S:
                self._looked_s, self.alarmed = time.monotonic(), self.alarm()
            if (self.stopping() or silent or self.alarmed) and long and not interrupted:
                child.interrupt()
                interrupted, end_s = True, time.monotonic() + LAST_WORDS_S
            if time.monotonic() > end_s:
                child.kill()
                late = True

        try:
            status = child.wait(self._sampler.due_s, tick, self._wakeup)
        except Stuck as stuck:
            raise Unending(argv[0], stuck.pids) from stuck
        words = (
            child.printed,
            f"no disk answered any request for {LIMIT_S:.0f} s: {argv[0]} was interrupted" if silent else "",
            "it did not end in time and was killed" if late else "",
        )
        return Ended(status, "\n".join(word for word in words if word), silent)

    def settle(self) -> None:
        """At most half a minute. On a busy machine udevd hangs up after 3 s ("Broken pipe"): asked again."""
        end_s = time.monotonic() + _SETTLES_WITHIN_S
        while self.run(_SETTLE).status and time.monotonic() < end_s:
            self.pause(_SETTLE_RETRY_S)

    def pause(self, duration_s: float) -> None:
        """With samples; signals only wake what checks `stopping`."""
        end_s = time.monotonic() + duration_s
        while (left_s := end_s - time.monotonic()) > 0:
            readable, _, _ = select.select([self._wakeup], [], [], min(left_s, self._sampler.due_s()))
            if readable:
                os.read(self._wakeup, 64)
            self.tick()

    def tick(self) -> None:
        """If due. A full disk must not block teardown."""
        if self._sampler.due_s():
            return
        try:
            self._sampler.take()
            self._losing = False
        except OSError as error:
            if not self._losing:  # said once, not each second
                self._losing = True
                self.warn(f"counters are being lost from here on: {os.strerror(error.errno or errno.EIO)}")

    def stopping(self) -> bool:
        """Journalled when first noticed, not in the signal handler."""
        if self.stop_asked and not self._journal.state.stopping:
            self._journal.add(events.StopAsked(at_s=time.time()))
        return self.stop_asked

    def warn(self, text: str) -> None:
        self._journal.add(events.Warned(at_s=time.time(), text=text))
