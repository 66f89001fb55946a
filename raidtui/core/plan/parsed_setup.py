"""A cell: a setup parsed once, with level, sizes in bytes and capacity. Other modules do not parse a setup's texts."""

from collections.abc import Sequence

import msgspec

from raidtui.core.plan.fields import FIELDS, Setup, given_fields
from raidtui.core.raid import filesystems, zfs
from raidtui.core.raid.capacity import Capacity, capacity
from raidtui.core.raid.filesystems import Geometry
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES, Level, level, split_name, vdev_disks
from raidtui.core.units import KIB, parse_bytes


class ParsedSetup(msgspec.Struct, frozen=True):
    """`layout`, `chunk_bytes` in force (None: level has none). `geometry`: for mkfs. `title`: in words."""

    setup: Setup
    level: Level
    layout: str | None
    chunk_bytes: int | None
    disks: int
    capacity: Capacity
    geometry: Geometry

    @property
    def group_disks(self) -> int:
        """Of each group; without groups all."""
        return self.disks // self.setup.groups

    @property
    def vdev_disks(self) -> int:
        return vdev_disks(self.level, self.disks, self.setup.groups)

    @property
    def beside(self) -> int:
        """Disks beside the data: journal, then spares."""
        return self.setup.journals + self.setup.spares

    @property
    def is_mounted(self) -> bool:
        return self.setup.filesystem != "none" or self.level.pool

    @property
    def title(self) -> str:
        return _title(self.setup, self.level, self.chunk_bytes, self.disks)


def parse(setup: Setup, sizes: Sequence[int], mdadm: str) -> ParsedSetup:
    """`sizes` in bytes. ValueError, one sentence, if impossible."""
    row = level(setup.level)
    layout, chunk = setup.layout or row.default_layout, chunk_bytes(setup)
    return ParsedSetup(
        setup=setup,
        level=row,
        layout=layout,
        chunk_bytes=chunk,
        disks=len(sizes),
        capacity=capacity(
            row.key,
            sizes,
            chunk,
            layout,
            mdadm,
            member_bytes=member_bytes(setup),
            partitioned=on_partitions(setup),
            parity_log=setup.bitmap == "ppl",
            record_bytes=unit_bytes(setup) if row.filesystem == zfs.KIND else zfs.RECORD_BYTES,
            groups=setup.groups,
        ),
        geometry=filesystems.geometry(row.key, len(sizes), chunk, layout, setup.groups),
    )


def level_of(setup: Setup) -> Level:
    return level(setup.level)


def lacks_parity(setup: Setup) -> bool:
    """Parity is invalid if the initial resync is skipped. Such an array is not kept: a lost disk is lost data."""
    return setup.first_sync == "skip" and level_of(setup).parity_disks > 0


def chunk_bytes(setup: Setup) -> int | None:
    """The chunk in force; None for a level without. ValueError for a bad size."""
    if setup.chunk:
        return parse_bytes(setup.chunk)
    return DEFAULT_CHUNK_BYTES if level_of(setup).has_chunk else None


def member_bytes(setup: Setup) -> int | None:
    """Bytes used of each member; None: all. ValueError for a bad size."""
    return parse_bytes(setup.member_size) if setup.member_size else None


def on_partitions(setup: Setup) -> bool:
    return setup.members == "partitions"


def beside_words(setup: Setup) -> str:
    """ " and 1 spare", ", a journal and 2 spares"."""
    spares = f"{setup.spares} spare{'' if setup.spares == 1 else 's'}" if setup.spares else ""
    parts = [part for part in ("a journal" if setup.journals else "", spares) if part]
    return f", {parts[0]} and {parts[1]}" if len(parts) > 1 else "".join(f" and {part}" for part in parts)


def unit_bytes(setup: Setup) -> int:
    """A file system's allocation unit, a ZFS pool's recordsize. ValueError for a bad size."""
    usual = zfs.RECORD_BYTES if level_of(setup).filesystem == zfs.KIND else filesystems.BLOCK_BYTES
    return parse_bytes(setup.allocation_unit) if setup.allocation_unit else usual


