"""A program in a pseudo-terminal of 120x40, 256 colours: what it sends, when, and the CPU it takes."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from pathlib import Path

_LATEST_ECHO_S = 10.0
_COLUMNS, _LINES = 120, 40
_ENVIRONMENT = {"TERM": "xterm-256color", "COLORTERM": "", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"}
_ASKED, _DARK = (
    b"\x1b]11;?\x1b\\\x1b[c",
    b"\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\\x1b[?64c",
)  # its background, as xterm answers


class Terminal:
    """Starts `argv` at once and keeps all that it sends; a context, at whose end the program is killed."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.sent = b""
        self._began_s = time.perf_counter()
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, _COLUMNS, 0, 0))
            os.execvpe(argv[0], list(argv), {**os.environ, **_ENVIRONMENT})

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._fd)

    def until(self, words: Sequence[bytes], seconds: float = 20) -> float:
        """Seconds from the start until all `words` had been sent; TimeoutError if they never were."""
        end_s = time.perf_counter() + seconds
        while not all(word in self.sent for word in words):
            left_s = end_s - time.perf_counter()
            if left_s <= 0 or not self._take(left_s):
                raise TimeoutError(f"never sent {[w for w in words if w not in self.sent]}: {self.sent[-2000:]!r}")
        return time.perf_counter() - self._began_s

    def echo_s(self, key: bytes, quiet_s: float = 0.05) -> float:
        """Seconds from a key until the first of what it changes is sent; returns once nothing more comes."""
        began_s = time.perf_counter()
        os.write(self._fd, key)
        if not self._take(_LATEST_ECHO_S):
            raise TimeoutError(f"nothing was sent {_LATEST_ECHO_S:.0f} s after the key {key!r}")
        took_s = time.perf_counter() - began_s
        while self._take(quiet_s):
            pass
        return took_s

    def memory_bytes(self) -> int:
        """The most that its process has had resident so far."""
        status = Path(f"/proc/{self._pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024

    def listen(self, seconds: float) -> None:
        """Take what it sends for so long."""
        end_s = time.perf_counter() + seconds
        while (left_s := end_s - time.perf_counter()) > 0:
            self._take(left_s)

    def cpu_s(self) -> float:
        """CPU time of its process so far."""
        return cpu_s(self._pid)

    def _take(self, seconds: float) -> bool:
        if not select.select([self._fd], [], [], seconds)[0]:
            return False
        try:
            part = os.read(self._fd, 1 << 16)
        except OSError as error:  # it has ended
            raise TimeoutError(f"ended: {self.sent[-2000:]!r}") from error
        if _ASKED in part:
            os.write(self._fd, _DARK)
        self.sent += part
        return True


def cpu_s(pid: int) -> float:
    """CPU time of a process so far: the scheduler's own figure, over all its tasks."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
