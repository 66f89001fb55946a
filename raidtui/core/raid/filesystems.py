"""File systems: mkfs with the array's stripe geometry, and how it is read back; argument lists and parsers, starts
nothing. mkfs always gets the geometry: its guess uses what disks report, which may be wrong.

Estimated bytes that a new file system uses of an array, as `df` counts it, by mkfs' rules for logs, journals and
tables. Without names of file systems. statvfs tells the real values.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from raidtui.core.raid import zfs
from raidtui.core.raid.levels import copies, level
from raidtui.core.text import brief
from raidtui.core.units import GIB, KIB, MIB, TB, TIB, Units, both, format_bytes

_BLOCK_BYTES = 4096
_GROUP_BLOCKS = 8 * _BLOCK_BYTES  # that one block of a bitmap covers
_INODE_BYTES = 256
# Bytes of the array for each inode, from this size on (e2fsprogs' mke2fs.conf: small, default, big, huge).
_BYTES_PER_INODE = ((16 * TIB, 64 * KIB), (4 * TIB, 32 * KIB), (512 * MIB, 16 * KIB), (0, 4 * KIB))
# The journal, from this size on (e2fsprogs' ext2fs_default_journal_size).
_JOURNAL_BYTES = (
    (128 * GIB, 1 * GIB),
    (64 * GIB, 512 * MIB),
    (32 * GIB, 256 * MIB),
    (16 * GIB, 128 * MIB),
    (2 * GIB, 64 * MIB),
    (1 * GIB, 32 * MIB),
    (128 * MIB, 16 * MIB),
    (8 * MIB, 4 * MIB),
    (0, 0),
)
# mkfs.xfs: 1/2048 of it, within these.
_LOG_SHARE = 2048
_LEAST_LOG_BYTES: int = 64 * MIB
_MOST_LOG_BYTES: int = 2038 * MIB
# XFS reserves the most that its B-trees could take in each allocation group, with least records a leaf and a node
# (xfs_refcountbt_max_size, xfs_inobt_max_size; kernel 6.1). Inode chunks are of 64 inodes, 8 to a block.
_REFERENCES, _FREE_INODES, _INODE_CHUNK_BLOCKS = (168, 252), (126, 252), 8
_REVERSE_MAPS, _LEAST_REVERSE_SHARE = (84, 45), 100  # rmapbt: that tree, at least 1 % (xfs_rmapbt_calc_reserves)
_MOST_GROUP_BLOCKS, _GROUPS = TIB // _BLOCK_BYTES, 32  # mkfs.xfs: that many groups of striped disks below 32 TiB
_OF_EACH_GROUP = 12  # blocks of its headers and free lists
_SPARE_SHARE, _MOST_SPARE_BLOCKS = 20, 8192  # for when all is full (xfs_default_resblks)
XFS_RMAPBT = "xfs-rmapbt"  # among a machine's programs: mkfs.xfs there switches it on
ROOT_PERCENT, _ROOT_PERCENT_OF_LARGE, _LARGE_BYTES = 5, 1, 10 * TB


def percent_for_root(device_bytes: int) -> int:
    """mke2fs' 5 %; above 10 TB that would be 500 GB, and 1 % is enough for root and against fragments."""
    return ROOT_PERCENT if device_bytes <= _LARGE_BYTES else _ROOT_PERCENT_OF_LARGE


