"""While a run measures bare disks, somebody wants one of them, or asks whether it is free."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.torture.attempt import Answer, Attempt, Missed
from tests.torture.faults_holders import loop_mounted
from tests.torture.faults_programs import first_process, processes
from tests.torture.faults_unheld import refused
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, raidtui, settle

_THEIRS = Path("/run/theirs")
_LIMIT_S = 60.0


@contextmanager
def taken_from_fio(stand: Stand) -> Iterator[Attempt]:
    """Programs that want the disk for themselves while fio writes to it as it is."""
    disk = stand.disk(0)
    attempt = stand.begin("bare disk", stand.plan("5", baseline="first-member", jobs=("write",), seconds=10), disk)
    first_process("fio")
    _THEIRS.mkdir(exist_ok=True)
    for argv in (
        ("mkfs.ext4", "-q", "-F", disk.path),
        ("mount", "-t", "ext4", disk.path, str(_THEIRS)),
        ("wipefs", "--all", disk.path),
        ("mdadm", "--create", "/dev/md/theirs", "--run", "--level=1", "--raid-devices=2", disk.path, "missing"),
    ):
        done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
        if done.returncode == 0 or not any(word in done.stdout + done.stderr for word in ("busy", "in use")):
            raise AssertionError(f"{' '.join(argv)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    if attempt.look().trial is None:
        raise Missed("fio had ended before all had tried")
    yield attempt


@contextmanager
def loop_meanwhile(stand: Stand) -> Iterator[Attempt]:
    """While fio reads a bare disk a loop device is made on it, and a file stored; next fio would write."""
    disk = stand.disk(0)
    plan = stand.plan("5", baseline="first-member", jobs=("read", "write"), seconds=12)
    attempt = stand.begin("bare disk", plan, disk)
    with loop_mounted(disk):
        if any(trial.measurement for trial in attempt.look().trials):
            raise Missed("fio had ended before the file was stored")
        attempt.end()
    command("wipefs", "--all", "--force", disk.path)
    settle()
    yield attempt


def _is_claimed(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
    except OSError:
        return True
    return False


@contextmanager
def asked_in_a_pause(stand: Stand) -> Iterator[Answer]:
    """The worker is between two trials, nothing is open or claimed: whoever asks is told that the disk is a run's."""
    disk = stand.disk(0)
    jobs = ("read", "write", "randread", "randwrite")
    attempt = stand.begin("bare disk", stand.plan("5", baseline="each-member", jobs=jobs), disk)
    end_s = time.monotonic() + _LIMIT_S
    while True:
        attempt.signal(signal.SIGSTOP)
        state = attempt.look()
        if not processes("fio") and any(trial.measurement for trial in state.trials) and not _is_claimed(disk.path):
            break
        attempt.signal(signal.SIGCONT)
        if state.ended or time.monotonic() > end_s:
            raise Missed("the run did not pause")
        time.sleep(0.02)
    try:
        answer = refused(*raidtui("disks", "--free", disk.id))
    finally:
        attempt.signal(signal.SIGCONT)
        attempt.signal(signal.SIGTERM)
        attempt.end()
    yield answer


ROWS = (
    Row(
        name="fio-holds",
        fault="mkfs, mount, wipefs and mdadm want a bare disk while fio writes to it: each is told that it is in use",
        when="baseline",
        outcome="finished",
        act=taken_from_fio,
    ),
    Row(
        name="loop-meanwhile",
        fault="a loop device is made on a bare disk while fio reads it, and mounted",
        when="baseline",
        outcome="failed",
        says=("{disk}", "the loop device loop"),
        act=loop_meanwhile,
    ),
    Row(
        name="asked-in-a-pause",
        fault="`disks --free` while the worker is between two trials",
        when="baseline",
        outcome="refused",
        says=("another run holds the disk",),
        act=asked_in_a_pause,
    ),
)
