"""One child process, awaited without polling: its end, the next tick, or a request to stop. A process in state D (a
disk that does not answer) cannot be killed: waited for some seconds, then left.
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
_ROOM_BYTES = 256 << 10  # of a file for it, taken before: what was found is kept on a full disk, too
_MOST_BYTES = 1 << 20  # of that file; beyond it the first half alone stays
_KEEP_SIZE = 1  # FALLOC_FL_KEEP_SIZE
LAST_WORDS_S = 30.0  # for fio to write its result after an interruption
_DYING_S = 10.0  # for a process that was killed to be gone
_WANTED_S = 0.2  # between looks whether a program of a person is wanted yet
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)


class Stuck(Exception):
    """Programs that were killed and do not end."""

    def __init__(self, pids: Sequence[int]) -> None:
        super().__init__(f"pid {', '.join(map(str, pids))}")
        self.pids = tuple(pids)


class Child:
    """A program without shell, stdout and stderr joined. FileNotFoundError if missing. `stdin`: all its input (a few
    lines). `dies_by`: signal it gets when this process dies. Its own leftover children end with it: jobs of a killed
    fio continue in sessions of their own, outside of any process group. `kept`: descriptors open until its end. `umask`
    -1: ours. `log`: file that it prints to by itself, so that its words outlive this process; a pipe if impossible.
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
        log: Path | None = None,
    ) -> None:
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
        self._others = _children()
        self._log = _opened_log(log) if log else None
        self._logged_bytes = 0  # of them are on the disk
        try:
            self._process = subprocess.Popen(
                argv,
                cwd=folder if folder.is_dir() else "/",  # somebody may have deleted it: disks are cleared all the same
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE if self._log is None else self._log,
                stderr=subprocess.STDOUT,
                env=environment(HOME=str(folder)),
                preexec_fn=partial(obey, dies_by, os.getpid()),  # one thread: safe between fork and exec
                pass_fds=kept,
                umask=umask,
            )
        except BaseException:
            if self._log is not None:
                os.close(self._log)
            raise
        assert self._process.stdin is not None
        with suppress(BrokenPipeError), self._process.stdin as pipe:
            pipe.write(stdin.encode())
        self._output = self._process.stdout.fileno() if self._process.stdout else None
        if self._output is not None:
            os.set_blocking(self._output, False)
        self._pidfd = os.pidfd_open(self._process.pid)
        self._printed = b""
        self._killed_s: float | None = None

    def wait(self, due_s: Callable[[], float], tick: Callable[[], None], wakeup: int) -> int:
        """Exit status. `tick` runs when `due_s()` is over or `wakeup` readable. Stuck if it does not die."""
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
            if self._process.stdout:
                self._process.stdout.close()
            if self._log is not None:
                os.close(self._log)
        return status

    def _wait(self, due_s: Callable[[], float], tick: Callable[[], None], wakeup: int) -> None:
        poll = select.poll()
        for descriptor in (self._output, self._pidfd, wakeup):
            if descriptor is not None:
                poll.register(descriptor, select.POLLIN)
        ended = False
        while not ended:
            ready = dict(poll.poll(due_s() * 1000))
            if self._output is not None and self._output in ready and not self._drain():
                poll.unregister(self._output)
            if self._log is not None:
                self._drain()
            ended = self._pidfd in ready
            if wakeup in ready:
                os.read(wakeup, 64)
                tick()
            elif not due_s():
                tick()
            if not ended and self._killed_s is not None and time.monotonic() > self._killed_s + self.dying_s:
                raise Stuck(_family(self._process.pid))

    def interrupt(self) -> None:
        """SIGINT: fio writes its results and ends."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        if self._killed_s is None:
            self._killed_s = time.monotonic()
        self._process.kill()

    def _end_of_child(self) -> None:
        self.interrupt()
        if not _ends(self._pidfd, self.last_words_s):
            self.kill()
            if not _ends(self._pidfd, self.dying_s):
                raise Stuck(_family(self._process.pid))
        self._process.wait()
        self._end_orphans()

    def _end_orphans(self) -> None:
        """Kill and reap orphans reparented to us; Stuck if one survives."""
        while orphans := sorted(_children() - self._others):
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
            end_s = time.monotonic() + self.dying_s
            if stuck := [pid for pid in orphans if not _reaped(pid, end_s - time.monotonic())]:
                raise Stuck(stuck)

    @property
    def printed(self) -> str:
        return self._printed.decode(errors="replace").strip()

    def _drain(self) -> bool:
        if self._output is None:
            with suppress(OSError):  # of the disk that the file lies on
                self._keep_log()
            return True
        while True:
            try:
                output_part = os.read(self._output, 1 << 16)
            except BlockingIOError:
                return True
            if not output_part:
                return False
            self._printed = (self._printed + output_part)[-_KEPT_BYTES:]

    def _keep_log(self) -> None:
        """On the disk as soon as it is printed, within its bound."""
        assert self._log is not None
        size_bytes = os.fstat(self._log).st_size
        if size_bytes == self._logged_bytes:
            return
        if size_bytes > _MOST_BYTES:
            size_bytes = _MOST_BYTES // 2
            os.ftruncate(self._log, size_bytes)
        self._printed = os.pread(self._log, _KEPT_BYTES, max(0, size_bytes - _KEPT_BYTES))
        os.fdatasync(self._log)
        self._logged_bytes = size_bytes


def _opened_log(path: Path) -> int | None:
    """Empty, with room; None without such a file."""
    try:
        log = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError:
        return None
    _libc.fallocate(log, _KEEP_SIZE, ctypes.c_int64(0), ctypes.c_int64(_ROOM_BYTES))  # where the file system can
    return log


def obey(dies_by: signal.Signals, parent: int) -> None:
    """Background jobs of scripts ignore SIGINT, and so would their children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _libc.prctl(_PR_SET_PDEATHSIG, dies_by)
    if os.getppid() != parent:  # it died before it could be asked for
        os.kill(os.getpid(), dies_by)


