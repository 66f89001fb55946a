"""One child process, awaited without polling: it ends, the next tick is due, or someone asks to stop.

A process that waits for the kernel (state D: a disk that does not answer) cannot even be killed: it is waited for some
seconds, then left.
"""

import ctypes
import os
import select
import signal
import subprocess
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from raidtui.system import block
from raidtui.system.process import environment

_KEPT_BYTES = 64 << 10  # the end of what a child printed
LAST_WORDS_S = 30.0  # for fio to write its result after an interruption
_DYING_S = 10.0  # for a process that was killed to be gone
_WANTED_S = 0.2  # between looks whether a program of a person is wanted yet
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)


class Stuck(Exception):
    """Programs that were killed and do not end; `pids` are theirs."""

    def __init__(self, pids: Sequence[int]) -> None:
        super().__init__(f"pid {', '.join(map(str, pids))}")
        self.pids = tuple(pids)


class Child:
    """A started program: no shell, both outputs joined. FileNotFoundError where it is missing.

    `stdin` is all that it can read (a few lines at most). `dies_by` is the signal that reaches it when this process
    dies, however it dies: no orphan goes on writing. What it has started itself and left behind ends with it: the
    jobs of a fio that was killed would go on, and sessions of their own keep them out of every process group.
    `kept` are descriptors that it keeps open until it ends. `umask` is of what it makes; -1: as ours.
    """

    last_words_s = LAST_WORDS_S
    dying_s = _DYING_S

    def __init__(
        self,
        argv: Sequence[str],
        folder: Path,
        *,
        stdin: str = "",
        dies_by: signal.Signals = signal.SIGKILL,
        kept: Sequence[int] = (),
        umask: int = -1,
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
            preexec_fn=partial(obey, dies_by, os.getpid()),  # one thread: safe between fork and exec
            pass_fds=kept,
            umask=umask,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(stdin.encode())
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._output, False)
        self._pidfd = os.pidfd_open(self._process.pid)
        self._printed = b""
        self._killed_s: float | None = None

    def wait(self, due_s: Callable[[], float], tick: Callable[[], None], wakeup: int) -> int:
        """Its exit status, `tick` called whenever `due_s()` has run down and when `wakeup` becomes readable.

        Stuck if it was killed, or what it has left behind was, and does not end.
        """
        try:
            self._wait(due_s, tick, wakeup)
            status = self._process.wait()
            self._end_orphans()
        except Stuck:
            raise
        except BaseException:  # whatever it was: the child must not go on alone
            self._end_of_child()
            raise
        finally:
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
            if not ended and self._killed_s is not None and time.monotonic() > self._killed_s + self.dying_s:
                raise Stuck(_family(self._process.pid))

    def interrupt(self) -> None:
        """SIGINT: fio writes what it has measured, and ends."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        if self._killed_s is None:
            self._killed_s = time.monotonic()
        self._process.kill()

    def _end_of_child(self) -> None:
        """Interrupt it, then kill it; Stuck if neither ends it."""
        self.interrupt()
        if not _ends(self._pidfd, self.last_words_s):
            self.kill()
            if not _ends(self._pidfd, self.dying_s):
                raise Stuck(_family(self._process.pid))
        self._process.wait()
        self._end_orphans()

    def _end_orphans(self) -> None:
        """Kill and reap what has become our child by the death of the one that had started it; Stuck if it stays."""
        while orphans := sorted(_children() - self._others):
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
            end_s = time.monotonic() + self.dying_s
            if stuck := [pid for pid in orphans if not _reaped(pid, end_s - time.monotonic())]:
                raise Stuck(stuck)

    @property
    def printed(self) -> str:
        """The end of what it printed."""
        return self._printed.decode(errors="replace").strip()

    def _drain(self) -> bool:
        """Take what has been printed; False once its output is closed."""
        while True:
            try:
                output_part = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return True
            if not output_part:
                return False
            self._printed = (self._printed + output_part)[-_KEPT_BYTES:]


def obey(dies_by: signal.Signals, parent: int) -> None:
    """Whoever was started in the background of a script ignores SIGINT, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _libc.prctl(_PR_SET_PDEATHSIG, dies_by)
    if os.getppid() != parent:  # it died before it could be asked for
        os.kill(os.getpid(), dies_by)


def _ends(pidfd: int, within_s: float) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(max(0.0, within_s) * 1000))


def _reaped(pid: int, within_s: float) -> bool:
    """Has this child of ours ended within that time? It is reaped then."""
    pidfd = os.pidfd_open(pid)
    try:
        ended = _ends(pidfd, within_s)
    finally:
        os.close(pidfd)
    if ended:
        os.waitpid(pid, 0)
    return ended


def started(pid: int) -> int:
    """When a process started, in clock ticks since boot, also of one whose first thread has ended; 0: it is gone."""
    words = block.process_words(f"/proc/{pid}")
    return int(words[19]) if words else 0


def lives(pid: int, start_ticks: int) -> bool:
    """Does any thread of this very process live? One that has been killed may for as long as the kernel keeps it."""
    threads = [block.process_words(thread)[:1] for thread in Path(f"/proc/{pid}/task").glob("*")]
    return started(pid) == start_ticks and any(state not in ([], ["Z"], ["X"]) for state in threads)


def _children() -> set[int]:
    """Our children, living or not yet reaped. /proc is gone through only where there are any."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return set()
    return {pid for pid, parent in _parents().items() if parent == os.getpid()}


def _family(pid: int) -> list[int]:
    """A process and all that it has started: a fio that hangs keeps its jobs, and they may write."""
    parents, family = _parents(), [pid]
    for parent_pid in family:
        family += (child for child, parent in parents.items() if parent == parent_pid)
    return family


def _parents() -> dict[int, int]:
    """Every process and its parent."""
    stats = {int(process.name): block.process_words(process) for process in Path("/proc").glob("[0-9]*")}
    return {pid: int(words[1]) for pid, words in stats.items() if words}


def in_this_terminal(argv: Sequence[str], is_wanted: Callable[[], bool]) -> int:
    """Run `argv` with this terminal; its exit status.

    It dies with this process, and ends once it is not wanted any more. Ctrl-C is its own meanwhile.
    """
    with _left_to_the_program():
        process = subprocess.Popen(
            argv, env=environment(), preexec_fn=partial(obey, signal.SIGKILL, os.getpid()), close_fds=True
        )
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(_WANTED_S)
                if not is_wanted():
                    process.terminate()
                    with suppress(subprocess.TimeoutExpired):
                        return process.wait(_DYING_S)
                    process.kill()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


@contextmanager
def _left_to_the_program() -> Iterator[None]:
    """SIGINT does nothing here, and the terminal is afterwards as it was: who is ended while it asks echoes nothing."""
    try:
        settings = termios.tcgetattr(0)
    except termios.error:
        settings = None
    handled = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handled)
        if settings is not None:
            with suppress(termios.error):  # it was hung up
                termios.tcsetattr(0, termios.TCSAFLUSH, settings)  # what was typed too much is nobody's
