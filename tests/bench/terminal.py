"""A program in a pseudo-terminal of 120x40, 256 colours: what it sends, how long until it shows something."""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Mapping, Sequence


class Terminal:
    """Starts `argv`; keeps all that it sends."""

    def __init__(self, argv: Sequence[str], environment: Mapping[str, str] | None = None, size: tuple[int, int] = (120, 40)) -> None:
        self.began = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm-256color", "COLORTERM": "", "LANG": "C.UTF-8"} | dict(environment or {}))
            os.execvp(argv[0], list(argv))
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self.sent = b""

    def read(self, seconds: float, until: Callable[[bytes], bool] = lambda sent: False) -> float | None:
        """Take what it sends for `seconds`; the time since the start when `until` held, None if it never did."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if not select.select([self.fd], [], [], left)[0]:
                break
            try:
                part = os.read(self.fd, 1 << 16)
            except OSError:
                break
            if not part:
                break
            self.sent += part
            if until(self.sent):
                return time.perf_counter() - self.began
        return None

    def cpu_ns(self) -> int:
        """CPU time of its process so far, all threads."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/schedstat") as file:
                total += int(file.read().split()[0])
        return total

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)
