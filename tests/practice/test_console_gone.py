"""The terminal of a practice kernel that goes in the same moment as the kernel."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from raidtui.practice import kernel
from raidtui.practice.console import Console


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
