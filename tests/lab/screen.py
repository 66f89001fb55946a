"""A program on a terminal of its own, driven key by key and read as a person reads it (tmux)."""

import secrets
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

POLL_S, LONG_S = 0.3, 300.0  # a busy machine is no failure


class Screen:
    """A tmux server of its own with one window."""

    def __init__(
        self, command: str, folder: Path, *, columns: int = 120, rows: int = 40, environment: Mapping[str, str] = {}
    ) -> None:
        self._socket = f"raidtui-{secrets.token_hex(4)}"
        variables = [part for name, value in environment.items() for part in ("-e", f"{name}={value}")]
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), "-c", str(folder),
            *variables, f"{command}; status=$?; echo; echo ended with $status; sleep 600",
        )  # fmt: skip

    def _tmux(self, *arguments: str) -> str:
        argv = ("tmux", "-L", self._socket, *arguments)
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout

    @property
    def text(self) -> str:
        """What stands on the screen now."""
        return self._tmux("capture-pane", "-p")

    def press(self, *keys: str) -> None:
        """Keys by tmux's names: Enter, Down, Space, F1, …"""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        self._tmux("send-keys", "-l", text)

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait(self, text: str, seconds: float = LONG_S) -> str:
        """The screen, once `text` stands on it."""
        end = time.monotonic() + seconds
        while text not in (shown := self.text):
            if time.monotonic() > end:
                raise AssertionError(f"{text!r} did not appear within {seconds} s; on the screen:\n{shown}")
            time.sleep(POLL_S)
        return shown

    def wait_on(self, text: str, moving: str, seconds: float) -> str:
        """The screen, once `text` stands on it; no line with `moving` may stay the same for so long before."""
        lines, end = None, 0.0
        while text not in (shown := self.text):
            if (now := [line for line in shown.splitlines() if moving in line]) != lines:
                lines, end = now, time.monotonic() + seconds
            if time.monotonic() > end:
                raise AssertionError(f"{text!r}: {lines} stayed the same for {seconds} s; on the screen:\n{shown}")
            time.sleep(POLL_S)
        return shown

    def close(self) -> None:
        subprocess.run(("tmux", "-L", self._socket, "kill-server"), check=False, capture_output=True)
