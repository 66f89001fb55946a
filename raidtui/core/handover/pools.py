"""Handover page of a ZFS pool, where it differs from an array's."""

from collections.abc import Iterator, Sequence
from shlex import quote

from raidtui.core.care import pools
from raidtui.core.page.blocks import Block, Code, Fenced, Heading, Text, Words
from raidtui.core.plan.kept.permanence import folder_of
from raidtui.core.plan.model import Plan
from raidtui.core.raid import zfs
from raidtui.core.raid.levels import Level, level
from raidtui.core.run.state import RunState
from raidtui.core.units import both

_PROPERTIES = ("ashift", "recordsize", "compression", "atime", "primarycache")
_OLD, _NEW = "/dev/disk/by-id/OLD", "/dev/disk/by-id/NEW"


def level_of(plan: Plan) -> Level:
    return level(next(stage.setup.level for stage in plan.stages if stage.setup))


def rows(plan: Plan, state: RunState, number: int, mounted_at: str) -> Iterator[Sequence[Words]]:
    made, row = state.pools.get(number), level_of(plan)
    if made:
        yield ["GUID", made.guid]
        yield ["Size", (f"{both(made.used_bytes + made.available_bytes)}, as ", Code("zfs list"), " says")]
    yield ["Kind", row.name]
    survives = row.parity_disks or row.pool_copies - 1
    which = f"any {survives}" + (" of each pair" if row.pool_copies > 1 else "")
    yield ["Disks that may fail", which if survives else "none: the loss of one is the loss of the pool"]
    yield ["Members", "a partition of each disk, with room left for a slightly smaller disk"]
    properties = {name: value for name, value in (made.properties if made else {}).items() if name in _PROPERTIES}
    yield ["Settings", ", ".join(f"{name} {value}" for name, value in properties.items())]
    if mounted_at:
        owner = state.owners.get(mounted_at)
        yield ["Mounted at", mounted_at + (f", {owner.new.description}" if owner else "")]


def when_a_disk_fails(plan: Plan, name: str) -> Iterator[Block]:
    row = level_of(plan)
    yield Heading("When a disk fails")
    if not (row.parity_disks or row.pool_copies > 1):
        yield Text("The pool is lost with any of its disks: build it again, and bring the data from a backup.")
        return
    named = " names its device and serial number. OLD and NEW are the links of the disk that goes, as "
    words = " has it, and of the one that takes its place, no smaller; all that is on NEW is lost. raidtui carries this"
    yield Text((Code("raidtui status"), named, Code("zpool status -P"), f"{words} out for no pool:"))
    yield Fenced(pools.replace_lines(name, _OLD, _NEW))
    yield Text("Once a month all of it is to be read (Debian does, by a cron job of its own):")
    yield Fenced((f"zpool scrub {name}",))
    yield Text(
        "zed (Debian: zfs-zed) writes mail when a disk fails, to whom ZED_EMAIL_ADDR in /etc/zfs/zed.d/zed.rc names."
    )


def to_grow(plan: Plan, name: str) -> Iterator[Block]:
    row = level_of(plan)
    kind = f"{row.profile} " if row.profile != "stripe" else ""
    count = {"stripe": 1, "mirror": row.pool_copies}.get(row.profile, len(plan.members))
    yield Heading("To grow it")
    yield Fenced(pools.grow_lines(name, [f"{_NEW}{number}" for number in range(1, count + 1)], (), kind))
    yield Fenced(pools.grow_lines(name, (), [f"{_NEW}1"]))


def to_bring_back(plan: Plan, state: RunState, number: int, name: str) -> Iterator[Block]:
    """By GUID, never created again."""
    made = state.pools.get(number)
    yield Text(
        "Where its disks are there it is imported, whatever machine they are in; never create it anew over them. Where"
        " ZFS says that another machine had it last, make sure that this one is off, then add -f:"
    )
    yield Fenced(
        (
            "zpool import  # what is here, by name and GUID",
            f"zpool import -N {made.guid if made else name}  # where it fails stop: {name} may be another by now",
            f"zfs set mountpoint={quote(folder_of(plan.answers))} {name}",
            f"zfs mount {name}  # where it is not mounted by then",
            f"systemctl is-enabled {' '.join(zfs.UNITS)}  # all of them, to have it at each boot",
        )
    )
