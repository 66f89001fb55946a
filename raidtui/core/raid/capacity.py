"""Capacity of an array in bytes before it is made: mdadm's arithmetic (metadata 1.2; super1.c validate_geometry1,
choose_bm_space; Create.c) and the kernel's (raid0.c, raid10.c), in 512-byte sectors. No file systems.
"""

import re
from collections.abc import Sequence
from typing import Annotated

import msgspec

from raidtui.core.raid import zfs
from raidtui.core.raid.layers import partition_bytes
from raidtui.core.raid.levels import (
    DEFAULT_CHUNK_BYTES,
    Level,
    copies,
    layout10,
    level,
    possible,
    survives,
    vdev_disks,
    why_no_groups,
)
from raidtui.core.units import KIB, both

SECTOR_BYTES = 512
_PARITY_LOG_SECTORS = 2048  # MULTIPLE_PPL_AREA_SIZE_SUPER1 of mdadm's super1.c
_SUPERBLOCK_SECTORS = 24
_MIB_SECTORS = 2048
_MAX_HEADROOM_SECTORS = 262144
_WITHOUT_CHUNK_BYTES = {"1": 64 * KIB, "linear": SECTOR_BYTES}
_USED_TO_THE_END = ("0", "linear")


class Lost(msgspec.Struct, frozen=True):
    """Raw bytes that the array does not offer. `outside_bytes`: outside of partitions, where members are partitions."""

    parity_bytes: int = 0
    mirror_bytes: int = 0
    metadata_bytes: int = 0
    rounding_bytes: int = 0
    unequal_bytes: int = 0
    outside_bytes: int = 0

    @property
    def total_bytes(self) -> int:
        return sum(getattr(self, field) for field in self.__struct_fields__)


class Outer(msgspec.Struct, frozen=True):
    """RAID 0 over `groups` arrays of `group_bytes` each. `chunk_bytes`: one full stripe of a group, so that a stripe
    lies in one group; `data_offset_bytes`: a multiple of it, so that it is a stripe there too.
    """

    groups: int
    group_bytes: int
    chunk_bytes: int
    data_offset_bytes: int

    def place(self, address: int) -> tuple[int, int]:
        """Group, and byte of it, that has a byte of the RAID 0."""
        stripe, within = divmod(address, self.chunk_bytes)
        row, group = divmod(stripe, self.groups)
        return group, self.data_offset_bytes + row * self.chunk_bytes + within


class Capacity(msgspec.Struct, frozen=True):
    """`array_bytes + lost.total_bytes == raw_bytes`. `member_used_bytes`: used of each disk after `data_offset_bytes`
    (mdadm's Used Dev Size), of the smallest where RAID0, linear, JBOD use unequal disks to their ends. `survives`: any
    so many disks may fail. `outer`: over groups; their members' offset is the first one's.
    """

    array_bytes: int
    raw_bytes: Annotated[int, msgspec.Meta(ge=1)]
    member_used_bytes: int
    data_offset_bytes: int
    lost: Lost
    survives: int
    outer: Outer | None = None