def _ends(pidfd: int, within_s: float) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(max(0.0, within_s) * 1000))


def _reaped(pid: int, within_s: float) -> bool:
    """Reaped if it ended within that time."""
    pidfd = os.pidfd_open(pid)
    try:
        ended = _ends(pidfd, within_s)
    finally:
        os.close(pidfd)
    if ended:
        os.waitpid(pid, 0)
    return ended


def started(pid: int) -> int:
    """Clock ticks since boot, also if its first thread has ended; 0: gone."""
    words = block.process_words(f"/proc/{pid}")
    return int(words[19]) if words else 0


def lives(pid: int, start_ticks: int) -> bool:
    """Any of its threads; a killed one may exist as long as the kernel keeps it."""
    threads = [block.process_words(thread)[:1] for thread in Path(f"/proc/{pid}/task").glob("*")]
    return started(pid) == start_ticks and any(state not in ([], ["Z"], ["X"]) for state in threads)


def _children() -> set[int]:
    """Living or not reaped. /proc is read only if there are any."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return set()
    return {pid for pid, parent in _parents().items() if parent == os.getpid()}


def _family(pid: int) -> list[int]:
    """With all descendants: a hanging fio keeps jobs that may write."""
    parents, family = _parents(), [pid]
    for parent_pid in family:
        family += (child for child, parent in parents.items() if parent == parent_pid)
    return family


def _parents() -> dict[int, int]:
    stats = {int(process.name): block.process_words(process) for process in Path("/proc").glob("[0-9]*")}
    return {pid: int(words[1]) for pid, words in stats.items() if words}


def in_this_terminal(argv: Sequence[str], is_wanted: Callable[[], bool]) -> int:
    """Exit status. Dies with this process, and ends once it is unwanted. Ctrl-C goes to the program only."""
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
    """Ignores SIGINT, restores the terminal: a killed prompt leaves echo off."""
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
