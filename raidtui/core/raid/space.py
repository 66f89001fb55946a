"""From raw bytes to `df`: each loss a value, and a line for people. Uses `capacity` and file-system rules."""

import enum
from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

import msgspec

from raidtui.core.raid import zfs
from raidtui.core.raid.capacity import Capacity, left_over_bytes
from raidtui.core.raid.filesystems import FILE_SYSTEMS, ROOT_PERCENT, USUAL, filesystem, percent_for_root
from raidtui.core.raid.levels import level
from raidtui.core.units import Units, format_bytes

_NAME, _FIGURE = 37, 10


class SpacePart(enum.Enum):
    LABELS = "raw"
    PARITY = "parity"
    COPIES = "mirror copies"
    UNEQUAL = "excess of larger disks"
    OUTSIDE = "partition tables, reserve at the end"
    LEFT_OVER = "disks in no mirror"
    METADATA = "md metadata, data offset"
    ROUNDING = "rounding to whole chunks"
    POOL_METADATA = "ZFS labels and reserve"
    POOL_ROUNDING = "rounding to whole metaslabs"
    ARRAY = "the array"
    POOL = "the pool, about"
    LAYER = "{} metadata"
    OWN_SPACE = "{} metadata, about"
    TREES = "{} reservations, used for df"
    FILES = "for files, about"
    TREES_WITH_RMAPBT = "{} reservations with rmapbt, for df"
    RESERVED = "of that reserved for root (tune2fs -m)"


_TREES = (SpacePart.TREES, SpacePart.TREES_WITH_RMAPBT)


class SpaceEntry(msgspec.Struct, frozen=True):
    """`lost`: subtracted from the total above; else what is left, or a part of it."""

    part: SpacePart
    size_bytes: int
    lost: bool = False


class Story(msgspec.Struct, frozen=True):
    """From raw bytes down. The lost entries and the final rest add up to the raw bytes."""

    disk_bytes: tuple[int, ...]
    filesystem: str
    entries: tuple[SpaceEntry, ...]
    layer: str = ""  # what lies between the array and the file system, by its title
    caution: str = ""

    @property
    def files_bytes(self) -> int | None:
        """`df`'s Avail before root's share, estimated; None without a file system."""
        return next((entry.size_bytes for entry in self.entries if entry.part is SpacePart.FILES), None)

    @property
    def device_bytes(self) -> int:
        """On which the file system is made."""
        own = next((entry.size_bytes for entry in self.entries if entry.part is SpacePart.OWN_SPACE), 0)
        return own + (self.df_bytes or 0)

    @property
    def df_bytes(self) -> int | None:
        """`df`'s Size, estimated."""
        return None if self.files_bytes is None else self.files_bytes + self.used_bytes

    @property
    def used_bytes(self) -> int:
        """`df`'s Used while it is empty, estimated."""
        return sum(entry.size_bytes for entry in self.entries if entry.part in _TREES)


def story(
    disk_bytes: Sequence[int],
    holds: Capacity,
    filesystem_key: str,
    separate: bool = False,
    layer: str = "",
    layer_bytes: int = 0,
    level_key: str = "",
    *,
    rmapbt: bool = False,
    percent: int | None = None,
) -> Story:
    """`separate`: one each. `layer`: title of what takes `layer_bytes` first. `level_key`: for ZFS pools.
    `rmapbt`: does mkfs.xfs make it? `percent`: for root; None: by size.
    """
    built = level(level_key) if level_key else None
    is_pool = built is not None and built.filesystem == zfs.KIND
    left_over = left_over_bytes(built, disk_bytes) if built and is_pool else 0
    row, lost, array = filesystem(filesystem_key), holds.lost, holds.array_bytes
    entries = [SpaceEntry(SpacePart.LABELS, holds.raw_bytes)]
    losses = (
        (SpacePart.PARITY, lost.parity_bytes),
        (SpacePart.COPIES, lost.mirror_bytes),
        (SpacePart.LEFT_OVER, left_over),
        (SpacePart.UNEQUAL, lost.unequal_bytes - left_over),
        (SpacePart.OUTSIDE, lost.outside_bytes),
        (SpacePart.POOL_METADATA if is_pool else SpacePart.METADATA, lost.metadata_bytes),
        (SpacePart.POOL_ROUNDING if is_pool else SpacePart.ROUNDING, lost.rounding_bytes),
    )
    entries += [SpaceEntry(space_part, size, lost=True) for space_part, size in losses if size]
    entries.append(SpaceEntry(SpacePart.POOL if is_pool else SpacePart.ARRAY, array))
    if row.program and not separate:
        entries += [SpaceEntry(SpacePart.LAYER, layer_bytes, lost=True)] if layer_bytes else []
        device_bytes = array - layer_bytes
        own_bytes = min(row.own_bytes(device_bytes), device_bytes)
        entries += [SpaceEntry(SpacePart.OWN_SPACE, own_bytes, lost=True)] if own_bytes else []
        used_bytes = min(row.used_bytes(device_bytes, rmapbt), device_bytes - own_bytes)
        trees = _TREES[rmapbt]
        entries += [SpaceEntry(trees, used_bytes, lost=True)] if used_bytes else []
        entries.append(SpaceEntry(SpacePart.FILES, device_bytes - own_bytes - used_bytes))
        reserved = device_bytes * reserved_percent(filesystem_key, device_bytes, percent) // 100
        entries += [SpaceEntry(SpacePart.RESERVED, reserved)] if reserved else []
    warned = "" if separate else caution(filesystem_key, array - layer_bytes)
    return Story(tuple(disk_bytes), filesystem_key, tuple(entries), layer, warned)


