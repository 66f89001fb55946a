"""While a run goes on, or after it was cut off, somebody takes what it has let go of for a moment, or its machine."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from raidtui.core.plan import model as plans
from raidtui.core.plan.model import MOUNTPOINT, Plan
from raidtui.core.plan.steps import Command, Step, Write
from raidtui.runs import directory, launch
from tests.torture.attempt import Answer, Attempt, Missed, as_typed
from tests.torture.faults_holders import loop_mounted
from tests.torture.faults_programs import first_process, processes
from tests.torture.faults_unheld import refused
from tests.torture.matrix import Row
from tests.torture.stand import SETTING, Stand, command, mounted, raidtui, settle

_THEIRS = Path("/run/theirs")
_MACHINE_ID = Path("/etc/machine-id")
_DATA = b"theirs\n" * (1 << 17)
_GAP_STEPS = 20


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
        done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode == 0 or not any(word in done.stdout + done.stderr for word in ("busy", "in use")):
            raise AssertionError(f"{' '.join(argv)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    if attempt.look().trial is None:
        raise Missed("fio had ended before all had tried")
    yield attempt


@contextmanager
def loop_meanwhile(stand: Stand) -> Iterator[Attempt]:
    """While fio reads a bare disk a loop device is made on it, and a file stored; next fio would write."""
    disk = stand.disk(0)
    plan = stand.plan("5", baseline="first-member", jobs=("read", "write"), seconds=40)
    attempt = stand.begin("bare disk", plan, disk)
    first_process("fio")  # before it the worker would see the loop device and not begin this test
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
    while True:
        attempt.signal(signal.SIGSTOP)
        state = attempt.look()
        if not processes("fio") and any(trial.measurement for trial in state.trials) and not _is_claimed(disk.path):
            break
        attempt.signal(signal.SIGCONT)
        if state.ended:
            raise Missed("the run did not pause")
        attempt.refuse_silence()
        time.sleep(0.02)
    try:
        answer = refused(*raidtui("disks", "--free", disk.id))
    finally:
        attempt.signal(signal.SIGCONT)
        attempt.signal(signal.SIGTERM)
        attempt.end()
    yield answer


@contextmanager
def loop_on_cut_off(stand: Stand) -> Iterator[Answer]:
    """Of separate disks with file systems; one of these is mounted by a loop device, and a file stored in it."""
    attempt = stand.begin("measuring", stand.plan("jbod", "ext4", disks=(0, 1), seconds=5))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    for folder in attempt.path.glob("mnt*"):
        command("umount", str(folder), ok=False)
    loop = command("losetup", "--find", "--show", stand.disk(0).path).strip()
    try:
        with mounted(loop, _THEIRS):
            (_THEIRS / "file").write_bytes(_DATA)
            command("sync")
            with stand.guarding(stand.disk(0)):
                answer = refused(*raidtui("clean", attempt.path.name), typed=f"{attempt.plan.code}\n")
        command("blockdev", "--flushbufs", loop)
        with mounted(loop, _THEIRS):
            if (_THEIRS / "file").read_bytes() != _DATA:
                stand.lost.append("the file in the loop device was changed")
    finally:
        command("losetup", "--detach", loop)
        settle()
        as_typed(partial(launch.clean, attempt.path))  # for it holds a file
    yield answer


@contextmanager
def elsewhere(way: str, stand: Stand) -> Iterator[Answer]:
    """A cut-off run's folder came along to a machine of another id; its members carry superblocks there."""
    attempt = stand.begin("measuring", stand.plan("1", disks=(0, 1), seconds=5))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    (array,) = Path("/sys/block").glob("md*")
    with ExitStack() as stack:
        stack.callback(launch.clean, attempt.path)
        with_another_id = Path("/run/machine-id.theirs")
        with_another_id.write_text("0123456789abcdef0123456789abcdef\n")
        command("mdadm", "--stop", f"/dev/{array.name}")
        settle()
        command("mount", "--bind", str(with_another_id), str(_MACHINE_ID))
        stack.callback(command, "umount", str(_MACHINE_ID))
        for index in (0, 1):
            stack.enter_context(stand.guarding(stand.disk(index)))
        named = [word for member in attempt.plan.members for word in ("--erase", member.id)]
        confirmed = ("--confirm", attempt.plan.code, *named) if way == "resume" else ()
        answer = refused(*raidtui(way, attempt.path.name, *confirmed), typed=f"{attempt.plan.code}\n")
    yield answer


def _with_a_gap(plan: Plan) -> Plan:
    """With so many steps before its test file is made that somebody can come in between."""
    *others, last = plan.stages

    def is_fill(step: Step) -> bool:
        return isinstance(step, Command) and step.role == "fill"

    at = next(index for index, step in enumerate(last.steps) if is_fill(step))
    gap = [Write(what="Take time", path=SETTING, value="6000")] * _GAP_STEPS
    steps = (*last.steps[:at], *gap, *last.steps[at:])
    plan = replace(plan, stages=(*others, replace(last, steps=steps)))
    return replace(plan, code=plans.confirmation_code(plan))


@contextmanager
def unmounted_before_fill(stand: Stand) -> Iterator[Attempt]:
    attempt = stand.start(_with_a_gap(stand.plan("1", "ext4", disks=(0, 1))))
    journal = attempt.path / directory.JOURNAL
    while not journal.exists() or b"Take time" not in journal.read_bytes():
        attempt.look()
        attempt.refuse_silence()
        time.sleep(0.005)
    attempt.look()
    attempt.signal(signal.SIGSTOP)
    if b"Fill" in journal.read_bytes():
        raise Missed("the test file is being made already")
    command("umount", str(attempt.path / MOUNTPOINT))
    attempt.signal(signal.SIGCONT)
    attempt.end()
    if left := [path for path in (attempt.path / MOUNTPOINT).rglob("*") if path.is_file()]:
        stand.lost.append(f"files of the run's were made elsewhere: {left}")
    yield attempt


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
    Row(
        name="loop-on-cut-off",
        fault="a disk of an interrupted run is mounted by a loop device; then `clean`",
        when="after the run",
        outcome="refused",
        says=("the loop device loop",),
        act=loop_on_cut_off,
    ),
    *(
        Row(
            name=f"elsewhere-{way}",
            fault=f"the run's folder is copied to another machine; then `{way}`",
            when="after the run",
            outcome="refused",
            says=("another machine",),
            act=partial(elsewhere, way),
        )
        for way in ("resume", "clean")
    ),
    Row(
        name="unmounted-fill",
        fault="the run's file system is unmounted",
        when="before the test file",
        outcome="failed",
        says=("is not mounted any more",),
        act=unmounted_before_fill,
    ),
)
