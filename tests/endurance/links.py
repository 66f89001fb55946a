"""In the practice kernel: a run begun over ssh on the loopback, the connection cut again and again, seen to its end.

`python -m tests.endurance.links FILE`: a row for each cut of `CUTS` is appended to FILE.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core.run import events
from raidtui.runs import directory
from raidtui.system import block
from tests.endurance import machine, table
from tests.endurance.runs import Missed, Run, worker_alive
from tests.lab.screen import Screen
from tests.torture.stand import command

_REPOSITORY = Path(__file__).parents[2]
_PORT = "2222"
_APPEARS_S, _GOES_S, _ENDS_S = 120.0, 20.0, 900.0
_COLUMNS = 120
_LEVELS, _LABEL = "▁▂▃▄▅▆▇", 23  # cells before the axis


@contextmanager
def ssh_server() -> Iterator[Path]:
    """An sshd on the loopback that lets root in by a key made for it alone; the key's file. All of it in memory."""
    command("ip", "link", "set", "lo", "up")
    Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # it wants an empty folder there
    folder = Path(tempfile.mkdtemp(dir="/run"))
    for name in ("host", "key"):
        command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name))
    options = {
        "ListenAddress": "127.0.0.1",
        "HostKey": folder / "host",
        "AuthorizedKeysFile": folder / "key.pub",
        "PermitRootLogin": "prohibit-password",
        "StrictModes": "no",
        "UsePAM": "no",
        "PidFile": "none",
        "ClientAliveInterval": 3,
        "ClientAliveCountMax": 3,
    }
    said = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    server = subprocess.Popen(("/usr/sbin/sshd", "-D", "-e", "-f", "/dev/null", "-p", _PORT, *said))
    try:
        yield folder / "key"
    finally:
        server.terminate()
        server.wait()


def login(key: Path, *arguments: str) -> Screen:
    """A terminal on which raidtui runs at the other end of a connection."""
    options = ("StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null", "LogLevel=ERROR", "ConnectionAttempts=20")
    inside = f"cd {_REPOSITORY} && exec {sys.executable} -m raidtui {' '.join(arguments)}".strip()
    ssh = f"ssh -F none -tt -p {_PORT} -i {key} {' '.join(f'-o {one}' for one in options)} root@127.0.0.1 '{inside}'"
    return Screen(ssh, _REPOSITORY, columns=_COLUMNS, rows=40)


def _processes(words: str) -> list[int]:
    """Those whose command line begins with `words`."""
    lines = {int(one.name): block.text(one / "cmdline").replace("\0", " ") for one in Path("/proc").glob("[0-9]*")}
    return [pid for pid, line in lines.items() if line.startswith(words)]


def _screens() -> list[int]:
    return _processes(f"{sys.executable} -m raidtui ")


def _kill(words: str) -> None:
    for pid in _processes(words):
        os.kill(pid, signal.SIGKILL)


def _cable_out() -> None:
    """Nothing comes through any more, and nobody is told."""
    command("ip", "link", "set", "lo", "down")


CUTS: dict[str, Callable[[], None]] = {
    "SIGKILL of the ssh client": lambda: _kill("ssh -F none"),
    "SIGKILL of the session's sshd": lambda: _kill("sshd: root"),
    "the loopback down, no packet gets through": _cable_out,
}


def _begin(screen: Screen) -> Run:
    """The wizard, key by key, to a run."""
    screen.wait("sdc", _APPEARS_S)
    screen.press("a")
    for title in ("Which level?", "Which chunk size?", "Which file system?", "Which tests?", "then type  erase"):
        screen.press("Enter")
        screen.wait(title, _APPEARS_S)
    screen.press("Enter")
    screen.wait("Type  erase 3 disks of practice  and press Enter", _APPEARS_S)
    screen.type("erase 3 disks of practice")
    screen.press("Enter")
    screen.wait("Test 1 of 12", _APPEARS_S)
    return Run(directory.list_runs(directory.runs_root())[-1].name)


