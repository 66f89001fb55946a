"""The terminal beneath the program: one that goes away ends it within a second, one that changes has its last size,
a slow one less to carry.

Textual handles neither SIGHUP nor SIGTERM, and with SIGHUP ignored (nohup, some supervisors) it would spin on a dead
tty. The run's worker is a process of its own and goes on.
"""

import asyncio
import os
import select
import signal
import sys
import threading
from typing import Any

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

from raidtui.ui.render.sgr import fewer

_LAST_RESORT_S = 0.8
_WATCH_EVERY_S = 0.5
_SLOW_LINES: tuple[str, ...] = ("/dev/ttyS", "/dev/hvc", "/dev/ttyUSB", "/dev/ttyAMA")


def tick_s() -> float:
    """How often a screen that follows a run looks: once a second, on a serial line every two."""
    try:
        return 2.0 if os.ttyname(sys.__stdout__.fileno()).startswith(_SLOW_LINES) else 1.0  # type: ignore[union-attr]
    except (OSError, AttributeError, ValueError):
        return 1.0


class SparingDriver(LinuxDriver):
    """Sends the same picture in fewer bytes."""

    def write(self, data: str) -> None:
        super().write(fewer(data))


class HangUp:
    """Watches on behalf of `app`, from its event loop."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._poll = select.poll()

    def watch(self) -> None:
        """Begins; called once the app's loop runs."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGHUP, signal.SIGTERM):
            loop.add_signal_handler(number, self._leave, 128 + number)
        stdin = sys.__stdin__
        if stdin is not None and stdin.isatty():
            self._poll.register(stdin.fileno(), 0)
            self._app.set_interval(_WATCH_EVERY_S, self._look_for_hangup)

    def _look_for_hangup(self) -> None:
        if any(event & (select.POLLHUP | select.POLLERR | select.POLLNVAL) for _, event in self._poll.poll(0)):
            self._leave(128 + signal.SIGHUP)

    def _leave(self, code: int) -> None:
        last_resort = threading.Timer(_LAST_RESORT_S, os._exit, (code,))
        last_resort.daemon = True
        last_resort.start()
        self._app.exit(return_code=code)


class WindowSize:
    """Of two changes at once `app` hears the last one last.

    Textual reads the size in the signal's handler, which a second signal interrupts: that one tells the new size, and
    after it what it interrupted tells the old one. A window whose rows and columns change one after the other, as a
    console of the practice kernel, or that is dragged, was left in a size that it had not.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    def watch(self) -> None:
        """Begins; called once the app's loop runs, and the terminal is the app's."""
        self._in_turn(self._app)
        self._app.app_resume_signal.subscribe(self._app, self._in_turn)

    def _in_turn(self, _: App[Any]) -> None:
        """The handler that Textual has set, at first or as it took the terminal back, is called by the loop instead."""
        told = signal.getsignal(signal.SIGWINCH)
        if callable(told):
            asyncio.get_running_loop().add_signal_handler(signal.SIGWINCH, told, signal.SIGWINCH, None)
