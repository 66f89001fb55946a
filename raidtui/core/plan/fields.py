"""Fields of a setup: type, name, bounds, texts and sysfs setting, one row each. Valid combinations are in `sweep`."""

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from raidtui.core.disks.selection import MOST_DISKS
from raidtui.core.raid import zfs
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.raid.levels import Level
from raidtui.core.units import KIB, parse_bytes

Bitmap = Literal["internal", "none", "ppl", "journal"]
FirstSync = Literal["", "wait", "skip"]
MembersAs = Literal["disks", "partitions"]
Between = Literal["", "lvm", "luks"]
GroupsBy = Literal["", "order", "links"]
Scheduler = Literal["", "none", "mq-deadline", "kyber", "bfq"]


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is built: level ("0" "1" "4" "5" "6" "10" "linear" "jbod" "btrfs-raid10" …), layout, file system.

    Sizes as written ("512KiB"). "": the level's default; None and `stripe_cache_size` 0: the kernel's. `first_sync`
    unset: skipped, or waited for if the array is kept. Journal and spares are the selected disks behind the array's
    own; spares are added after the tests. `groups_by` unset: in their order.
    """

    level: str = ""
    layout: str = ""
    chunk: str = ""
    bitmap: Bitmap = "internal"
    first_sync: FirstSync = ""
    member_size: str = ""
    members: MembersAs = "disks"
    disks: int = 0
    groups: int = 1
    groups_by: GroupsBy = ""
    spares: int = 0
    write_mostly: int = 0
    partition_start_sectors: int = 0
    filesystem: str = "none"
    allocation_unit: str = ""
    stripe_cache_size: int = 0
    group_thread_cnt: int | None = None
    wbt_lat_usec: int | None = None
    read_ahead_kb: int = 0
    scheduler: Scheduler = ""
    failed: int = 0
    rebuild_min_kib_s: int = 0
    between: Between = ""
    snapshot_room: str = ""

    @property
    def journals(self) -> int:
        """Number of disks used as journal, behind the array's own."""
        return AFTER_CRASH[self.bitmap].disks


