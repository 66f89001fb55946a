"""Who started or watches a run goes: killed, or its terminal with it. The run takes no notice."""

import os
import pty
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, confirmed, raidtui

_JOBS = ("seq_write", "seq_read", "rand_write", "rand_read")


def short_answers(stand: Stand) -> tuple[str, ...]:
    """A file of answers for the shipped recipe, as short as can be; the command that carries it out."""
    path = Path("/run/answers.toml")
    disks = ", ".join(f'"{identity}"' for identity in stand.members[:3])
    jobs = "".join(f'[job.{job}]\nruntime = "200ms"\nramp_time = 0\nnumjobs = 1\n' for job in _JOBS)
    path.write_text(f'disks = [{disks}]\n[setup]\nlevel = "5"\nfirst_sync = "skip"\n{jobs}')
    return confirmed(str(path))


def new_run(stand: Stand, before: set[Path]) -> Attempt:
    while not (new := {path for path in stand.root.glob("*") if (path / "journal.jsonl").exists()} - before):
        pass
    return Attempt(new.pop())


@contextmanager
def launcher_killed(stand: Stand) -> Iterator[Attempt]:
    run = short_answers(stand)
    before = set(stand.root.glob("*"))
    launcher = subprocess.Popen(
        run,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    attempt = new_run(stand, before)
    attempt.reach("baseline")
    launcher.kill()
    launcher.wait()
    yield attempt


def _on_terminal(argv: tuple[str, ...]) -> tuple[int, int]:
    """A child on a terminal of its own: its pid, and our end, which somebody has to read."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(argv[0], argv, {**os.environ, "TERM": "xterm-256color", "LINES": "24", "COLUMNS": "80"})
    return pid, terminal


def _read(terminal: int, until: bytes) -> None:
    """Until it has said this; later all that it says is thrown away, as long as the terminal is there."""
    said = b""
    while until not in said:
        said = said[-1000:] + os.read(terminal, 4096)

    def drain() -> None:
        with suppress(OSError):
            while os.read(terminal, 4096):
                pass

    threading.Thread(target=drain, daemon=True).start()


@contextmanager
def terminal_gone(stand: Stand) -> Iterator[Attempt]:
    """`raidtui run` on a terminal that hangs up."""
    run = short_answers(stand)
    before = set(stand.root.glob("*"))
    pid, terminal = _on_terminal(run)
    attempt = new_run(stand, before)
    attempt.reach("baseline")
    os.close(terminal)
    os.waitpid(pid, 0)
    yield attempt


@contextmanager
def screen_struck(number: signal.Signals, stand: Stand) -> Iterator[Attempt]:
    """`raidtui attach` in full screen."""
    attempt = stand.begin("create", stand.plan("5", seconds=3))
    pid, terminal = _on_terminal(raidtui("attach", attempt.path.name))
    _read(terminal, b"RAID")
    os.kill(pid, number)
    os.waitpid(pid, 0)
    os.close(terminal)
    yield attempt


ROWS = (
    Row(
        name="launcher-killed",
        fault="SIGKILL of `raidtui run`",
        when="baseline",
        outcome="finished",
        act=launcher_killed,
    ),
    Row(
        name="terminal-gone",
        fault="the terminal of `raidtui run` vanishes",
        when="baseline",
        outcome="finished",
        act=terminal_gone,
    ),
    *(
        Row(
            name=f"screen-{number.name.lower()}",
            fault=f"{number.name} of the full screen",
            when="measuring",
            outcome="finished",
            act=partial(screen_struck, number),
        )
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL)
    ),
)
