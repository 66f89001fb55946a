"""The machine goes down in the middle; and what matters most once more where systemd is the first process.

A row of the labs "reboot" has two boots: `fall` is the first, its act the second. The disks outlive the kernel.
"""

import ctypes
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core.fio.measurement import Measurement
from tests.torture import faults_disks, faults_folders, faults_signals, faults_terminals
from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, settle

NOTE = Path("/var/lib/raidtui/fall.json")
HALT = 0xCDEF0123  # reboot(2): at once, nothing is written
_RUNS: dict[str, dict[str, Any]] = {
    "create": {},
    "initial resync": dict(skip_sync=False),
    "measuring": dict(filesystem="ext4", jobs=("write", "read", "randread")),
    "teardown": {},
}


class Note(msgspec.Struct, frozen=True):
    """What the first boot knew: the run, and what it had measured."""

    path: str
    before: dict[str, Measurement]


def fall(moment: str, stand: Stand) -> None:
    """A run comes to this moment, and the power fails."""
    fall_of(stand.start(stand.plan("5", **_RUNS[moment])), moment)


def fall_of(attempt: Attempt, moment: str) -> None:
    """A run that has begun comes to this moment, and the power fails."""
    attempt.reach(moment)
    NOTE.write_bytes(msgspec.json.encode(Note(str(attempt.path), attempt.before)))
    command("sync", "--file-system", str(NOTE))
    ctypes.CDLL(None).reboot(HALT)


@contextmanager
def up_again(stand: Stand) -> Iterator[Attempt]:
    note = msgspec.json.decode(NOTE.read_bytes(), type=Note)
    settle()
    attempt = Attempt(Path(note.path))
    attempt.before = note.before
    yield attempt


@contextmanager
def unit(verb: tuple[str, ...], stand: Stand) -> Iterator[Attempt]:
    """systemctl does this to the run's unit."""
    attempt = stand.begin("measuring", stand.plan("5", "ext4"))
    name = f"raidtui-{attempt.path.name}.service"
    if "active" not in command("systemctl", "is-active", name, ok=False).split():
        raise AssertionError(f"{name} is not the worker's unit")
    command("systemctl", *verb, name)
    yield attempt


@contextmanager
def logout(stand: Stand) -> Iterator[Attempt]:
    """The scope of a login is stopped with all that is in it, as logind does where KillUserProcesses is set."""
    run = faults_terminals.short_answers(stand)
    before = set(stand.root.glob("*"))
    scope = ("systemd-run", "--scope", "--quiet", "--unit=session-torture")
    login = subprocess.Popen((*scope, *run), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    attempt = faults_terminals.new_run(stand, before)
    attempt.reach("baseline")
    command("systemctl", "stop", "session-torture.scope")
    login.wait()
    yield attempt


_AGAIN = (
    *("sigterm-measuring", "sighup-measuring", "sigkill-baseline", "sigkill-initial-resync", "sigkill-measuring"),
    *("sigkill-teardown", "terminal-gone", "screen-sighup", "screen-sigterm", "screen-sigkill", "full-measuring"),
    *("pulled-5-measuring", "pulled-0-measuring"),
)
_SYSTEMD = " (systemd)"

ROWS = (
    *(
        Row(
            name=f"reboot-{moment.replace(' ', '-')}",
            fault="the power fails, the machine boots again",
            when=moment,
            outcome="interrupted",
            act=up_again,
            then="clean",
            lab="reboot",
            fall=partial(fall, moment),
        )
        for moment in _RUNS
    ),
    Row(
        name="systemd-reboot-measuring",
        fault="the power fails, the machine boots again" + _SYSTEMD,
        when="measuring",
        outcome="interrupted",
        act=up_again,
        then="resume",
        lab="systemd-reboot",
        fall=partial(fall, "measuring"),
    ),
    *(
        msgspec.structs.replace(row, name=f"systemd-{row.name}", fault=row.fault + _SYSTEMD, lab="systemd")
        for row in (*faults_signals.ROWS, *faults_terminals.ROWS, *faults_folders.ROWS, *faults_disks.ROWS)
        if row.name in _AGAIN
    ),
    Row(
        name="systemd-stop",
        fault="systemctl stop of the run's unit",
        when="measuring",
        outcome="stopped",
        act=partial(unit, ("stop",)),
        lab="systemd",
    ),
    Row(
        name="systemd-kill-all",
        fault="systemctl kill --signal=KILL of the run's unit, fio included",
        when="measuring",
        outcome="interrupted",
        act=partial(unit, ("kill", "--signal=KILL")),
        then="clean",
        lab="systemd",
    ),
    Row(
        name="systemd-logout",
        fault="logout: the session's scope is stopped with all that is in it",
        when="baseline",
        outcome="finished",
        act=logout,
        lab="systemd",
    ),
)