def _measured(run: Run) -> int:
    list(run.follow())
    return sum(isinstance(event, events.TrialEnded) for event in run.journal)


def _await(condition: Callable[[], bool], limit_s: float, what: str) -> float:
    """How long it took until `condition` held; Missed with `what` where it did not."""
    began_s = time.monotonic()
    while not condition():
        if time.monotonic() - began_s > limit_s:
            raise Missed(f"{what} within {limit_s:.0f} s")
        time.sleep(0.1)
    return time.monotonic() - began_s


def _gone() -> str:
    """When the screens at the other end have ended; where nobody is told of the cut, they may outlast it."""
    try:
        return f"gone {_await(lambda: not _screens(), _GOES_S, ''):.1f} s after"
    except Missed:
        return f"still there {_GOES_S:.0f} s after"


def _columns_drawn(text: str) -> int:
    """How many columns of the array's graph on the live screen show a rate: the axis has the whole run.

    A full cell is a blank on a ground: only the tips are counted.
    """
    lines = [line.ljust(_COLUMNS)[_LABEL:] for line in text.splitlines()[2:9]]
    return sum(any(char in _LEVELS for char in column) for column in zip(*lines, strict=False))


def cut(name: str, key: Path, run: Run, screen: Screen) -> tuple[table.Row, Screen]:
    """Cut the connection in this way, log in again; what was seen, and the new terminal."""
    before = _measured(run)
    worker = run.worker
    assert worker
    _await(lambda: _measured(run) > before, _ENDS_S, "no trial ended")
    done = before + 1
    screen.wait(f"Done: {done} of", _APPEARS_S)
    row: table.Row = {"cut": name, "measured before": done}
    CUTS[name]()
    cut_s = time.time()
    row["the screen"] = _gone()
    alive = worker_alive(worker)
    _await(lambda: bool(list(run.follow())), _ENDS_S, "the journal did not grow")
    row["the worker"] = "goes on" if alive and worker_alive(worker) and run.worker == worker else "another, or none"
    screen.close()
    command("ip", "link", "set", "lo", "up")  # for the new login
    screen = login(key, "attach", run.name)
    text = screen.wait("Done:", _APPEARS_S)
    shown = int(re.search(r"Done: (\d+) of", text).group(1))  # type: ignore[union-attr]
    ago_s, drawn = time.time() - cut_s, _columns_drawn(text)
    row["a new login shows"] = f"{shown} trials; {drawn} columns of rates, {ago_s:.0f} s after the cut"
    good = row["the worker"] == "goes on" and shown >= done and drawn > done
    row["verdict"] = table.GOOD if good else "differs"
    table.say(f"{row}\n{text}")
    return row, screen


def _end(run: Run, screen: Screen) -> str:
    """The last terminal sees the end; what is amiss, "" for nothing."""
    text = screen.wait("Finished after", _ENDS_S)
    table.say(text)
    run.wait()
    told = (run.path / directory.REPORT).read_text()
    wrong = [word for word in ("FAILED", "interrupted", "not measured") if word in told]
    ended = [event.trial for event in run.journal if isinstance(event, events.TrialEnded)]
    if ended != [trial.id for trial in run.plan.trials] or wrong:
        return f"measured: {ended}; {wrong}"
    return ""


def main() -> None:
    out = Path(sys.argv[1])
    machine.fill_bystander()
    before = machine.look()
    rows = []
    with ssh_server() as key:
        screen = login(key)
        try:
            run = _begin(screen)
            for name in CUTS:
                row, screen = cut(name, key, run, screen)
                rows.append(row)
            wrong = _end(run, screen)
        finally:
            table.say(screen.text)
            screen.close()
    left = "; ".join(text for text in machine.differences(machine.look(), before) if text)
    for row in rows:
        row["the run"] = wrong or f"finished, {len(run.plan.trials)} of {len(run.plan.trials)} trials, each once"
        row["left"] = left or "nothing"
        row["verdict"] = table.GOOD if row["verdict"] == table.GOOD and not wrong and not left else "differs"
        table.add(out, row)


if __name__ == "__main__":
    main()
