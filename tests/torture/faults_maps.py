"""A disk of the plan is a LUN behind a multipath map: what another host claims, and what its partitions hold.

The map is the kernel's own (dm-multipath), as multipathd makes it, without maps of its partitions.
"""

import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Literal

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import Axes
from raidtui.system.claims import lock_nodes
from tests.torture import invariants, luns
from tests.torture.attempt import Answer, Attempt
from tests.torture.faults_paths import answer_of, answers_with, lun, nodes_of, untouched
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, raidtui, settle

Claim = Literal["key", "reservation"]
_NAME = "mpatha"
# include/uapi/linux/pr.h
_REGISTER, _RESERVE, _CLEAR = 0x401870C8, 0x401070C9, 0x401070CD
_IGNORE_KEY, _WRITE_EXCLUSIVE = 1, 1
_KEY = 0xC1A1
_KEPT_BY_TARGET = Path("/var/target/pr")  # where the target writes what it is to remember


def _pr(node: str, request: int, argument: bytes) -> None:
    descriptor = os.open(node, os.O_RDWR)
    try:
        if status := fcntl.ioctl(descriptor, request, bytearray(argument)):
            raise RuntimeError(f"{node}: status {status} to a command of reservations")
    finally:
        os.close(descriptor)


def _register(node: str) -> None:
    _pr(node, _REGISTER, struct.pack("=QQII", 0, _KEY, _IGNORE_KEY, 0))


@contextmanager
def _claimed(claim: Claim, nodes: tuple[str, ...]) -> Iterator[None]:
    """A key is registered by each of these nodes, and with it the disk reserved by the last one."""
    _KEPT_BY_TARGET.mkdir(parents=True, exist_ok=True)
    for node in nodes:
        _register(node)
    if claim == "reservation":
        _pr(nodes[-1], _RESERVE, struct.pack("=QII", _KEY, _WRITE_EXCLUSIVE, 0))
    settle()
    try:
        yield
    finally:
        _pr(nodes[-1], _CLEAR, struct.pack("=QII", _KEY, 0, 0))


@contextmanager
def _map(stand: Stand, before: Callable[[str], None] = lambda node: None) -> Iterator[tuple[Disk, tuple[str, ...]]]:
    """A LUN by two paths, and their map: the map, and the nodes of its paths. `before`: done by a path before it."""
    command("modprobe", "-a", "dm_multipath", "dm_round_robin")
    with lun() as store, luns.path(store), luns.path(store, 2):
        paths = nodes_of(stand, 2)
        before(paths[0].path)
        for path in paths:  # the second one has not seen the partitions that were made by the first
            command("blockdev", "--rereadpt", path.path)
        settle()
        sectors = command("blockdev", "--getsz", paths[0].path).strip()
        legs = " ".join(f"{path.path} 1" for path in paths)
        table = f"0 {sectors} multipath 0 0 1 1 round-robin 0 {len(paths)} 1 {legs}"
        uuid = f"mpath-3{paths[0].wwn.removeprefix('0x')}"
        with lock_nodes([path.path for path in paths]):  # else udev puts an array together from what is there
            command("mdadm", "--stop", "--scan", ok=False)
            command("dmsetup", "create", _NAME, "--uuid", uuid, "--table", table)
        settle()
        try:
            found = next(disk for disk in stand.disks().values() if disk.name.startswith("dm-"))
            yield found, tuple(path.path for path in paths)
        finally:
            command("dmsetup", "remove", "--retry", _NAME)


def _by(where: str, found: Disk, paths: tuple[str, ...]) -> tuple[str, ...]:
    return {"map": (found.path,), "path": paths[1:], "both": (paths[0], found.path)}[where]


@contextmanager
def claimed_before(claim: Claim, where: str, stand: Stand) -> Iterator[Answer]:
    """Somebody has claimed the LUN when somebody else plans with its map."""
    with _map(stand) as (found, paths), _claimed(claim, _by(where, found, paths)), untouched(stand, found):
        yield answer_of(*raidtui("plan", answers_with(stand, found)))


@contextmanager
def claimed_meanwhile(claim: Claim, where: str, stand: Stand) -> Iterator[Attempt]:
    """It is claimed after the last plan was made: the worker is the one who sees it."""
    with _map(stand) as (found, paths):
        plan = stand.plan("5", disks=(0, 1), further=(found.id,))
        with _claimed(claim, _by(where, found, paths)), untouched(stand, found):
            attempt = stand.start(plan, found)
            attempt.end()
            yield attempt


@contextmanager
def unclaimed(stand: Stand) -> Iterator[Attempt]:
    """Nobody claims it, and its paths' caches still show what the run had built by the map and took away."""
    with _map(stand) as (found, _):
        axes = Axes(chunk=("64K", "128K"))
        attempt = stand.start(stand.plan("5", disks=(0, 1), further=(found.id,), axes=axes), found)
        attempt.end()
        stand.lost += invariants.members_blank([found.path])
        yield attempt


_MAKE = {
    "LVM": ("pvcreate", "-qq", "-y"),
    "md": ("mdadm", "--create", "--run", "--level=1", "--raid-devices=2", "/dev/md77", "missing"),
    "LUKS": ("cryptsetup", "luksFormat", "--batch-mode", "--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"),
}


def _member(kind: str, node: str) -> None:
    """A member of this kind on a partition, in use by nobody."""
    command("sfdisk", "--quiet", "--label", "gpt", node, stdin="size=+\n")
    settle()
    if kind == "LUKS":
        command(*_MAKE[kind], f"{node}1", "-", stdin="secret")
    else:
        command(*_MAKE[kind], f"{node}1")
    if kind == "md":
        command("mdadm", "--stop", "/dev/md77")
    settle()


@contextmanager
def member_on_a_partition(kind: str, stand: Stand) -> Iterator[Answer]:
    with _map(stand, partial(_member, kind)) as (found, _), untouched(stand, found):
        yield answer_of(*raidtui("plan", answers_with(stand, found)))


_SAYS: dict[Claim, str] = {"key": "registered key", "reservation": "a reservation (write exclusive)"}
_BELONGS = {"LVM": "an LVM volume group", "md": "an md array", "LUKS": "an encrypted volume"}
_WHERE = {"map": "by its map", "path": "by a path", "both": "by a path and its map"}
_CLAIMS: tuple[Claim, ...] = ("key", "reservation")

ROWS = (
    *(
        Row(
            name=f"mapped-{claim}-{where}",
            fault=f"a LUN has a {claim}, {words}",
            when="before the plan",
            outcome="refused",
            says=("another host may be using it", _SAYS[claim]),
            act=partial(claimed_before, claim, where),
        )
        for claim in _CLAIMS
        for where, words in _WHERE.items()
    ),
    *(
        Row(
            name=f"mapped-{claim}-{where}-worker",
            fault=f"a LUN has a {claim}, {words}",
            when="between plan and worker",
            outcome="failed",
            says=("must not be touched", _SAYS[claim]),
            act=partial(claimed_meanwhile, claim, where),
        )
        for claim in _CLAIMS
        for where, words in _WHERE.items()
    ),
    *(
        Row(
            name=f"mapped-{kind}",
            fault=f"a partition of a LUN is a member ({kind}), and has no map",
            when="before the plan",
            outcome="refused",
            says=("the same disk by another path", f"is a member of {words}"),
            act=partial(member_on_a_partition, kind),
        )
        for kind, words in _BELONGS.items()
    ),
    Row(
        name="mapped-measuring",
        fault="a LUN is built on by its map, twice",
        when="the whole run",
        outcome="finished",
        act=unclaimed,
    ),
)
