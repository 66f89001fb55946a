"""RAID levels: disks, failures survived, layouts, chunks; one table. Capacity and speed are in `capacity`, `theory`."""

from typing import Literal

import msgspec

from raidtui.core.text import brief
from raidtui.core.units import KIB

MIN_CHUNK_BYTES = 4 * KIB
DEFAULT_CHUNK_BYTES = 512 * KIB
MOST_MD_DISKS = 1920  # of a 1.x superblock: 2 bytes each in its 4 KiB, less its own 256 (mdadm, super1.c: MAX_DEVS)


class Level(msgspec.Struct, frozen=True):
    """`min_disks`: mdadm's; `sensible_min_disks`: to be useful. `parity_disks`: per stripe. `layouts`: accepted by both
    mdadm and kernel, the default first.
    """

    key: str
    name: str
    md_name: str | None
    min_disks: int
    sensible_min_disks: int
    has_chunk: bool
    has_bitmap: bool
    has_sync: bool
    parity_disks: int
    layouts: tuple[str, ...]
    summary: str
    filesystem: str = ""  # of a pool: the file system that spreads over the disks itself
    profile: str = ""  # of a pool: its file system's own name for the level
    pool_copies: int = 1
    no_model: str = ""  # why nothing is predicted of its speed, one sentence
    of_groups: str = ""  # its name where it is of several equal groups, under a RAID 0 or in a pool; "": it is not

    @property
    def pool(self) -> bool:
        return bool(self.filesystem)

    @property
    def default_layout(self) -> str | None:
        """mdadm's default; None for a level without layouts."""
        return self.layouts[0] if self.layouts else None


_ROTATIONS = (
    "left-symmetric",
    "left-asymmetric",
    "right-symmetric",
    "right-asymmetric",
    "parity-first",
    "parity-last",
)
# mdadm takes the ddf names for RAID5 as well, as other names of three rotations above.
_RAID6_ONLY = (
    "ddf-zero-restart",
    "ddf-N-restart",
    "ddf-N-continue",
    "left-symmetric-6",
    "left-asymmetric-6",
    "right-symmetric-6",
    "right-asymmetric-6",
    "parity-first-6",
)


class Layout10(msgspec.Struct, frozen=True):
    """Copies in RAID10: `near` each other, `offset` into the next stripe, `far` down the disk."""

    kind: Literal["near", "offset", "far"]
    copies: int
    summary: str
    usual: bool = True  # one of those that are offered beside the other levels


# By mdadm's short names, the default first; those that both mdadm and the kernel accept.
LAYOUTS_10: dict[str, Layout10] = {
    "n2": Layout10("near", 2, "2 adjacent copies: the usual choice"),
    "n3": Layout10("near", 3, "3 adjacent copies: any 2 disks may fail"),
    "o2": Layout10("offset", 2, "2 copies, a row apart: hard disks read a little faster"),
    "o3": Layout10("offset", 3, "3 copies, a row apart: any 2 disks may fail", usual=False),
    "f2": Layout10("far", 2, "2 copies far apart: hard disks read as RAID 0, write slower"),
    "f3": Layout10("far", 3, "3 copies far apart: hard disks read as RAID 0; 2 may fail", usual=False),
}
_ROTATION_SUMMARIES = {
    "left-symmetric": "parity moves left; best for sequential reads",
    "left-asymmetric": "parity moves left, data from the first disk on",
    "right-symmetric": "parity moves right",
    "right-asymmetric": "parity moves right, data from the first disk on",
    "parity-first": "all parity on the first disk, RAID 6: on two",
    "parity-last": "all parity on the last disk, RAID 6: on two",
    "ddf-zero-restart": "DDF: parity right, data from disk 1",
    "ddf-N-restart": "DDF: parity left, data from disk 1",
    "ddf-N-continue": "DDF: parity left, data follows it",
    "left-symmetric-6": "P moves left; Q on the last disk",
    "left-asymmetric-6": "P left, data from disk 1; Q on the last disk",
    "right-symmetric-6": "P moves right; Q on the last disk",
    "right-asymmetric-6": "P right, data from disk 1; Q on the last disk",
    "parity-first-6": "P on the first disk, Q on the last",
}

