"""`screen.py TEXT [KEYS TEXT]… -- COMMAND…`: in a terminal of 100x30 each TEXT is awaited, then the KEYS are pressed.

Prints the seconds from the start to each TEXT, then all that the command showed. Standard library alone: it is copied
into fresh roots.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

_SEQUENCES = re.compile(
    r"\x1b(\[[0-9;?<>=]*[ -/]*[@-~]|[PX^_].*?\x1b\\|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-B]|[=>])", re.S
)
_WAITS_S = 120


def main(argv: list[str]) -> int:
    """0: each text was seen."""
    cut = argv.index("--")
    awaited, keys, command = argv[0:cut:2], argv[1:cut:2], argv[cut + 1 :]
    began_s = time.monotonic()
    pid, terminal = pty.fork()
    if not pid:
        os.execvp(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    shown, whole = "", ""
    seen_s: list[float] = []
    try:
        for text, pressed in zip(awaited, [*keys, ""], strict=False):
            shown = _until(terminal, text, began_s)
            whole += shown
            if text not in shown:
                break
            seen_s.append(time.monotonic() - began_s)
            os.write(terminal, pressed.encode())
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    print(*(f"{seconds:.2f}" for seconds in seen_s))
    print(whole)
    return int(len(seen_s) < len(awaited))


def _until(terminal: int, text: str, began_s: float) -> str:
    """What is shown from now on until the text is there, the command ends or too much time has passed."""
    raw = b""
    while text not in (shown := _SEQUENCES.sub(" ", raw.decode(errors="replace"))):
        left_s = began_s + _WAITS_S - time.monotonic()
        if left_s <= 0 or not select.select([terminal], [], [], left_s)[0]:
            break
        try:
            raw += os.read(terminal, 1 << 16)
        except OSError:  # the command has ended
            break
    return shown


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
