"""Members as partitions: where the one partition of a disk begins and ends, and the table that says so.

The one home of the rule for the room that is left at the end, so that a disk which is slightly smaller can take the
place of another of the same label.
"""

from raidtui.core.units import MIB, both

NUMBER = 1  # of the partition
START_BYTES: int = MIB
_UNIT_BYTES: int = MIB  # that sizes are whole numbers of
_TABLE_BYTES = MIB  # at the end: the table's copy, 33 sectors of 512 bytes or 5 of 4096
_MOST_ROOM_BYTES = 100 * MIB  # disks of one label differ by less
_ROOM_SHARE = 100  # of smaller disks the hundredth part
LINUX_RAID = "A19D880F-05FC-4D3B-A006-743F0F84911E"


def partition_bytes(disk_bytes: int) -> int:
    """The partition on a disk of this size, whole MiB. ValueError where none fits."""
    room = max(_TABLE_BYTES, min(_MOST_ROOM_BYTES, disk_bytes // _ROOM_SHARE))
    return _whole(disk_bytes, disk_bytes - START_BYTES - room)


def replacing_bytes(disk_bytes: int, least_bytes: int) -> int:
    """The partition on a disk that takes another's place, of `least_bytes` or more: its room may be used up for it.

    ValueError where even that is not enough.
    """
    most = _whole(disk_bytes, disk_bytes - START_BYTES - _TABLE_BYTES)
    least = whole_mib(least_bytes)
    if most < least:
        raise ValueError(f"{both(disk_bytes)} leave {both(most)} for a partition, and {both(least)} are needed")
    return max(partition_bytes(disk_bytes), least)


def whole_mib(size_bytes: int) -> int:
    """Rounded up to MiB, as a partition's size is written."""
    return -(-size_bytes // _UNIT_BYTES) * _UNIT_BYTES


def _whole(disk_bytes: int, size_bytes: int) -> int:
    if size_bytes < _UNIT_BYTES:
        raise ValueError(f"A disk of {both(disk_bytes)} is too small for a partition; use a larger one.")
    return size_bytes // _UNIT_BYTES * _UNIT_BYTES


def table_lines(size_bytes: int, uuid: str = "", kind: str = LINUX_RAID) -> str:
    """The lines of a gpt as sfdisk reads them: one partition of this size, in MiB whatever the disk's sectors are.

    `kind` is the partition's type, `uuid`: the table's own; "" has one drawn.
    """
    named = f"label-id: {uuid}\n" if uuid else ""
    return f"{named}start={START_BYTES // MIB}MiB, size={size_bytes // MIB}MiB, type={kind}\n"