def capacity(
    key: str,
    disk_bytes: Sequence[int],
    chunk_bytes: int | None = None,
    layout: str | None = None,
    mdadm: str = "4.2",
    member_bytes: int | None = None,
    *,
    partitioned: bool = False,
    parity_log: bool = False,
    record_bytes: int = zfs.RECORD_BYTES,
    groups: int = 1,
) -> Capacity:
    """Of disks in mdadm's order; the first one's size sets the data offset. `chunk_bytes` None: 512 KiB; `layout` None:
    default; `mdadm`: version (up to 4.0 rounds the offset down, later up); `member_bytes`: mdadm's --size;
    `record_bytes`: ZFS recordsize (ZFS is an estimate); `groups`: equal ones, in order, under a RAID 0 or as vdevs.
    ValueError, one sentence, if impossible.
    """
    row = level(key)
    if groups > 1 and row.filesystem == zfs.KIND and not why_no_groups(row, groups, len(disk_bytes)):
        return _zpool(row, disk_bytes, record_bytes, groups)
    if groups > 1:
        options = (chunk_bytes, layout, mdadm, member_bytes)
        return _grouped(row, disk_bytes, groups, options, partitioned=partitioned, parity_log=parity_log)
    can, reason = possible(key, layout, len(disk_bytes), chunk_bytes)
    if not can:
        raise ValueError(reason)
    if row.md_name is None:
        return _zpool(row, disk_bytes, record_bytes) if row.filesystem == zfs.KIND else _without_md(key, disk_bytes)
    raw = sum(disk_bytes)
    disk_bytes = [partition_bytes(size) for size in disk_bytes] if partitioned else disk_bytes
    outside = raw - sum(disk_bytes)
    chunk = (chunk_bytes or DEFAULT_CHUNK_BYTES) if row.has_chunk else 0
    offset = SECTOR_BYTES * _data_offset_sectors(
        disk_bytes[0] // SECTOR_BYTES, chunk // 1024, _version(mdadm), parity_log=parity_log
    )
    whole_sectors = [size // SECTOR_BYTES * SECTOR_BYTES - offset for size in disk_bytes]
    available = (
        whole_sectors if member_bytes is None else [min(member_bytes, disk_bytes) for disk_bytes in whole_sectors]
    )
    unit = chunk or _WITHOUT_CHUNK_BYTES[key]
    smallest = min(available)
    if key in _USED_TO_THE_END:
        used = smallest // unit * unit
        array = sum(disk_bytes // unit * unit for disk_bytes in available)
        parity = mirror = unequal = 0
    else:
        side_by_side, far = _near_far(key, layout, len(disk_bytes))
        data_disks = len(disk_bytes) - row.parity_disks
        stored = copies(key, layout, len(disk_bytes))
        # The order is raid10.c's: divided by the far copies before it is multiplied, by the near ones after.
        chunks = smallest // unit // far * data_disks // side_by_side
        used = -(-chunks * stored // data_disks) * unit
        array = chunks * unit
        parity = used * row.parity_disks
        mirror = array * (stored - 1)
        unequal = sum(available) - smallest * len(disk_bytes)
    if used <= 0:
        raise ValueError(
            f"A disk of {both(min(disk_bytes))} is too small: with md's metadata, {both(offset)}, no stripe fits;"
            " use a larger disk or a smaller chunk."
        )
    unequal += sum(whole_sectors) - sum(available)
    metadata = offset * len(disk_bytes)
    return Capacity(
        array_bytes=array,
        raw_bytes=raw,
        member_used_bytes=used,
        data_offset_bytes=offset,
        lost=Lost(
            parity_bytes=parity,
            mirror_bytes=mirror,
            metadata_bytes=metadata,
            rounding_bytes=raw - outside - array - parity - mirror - metadata - unequal,
            unequal_bytes=unequal,
            outside_bytes=outside,
        ),
        survives=survives(key, layout, len(disk_bytes)),
    )


def _grouped(
    row: Level,
    disk_bytes: Sequence[int],
    groups: int,
    options: tuple[int | None, str | None, str, int | None],
    *,
    partitioned: bool,
    parity_log: bool,
) -> Capacity:
    """All groups take as much of each disk as that with the smallest can: unequal arrays would make zones of a RAID 0.
    `options`: chunk, layout, version, bytes of each member.
    """
    if reason := why_no_groups(row, groups, len(disk_bytes)):
        raise ValueError(reason)
    each = len(disk_bytes) // groups
    parts = [disk_bytes[first : first + each] for first in range(0, len(disk_bytes), each)]
    chunk_bytes, layout, mdadm, member_bytes = options

    def inner(of_each: int | None) -> list[Capacity]:
        of_part = (chunk_bytes, layout, mdadm, of_each)
        return [capacity(row.key, part, *of_part, partitioned=partitioned, parity_log=parity_log) for part in parts]

    alone = inner(member_bytes)
    arrays = inner(min(array.member_used_bytes for array in alone))
    group_bytes = arrays[0].array_bytes
    chunk = (chunk_bytes or DEFAULT_CHUNK_BYTES) * (each - row.parity_disks)
    usual = _data_offset_sectors(group_bytes // SECTOR_BYTES, chunk // 1024, _version(mdadm), parity_log=False)
    offset = -(-usual * SECTOR_BYTES // chunk) * chunk
    used = _raid0_sectors((group_bytes - offset) // SECTOR_BYTES, chunk // SECTOR_BYTES) * SECTOR_BYTES
    if used <= 0:
        raise ValueError(
            f"A group of {both(group_bytes)} is too small: the RAID 0 over groups begins at {both(offset)};"
            " use larger disks or a smaller chunk."
        )
    lost = {field: sum(getattr(array.lost, field) for array in arrays) for field in Lost.__struct_fields__}
    smaller = sum(each * (array.member_used_bytes - arrays[0].member_used_bytes) for array in alone)
    cut = lost["unequal_bytes"] - sum(array.lost.unequal_bytes for array in alone) - smaller  # to whole chunks
    lost["unequal_bytes"] -= cut
    lost["metadata_bytes"] += groups * offset
    lost["rounding_bytes"] += groups * (group_bytes - offset - used) + cut
    return Capacity(
        array_bytes=groups * used,
        raw_bytes=sum(disk_bytes),
        member_used_bytes=arrays[0].member_used_bytes,
        data_offset_bytes=arrays[0].data_offset_bytes,
        lost=Lost(**lost),
        survives=arrays[0].survives,
        outer=Outer(groups, group_bytes, chunk, offset),
    )


def _raid0_sectors(sectors: int, chunk_sectors: int) -> int:
    """Of a member, that md's RAID 0 takes: whole chunks, then cut as if a chunk were a power of two (raid0.c:
    raid0_size), so that of others the last chunk may be in part.
    """
    return max(0, sectors // chunk_sectors * chunk_sectors) & ~(chunk_sectors - 1)


def _without_md(key: str, disk_bytes: Sequence[int]) -> Capacity:
    """Separate disks: their sizes. btrfs: less about 0.5 % metadata, and copies. btrfs allocates from the devices with
    most space left, as many at once as have any: at least as many as copies. Before Linux 5.15 (fs/btrfs/volumes.c:
    devs_min) raid0 stopped at two devices, raid10 at four.
    """
    stored = copies(key, None, len(disk_bytes))
    array = _spread(disk_bytes, stored) // stored
    return Capacity(
        array_bytes=array,
        raw_bytes=sum(disk_bytes),
        member_used_bytes=min(disk_bytes),
        data_offset_bytes=0,
        lost=Lost(mirror_bytes=array * (stored - 1), unequal_bytes=sum(disk_bytes) - array * stored),
        survives=survives(key, None, len(disk_bytes)),
    )


def _zpool(row: Level, disk_bytes: Sequence[int], record_bytes: int, groups: int = 1) -> Capacity:
    """Estimate: members are partitions; each vdev has the smallest of its disks; less ZFS' reserve."""
    disks = len(disk_bytes)
    partitions = [partition_bytes(size) for size in disk_bytes]
    data = [zfs.data_bytes(size) for size in partitions]
    alike = vdev_disks(row, disks, groups)
    whole = [data[start : start + alike] for start in range(0, disks - alike + 1, alike)]
    if row.parity_disks:
        used = sum(zfs.in_metaslabs(min(vdev) * alike) for vdev in whole)
        held = int(used * zfs.raidz_share(alike, row.parity_disks, record_bytes))
    else:
        held = sum(zfs.in_metaslabs(min(vdev)) for vdev in whole)
        used = held * row.pool_copies
    slop = zfs.slop_bytes(held)
    of_smallest = sum(min(vdev) * alike for vdev in whole)
    return Capacity(
        array_bytes=held - slop,
        raw_bytes=sum(disk_bytes),
        member_used_bytes=min(data),
        data_offset_bytes=0,
        lost=Lost(
            parity_bytes=(used - held) if row.parity_disks else 0,
            mirror_bytes=held * (row.pool_copies - 1),
            metadata_bytes=slop + sum(partitions) - sum(data),
            rounding_bytes=of_smallest - used,
            unequal_bytes=sum(data) - of_smallest,
            outside_bytes=sum(disk_bytes) - sum(partitions),
        ),
        survives=survives(row.key, None, disks),
    )


def left_over_bytes(row: Level, disk_bytes: Sequence[int]) -> int:
    """Bytes on pool disks in none of its mirrors (too few left for one); part of unequal_bytes."""
    if row.filesystem != zfs.KIND or row.parity_disks:
        return 0
    rest = disk_bytes[len(disk_bytes) // row.pool_copies * row.pool_copies :]
    return sum(zfs.data_bytes(partition_bytes(size)) for size in rest)


def _spread(disk_bytes: Sequence[int], width: int) -> int:
    """Usable bytes if every stripe takes `width` disks and none exceeds its share: the largest T with T = sum of
    min(disk, T / width), approached from above.
    """
    total, total_before = sum(disk_bytes), -1
    while total != total_before:
        total, total_before = sum(min(disk_byte, total // width) for disk_byte in disk_bytes), total
    return total


def _near_far(key: str, layout: str | None, disks: int) -> tuple[int, int]:
    if key == "10" and layout10(layout).kind != "near":
        return 1, layout10(layout).copies
    return copies(key, layout, disks), 1


def _data_offset_sectors(disk_sectors: int, chunk_kib: int, mdadm: tuple[int, int], *, parity_log: bool) -> int:
    """Data offset of every member from the first one's size: superblock, bitmap or log, headroom (0.1 % of the disk, at
    least 8 chunks, at most 128 MiB). mdadm super1.c.
    """
    headroom = _MAX_HEADROOM_SECTORS
    while headroom << 10 > disk_sectors and (chunk_kib == 0 or headroom // 2 >= chunk_kib * 4):
        headroom //= 2
    offset = _SUPERBLOCK_SECTORS + (_PARITY_LOG_SECTORS if parity_log else _bitmap_sectors(disk_sectors)) + headroom
    if mdadm >= (4, 1):
        offset += _MIB_SECTORS - 1
    return offset // _MIB_SECTORS * _MIB_SECTORS


def _bitmap_sectors(disk_sectors: int) -> int:
    """Reserved for a bitmap in any case: 4, 64 (from 8 GiB) or 128 KiB (from 200 GiB). super1.c."""
    if disk_sectors < 128:
        return 0
    if disk_sectors - 128 >= 419_430_400:
        return 256
    return 128 if disk_sectors - 8 > 16_777_216 else 8


def _version(mdadm: str) -> tuple[int, int]:
    match = re.match(r"v?([0-9]+)\.([0-9]+)", mdadm)
    if match is None:
        raise ValueError(f"{mdadm!r} is not a version of mdadm: write it as 4.2.")
    return int(match[1]), int(match[2])