def log_of_its_own(array_bytes: int) -> int:
    """Log only, as mkfs.xfs 6.1 sizes it from 1 GiB to 100 TiB."""
    return min(_MOST_LOG_BYTES, max(_LEAST_LOG_BYTES, array_bytes // _LOG_SHARE))


def reserved_for_trees(array_bytes: int, rmapbt: bool = False) -> int:
    """What XFS takes for its B-trees once mounted, with reflink and finobt: used for `df`. Seen on 1, 15 and 100 TiB,
    with rmapbt and without: within 0.01 % of all.
    """
    blocks = array_bytes // _BLOCK_BYTES
    group = min(_MOST_GROUP_BLOCKS, -(-blocks // _GROUPS))
    groups = -(-blocks // group) if group else 0
    trees = _blocks_of_tree(group, *_REFERENCES) + _blocks_of_tree(group // _INODE_CHUNK_BLOCKS, *_FREE_INODES)
    if rmapbt:
        trees += max(group // _LEAST_REVERSE_SHARE, _blocks_of_tree(group, *_REVERSE_MAPS))
    reserved = groups * (trees + _OF_EACH_GROUP) + min(_MOST_SPARE_BLOCKS, blocks // _SPARE_SHARE)
    return reserved * _BLOCK_BYTES


def _blocks_of_tree(records: int, in_leaf: int, in_node: int) -> int:
    """xfs_btree_calc_size."""
    level = blocks = -(-records // in_leaf)
    while level > 1:
        level = -(-level // in_node)
        blocks += level
    return blocks


def tables_for_all_files(*, journal: bool) -> Callable[[int], int]:
    """Inode tables and bitmaps allocated in advance, and optionally a journal."""

    def own_tables(array_bytes: int) -> int:
        inodes = array_bytes // _at(array_bytes, _BYTES_PER_INODE)
        bitmaps = 2 * -(-array_bytes // (_GROUP_BLOCKS * _BLOCK_BYTES))
        tables = inodes * _INODE_BYTES + bitmaps * _BLOCK_BYTES
        return tables + _at(array_bytes, _JOURNAL_BYTES) if journal else tables

    return own_tables


def _at(array_bytes: int, steps: tuple[tuple[int, int], ...]) -> int:
    return next(value for least_bytes, value in steps if array_bytes >= least_bytes)


BLOCK_BYTES = 4096
_MAX_XFS_LOG_UNIT_BYTES = 256 * KIB
_XFS_LOG_UNIT_BYTES = 32 * KIB
_BLOCKS_OF_32_BITS = 2**32 - 1  # mke2fs 1.47 of a file system without the feature 64bit, which ext4 has


class Geometry(msgspec.Struct, frozen=True):
    """In file-system blocks; 0: no stripes. ext: stride, stripe-width; XFS: sunit, swidth (`su` bytes, `sw` of it)."""

    block_bytes: int
    stride_blocks: int
    stripe_width_blocks: int

    @property
    def su_bytes(self) -> int:
        """One disk's share of a stripe: the chunk."""
        return self.stride_blocks * self.block_bytes

    @property
    def sw_disks(self) -> int:
        """Data disks per stripe."""
        return self.stripe_width_blocks // self.stride_blocks if self.stride_blocks else 0


NO_STRIPES = Geometry(block_bytes=BLOCK_BYTES, stride_blocks=0, stripe_width_blocks=0)


class MkfsTime(NamedTuple):
    """Seconds of mkfs: `own_s`, plus `starts` (and `starts_each` a member) times a short program's run time."""

    own_s: float = 0.0
    starts: float = 1.0
    starts_each: float = 0.0


class FileSystem(msgspec.Struct, frozen=True):
    """One row. `min_bytes`: mkfs' minimum, `min_striped_bytes` with stripes. `geometry_options` pass the geometry,
    allowed in the form `geometry_form`; `parse` reads it from `readback` (None: no geometry). `unit_options`: an
    allocation unit larger than a block. `packages` by package manager, "": all others; `version`: arguments to print
    it. `wizard_place`, `keep_place` (for kept arrays): 0: not offered. `own_bytes`: estimate of what is no part of
    `df`'s Size, which mkfs writes; `used_bytes`: of its Used when empty; `reserved_options`: a percentage for root
    alone. `supported_bytes`: by Red Hat; 0: no limit. `features_options`: mkfs prints what it would make.
    """

    key: str
    title: str
    summary: str
    wizard_place: int
    program: str | None
    version: tuple[str, ...]
    packages: dict[str, str]
    min_bytes: int
    min_striped_bytes: int
    mkfs_time: MkfsTime
    label_bytes: int
    uuid_options: tuple[str, ...]
    unit_options: tuple[str, ...]
    geometry_options: Callable[[Geometry], tuple[str, ...]]
    geometry_words: Callable[[Geometry], str]
    readback: tuple[str, ...] | None
    parse: Callable[[str], Geometry] | None
    geometry_form: str = ""
    copy_on_write: bool = False
    own_bytes: Callable[[int], int] = lambda array_bytes: 0
    used_bytes: Callable[[int, bool], int] = lambda array_bytes, rmapbt: 0
    reserved_options: tuple[str, ...] = ()
    supported_bytes: int = 0
    features_options: tuple[str, ...] = ()
    keep_place: int = 0
    most_bytes: int = 0  # what it can be made of at most; 0: more than disks hold
    most_bytes_of_32_bits: int = 0  # the same of one that has no feature 64bit
    fsck_pass: int = 0  # the last field of its line in fstab; 0: there is nothing to do at boot
    grow: str = ""  # the command that makes it as large as its device, {node} or where it is mounted, {folder}


def _ext_options(geometry: Geometry) -> tuple[str, ...]:
    # mke2fs refuses 0. A width of 1 keeps it from guessing, and the kernel takes it for "no stripes" (ext4 super.c).
    stride, width = geometry.stride_blocks or 1, geometry.stripe_width_blocks or 1
    return ("-b", str(geometry.block_bytes), "-E", f"stride={stride},stripe_width={width}")


def _ext4_options(geometry: Geometry) -> tuple[str, ...]:
    # Inode tables and journal are written now: else the kernel writes them for minutes after the mount, into the tests.
    *options_before, extended = _ext_options(geometry)
    return (*options_before, f"{extended},lazy_itable_init=0,lazy_journal_init=0")


def _xfs_options(geometry: Geometry) -> tuple[str, ...]:
    block = ("-b", f"size={geometry.block_bytes}")
    if not geometry.stride_blocks:
        return (*block, "-d", "noalign")
    data_options = ("-d", f"su={geometry.su_bytes},sw={geometry.sw_disks}")
    # A log unit over 256 KiB is not possible; mkfs.xfs would warn and take 32 KiB, which is asked for instead.
    log_bytes = geometry.su_bytes if geometry.su_bytes <= _MAX_XFS_LOG_UNIT_BYTES else _XFS_LOG_UNIT_BYTES
    return (*block, *data_options, "-l", f"su={log_bytes}")


def _no_options(geometry: Geometry) -> tuple[str, ...]:
    return ()


def _ext_words(geometry: Geometry) -> str:
    stripes = f"stride={geometry.stride_blocks}, stripe-width={geometry.stripe_width_blocks} blocks"
    return f"blocks of {geometry.block_bytes} B, {stripes}"


def _number(pattern: str, text: str) -> int | None:
    matched = re.search(pattern, text, re.MULTILINE)
    return int(matched[1]) if matched else None


def _parse_ext(text: str) -> Geometry:
    """`dumpe2fs -h` or `tune2fs -l`; both omit a stride or width of 0."""
    block = _number(r"^Block size:\s+([0-9]{1,18})$", text)
    if not block:
        raise ValueError("dumpe2fs told no block size: is there an ext2 or ext4 file system on the device?")
    stride = _number(r"^RAID stride:\s+([0-9]{1,18})$", text) or 0
    width = _number(r"^RAID stripe width:\s+([0-9]{1,18})$", text) or 0
    if width <= 1:
        stride = width = 0
    return Geometry(block_bytes=block, stride_blocks=stride, stripe_width_blocks=width)


def _parse_xfs(text: str) -> Geometry:
    """`xfs_info`; the line behind "data" has sunit and swidth in blocks, the log's own sunit comes later."""
    number = "([0-9]{1,18})"
    lines = rf"^data\s+=\s+bsize={number}[^\n]*\n\s+=\s+sunit={number}\s+swidth={number} blks"
    matched = re.search(lines, text, re.M)
    if matched is None or not int(matched[1]):
        raise ValueError("xfs_info told no stripe unit: is there an XFS on the device?")
    block, unit, width = (int(number) for number in matched.groups())
    return Geometry(block_bytes=block, stride_blocks=unit, stripe_width_blocks=width)


FILE_SYSTEMS: tuple[FileSystem, ...] = (
    FileSystem(
        key="none",
        title="no file system",
        summary="bare array: for raw tests, or use as a device",
        wizard_place=1,
        program=None,
        version=(),
        packages={},
        min_bytes=0,
        min_striped_bytes=0,
        mkfs_time=MkfsTime(),
        label_bytes=0,
        uuid_options=(),
        unit_options=(),
        geometry_options=_no_options,
        geometry_words=_ext_words,
        readback=None,
        parse=None,
    ),
    FileSystem(
        key="ext2",
        fsck_pass=2,
        title="ext2",
        summary="no journal: to measure a journal's cost",
        wizard_place=4,
        program="mkfs.ext2",
        version=(),
        packages={"": "e2fsprogs"},
        min_bytes=2 * MIB,
        min_striped_bytes=2 * MIB,
        mkfs_time=MkfsTime(0.2, 1.8),
        label_bytes=16,
        uuid_options=("-U", "{uuid}"),
        unit_options=(),
        geometry_options=_ext_options,
        geometry_words=_ext_words,
        readback=("dumpe2fs", "-h"),
        parse=_parse_ext,
        geometry_form="-b <n> -E stride=<n>,stripe_width=<n>",
        own_bytes=tables_for_all_files(journal=False),
        most_bytes=_BLOCKS_OF_32_BITS * BLOCK_BYTES,
        most_bytes_of_32_bits=_BLOCKS_OF_32_BITS * BLOCK_BYTES,
        reserved_options=("-m", "{percent}"),
        grow="resize2fs {node}",
    ),
    FileSystem(
        key="ext4",
        fsck_pass=2,
        title="ext4",
        summary="most systems are installed on it; grows and shrinks",
        wizard_place=3,
        program="mkfs.ext4",
        version=("-V",),
        packages={"": "e2fsprogs"},
        min_bytes=8 * MIB,
        min_striped_bytes=8 * MIB,
        mkfs_time=MkfsTime(0.2, 1.8),
        label_bytes=16,
        uuid_options=("-U", "{uuid}"),
        unit_options=("-O", "bigalloc", "-C", "{unit_bytes}"),
        geometry_options=_ext4_options,
        geometry_words=_ext_words,
        readback=("dumpe2fs", "-h"),
        parse=_parse_ext,
        geometry_form="-b <n> -E stride=<n>,stripe_width=<n><lazy>",
        own_bytes=tables_for_all_files(journal=True),
        most_bytes_of_32_bits=_BLOCKS_OF_32_BITS * BLOCK_BYTES,
        reserved_options=("-m", "{percent}"),
        supported_bytes=50 * TIB,
        keep_place=2,
        grow="resize2fs {node}",
    ),
    FileSystem(
        key="xfs",
        title="XFS",
        summary="for large files and many writers; grows, never shrinks",
        wizard_place=2,
        program="mkfs.xfs",
        version=("-V",),
        packages={"": "xfsprogs"},
        min_bytes=300 * MIB,
        # With stripes it makes 8 allocation groups even of little space, and a log of 64 MiB has to fit in one.
        min_striped_bytes=600 * MIB,
        mkfs_time=MkfsTime(0.5, 6.0),
        label_bytes=12,
        uuid_options=("-m", "uuid={uuid}"),
        unit_options=(),
        geometry_options=_xfs_options,
        geometry_words=lambda geometry: f"su={geometry.su_bytes} sw={geometry.sw_disks}",
        readback=("xfs_info",),
        parse=_parse_xfs,
        geometry_form="-b size=<n> (-d~noalign|-d~su=<n>,sw=<n>~-l~su=<n>)",
        own_bytes=log_of_its_own,
        used_bytes=reserved_for_trees,
        features_options=("-N",),
        keep_place=1,
        grow="xfs_growfs {folder}",
    ),
    FileSystem(
        key="btrfs",
        title="btrfs",
        summary="checksums detect damaged data; snapshots",
        wizard_place=5,
        program="mkfs.btrfs",
        version=("--version",),
        packages={"": "btrfs-progs", "zypper": "btrfsprogs"},
        min_bytes=114_294_784,
        min_striped_bytes=114_294_784,
        mkfs_time=MkfsTime(0.2, 2.0, 2.5),
        label_bytes=255,
        uuid_options=("-U", "{uuid}"),
        unit_options=(),
        geometry_options=_no_options,
        geometry_words=lambda shape: "no stripe option; its metadata grows with the files",
        readback=None,
        parse=None,
        copy_on_write=True,
        grow="btrfs filesystem resize max {folder}",
    ),
)
NONE = next(row.key for row in FILE_SYSTEMS if row.program is None)
TO_KEEP = tuple(row.key for row in sorted(FILE_SYSTEMS, key=lambda row: row.keep_place) if row.keep_place)
USUAL = TO_KEEP[0]  # of an array that is kept
_BY_KEY = {row.key: row for row in FILE_SYSTEMS}
# What is a pool of disks alone: on no array, and asked for by its level.
POOLS_ALONE = FileSystem(
    key=zfs.KIND,
    title="ZFS",
    summary="pools of disks, with checksums and snapshots",
    wizard_place=0,
    program="zpool",
    version=("--version",),
    packages={"": "zfsutils-linux"},
    min_bytes=0,
    min_striped_bytes=0,
    mkfs_time=MkfsTime(),
    label_bytes=0,
    uuid_options=(),
    unit_options=(),
    geometry_options=_no_options,
    geometry_words=lambda shape: "it has no option for stripes",
    readback=None,
    parse=None,
    copy_on_write=True,
)


def made(kind: str) -> FileSystem:
    return POOLS_ALONE if kind == POOLS_ALONE.key else filesystem(kind)


def filesystem(key: str) -> FileSystem:
    """none ext2 ext4 xfs btrfs. ValueError names them."""
    try:
        return _BY_KEY[key]
    except KeyError:
        raise ValueError(f"{brief(repr(key))} is not a file system here: choose one of {', '.join(_BY_KEY)}.") from None


def possible(key: str, array_bytes: int, shape: Geometry = NO_STRIPES) -> tuple[bool, str]:
    """(True, ""), or (False, the fix) if it does not fit."""
    row = filesystem(key)
    needed_bytes = row.min_striped_bytes if shape.stride_blocks else row.min_bytes
    if row.most_bytes and array_bytes // BLOCK_BYTES * BLOCK_BYTES > row.most_bytes:
        return (
            False,
            f"{key} ends at {format_bytes(row.most_bytes, Units.BINARY)}, the array has {both(array_bytes)}; choose"
            " another file system.",
        )
    if array_bytes >= needed_bytes:
        return True, ""
    return (
        False,
        f"{key} needs {both(needed_bytes)}, the array has {both(array_bytes)}; choose another file system, or larger or"
        " more disks.",
    )


def data_disks(key: str, layout: str | None, disks: int) -> int:
    """Data chunks per stripe; 0 without stripes. RAID10: n / copies, or n if that is no integer (the pattern repeats
    after n chunks), as for offset and far: md's optimal_io_size (kernel raid10.c, raid10_set_io_opt).
    """
    if not level(key).has_chunk:
        return 0
    all_data_disks = disks - level(key).parity_disks
    stripe_disks, leftover_disks = divmod(all_data_disks, copies(key, layout, disks))
    return all_data_disks if leftover_disks else stripe_disks


def geometry(key: str, disks: int, chunk_bytes: int | None, layout: str | None = None, groups: int = 1) -> Geometry:
    """stride = chunk, stripe-width = chunk x data disks, of all groups, in 4 KiB blocks; NO_STRIPES without chunks.
    mke2fs(8) stride and stripe_width, mkfs.xfs(8) su and sw.
    """
    striped = groups * data_disks(key, layout, disks // groups)
    if not striped or not chunk_bytes:
        return NO_STRIPES
    stride = chunk_bytes // BLOCK_BYTES
    return Geometry(block_bytes=BLOCK_BYTES, stride_blocks=stride, stripe_width_blocks=stride * striped)


def mkfs_argv(
    key: str,
    device: str,
    uuid: str,
    shape: Geometry = NO_STRIPES,
    label: str | None = None,
    unit_bytes: int = BLOCK_BYTES,
    reserved_percent: int | None = None,
) -> tuple[str, ...]:
    """Never forces: the device must be blank. mkfs.xfs and mkfs.btrfs refuse to overwrite; mkfs.ext2 and mkfs.ext4
    refuse nothing without a terminal. `unit_bytes` above a block: ext4 clusters (mke2fs(8), bigalloc).
    `reserved_percent`: for root alone; None: mkfs' own. ValueError for "none" and too long labels.
    """
    row = filesystem(key)
    if row.program is None:
        raise ValueError("There is nothing to make for file system 'none': leave the step out.")
    if label is not None and len(label.encode()) > row.label_bytes:
        raise ValueError(f"The label {label!r} is too long for {key}: {row.label_bytes} bytes at most.")
    label_options = ("-L", label) if label else ()
    identified = tuple(option.format(uuid=uuid) for option in row.uuid_options)
    larger = unit_bytes > BLOCK_BYTES
    clusters = tuple(option.format(unit_bytes=unit_bytes) for option in row.unit_options if larger)
    is_said = reserved_percent is not None
    reserved = tuple(option.format(percent=reserved_percent) for option in row.reserved_options if is_said)
    return (row.program, *row.geometry_options(shape), *clusters, *reserved, *identified, *label_options, device)


def readback_argv(key: str, device: str) -> tuple[str, ...] | None:
    readback = filesystem(key).readback
    return (*readback, device) if readback else None


def parse_geometry(key: str, text: str) -> Geometry:
    """From `readback_argv`'s output. ValueError if missing."""
    parse = filesystem(key).parse
    if parse is None:
        raise ValueError(f"{key} keeps no geometry: there is nothing to compare.")
    return parse(text)
