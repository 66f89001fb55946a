"""A terminal that goes away ends the wizard within a second, however it goes; one that changes has its last size."""

import asyncio
import os
import pty
import select
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.ui.terminal import WindowSize
from tests.ui.pilots import SMALL, wizard

_ROOT = Path(__file__).parents[2]
_WIZARD = (
    "import signal, sys; {before};"
    "from raidtui.ui.app import run_wizard; from tests.ui.machines import RecordedServices;"
    "sys.exit(run_wizard(RecordedServices()))"
)


def _wizard(before: str = "pass") -> tuple[int, int, float]:
    """A wizard on a terminal of its own, once it is on the screen: its process, the terminal's other end, seconds.

    The seconds are what its start took. Where the machine is busy its end may take thrice as long.
    """
    began_s = time.monotonic()
    pid, master = pty.fork()
    if pid == 0:
        os.chdir(_ROOT)
        os.execv(sys.executable, [sys.executable, "-c", _WIZARD.format(before=before)])
    seen = b""
    until = began_s + 120
    while b"rescan" not in seen and time.monotonic() < until:
        if _is_readable(master, 0.2):
            seen += os.read(master, 65536)
    assert b"rescan" in seen
    return pid, master, time.monotonic() - began_s


def _is_readable(master: int, within_s: float) -> bool:
    """poll, as there may be more than 1,023 open files where all tests go in one process."""
    waiting = select.poll()
    waiting.register(master, select.POLLIN)
    return bool(waiting.poll(1000 * within_s))


def _left_within(pid: int, limit_s: float, master: int | None) -> int:
    """The wait status of the process; it must end in time. Its last words are read, so that it need not wait."""
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        if master is not None and _is_readable(master, 0.02):
            try:
                os.read(master, 65536)
            except OSError:
                master = None
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.02)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    pytest.fail(f"still there after {limit_s} s")


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_a_signal_ends_it(number: signal.Signals) -> None:
    pid, master, start_s = _wizard()
    os.kill(pid, number)
    status = _left_within(pid, max(1.5, 3 * start_s), master)
    assert os.waitstatus_to_exitcode(status) == 128 + number
    os.close(master)


@pytest.mark.parametrize("before", ["pass", "signal.signal(signal.SIGHUP, signal.SIG_IGN)"])
def test_a_lost_terminal_ends_it(before: str) -> None:
    pid, master, start_s = _wizard(before)
    os.close(master)
    _left_within(pid, max(2.5, 3 * start_s), None)


@pytest.fixture
def told() -> Iterator[list[str]]:
    """What a handler as Textual's tells, which reads the size, and is interrupted before it tells that."""
    window, heard, sizes = ["old"], list[str](), iter(["80x40", "120x40"])

    def changed(*_: object) -> None:
        window.append(next(sizes, window[-1]))
        os.kill(os.getpid(), signal.SIGWINCH)

    def handler(*_: object) -> None:
        read = window[-1]
        if read != "120x40":
            changed()
            sum(range(100))  # where the second signal is heard
        heard.append(read)

    before = signal.signal(signal.SIGWINCH, handler)
    yield heard
    signal.signal(signal.SIGWINCH, before)


@pytest.mark.parametrize("resumed", [False, True])
async def test_the_size_that_is_told_last_is_the_last(told: list[str], resumed: bool) -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        handler = signal.getsignal(signal.SIGWINCH)
        WindowSize(app).watch()
        if resumed:
            signal.signal(signal.SIGWINCH, handler)  # as Textual's driver, which takes the terminal back
            app.app_resume_signal.publish(app)
            await pilot.pause()
        os.kill(os.getpid(), signal.SIGWINCH)
        while not told or told[-1] != "120x40":
            await asyncio.sleep(0)
        for _ in range(10):
            await asyncio.sleep(0)
        asyncio.get_running_loop().remove_signal_handler(signal.SIGWINCH)
    assert told == ["old", "80x40", "120x40"]
