"""The launcher's side of the guest's terminal: a pty and a pipe of ours when there is a terminal, else two pipes.

Knows raw mode, sizes and copying; refuses to know what the bytes mean. With a pty between, the terminal is put back
whatever becomes of the kernel, and its end is noticed here. What the guest shows comes through a pipe, for a pty holds
4 KiB: a kernel that finds it full goes on writing at the next key that is pressed, half a picture later.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from raidtui.practice.settings import Screen

_CHUNK = 65536
_PICTURES_BYTES = 1 << 20  # of the pipe: as large as anybody may make one, some pictures of a large window


class LostError(Exception):
    """The terminal, or who read our output, is gone."""


@dataclass(frozen=True)
class Console:
    """`guest`: descriptors for the kernel, closed by `started`. `routes`: descriptor to read, descriptor to write."""

    guest: tuple[int, ...]
    routes: dict[int, int]
    master: int | None

    @property
    def screen(self) -> Screen | None:
        """The size now; None without a terminal."""
        if self.master is None:
            return None
        rows, columns = os.get_terminal_size(sys.stdout.fileno())[::-1]
        return Screen(rows or 24, columns or 80)

    def started(self) -> None:
        """The kernel has its ends: close ours, so that its end is an end of file here."""
        for descriptor in self.guest:
            os.close(descriptor)

    def fit(self) -> None:
        """Make the pty as large as the terminal: the kernel looks at it whenever the guest opens the terminal."""
        size = self.screen
        if self.master is not None and size:
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))

    def copy(self, source: int) -> bool:
        """Pass on what there is to read; False at the end of a source of the kernel's. LostError: nobody is there."""
        outwards = source != sys.stdin.fileno()
        try:
            chunk = os.read(source, _CHUNK)
        except OSError:  # a pty without its other side
            chunk = b""
        if not chunk:
            if not outwards:
                raise LostError
            return False
        try:
            _write(self.routes[source], chunk)
        except OSError as error:
            if outwards:
                raise LostError from error
            return False  # the kernel has just ended
        return True


@contextmanager
def console() -> Iterator[Console]:
    """The console that fits standard input and output; a terminal is raw inside, and as it was after."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        with _pipes() as terminal_console:
            yield terminal_console
        return
    sys.stdout.flush()
    terminal = sys.stdin.fileno()
    old_modes = termios.tcgetattr(terminal)
    master, slave = pty.openpty()
    tty.setraw(slave)
    shown, guest_shows = os.pipe()
    with suppress(OSError):  # where pipes have a smaller limit, or all of it is used
        fcntl.fcntl(shown, fcntl.F_SETPIPE_SZ, _PICTURES_BYTES)
    terminal_console = Console((slave, guest_shows), {terminal: master, shown: sys.stdout.fileno()}, master)
    terminal_console.fit()
    try:
        tty.setraw(terminal)
        yield terminal_console
    finally:
        os.close(master)
        os.close(shown)
        _restore(terminal, old_modes)


@contextmanager
def _pipes() -> Iterator[Console]:
    sys.stdout.flush()
    guest_stdout, guest_out = os.pipe()
    err, guest_err = os.pipe()
    try:
        yield Console((guest_out, guest_err), {guest_stdout: sys.stdout.fileno(), err: sys.stderr.fileno()}, None)
    finally:
        os.close(guest_stdout)
        os.close(err)


def _restore(terminal: int, old_modes: list[int | list[bytes | int]]) -> None:
    try:
        termios.tcsetattr(terminal, termios.TCSADRAIN, old_modes)
    except termios.error:
        return  # it is gone: nothing to restore


def _write(target: int, rest: bytes) -> None:
    """All of it, also where someone has made the descriptor non-blocking."""
    while rest:
        try:
            rest = rest[os.write(target, rest) :]
        except BlockingIOError:
            select.select([], [target], [])
