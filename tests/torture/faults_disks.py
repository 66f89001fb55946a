"""A member goes: pulled out, offline, failed by hand, with bad sectors, come back with our superblock or as another."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from raidtui.system.claims import lock_nodes
from tests.torture import dust
from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, settle

_FOUR = (0, 1, 2, 3)
_WHEN: dict[str, dict[str, Any]] = {"baseline": dict(baseline="first-member"), "initial resync": dict(skip_sync=False)}


@contextmanager
def pulled(level: str, moment: str, index: int, disks: Sequence[int], stand: Stand) -> Iterator[Attempt]:
    """The disk vanishes; after the run it is plugged in again, with whatever was on it."""
    plan = stand.plan(level, disks=disks, jobs=("write", "read"), **_WHEN.get(moment, {}))
    disk = stand.disk(index)
    attempt = stand.begin(moment, plan, disk)
    stand.delete(disk)
    try:
        yield attempt
    finally:
        stand.rescan()


@contextmanager
def offline(level: str, stand: Stand) -> Iterator[Attempt]:
    """Every command to the disk fails; it stays known."""
    disk = stand.disk(1)
    attempt = stand.begin("measuring", stand.plan(level, jobs=("write", "read", "randread")), disk)
    state = Path(f"/sys/block/{disk.name}/device/state")
    state.write_text("offline\n")
    try:
        yield attempt
    finally:
        state.write_text("running\n")
        settle()


@contextmanager
def failed_by_hand(stand: Stand) -> Iterator[Attempt]:
    """`mdadm --fail`, as an administrator or a monitor would."""
    disk = stand.disk(1)
    attempt = stand.begin("measuring", stand.plan("5", seconds=2), disk)
    assert attempt.state.array
    command("mdadm", attempt.state.array.node, "--fail", disk.path)
    yield attempt


@contextmanager
def another_node(stand: Stand) -> Iterator[Attempt]:
    """The worker is killed; its array is stopped, and comes back as md99."""
    attempt = stand.begin("measuring", stand.plan("5"))
    attempt.signal(9)
    attempt.end()
    assert attempt.state.array
    members = stand.nodes()[:3]
    settle()
    with lock_nodes(members):
        command("mdadm", "--stop", attempt.state.array.node)
        command("mdadm", "--assemble", "/dev/md99", *members)
    settle()
    yield attempt


@contextmanager
def bad_sectors(level: str, stand: Stand) -> Iterator[Attempt]:
    """A SCSI disk whose backing store refuses to read some blocks until they are written anew."""
    with dust.disk(stand, "dusty") as dusty:
        plan = stand.plan(level, disks=(0, 1), further=(dusty.id,), jobs=("write", "read"), seconds=3, skip_sync=False)
        attempt = stand.begin("measuring", plan, dusty)
        dust.bad_from_now_on("dusty")
        yield attempt


@contextmanager
def grown(stand: Stand) -> Iterator[Attempt]:
    """Between plan and run the disk becomes larger."""
    with dust.disk(stand, "grows") as before:
        plan = stand.plan("5", disks=(0, 1), further=(before.id,))
        dust.grow("grows", before)
        with stand.guarding(before):
            yield stand.start(plan, before)


@contextmanager
def swapped_out(stand: Stand) -> Iterator[Attempt]:
    """Between plan and run the disk is replaced by another that gets the same name."""
    with dust.disk(stand, "first") as first:
        plan = stand.plan("5", disks=(0, 1), further=(first.id,))
    with dust.disk(stand, "second") as second:
        assert second.name == first.name
        command("mkfs.ext4", "-q", "-F", second.path)
        settle()
        with stand.guarding(second):
            yield stand.start(plan, first)


def _pulled(level: str, moment: str, outcome: str, says: tuple[str, ...], then: str = "clean", index: int = 1,
            disks: Sequence[int] = (0, 1, 2)) -> Row:  # fmt: skip
    return Row(
        name=f"pulled-{level}-{moment.replace(' ', '-')}",
        fault=f"a member of RAID {level} is pulled out" if moment != "baseline" else "a disk is pulled out",
        when=moment,
        outcome=outcome,
        says=says,
        act=partial(pulled, level, moment, index, disks),
        then=then,  # type: ignore[arg-type]
    )


ROWS = (
    _pulled("5", "baseline", "failed", ("{disk}", "is no longer there"), then="", index=0),
    _pulled("5", "create", "failed", ("{disk}",)),
    _pulled("5", "initial resync", "failed", ("{disk}",)),
    _pulled("0", "measuring", "failed", ("{disk}", "FAILED"), disks=(0, 1)),
    _pulled("1", "measuring", "failed", ("{disk}", "FAILED", "has lost"), disks=(0, 1)),
    _pulled("5", "measuring", "failed", ("{disk}", "FAILED", "has lost")),
    _pulled("10", "measuring", "failed", ("{disk}", "FAILED", "has lost"), disks=_FOUR),
    _pulled("5", "teardown", "failed", ("{disk}",)),
    Row(
        name="offline-5",
        fault="a member of RAID 5 goes offline",
        when="measuring",
        outcome="failed",
        says=("{disk}", "has lost"),
        act=partial(offline, "5"),
        then="clean",
    ),
    Row(
        name="offline-0",
        fault="a member of RAID 0 goes offline",
        when="measuring",
        outcome="failed",
        says=("{disk}", "FAILED"),
        act=partial(offline, "0"),
        then="clean",
    ),
    Row(
        name="failed-by-hand",
        fault="mdadm --fail of a member from outside",
        when="measuring",
        outcome="finished",
        says=("{disk}", "has lost"),
        act=failed_by_hand,
    ),
    Row(
        name="bad-sectors-5",
        fault="a member of RAID 5 has bad sectors (dm-dust)",
        when="measuring",
        outcome="finished",
        says=("{disk}", "corrected"),
        act=partial(bad_sectors, "5"),
    ),
    Row(
        name="bad-sectors-0",
        fault="a member of RAID 0 has bad sectors (dm-dust)",
        when="measuring",
        outcome="finished",
        says=("FAILED", "Input/output error"),
        act=partial(bad_sectors, "0"),
    ),
    Row(
        name="grown",
        fault="a member has another size",
        when="between plan and run",
        outcome="failed",
        says=("the plan was made for",),
        act=grown,
    ),
    Row(
        name="swapped-out",
        fault="a member is replaced by another disk of the same name",
        when="between plan and run",
        outcome="failed",
        says=("is no longer there",),
        act=swapped_out,
    ),
    Row(
        name="another-node",
        fault="the worker is killed, its array comes back as md99",
        when="measuring",
        outcome="interrupted",
        act=another_node,
        then="clean",
    ),
)