def reserved_percent(key: str, device_bytes: int, asked: int | None = None) -> int:
    """For root alone, of a new file system."""
    if not filesystem(key).reserved_options:
        return 0
    return percent_for_root(device_bytes) if asked is None else asked


def given_percent(key: str, device_bytes: int, asked: int | None = None) -> int | None:
    """The same as mkfs gets it; None: what it takes by itself, or nothing."""
    percent = reserved_percent(key, device_bytes, asked)
    is_mkfs_own = asked is None and percent == ROOT_PERCENT
    return None if is_mkfs_own or not filesystem(key).reserved_options else percent


def no_reserve(keys: Sequence[str]) -> str:
    """Why nothing can be reserved for root on any of these; "" if it can."""
    able = [row.key for row in FILE_SYSTEMS if row.reserved_options]
    return "" if set(able) & set(keys) else f"only {' and '.join(able)} have it; choose one of them, or leave it out"


def caution(key: str, device_bytes: int) -> str:
    """What speaks against one so large, with what to do; "" if nothing does."""
    row = filesystem(key)
    if not row.supported_bytes or device_bytes <= row.supported_bytes:
        return ""
    limit = format_bytes(row.supported_bytes, Units.BINARY)
    size = format_bytes(device_bytes, Units.BINARY)
    return f"{key} of {size}: Red Hat supports up to {limit}; choose {USUAL}"


def disks_words(disk_bytes: Sequence[int]) -> str:
    """In given order: "24 x 1.20 TB", "3 x 4.00 TB + 1 x 6.00 TB"."""
    sizes = [format_bytes(size) for size in disk_bytes]
    return " + ".join(f"{len(list(same_sizes))} x {size}" for size, same_sizes in groupby(sizes))


def story_lines(account: Story) -> list[str]:
    """Under 80 columns: a sentence, a line for each loss, `df`."""
    raw = account.entries[0].size_bytes
    lines = [f"{disks_words(account.disk_bytes)} = {format_bytes(raw)} = {format_bytes(raw, Units.BINARY)} raw"]
    for entry in account.entries[1:]:
        name = entry.part.value.format(account.layer if entry.part is SpacePart.LAYER else account.filesystem)
        sign = "-" if entry.lost else " "
        figures = (format_bytes(entry.size_bytes, units) for units in (Units.DECIMAL, Units.BINARY))
        lines.append(f"  {name:{_NAME}}" + "".join(f" {sign}{figure:>{_FIGURE}}" for figure in figures))
    size_bytes = account.df_bytes
    if size_bytes is None:
        return lines
    decimal, binary = (df_words(size_bytes, base) for base in (1000, 1024))
    used = f", Used {df_words(account.used_bytes, 1024)}" if account.used_bytes else ""
    return [
        *lines,
        f"df -h: Size about {binary} ({format_bytes(size_bytes, Units.BINARY)}){used}; df -H: {decimal} (rounded up)",
        *([account.caution] if account.caution else []),
    ]


def beside_sentences(journals: int, spares: int) -> list[str]:
    """That disks are in the array beside those which hold its data; nothing where none is."""
    return [
        *(["1 more disk: journal, no space"] if journals else []),
        *([f"{spares} more disk{'' if spares == 1 else 's'}: spare, no space"] if spares else []),
    ]


def df_words(size_bytes: int, base: int) -> str:
    """As df -h (1024), df -H (1000): rounded up, one decimal below 10 (GNU coreutils)."""
    letters = "BkMGTPE" if base == 1000 else "BKMGTPE"
    value, power = Fraction(size_bytes), 0
    while value >= base and power < len(letters) - 1:
        value, power = value / base, power + 1
    tenths = -(-value * 10 // 1)
    if power and tenths < 100:
        return f"{float(tenths / 10):.1f}{letters[power]}"
    whole_units = -(-value // 1)
    if whole_units == base and power < len(letters) - 1:
        return f"1.0{letters[power + 1]}"
    return f"{whole_units}{letters[power] if power else ''}"
