"""A person at a terminal: a program is started with one of its own, and what it asks is answered."""

import os
import pty
import select
import signal
import termios
import time
from collections.abc import Callable, Sequence
from typing import NoReturn

Dialog = Sequence[tuple[str, str]]  # what is awaited on the terminal, and what is typed then


def execute(argv: Sequence[str]) -> NoReturn:
    os.execvp(argv[0], list(argv))


class Keyboard:
    """The terminal of `argv`; `said` is all that was on it. It ends with the program. `patience_s`: to derive a key
    takes its time, in a kernel or where processors are emulated. `become`: what the child makes of `argv`.
    """

    def __init__(
        self, argv: Sequence[str], patience_s: float = 120.0, *, become: Callable[[Sequence[str]], NoReturn] = execute
    ) -> None:
        self.said, self._heard, self._patience_s = "", 0, patience_s
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            become(argv)

    def answer(self, dialog: Dialog) -> "Keyboard":
        for awaited, typed in dialog:
            self.await_words(awaited)
            line = f"{typed}\n".encode()
            if "passphrase" in awaited:
                self._await_hidden()
            os.write(self._terminal, line)
            while "passphrase" in awaited and self._echoes(typed):  # where ssh lies between: it came too early
                os.write(self._terminal, line)
        return self

    def _await_hidden(self) -> None:
        """Until nothing is echoed: who asks for a passphrase throws away what was typed before that."""
        end_s = time.monotonic() + self._patience_s
        while termios.tcgetattr(self._terminal)[3] & termios.ECHO:
            assert time.monotonic() < end_s, f"it is not hidden: {self.said}"
            time.sleep(0.02)

    def _echoes(self, typed: str) -> bool:
        """Is it on the terminal, though it should not be? The line after the prompt tells."""
        return typed in self.await_words("\n")

    def await_words(self, words: str) -> str:
        """Until they are said, behind what was awaited before; what was said before them."""
        end_s = time.monotonic() + self._patience_s
        while words not in self.said[self._heard :]:
            assert self._read(end_s), f"it did not say “{words}”: {self.said}"
        before, _, _ = self.said[self._heard :].partition(words)
        self._heard += len(before) + len(words)
        return before

    def interrupt(self) -> None:
        os.write(self._terminal, b"\x03")

    def ended(self) -> int:
        """Its exit code, once it has ended."""
        end_s = time.monotonic() + self._patience_s
        while self._read(end_s):
            pass
        if time.monotonic() > end_s:
            os.kill(self._pid, signal.SIGKILL)
        _, status = os.waitpid(self._pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)

    def _read(self, end_s: float) -> bool:
        """Has it said more until then?"""
        if not select.select([self._terminal], [], [], max(0.0, end_s - time.monotonic()))[0]:
            return False
        try:
            said = os.read(self._terminal, 4096)
        except OSError:  # EIO: nobody has the terminal any more
            return False
        self.said += said.decode(errors="replace")
        return bool(said)
