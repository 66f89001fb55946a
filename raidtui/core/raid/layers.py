"""Layers between array and file system (LVM, LUKS): names and sizes, one row each.

The partition of a member: size, table. Reserves space: a slightly smaller disk of the same label fits.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

from raidtui.core.raid import containers, volumes
from raidtui.core.raid.filesystems import Geometry
from raidtui.core.units import MIB, both

LayerKind = Literal["lvm", "luks"]
_WITHOUT_STRIPES_BYTES: int = MIB  # where LVM and cryptsetup begin by themselves


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """`package`: Debian's; `takes`: its own part of the array. `start_bytes(align)`: of the data;
    `room_bytes(array_bytes, align)`. `called`: its name on an array; from that `mapped` (device-mapper name), `node`
    below /dev. `mapping_uuid(uuid, name)`: device-mapper UUID; "" if not known in advance.
    """

    title: str
    program: str
    package: str
    takes: str
    words: str
    called: Callable[[str], str]
    start_bytes: Callable[[int], int]
    room_bytes: Callable[[int, int], int]
    mapped: Callable[[str], str]
    mapping_uuid: Callable[[str, str], str]
    node: str


LAYERS: dict[LayerKind, Layer] = {
    "lvm": Layer(
        title="LVM",
        program=volumes.PROGRAM,
        package="lvm2",
        takes="its own description, and what does not fill one of its pieces of 4 MiB",
        words="an LVM volume of all of it",
        called=str,
        start_bytes=volumes.start_bytes,
        room_bytes=volumes.room_bytes,
        mapped=volumes.mapped,
        mapping_uuid=lambda uuid, name: "",
        node=f"{{}}/{volumes.NAME}",
    ),
    "luks": Layer(
        title="LUKS",
        program=containers.PROGRAM,
        package="cryptsetup-bin",
        takes="its header with the keys, rounded up to a whole stripe",
        words="a LUKS container of all of it",
        called=containers.mapped,
        start_bytes=containers.start_bytes,
        room_bytes=containers.room_bytes,
        mapped=str,
        mapping_uuid=containers.mapping_uuid,
        node="mapper/{}",
    ),
}


def inside_bytes(kind: LayerKind, array_bytes: int, align: int, left_free: str = "") -> int:
    """For the file system, without what stays free in an LVM group (`volumes.free_bytes`, its ValueError)."""
    room = LAYERS[kind].room_bytes(array_bytes, align)
    return room - volumes.free_bytes(room, left_free)


def align_bytes(shape: Geometry) -> int:
    """Alignment of the data start: a full stripe; without stripes 1 MiB."""
    stripe_bytes = shape.stripe_width_blocks * shape.block_bytes
    return stripe_bytes or _WITHOUT_STRIPES_BYTES


PARTITION_NUMBER = 1  # of the partition
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
