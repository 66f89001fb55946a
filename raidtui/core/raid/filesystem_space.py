"""Estimated bytes that a new file system uses of an array, as `df` counts it, by mkfs' rules for logs, journals and
tables. Without names of file systems. statvfs tells the real values.
"""

from collections.abc import Callable

from raidtui.core.units import GIB, KIB, MIB, TB, TIB

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


def own_of_nothing(array_bytes: int) -> int:
    return 0


def percent_for_root(device_bytes: int) -> int:
    """mke2fs' 5 %; above 10 TB that would be 500 GB, and 1 % is enough for root and against fragments."""
    return ROOT_PERCENT if device_bytes <= _LARGE_BYTES else _ROOT_PERCENT_OF_LARGE


def used_of_nothing(array_bytes: int, rmapbt: bool = False) -> int:
    return 0


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
        tables: int = inodes * _INODE_BYTES + bitmaps * _BLOCK_BYTES
        return tables + _at(array_bytes, _JOURNAL_BYTES) if journal else tables

    return own_tables


def _at(array_bytes: int, steps: tuple[tuple[int, int], ...]) -> int:
    return next(value for least_bytes, value in steps if array_bytes >= least_bytes)
