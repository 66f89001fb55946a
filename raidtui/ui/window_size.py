"""The size of the window: of two changes at once the last one counts.

Textual reads it in the signal's handler, which a second signal interrupts: that one tells the new size, and after it
what it interrupted tells the old one. A window whose rows and columns change one after the other, as a console of the
practice kernel, or that is dragged, was left in a size that it had not.
"""

import asyncio
import signal
from typing import Any

from textual.app import App


class WindowSize:
    """Tells `app`, from its event loop, in turn."""

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