class Axes(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fields that a sweep varies, with values in order; empty: no axis. Earlier fields cost a new array."""

    level: tuple[str, ...] = ()
    layout: tuple[str, ...] = ()
    chunk: tuple[str, ...] = ()
    bitmap: tuple[Bitmap, ...] = ()
    first_sync: tuple[FirstSync, ...] = ()
    member_size: tuple[str, ...] = ()
    disks: tuple[int, ...] = ()
    groups: tuple[int, ...] = ()
    write_mostly: tuple[int, ...] = ()
    partition_start_sectors: tuple[int, ...] = ()
    filesystem: tuple[str, ...] = ()
    allocation_unit: tuple[str, ...] = ()
    stripe_cache_size: tuple[int, ...] = ()
    group_thread_cnt: tuple[int, ...] = ()
    wbt_lat_usec: tuple[int, ...] = ()
    failed: tuple[int, ...] = ()
    rebuild_min_kib_s: tuple[int, ...] = ()


def given_fields(choices: Setup | Axes) -> frozenset[str]:
    defaults = type(choices)()
    return frozenset(name for name in defaults.__struct_fields__ if getattr(choices, name) != getattr(defaults, name))


class SetupField(msgspec.Struct, frozen=True, kw_only=True):
    """`help`: a sentence; `label`: column head with unit, "": no column. Texts of values in setups' names."""

    help: str
    label: str = ""
    axis: str = ""  # before a recipe's values; "": `label`
    phrase: Callable[[Any], str] | None = None  # "stripe cache 4096"
    of_zfs: Callable[[Any], str] | None = None  # ZFS' word for it
    short: Callable[[Any], str] | None = None  # in a table
    title: Callable[[Any], str] | None = None  # in a title
    aside: Callable[[Setup, Level], str] | None = None  # omitted in titles unless setups differ in it
    first: bool = False  # right after the level
    zero: str = ""  # word for 0
    unit: str = ""  # after a number
    unsaid: str = ""  # word for the default where setups differ
    bounds: tuple[int, int] | None = None  # least, most
    applies: Callable[[Level], bool] = lambda row: True  # else left out of a sweep's setup
    refused: Callable[[Level], bool] = lambda row: False  # a setup must not have it
    array: bool = False  # part of the array, not only of what is on it
    setting: Literal["", "md", "queue", "array queue"] = ""  # of the array, of each disk's queue, of the array's
    later: bool = False  # added after orders were drawn by setups

    @property
    def folder(self) -> str:
        """Of its setting, below the block device in sysfs."""
        return "md" if self.setting == "md" else "queue"


def _size(text: str) -> str:
    size_bytes = parse_bytes(text)
    power = max(power for power in range(4) if size_bytes % KIB**power == 0)
    return f"{size_bytes // KIB**power}{('', 'K', 'M', 'G')[power]}"


def _wbt(latency_us: int) -> str:
    in_ms = f"{latency_us // 1000} ms" if latency_us % 1000 == 0 else f"{latency_us} µs"
    return f"wbt {in_ms}" if latency_us else "wbt off"


FIELDS: dict[str, SetupField] = {  # in the order of the columns of a CSV
    "level": SetupField(label="Level", help="RAID level, or a file system's own", first=True, array=True),
    "layout": SetupField(
        axis="layout",
        help="where a level puts parity or copies",
        aside=lambda setup, row: f"layout {setup.layout or row.default_layout}" if row.key != "10" else "",
        applies=lambda row: bool(row.layouts),
        array=True,
    ),
    "chunk": SetupField(
        label="Chunk",
        help="size that goes to one disk before the next",
        phrase="chunk {}".format,
        short=_size,
        unsaid="default",
        applies=lambda row: row.has_chunk,
        array=True,
    ),
    "bitmap": SetupField(
        label="Bitmap",
        help="after a crash: bitmap, nothing, partial parity log or journal",
        short=lambda value: value if value in ("ppl", "journal") else f"{'no ' if value == 'none' else ''}bitmap",
        aside=lambda setup, row: AFTER_CRASH[setup.bitmap].words,
        applies=lambda row: row.has_bitmap,
        array=True,
    ),
    "member_size": SetupField(
        label="Of each disk",
        help="size that an array takes of each disk",
        phrase="{} of each disk".format,
        short=lambda text: f"{_size(text)}/disk",
        applies=lambda row: row.has_sync,  # mdadm takes all of the members for the others
        refused=lambda row: row.md_name is None,
        array=True,
    ),
    "members": SetupField(
        help="whole disks, or a partition on each; of a kept array",
        title="members as {}".format,
        refused=lambda row: row.pool,
        array=True,
    ),
    "first_sync": SetupField(
        label="Initial resync",
        help="wait for the initial resync, or skip it",
        short=lambda value: {"wait": "synced", "skip": "not synced"}.get(value, ""),
        aside=lambda setup, row: f"initial resync {'skipped' if setup.first_sync == 'skip' else 'waited for'}",
        applies=lambda row: row.has_sync,
        array=True,
    ),
    "disks": SetupField(
        label="Disks",
        help="how many of the selected disks, from the first; 0 = all",
        phrase="of {} disks".format,
        short="of {}".format,
        first=True,
        unsaid="all",
        bounds=(1, MOST_DISKS),
        array=True,
    ),
    "groups": SetupField(
        label="Groups",
        help="equal groups: RAID 5 or 6 under a RAID 0, raidz in a pool",
        phrase=lambda groups: "one group" if groups == 1 else f"{groups} groups",
        title=lambda groups: "",  # with the level
        unsaid="one",
        bounds=(1, MOST_DISKS),
        applies=lambda row: bool(row.of_groups),
        array=True,
        later=True,
    ),
    "groups_by": SetupField(
        help="disks to groups in their order, or spread over their links",
        title=lambda by: "spread over links" if by == "links" else "",
        applies=lambda row: bool(row.of_groups),
        refused=lambda row: not row.of_groups,
        array=True,
        later=True,
    ),
    "spares": SetupField(help="spares of a kept array, the disks behind its own", bounds=(1, MOST_DISKS)),
    "write_mostly": SetupField(
        label="Write-mostly disks",
        help="disks of a RAID 1, the last ones, that are read only if no other can be",
        axis="write-mostly disks",
        phrase="{} write-mostly".format,
        title="{} write-mostly".format,
        zero="none",
        unsaid="none",
        bounds=(1, MOST_DISKS),
        applies=lambda row: row.key == "1",
        array=True,
        later=True,
    ),
    "partition_start_sectors": SetupField(
        label="Start, sector",
        help="first sector (512 bytes) of a partition; 0 = none",
        axis="partition at sector",
        phrase="from sector {}".format,
        short="sector {}".format,
        title="partition at sector {}".format,
        refused=lambda row: row.md_name is None,
    ),
    "between": SetupField(
        help="LVM or LUKS below a kept array's file system", refused=lambda row: row.pool, later=True
    ),
    "snapshot_room": SetupField(
        help="left free in the LVM group for snapshots: 20 %, or a size",
        phrase="{} free for snapshots".format,
        refused=lambda row: row.pool,
        later=True,
    ),
    "filesystem": SetupField(
        label="File system",
        help="file system on the array, or none",
        short=lambda value: "no fs" if value == "none" else str(value),
    ),
    "allocation_unit": SetupField(
        label="Allocation unit",
        help="cluster of ext4, recordsize of a ZFS pool",
        phrase="allocation unit {}".format,
        of_zfs="recordsize {}".format,
        short=lambda text: f"{_size(text)}-unit",
        unsaid="default",
        refused=lambda row: row.md_name is None and row.filesystem != zfs.KIND,
    ),
    # md takes no other stripe caches and threads (drivers/md/raid5.c).
    "stripe_cache_size": SetupField(
        label="Stripe cache, pages",
        help="pages of each disk that md keeps in memory for parity",
        phrase="stripe cache {}".format,
        short="cache {}".format,
        unsaid="default",
        bounds=(17, 32768),
        applies=lambda row: bool(row.parity_disks and row.md_name),
        setting="md",
    ),
    "group_thread_cnt": SetupField(
        label="Threads",
        help="threads for parity beside md's own",
        axis="md's threads",
        phrase="{} threads".format,
        bounds=(0, 8192),
        applies=lambda row: bool(row.parity_disks and row.md_name),
        setting="md",
    ),
    "wbt_lat_usec": SetupField(
        label="Writeback throttling, µs",
        help="read-latency target (µs) for writeback throttling; 0 = off",
        phrase=_wbt,
        title=_wbt,
        zero="off",
        bounds=(-1, 1_000_000_000),  # -1: what the kernel begins with (block/blk-sysfs.c)
        applies=lambda row: row.md_name is not None,
        setting="queue",
    ),
    "read_ahead_kb": SetupField(
        label="Read-ahead, KiB",
        help="read-ahead of the array, KiB",
        phrase="read-ahead {} KiB".format,
        title="read-ahead {} KiB".format,
        bounds=(4, 1_048_576),
        applies=lambda row: row.md_name is not None,
        refused=lambda row: row.md_name is None,
        setting="array queue",
        later=True,
    ),
    "scheduler": SetupField(
        label="Scheduler",
        help="I/O scheduler of each disk",
        phrase="scheduler {}".format,
        title="scheduler {}".format,
        applies=lambda row: row.md_name is not None,
        refused=lambda row: row.md_name is None,
        setting="queue",
        later=True,
    ),
    "failed": SetupField(
        label="Failed disks",
        help="disks taken out before the tests, the last ones",
        axis="disks failed",
        phrase=lambda disks: {0: "healthy", 1: "degraded"}.get(disks, f"degraded ({disks} disks)"),
        short=lambda disks: f"({disks} failed)" if disks else "healthy",
        title=lambda disks: f"{disks} disk{'' if disks == 1 else 's'} failed",
        zero="none",
        array=True,
    ),
    "rebuild_min_kib_s": SetupField(
        label="Rebuild at least",
        help="least speed of a rebuild during each test; 0 = none",
        phrase=lambda kib_s: f"rebuild min {kib_s} KiB/s" if kib_s else "no rebuild",
        short=lambda kib_s: f"rebuild {kib_s}K/s" if kib_s else "no rebuild",
        axis="rebuilt at least at KiB/s",
        title="rebuilt at {} KiB/s or more".format,
        zero="not",
        unsaid="not",
        unit=" KiB/s",
        array=True,
    ),
}


def default(name: str) -> Any:
    return getattr(Setup(), name)


def word(name: str, value: object) -> str:
    row = FIELDS[name]
    if value == 0 and row.zero:
        return row.zero
    is_unsaid = value == default(name) and (value in ("", 0, None) or bool(row.unsaid))
    return "" if is_unsaid else f"{value}{row.unit}"


def phrase(name: str, value: Any, filesystem: object = "", *, short: bool = False) -> str:
    """In the name of a setup with this file system; `short`: for a table."""
    row = FIELDS[name]
    of_zfs = row.of_zfs if filesystem == zfs.KIND else None
    text_of = of_zfs or (row.short if short else None) or row.phrase or str
    return text_of(value) if word(name, value) else ""
