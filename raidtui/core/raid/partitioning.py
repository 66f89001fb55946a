"""The partition of a member: size, table. Reserves space: a slightly smaller disk of the same label fits."""

from raidtui.core.units import MIB, both

NUMBER = 1  # of the partition
START_BYTES: int = MIB
_UNIT_BYTES: int = MIB  # that sizes are whole numbers of
_TABLE_BYTES = MIB  # at the end: the table's copy, 33 sectors of 512 bytes or 5 of 4096
_MOST_ROOM_BYTES = 100 * MIB  # disks of one label differ by less
_ROOM_SHARE = 100  # of smaller disks the hundredth part
LINUX_RAID = "A19D880F-05FC-4D3B-A006-743F0F84911E"


def partition_bytes(disk_bytes: int) -> int:
    """In whole MiB. ValueError if none fits."""
    room = max(_TABLE_BYTES, min(_MOST_ROOM_BYTES, disk_bytes // _ROOM_SHARE))
    return _whole(disk_bytes, disk_bytes - START_BYTES - room)


def replacing_bytes(disk_bytes: int, least_bytes: int) -> int:
    """At least `least_bytes`, at the cost of the reserve. ValueError if even that is too little."""
    most = _whole(disk_bytes, disk_bytes - START_BYTES - _TABLE_BYTES)
    least = whole_mib(least_bytes)
    if most < least:
        raise ValueError(f"{both(disk_bytes)} leave {both(most)} for a partition, and {both(least)} are needed")
    return max(partition_bytes(disk_bytes), least)


def whole_mib(size_bytes: int) -> int:
    return -(-size_bytes // _UNIT_BYTES) * _UNIT_BYTES


def _whole(disk_bytes: int, size_bytes: int) -> int:
    if size_bytes < _UNIT_BYTES:
        raise ValueError(f"A disk of {both(disk_bytes)} is too small for a partition; use a larger one.")
    return size_bytes // _UNIT_BYTES * _UNIT_BYTES


def table_lines(size_bytes: int, uuid: str = "", kind: str = LINUX_RAID) -> str:
    """A gpt for sfdisk, in MiB for any sector size. `kind`: partition type; `uuid` "": drawn by sfdisk."""
    named = f"label-id: {uuid}\n" if uuid else ""
    return f"{named}start={START_BYTES // MIB}MiB, size={size_bytes // MIB}MiB, type={kind}\n"