def level_title(setup: Setup) -> str:
    """With the layout where one was chosen, or for RAID 10."""
    row = level(setup.level)
    layout = (setup.layout or row.default_layout or "") if row.key == "10" else setup.layout
    name = row.of_groups if setup.groups > 1 else row.name
    return f"{name} {layout}".strip()


def title(setup: Setup, chosen: int) -> str:
    """Also for an invalid setup. `chosen`: number of disks."""
    try:
        return _title(setup, level(setup.level), chunk_bytes(setup), setup.disks or chosen)
    except ValueError:
        return f"level {setup.level} {setup.layout}".rstrip()


def titles(cells: Sequence[Setup], chosen: int) -> tuple[str, ...]:
    """One title per cell of a plan; fields that `title` omits are added where cells differ in them."""
    asides = [untitled(cell) for cell in cells]
    varying = [field for field in FIELDS if len({words[field] for words in asides if field in words}) > 1]
    words = [[aside[field] for field in varying if field in aside] for aside in asides]
    return distinct_titles(
        [", ".join((title(cell, chosen), *more)) for cell, more in zip(cells, words, strict=True)], cells
    )


def distinct_titles(titles: Sequence[str], cells: Sequence[Setup]) -> tuple[str, ...]:
    """Titles with the fields in which cells of one title differ."""
    alike: dict[str, list[Setup]] = {}
    for name, cell in zip(titles, cells, strict=True):
        alike.setdefault(name, []).append(cell)
    differing = {
        name: [field for field in FIELDS if len({getattr(cell, field) for cell in setups}) > 1]
        for name, setups in alike.items()
    }

    def words(field: str, cell: Setup) -> str:
        return f"{field} {'default' if (value := getattr(cell, field)) in ('', None) else value}"

    named = zip(titles, cells, strict=True)
    return tuple(", ".join((name, *(words(field, cell) for field in differing[name]))) for name, cell in named)


def untitled(cell: Setup) -> dict[str, str]:
    """Fields that `title` omits, in words; a RAID 10's layout is in the title."""
    level = level_of(cell)
    asides = {name: row.aside(cell, level) for name, row in FIELDS.items() if row.aside and row.applies(level)}
    return {name: words for name, words in asides.items() if words}


def array_title(setup: Setup, chosen: int) -> str:
    """Level, disks and chunk. The setup must be valid."""
    return ", ".join(filter(None, _array_words(setup, level(setup.level), chunk_bytes(setup), setup.disks or chosen)))


def _title(setup: Setup, row: Level, chunk: int | None, disks: int) -> str:
    array_words, chunk_words = _array_words(setup, row, chunk, disks)
    given = {name: field for name, field in FIELDS.items() if name in given_fields(setup) - {"chunk", "disks"}}
    words = {
        name: ((row.pool and field.of_zfs) or text_of)(getattr(setup, name))
        for name, field in given.items()
        if (text_of := field.title or field.phrase)
    }
    bare = "no file system" if row.md_name else ""
    below = f" on {LAYERS[setup.between].title}" if setup.between else ""
    words["filesystem"] = (bare if setup.filesystem == "none" else setup.filesystem) + below
    parts = (array_words + beside_words(setup), chunk_words, *(words.get(name, "") for name in FIELDS))
    return ", ".join(filter(None, parts))


def _array_words(setup: Setup, row: Level, chunk: int | None, disks: int) -> tuple[str, str]:
    layout = (setup.layout or row.default_layout or "") if row.key == "10" else ""
    plain = " ".join(part for part in (row.name, layout) if part) + f" of {disks} disks"
    return (
        split_name(row, setup.groups, disks) if setup.groups > 1 else plain,
        f"chunk {_binary(chunk)}" if chunk else "",
    )


def _binary(size_bytes: int) -> str:
    return f"{size_bytes // KIB} KiB" if size_bytes < KIB**2 else f"{size_bytes // KIB**2} MiB"