LEVELS: tuple[Level, ...] = (
    Level(
        key="0",
        name="RAID 0",
        md_name="raid0",
        min_disks=2,
        sensible_min_disks=2,
        has_chunk=True,
        has_bitmap=False,
        has_sync=False,
        parity_disks=0,
        layouts=(),
        summary="All space and speed; one failed disk loses all data.",
    ),
    Level(
        key="1",
        name="RAID 1",
        md_name="raid1",
        min_disks=2,
        sensible_min_disks=2,
        has_chunk=False,
        has_bitmap=True,
        has_sync=True,
        parity_disks=0,
        layouts=(),
        summary="Every disk is a full copy; all but one may fail. Usable: one disk.",
    ),
    Level(
        key="4",
        name="RAID 4",
        md_name="raid4",
        min_disks=2,
        sensible_min_disks=3,
        has_chunk=True,
        has_bitmap=True,
        has_sync=True,
        parity_disks=1,
        layouts=(),
        summary="One disk may fail; the parity disk slows small writes and serves no reads: prefer RAID 5.",
    ),
    Level(
        key="5",
        name="RAID 5",
        md_name="raid5",
        min_disks=2,
        sensible_min_disks=3,
        has_chunk=True,
        has_bitmap=True,
        has_sync=True,
        parity_disks=1,
        layouts=_ROTATIONS,
        summary="Any one disk may fail; costs one disk's space.",
        of_groups="RAID 50",
    ),
    Level(
        key="6",
        name="RAID 6",
        md_name="raid6",
        min_disks=4,
        sensible_min_disks=4,
        has_chunk=True,
        has_bitmap=True,
        has_sync=True,
        parity_disks=2,
        layouts=_ROTATIONS + _RAID6_ONLY,
        summary="Any two disks may fail; costs two disks' space.",
        of_groups="RAID 60",
    ),
    Level(
        key="10",
        name="RAID 10",
        md_name="raid10",
        min_disks=2,
        sensible_min_disks=2,
        has_chunk=True,
        has_bitmap=True,
        has_sync=True,
        parity_disks=0,
        layouts=tuple(LAYOUTS_10),
        summary="Striped mirrors: fast small writes; half the space usable, a third with three copies.",
    ),
    Level(
        key="linear",
        name="Linear",
        md_name="linear",
        min_disks=2,
        sensible_min_disks=2,
        has_chunk=False,
        has_bitmap=False,
        has_sync=False,
        parity_disks=0,
        layouts=(),
        summary="Disks end to end, unequal sizes too; sequential speed of one disk; one failure breaks it.",
    ),
    Level(
        key="jbod",
        name="JBOD",
        md_name=None,
        min_disks=1,
        sensible_min_disks=1,
        has_chunk=False,
        has_bitmap=False,
        has_sync=False,
        parity_disks=0,
        layouts=(),
        summary="Separate disks, fast together; each file on one. A failed disk loses only its own files.",
    ),
)


def _without_md(key: str, name: str, min_disks: int, summary: str) -> Level:
    """No chunk, no initial resync."""
    return Level(
        key=key,
        name=name,
        md_name=None,
        min_disks=min_disks,
        sensible_min_disks=min_disks,
        has_chunk=False,
        has_bitmap=False,
        has_sync=False,
        parity_disks=0,
        layouts=(),
        summary=summary,
    )


_NO_MODEL = {
    "btrfs": "raidtui has no model of btrfs' speed: it reads a copy by the number of the reading process, and its"
    " chunks take disks in turn; measure it (`raidtui recipes`).",
}


def _pool(filesystem: str, profile: str, name: str, min_disks: int, summary: str, copies: int = 1) -> Level:
    row = _without_md(f"{filesystem}-{profile}", name, min_disks, summary)
    return msgspec.structs.replace(
        row, filesystem=filesystem, profile=profile, pool_copies=copies, no_model=_NO_MODEL.get(filesystem, "")
    )


def _raidz(parity: int, summary: str) -> Level:
    row = _pool("zfs", f"raidz{parity}", f"ZFS raidz{parity}", parity + 1, summary)
    return msgspec.structs.replace(row, sensible_min_disks=parity + 2, parity_disks=parity, of_groups=f"raidz{parity}")


# What file systems do without md. Not in LEVELS: the wizard offers arrays; recipes and answers may name these.
POOLS: tuple[Level, ...] = (
    _pool("btrfs", "single", "btrfs single", 1, "btrfs fills one disk after the other; its metadata is mirrored."),
    _pool("btrfs", "raid0", "btrfs RAID 0", 2, "btrfs stripes over all disks; its metadata is mirrored."),
    _pool("btrfs", "raid1", "btrfs RAID 1", 2, "btrfs keeps every block on two of the disks.", 2),
    _pool("btrfs", "raid10", "btrfs RAID 10", 4, "btrfs stripes over pairs of disks.", 2),
    _pool("zfs", "stripe", "ZFS stripe", 1, "ZFS spreads blocks over all disks; one failure loses the pool."),
    _pool("zfs", "mirror", "ZFS mirrors", 2, "ZFS spreads blocks over pairs of disks.", 2),
    _raidz(1, "ZFS gives each record a parity of its own; one disk may fail."),
    _raidz(2, "ZFS gives each record two parities; any two disks may fail."),
    _raidz(3, "ZFS gives each record three parities; any three disks may fail."),
)
# What is not built at all, but measured as it stands.
_EXISTING = _without_md("existing", "Existing", 1, "Existing storage, measured without changing it.")
_BY_KEY = {row.key: row for row in (*LEVELS, *POOLS, _EXISTING)}


def level(key: str) -> Level:
    """0 1 4 5 6 10 linear jbod. ValueError names them."""
    try:
        return _BY_KEY[key]
    except KeyError:
        keys = ", ".join(row.key for row in (*LEVELS, *POOLS))
        raise ValueError(f"{brief(repr(key))} is not a RAID level: choose one of {keys}.") from None


