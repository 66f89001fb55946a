"""Others on the same machine: they use a member, run raidtui too, take the name, stop udev, set the clock."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import msgspec

from raidtui.core.plan import model as plans
from raidtui.core.plan import slots, validate
from raidtui.core.plan.model import MOUNTPOINT
from raidtui.system.claims import lock_nodes
from tests.torture.attempt import Attempt
from tests.torture.faults_programs import processes
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, settle


@contextmanager
def opened(stand: Stand) -> Iterator[Attempt]:
    """A program holds a member open, for reading only, without claiming it."""
    plan = stand.plan("5")
    disk = stand.disk(1)
    with Path(disk.path).open("rb") as node:
        holder = subprocess.Popen(["sleep", "1000"], stdin=node)
    try:
        with stand.guarding(disk):
            yield stand.start(plan, disk)
    finally:
        holder.kill()
        holder.wait()


@contextmanager
def taken(use: str, stand: Stand) -> Iterator[Attempt]:
    """Between plan and run somebody puts a member to use. What is on it must stay."""
    plan = stand.plan("5")
    disk = stand.disk(1)
    made, use_it, let_go = _USES[use]
    command(*(word.format(disk.path) for word in made))
    settle()
    if use_it:
        Path("/run/theirs").mkdir(exist_ok=True)
        command(*(word.format(disk.path) for word in use_it))
    settle()
    command("sync")
    with stand.guarding(disk):
        yield stand.start(plan, disk)
    if let_go:
        command(*(word.format(disk.path) for word in let_go))
    command("wipefs", "--all", "--force", disk.path)
    settle()


_USES: dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "mounted": (("mkfs.ext4", "-q", "-F", "{}"), ("mount", "-o", "ro", "{}", "/run/theirs"), ("umount", "/run/theirs")),
    "swap": (("mkswap", "{}"), ("swapon", "{}"), ("swapoff", "{}")),
    "LVM": (("pvcreate", "-qq", "-y", "{}"), (), ()),
    "ext4, not mounted": (("mkfs.ext4", "-q", "-F", "-L", "theirs", "{}"), (), ()),
}


@contextmanager
def second_run(disks: tuple[int, ...], stand: Stand) -> Iterator[Attempt]:
    """While a run goes on another, planned before, wants some of its disks. The second is looked at here."""
    plans = [stand.plan("5", seconds=2), stand.plan("5", disks=disks)]
    first = stand.begin("measuring", plans[0])
    second = stand.start(plans[1], stand.disk(2))
    second.end()
    state = first.end()
    if (state.outcome, state.left) != ("finished", ()):
        raise AssertionError(f"the first run suffered: {state.outcome} {state.reason}")
    yield second


@contextmanager
def same_name(stand: Stand) -> Iterator[Attempt]:
    """An array of somebody's has the name that the run's would get, unlikely as it is: names are drawn."""
    plan = stand.plan("5")
    named = slots.substitute(
        plans.encode(plan).decode(), lambda kind, n: "0badf00d" if kind == "name" else f"{{uuid:{n}}}"
    )
    plan = validate.decode(named.encode())
    plan = msgspec.structs.replace(plan, code=plans.confirmation_code(plan))
    array = plan.stages[-1].array
    assert array
    node, disk = f"/dev/md/{array.name}", stand.disk(3)
    command(
        "mdadm",
        "--create",
        node,
        "--run",
        "--quiet",
        "--homehost=any",
        f"--name={array.name}",
        "--bitmap=none",
        "--level=1",
        "--raid-devices=2",
        disk.path,
        "missing",
    )
    settle()
    with stand.guarding(disk):
        attempt = stand.start(plan, disk)
        attempt.end()
    with lock_nodes([disk.path]):
        command("mdadm", "--stop", str(Path(node).resolve()))
        command("mdadm", "--zero-superblock", disk.path)
    settle()
    yield attempt


@contextmanager
def held(moment: str, stand: Stand) -> Iterator[Attempt]:
    """Somebody's shell stands in the run's file system, and goes only after the run."""
    attempt = stand.begin(moment, stand.plan("5", "ext4", seconds=2))
    shell = subprocess.Popen(["sleep", "1000"], cwd=attempt.path / MOUNTPOINT)
    try:
        yield attempt
    finally:
        shell.kill()
        shell.wait()


@contextmanager
def without_udev(stand: Stand) -> Iterator[Attempt]:
    """udev's daemon dies; it is there again after the run."""
    attempt = stand.begin("first steps", stand.plan("5", "ext4"))
    for pid in processes("systemd-udevd")[:1] or processes("(udev-worker)"):
        os.kill(pid, signal.SIGKILL)
    for pid in processes("systemd-udevd"):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    try:
        yield attempt
    finally:
        command("/lib/systemd/systemd-udevd", "--daemon")
        command("udevadm", "trigger", "--subsystem-match=block")
        settle()


@contextmanager
def clock(hours: int, stand: Stand) -> Iterator[Attempt]:
    attempt = stand.begin("measuring", stand.plan("5", seconds=2))
    before_s, since = time.time(), time.monotonic()
    time.clock_settime(time.CLOCK_REALTIME, before_s + 3600 * hours)
    try:
        yield attempt
        wrong = [step for step in _durations(attempt) if not 0 <= step < 600]
        if wrong:
            raise AssertionError(f"the journal has steps of {wrong} s")
    finally:
        time.clock_settime(time.CLOCK_REALTIME, before_s + time.monotonic() - since)


def _durations(attempt: Attempt) -> list[float]:
    import json

    lines = (attempt.path / "journal.jsonl").read_text().splitlines()
    return [event["duration_s"] for event in map(json.loads, lines) if event["event"] == "step-ended"]


def _taken(use: str, says: str) -> Row:
    return Row(
        name=f"taken-{use.split(',')[0].lower()}",
        fault=f"a member is in use: {use}",
        when="between plan and run",
        outcome="failed",
        says=("{disk}", says),
        act=partial(taken, use),
    )


ROWS = (
    Row(
        name="opened",
        fault="another program has a member open",
        when="between plan and run",
        outcome="failed",
        says=("is open in sleep",),
        act=opened,
    ),
    _taken("mounted", "mounted"),
    _taken("swap", "swap"),
    _taken("LVM", "LVM"),
    _taken("ext4, not mounted", "the plan was made for"),
    Row(
        name="second-run",
        fault="a second worker of the same plan",
        when="measuring",
        outcome="failed",
        says=("another run holds the disk",),
        act=partial(second_run, (0, 1, 2)),
    ),
    Row(
        name="shared-disk",
        fault="a second worker that wants one of the disks",
        when="measuring",
        outcome="failed",
        says=("another run holds the disk",),
        act=partial(second_run, (1, 2, 3)),
    ),
    Row(
        name="same-name",
        fault="a foreign array has the run's name",
        when="between plan and run",
        outcome="failed",
        says=("is not this run's",),
        act=same_name,
    ),
    Row(
        name="held",
        fault="a program has its working directory in the run's file system",
        when="measuring to teardown",
        outcome="failed",
        says=("umount", "busy"),
        act=partial(held, "measuring"),
        then="clean",
    ),
    Row(
        name="without-udev",
        fault="udev's daemon is killed",
        when="start",
        outcome="finished",
        act=without_udev,
    ),
    Row(
        name="clock-forward",
        fault="the clock jumps an hour forward",
        when="measuring",
        outcome="finished",
        act=partial(clock, 1),
    ),
    Row(
        name="clock-back",
        fault="the clock jumps an hour back",
        when="measuring",
        outcome="finished",
        act=partial(clock, -1),
    ),
)
