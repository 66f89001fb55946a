"""One child process, awaited without polling: it ends, the next tick is due, or someone asks to stop."""

import ctypes
import os
import select
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from raidtui.system import block
from raidtui.system.process import environment

_KEPT_BYTES = 64 << 10  # the end of what a child printed
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)


class Child:
    """A started program: no shell, both outputs joined. FileNotFoundError where it is missing.

    `stdin` is all that it can read (a few lines at most). `dies_by` is the signal that reaches it when this process
    dies, however it dies: no orphan goes on writing. What it has started itself and left behind ends with it: the
    jobs of a fio that was killed would go on, and sessions of their own keep them out of every process group.
    """

    def __init__(
        self, argv: Sequence[str], folder: Path, *, stdin: str = "", dies_by: signal.Signals = signal.SIGKILL
    ) -> None:
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self._others = _children()
        self._process = subprocess.Popen(
            argv,
            cwd=folder if folder.is_dir() else "/",  # somebody may have deleted it: the disks are cleared all the same
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=environment(HOME=str(folder)),
            preexec_fn=partial(_die_with_parent, dies_by, os.getpid()),  # one thread: safe between fork and exec
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(stdin.encode())
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._output, False)
        self._pidfd = os.pidfd_open(self._process.pid)
        self._printed = b""

    def wait(self, due_s: Callable[[], float], tick: Callable[[], None], wakeup: int) -> int:
        """Its exit status, `tick` called whenever `due_s()` has run down and when `wakeup` becomes readable."""
        try:
            self._wait(due_s, tick, wakeup)
        except BaseException:  # whatever it was: the child must not go on alone
            self.interrupt()
            raise
        finally:
            status = self._process.wait()
            self._end_orphans()
            self._drain()
            os.close(self._pidfd)
            assert self._process.stdout is not None
            self._process.stdout.close()
        return status

    def _wait(self, due_s: Callable[[], float], tick: Callable[[], None], wakeup: int) -> None:
        poll = select.poll()
        for descriptor in (self._output, self._pidfd, wakeup):
            poll.register(descriptor, select.POLLIN)
        ended = False
        while not ended:
            ready = dict(poll.poll(due_s() * 1000))
            if self._output in ready and not self._drain():
                poll.unregister(self._output)
            ended = self._pidfd in ready
            if wakeup in ready:
                os.read(wakeup, 64)
                tick()
            elif not due_s():
                tick()

    def interrupt(self) -> None:
        """SIGINT: fio writes what it has measured, and ends."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        self._process.kill()

    def _end_orphans(self) -> None:
        """Kill and reap what has become our child by the death of the one that had started it."""
        while orphans := _children() - self._others:
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)

    @property
    def printed(self) -> str:
        """The end of what it printed."""
        return self._printed.decode(errors="replace").strip()

    def _drain(self) -> bool:
        """Take what has been printed; False once its output is closed."""
        while True:
            try:
                part = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return True
            if not part:
                return False
            self._printed = (self._printed + part)[-_KEPT_BYTES:]


def _die_with_parent(dies_by: signal.Signals, parent: int) -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, dies_by)
    if os.getppid() != parent:  # it died before it could be asked for
        os.kill(os.getpid(), dies_by)


def _children() -> set[int]:
    """Our children, living or not yet reaped. /proc is gone through only where there are any."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return set()
    stats = {process.name: block.text(process / "stat") for process in Path("/proc").glob("[0-9]*")}
    return {int(pid) for pid, stat in stats.items() if stat.rpartition(")")[2].split()[1:2] == [str(os.getpid())]}