def layout10(text: str | None) -> Layout10:
    """n2 n3 o2 o3 f2 f3; None: n2. ValueError else."""
    name = next(iter(LAYOUTS_10)) if text is None else text
    if name not in LAYOUTS_10:
        raise ValueError(f"{brief(repr(name))} is not a RAID 10 layout: choose one of {', '.join(LAYOUTS_10)}.")
    return LAYOUTS_10[name]


def layout_summary(name: str) -> str:
    return LAYOUTS_10[name].summary if name in LAYOUTS_10 else _ROTATION_SUMMARIES.get(name, "")


def is_further_copy(key: str) -> bool:
    """Whether one more disk is one more copy: moves no data, adds no room."""
    return key == "1"


def copies(key: str, layout: str | None, disks: int) -> int:
    """Copies of a block: every disk on RAID1, the layout's on RAID10, else mostly one."""
    if key == "1":
        return disks
    return layout10(layout).copies if key == "10" else level(key).pool_copies


def survives(key: str, layout: str | None, disks: int) -> int:
    """Any so many disks may fail. RAID10 may survive more by luck; guaranteed are its copies minus one."""
    return level(key).parity_disks + copies(key, layout, disks) - 1


def possible(key: str, layout: str | None, disks: int, chunk_bytes: int | None) -> tuple[bool, str]:
    """(True, ""), (True, advice), or (False, the reason and fix). None: mdadm's default. Minima: mdadm Create.c;
    chunks: powers of two from 4 KiB (other multiples for RAID0 are not offered).
    """
    row = level(key)
    if disks < row.min_disks:
        return False, _needs_more(row.name, row.min_disks, disks)
    if row.md_name and disks > MOST_MD_DISKS:
        return False, f"md takes at most {MOST_MD_DISKS} disks; leave {disks - MOST_MD_DISKS} out."
    if layout is not None and layout not in row.layouts:
        if not row.layouts:
            return False, f"{row.name} has no layouts; leave the layout out."
        return False, f"{row.name} has no layout {brief(repr(layout))}; choose one of {', '.join(row.layouts)}."
    if disks < copies(key, layout, disks):
        return False, _needs_more(f"{row.name} {layout}", copies(key, layout, disks), disks)
    if chunk_bytes is not None and not row.has_chunk:
        return False, f"{row.name} has no chunk; leave the chunk out."
    if chunk_bytes is not None and (chunk_bytes < MIN_CHUNK_BYTES or chunk_bytes & (chunk_bytes - 1)):
        size_words = f"{chunk_bytes // KIB}K" if chunk_bytes % KIB == 0 else f"{chunk_bytes} bytes"
        return (
            False,
            f"A chunk of {size_words} is none that raidtui makes; choose a power of two from 4K on, such as 512K.",
        )
    if disks < row.sensible_min_disks:
        return (
            True,
            f"{row.name} is of use from {row.sensible_min_disks} disks on; for {disks} choose"
            f" {'mirrors' if row.pool else 'RAID 1'}.",
        )
    return True, ""


def why_no_groups(row: Level, groups: int, disks: int) -> str:
    """Why no array, or pool, is built of so many equal groups of this level; "" if it can be."""
    if groups == 1:
        return ""
    if groups < 1:
        return f"{groups} groups are none; give 2 or more, or leave groups out"
    if not row.of_groups:
        return f"groups are of RAID 5, RAID 6 and raidz; leave them out for {row.name}"
    if disks % groups:
        fitting = [count for count in range(1, disks + 1) if fits(row, count, disks)]
        fewer = f"; {disks} disks divide into {' or '.join(map(str, fitting[1:]))}" if fitting[1:] else ""
        return f"{disks} disks do not divide into {groups} equal groups{fewer or '; choose more, or fewer'}"
    if not fits(row, groups, disks):
        least = row.sensible_min_disks
        return (
            f"{groups} groups of {disks} disks have {disks // groups} each, and a group of {row.name} needs {least};"
            f" choose {groups * least} disks or more, or fewer groups"
        )
    return ""


def fits(row: Level, groups: int, disks: int) -> bool:
    return disks % groups == 0 and disks // groups >= row.sensible_min_disks


def split_name(row: Level, groups: int, disks: int) -> str:
    """RAID 60, 2 × 11; raidz2, 2 × 11."""
    return f"{row.of_groups}, {groups} × {disks // groups}"


def of_disks(row: Level, groups: int, disks: int) -> str:
    """RAID 6 of 11 disks; RAID 60, 2 × 11."""
    return split_name(row, groups, disks) if groups > 1 else f"{row.name} of {disks} disks"


def vdev_disks(row: Level, disks: int, groups: int = 1) -> int:
    """Disks of each vdev of a ZFS pool: of a raidz, a mirror, or one."""
    return disks // groups if row.parity_disks else row.pool_copies


def _needs_more(level_name: str, disks_needed: int, disks: int) -> str:
    return (
        f"{level_name} needs {disks_needed} disk{'' if disks_needed == 1 else 's'}; choose {disks_needed - disks} more."
    )
