"""The terminal of a practice kernel: one that goes with the kernel, and one that a killed kernel leaves."""

import os
import pty
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.practice import kernel
from raidtui.practice.console import Console, Switches

_KILLED = """
import os
from raidtui.practice.console import console
with console() as screen:
    shown = next(source for source in screen.routes if source)
    screen.tell("boot, 1 s")
    for part in {parts!r}:
        os.write(screen.guest[1], part)
        screen.copy(shown)
        screen.tell("boot, 2 s")
"""
_BEGUN = (b"\x1b[?1049h\x1b[?10", b"00;1006h\x1b[?25l\x1b[?2026h\x1b[>1u\x1b[48;5;1m", b"\x1b[?2026l picture")


def test_a_terminal_that_goes_with_its_kernel_is_let_go_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, guests = socket.socketpair()
    guests.close()
    terminal, hung_up = os.pipe()
    os.close(hung_up)
    process = subprocess.Popen(["true"])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    with os.fdopen(terminal) as stdin_file, Path(os.devnull).open("wb") as kernels_end, ours:
        monkeypatch.setattr(sys, "stdin", stdin_file)
        ending = kernel._see_through(process, ours, Console((), {terminal: kernels_end.fileno()}, None), [])
    process.wait()
    assert not ending.up and ending.status is None


def test_a_terminal_is_taken_back_from_a_kernel_that_was_killed() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [sys.executable, "-c", _KILLED.format(parts=_BEGUN)])
    seen = b""
    while True:
        try:
            seen += os.read(terminal, 65536)
        except OSError:  # its other end is closed
            break
    assert os.waitpid(pid, 0)[1] == 0
    back = b"\x1b[<u\x1b[?25h\x1b[?1006l\x1b[?1000l\x1b[?1049l\x1b[m"
    assert seen == b"\rboot, 1 s\x1b[K\r\x1b[K" + b"".join(_BEGUN) + back  # how far it is, until it shows something


def test_a_terminal_that_was_given_back_is_left_alone() -> None:
    """Leaving the second screen twice moves the cursor to where it was before."""
    switches = Switches()
    for sent in (*_BEGUN, b"\x1b[?1000l\x1b[?1006l\x1b[?2004l\x1b[<", b"u\x1b[?1049l\x1b[?25h"):
        switches.see(sent)
    assert switches.back == b""
