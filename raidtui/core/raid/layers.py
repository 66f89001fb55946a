"""Layers between array and file system (LVM, LUKS): names and sizes, one row each."""

from collections.abc import Callable
from typing import Literal

import msgspec

from raidtui.core.raid import containers, volumes
from raidtui.core.raid.filesystems import Geometry
from raidtui.core.units import MIB

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
    stripe_bytes: int = shape.stripe_width_blocks * shape.block_bytes
    return stripe_bytes or _WITHOUT_STRIPES_BYTES
