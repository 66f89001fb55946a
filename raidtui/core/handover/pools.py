"""Handover page of a ZFS pool, where it differs from an array's."""

from collections.abc import Iterator, Sequence
from shlex import quote

from raidtui.core.care import by_hand
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
        yield Text("Any failed disk loses the pool: build it again, and restore the data from a backup.")
        return
    named = " shows its device and serial number. OLD is the link of the failed disk in "
    words = (
        ", NEW that of its replacement, at least as large; all data on NEW is lost. raidtui does not do this for pools:"
    )
    yield Text((Code("raidtui status"), named, Code("zpool status -P"), words))
    yield Fenced(by_hand.replace_lines(name, _OLD, _NEW))
    yield Text("Scrub it once a month (Debian does, by a cron job):")
    yield Fenced((f"zpool scrub {name}",))
    yield Text("zed (Debian: zfs-zed) mails ZED_EMAIL_ADDR of /etc/zfs/zed.d/zed.rc when a disk fails.")


def to_grow(plan: Plan, name: str) -> Iterator[Block]:
    row = level_of(plan)
    kind = f"{row.profile} " if row.profile != "stripe" else ""
    count = {"stripe": 1, "mirror": row.pool_copies}.get(row.profile, len(plan.members))
    yield Heading("To grow it")
    yield Fenced(by_hand.grow_lines(name, [f"{_NEW}{number}" for number in range(1, count + 1)], (), kind))
    yield Fenced(by_hand.grow_lines(name, (), [f"{_NEW}1"]))


def to_bring_back(plan: Plan, state: RunState, number: int, name: str) -> Iterator[Block]:
    """By GUID, never created again."""
    made = state.pools.get(number)
    yield Text(
        "If its disks are present, import it, in any machine; never create it again over them. If ZFS reports that"
        " another machine used it last, make sure that machine is off, then add -f:"
    )
    yield Fenced(
        (
            "zpool import  # what is here, by name and GUID",
            f"zpool import -N {made.guid if made else name}  # if it fails, stop: {name} may be another pool",
            f"zfs set mountpoint={quote(folder_of(plan.answers))} {name}",
            f"zfs mount {name}  # if not mounted yet",
            f"systemctl is-enabled {' '.join(zfs.UNITS)}  # all of them, to mount it at boot",
        )
    )
