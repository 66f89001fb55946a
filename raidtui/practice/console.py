"""The launcher's side of the guest's terminal: pty and pipe if there is a terminal, else two pipes. A pty allows
restoring the terminal and noticing its end. Output uses a pipe: a pty holds 4 KiB, and a kernel that finds it full
continues only at the next key. A killed kernel has no program left that takes its screen back: that is done here.
"""

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from raidtui.practice.guest_settings import Screen

_CHUNK = 65536
_SWITCH = re.compile(rb"\x1b\[(?:\?([\d;]+)([hl])|([<>])\d*u)")  # DECSET: screen, mouse, …; kitty's keyboard
_SWITCH_BYTES = 64  # of the longest: a chunk may end in it
_USUALLY_ON = (b"7", b"25")  # wrapped lines, the cursor
_PICTURES_BYTES = 1 << 20  # of the pipe: as large as anybody may make one, some pictures of a large window


class LostError(Exception):
    """Terminal or reader is gone."""


@dataclass
class Switches:
    """How what was sent left the terminal."""

    _back: dict[bytes, bytes] = field(default_factory=dict)  # what was switched -> what takes it back
    _tail: bytes = b""
    began: bool = False

    def see(self, sent: bytes) -> None:
        self.began = True
        seen = self._tail + sent
        for modes, way, keyboard in _SWITCH.findall(seen):
            for mode in modes.split(b";"):
                usual = b"h" if mode in _USUALLY_ON else b"l"
                if way == usual or keyboard == b"<":
                    self._back.pop(mode, None)
                else:
                    self._back[mode] = b"\x1b[?%b%b" % (mode, usual) if mode else b"\x1b[<u"
        self._tail = seen[-_SWITCH_BYTES:]

    @property
    def back(self) -> bytes:
        """To the usual, the last one first; b"" if all is."""
        return b"".join([*reversed(self._back.values()), b"\x1b[m"]) if self._back else b""


@dataclass(frozen=True)
class Console:
    """`guest`: the kernel's descriptors, closed by `started`. `routes`: source -> target descriptor."""

    guest: tuple[int, ...]
    routes: dict[int, int]
    master: int | None
    switches: Switches = field(default_factory=Switches)

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

    @property
    def is_dark(self) -> bool:
        """A terminal to which the guest has sent nothing yet."""
        return self.master is not None and not self.switches.began

    def tell(self, words: str) -> None:
        """On its line, in place of the one before, until the guest sends something."""
        if self.is_dark:
            _write(sys.stdout.fileno(), f"\r{words}\x1b[K".encode())

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
            if outwards and self.master is not None:
                self.tell("")
                self.switches.see(chunk)
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
        with suppress(OSError):  # it is gone
            _write(sys.stdout.fileno(), terminal_console.switches.back)
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
