"""The terminal's own background: asked for by OSC 11 before the first picture, believed if it answers in time.

A terminal answers in the order asked (ECMA-48, 8.3.24): the reply to DA1 says that none to OSC 11 comes any more.
"""

import os
import re
import select
import sys
import termios
import time
import tty

import msgspec
from rich.console import Console

from raidtui.ui.textual_private import leave_out_late_answers

_ASKED = b"\x1b]11;?\x1b\\\x1b[c"
_WAIT_S = 0.2
_COLOUR = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)")
_ATTRIBUTES = re.compile(rb"\x1b\[\?[\d;]*c")
_SILENT = ("", "dumb", "linux", "vt100", "vt220", "ansi")  # values of TERM that know no OSC
_LIGHT = 0.5  # of the relative luminance


class Background(msgspec.Struct, frozen=True):
    """`own`: the terminal told its background; `light`: it is one; `sixteen`: it has no more colours than these;
    `cube`: xterm's 256.
    """

    own: bool = False
    light: bool = False
    sixteen: bool = False
    cube: bool = False


UNKNOWN = Background()


class BackgroundQuery:
    """Asked at once; the keyboard is silent until `answer`, which is to be called in any case."""

    def __init__(self) -> None:
        self._asked_s = time.monotonic()
        self._before: list[object] | None = None
        if os.environ.get("TERM", "") in _SILENT or os.environ.get("NO_COLOR"):
            return
        if not (sys.__stdin__ and sys.__stdout__ and sys.__stdin__.isatty() and sys.__stdout__.isatty()):
            return
        self._keys, self._screen = sys.__stdin__.fileno(), sys.__stdout__.fileno()
        self._before = termios.tcgetattr(self._keys)
        tty.setcbreak(self._keys, termios.TCSANOW)
        os.write(self._screen, _ASKED)

    def answer(self) -> Background:
        """Waits until 0.2 s after the question at most; what came before the call is read in any case."""
        colours = Console().color_system
        unknown = Background(sixteen=colours == "standard", cube=colours == "256")
        if self._before is None:
            return unknown
        told = b""
        try:
            while not _ATTRIBUTES.search(told):
                left_s = self._asked_s + _WAIT_S - time.monotonic()
                if not select.select([self._keys], [], [], max(0.0, left_s))[0]:
                    leave_out_late_answers()
                    return unknown
                told += os.read(self._keys, 1024)
        finally:
            termios.tcsetattr(self._keys, termios.TCSANOW, self._before)  # type: ignore[arg-type]
        return unknown if unknown.sixteen else msgspec.structs.replace(of_answer(told), cube=unknown.cube)


def of_answer(told: bytes) -> Background:
    """What a terminal said: hexadecimal digits of any length, per colour (xterm, "Operating System Commands")."""
    colour = _COLOUR.search(told)
    if colour is None:
        return UNKNOWN
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in colour.groups())
    return Background(own=True, light=0.2126 * red + 0.7152 * green + 0.0722 * blue >= _LIGHT)
