"""The launcher's side of the guest's terminal: pty and pipe if there is a terminal, else two pipes. A pty allows
restoring the terminal and noticing its end. Output uses a pipe: a pty holds 4 KiB, and a kernel that finds it full
continues only at the next key.
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

from raidtui.practice.guest_settings import Screen

_CHUNK = 65536
_PICTURES_BYTES = 1 << 20  # of the pipe: as large as anybody may make one, some pictures of a large window


class LostError(Exception):
    """Terminal or reader is gone."""


@dataclass(frozen=True)
class Console:
    """`guest`: the kernel's descriptors, closed by `started`. `routes`: source -> target descriptor."""

    guest: tuple[int, ...]
    routes: dict[int, int]
    master: int | None

    @property
    def screen(self) -> Screen | None:
        if self.master is None:
            return None
        rows, columns = os.get_terminal_size(sys.stdout.fileno())[::-1]
        return Screen(rows or 24, columns or 80)

    def started(self) -> None:
        """Closes the guest's ends here, so that its end is EOF."""
        for descriptor in self.guest:
            os.close(descriptor)

    def fit(self) -> None:
        """pty size as the terminal's, which the kernel reads when the guest opens it."""
        size = self.screen
        if self.master is not None and size:
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", size.rows, size.columns, 0, 0))

    def copy(self, source: int) -> bool:
        """False at a kernel source's end. LostError without terminal."""
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
    """A terminal is raw inside, and restored."""
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
    while rest:
        try:
            rest = rest[os.write(target, rest) :]
        except BlockingIOError:
            select.select([], [target], [])
