"""What a run starts fails: fio is killed, mkfs fails, mdadm asks, a command hangs, a program is gone."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from unittest import mock

from raidtui.core.plan.model import MOUNTPOINT
from raidtui.runs import launch
from raidtui.system import block
from tests.torture.attempt import Attempt, Missed
from tests.torture.matrix import Row
from tests.torture.stand import Stand, fakes, real


def processes(name: str) -> list[int]:
    """Those of this name, in the order in which they were started."""
    found = [process for process in Path("/proc").glob("[0-9]*") if block.text(process / "comm") == name]
    return sorted(int(process.name) for process in found)


def first_process(name: str) -> int:
    while not (found := processes(name)):
        time.sleep(0.01)
    return found[0]


@contextmanager
def fio_killed(numjobs: int, stand: Stand) -> Iterator[Attempt]:
    """Only the one that was started: those that it has started itself are to end with it."""
    attempt = stand.begin("measuring", stand.plan(jobs=("write", "read", "randread"), numjobs=numjobs, seconds=3))
    pid = first_process("fio")
    while numjobs > 1 and len(processes("fio")) <= numjobs:
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    yield attempt


@contextmanager
def fio_finds_no_room(stand: Stand) -> Iterator[Attempt]:
    attempt = stand.begin("fill", stand.plan(filesystem="ext4", level="0"))
    hog = attempt.path / MOUNTPOINT / "hog"
    try:
        with hog.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 20))
    except OSError:
        yield attempt


@contextmanager
def faked(moment: str, stand: Stand, **scripts: str) -> Iterator[Attempt]:
    with fakes(**scripts):
        attempt = stand.start(stand.plan(filesystem="ext4"))
        attempt.reach(moment)
        yield attempt


@contextmanager
def hanging(stand: Stand) -> Iterator[Attempt]:
    """The worker's time limit of what wipes is shortened for it, from ten minutes to some seconds."""
    impatient = "from raidtui.runs import waiting, worker; waiting._LIMITS_S['wipe'] = 15.0; worker.main()"
    with fakes(wipefs=_HANGS_ONCE), mock.patch.object(launch, "WORKER", (*launch.WORKER[:2], "-c", impatient)):
        yield stand.begin("wipefs", stand.plan())
    Path("/run/hung").unlink()


@contextmanager
def stopped_while_hanging(stand: Stand) -> Iterator[Attempt]:
    with fakes(mkfs__ext4="exec sleep 1000"):
        attempt = stand.begin("mkfs", stand.plan(filesystem="ext4"))
        attempt.signal(signal.SIGTERM)
        try:
            attempt.end()
        except Missed:
            attempt.signal(signal.SIGKILL)
        yield attempt


@contextmanager
def gone(program: str, moment: str, stand: Stand) -> Iterator[Attempt]:
    """The program is not on this machine any more."""
    attempt = stand.begin(moment, stand.plan())
    path = Path(real(program)).resolve()
    hidden = path.with_name(f"{path.name}.hidden")
    path.rename(hidden)
    try:
        yield attempt
    finally:
        hidden.rename(path)


_HANGS_ONCE = """
if [[ $* = *--all\\ /dev/md* && ! -e /run/hung ]]; then touch /run/hung; exec sleep 1000; fi
exec $real "$@"
"""
# Asks as mdadm does where --run is not given, and takes no answer for No.
_ASKS = """
if [[ $1 != --create ]]; then exec $real "$@"; fi
echo -n "mdadm: /dev/sda appears to be part of a raid array. Continue creating array? "; read -r answer
[[ $answer = y ]] || { echo "create aborted." >&2; exit 1; }
"""
_NO_WIPE = """
if [[ $* = *--no-act* ]]; then exec $real "$@"; fi
if [[ $* = */dev/md* ]]; then exec $real "$@"; fi
echo "wipefs: error: $2: probing initialization failed: Device or resource busy" >&2; exit 1
"""

ROWS = (
    Row(
        name="fio-killed",
        fault="SIGKILL of fio",
        when="measuring",
        outcome="finished",
        says=("FAILED",),
        act=partial(fio_killed, 1),
    ),
    Row(
        name="fio-jobs-killed",
        fault="SIGKILL of fio, which had started four jobs",
        when="measuring",
        outcome="finished",
        says=("FAILED",),
        act=partial(fio_killed, 4),
    ),
    Row(
        name="fio-no-room",
        fault="the file system is filled from outside",
        when="test file",
        outcome="failed",
        says=("No space left on device",),
        act=fio_finds_no_room,
    ),
    Row(
        name="mkfs-fails",
        fault="mkfs fails",
        when="mkfs",
        outcome="failed",
        says=("mkfs.ext4: Input/output error while writing out and closing file system",),
        act=lambda stand: faked(
            "first steps",
            stand,
            mkfs__ext4='echo "mkfs.ext4: Input/output error while writing out and closing file system" >&2; exit 1',
        ),
    ),
    Row(
        name="mdadm-asks",
        fault="mdadm prompts for an answer",
        when="create",
        outcome="failed",
        says=("Continue creating array?",),
        act=lambda stand: faked("first steps", stand, mdadm=_ASKS),
    ),
    Row(
        name="wipefs-fails",
        fault="wipefs fails on the members",
        when="teardown",
        outcome="failed",
        says=("probing initialization failed",),
        act=lambda stand: faked("first steps", stand, wipefs=_NO_WIPE),
        then="clean",
    ),
    Row(
        name="command-hangs",
        fault="a command hangs",
        when="wipefs of the array",
        outcome="failed",
        says=("wipefs",),
        act=hanging,
    ),
    Row(
        name="mkfs-hangs",
        fault="mkfs hangs, the run is stopped",
        when="mkfs",
        outcome="stopped",
        act=stopped_while_hanging,
    ),
    Row(
        name="fio-gone",
        fault="fio is uninstalled",
        when="measuring",
        outcome="failed",
        says=("fio is not installed",),
        act=partial(gone, "fio", "measuring"),
    ),
    Row(
        name="wipefs-gone",
        fault="wipefs is uninstalled",
        when="measuring",
        outcome="failed",
        says=("wipefs is not installed",),
        act=partial(gone, "wipefs", "measuring"),
        then="clean",
    ),
)
