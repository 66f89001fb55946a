"""LVM over a whole array: one group, one volume, data at a stripe boundary; names, argument lists, pvs' output; starts
nothing. Found by the PV's UUID, drawn for it (LVM draws the others itself).
"""

import json
import math
import re

import msgspec

from raidtui.core.text import brief, clean
from raidtui.core.units import KIB, MIB, parse_bytes

PROGRAM = "pvcreate"  # of the package lvm2, as are the others
NAME = "data"  # of the volume in its group
_LEAST_START_BYTES: int = MIB  # of the first extent: the label and the group's description come before it (pvcreate(8))
_EXTENT_BYTES: int = 4 * MIB  # vgcreate(8), --physicalextentsize
_SHARE = re.compile(r"([0-9]{1,2}) ?%", re.ASCII)
_FIELDS = ("pv_name", "vg_name", "pv_count", "pe_start", "lv_name")  # pvs -o help
_UNITS = ("--reportformat", "json", "--units", "b", "--nosuffix")


class PhysicalVolume(msgspec.Struct, frozen=True):
    """A physical volume: `group` ("": none) with `devices` in all; first extent at `start_bytes`; volumes on it."""

    device: str
    group: str
    devices: int
    start_bytes: int
    names: frozenset[str]


def start_bytes(align: int) -> int:
    """Data start after the label, at a multiple of `align` bytes."""
    return -(-_LEAST_START_BYTES // align) * align


def room_bytes(array_bytes: int, align: int) -> int:
    """Whole extents after the start."""
    return max(0, array_bytes - start_bytes(align)) // _EXTENT_BYTES * _EXTENT_BYTES


def free_bytes(room: int, left_free: str) -> int:
    """Of `room` whole extents left free, "20 %" or "100GiB", rounded up; "": none. ValueError if nothing is left."""
    if not left_free:
        return 0
    share = _SHARE.fullmatch(left_free)
    if left_free.endswith("%") and not share:
        raise ValueError(f"{brief(repr(left_free))} is no share of the group; write 1 % to 99 %")
    wanted = math.ceil(room * int(share[1]) / 100) if share else parse_bytes(left_free)
    rounded = -(-wanted // _EXTENT_BYTES) * _EXTENT_BYTES
    if not 0 < rounded < room:
        raise ValueError(f"{brief(repr(left_free))} leaves no volume in {room // MIB} MiB; give less, such as 20 %")
    return rounded


def mapped(group: str) -> str:
    """Device-mapper name of the volume: hyphens are doubled (lvm(8))."""
    return f"{group.replace('-', '--')}-{NAME}"


def pvcreate_argv(device: str, uuid: str, align: int) -> tuple[str, ...]:
    """Not forced: pvcreate refuses if something appeared after the wipe."""
    named = ("--norestorefile", "--uuid", uuid)
    return (PROGRAM, *named, "--dataalignment", f"{align // KIB}k", device)


def lvcreate_argv(group: str, size_bytes: int = 0) -> tuple[str, ...]:
    """Wipes remains of an earlier file system at the same place. `size_bytes` 0: all of it."""
    extents = str(size_bytes // _EXTENT_BYTES) if size_bytes else "100%FREE"
    return ("lvcreate", "--yes", "--wipesignatures", "y", "--extents", extents, "--name", NAME, group)


def of_group(program: str, uuid: str, *options: str) -> tuple[str, ...]:
    """On the group with the PV of this UUID only, whatever its name."""
    return (program, *options, "--select", f"pv_uuid={uuid}")


def query_argv(uuid: str) -> tuple[str, ...]:
    """Reports the PV of this UUID, one row a piece."""
    return of_group("pvs", uuid, *_UNITS, "--options", ",".join(_FIELDS))


def parse_query(text: str) -> PhysicalVolume | None:
    """From `query_argv`'s output; None if absent. ValueError if unreadable."""
    try:
        (section,) = json.loads(text)["report"][0].values()
        rows = [{field: clean(str(row[field])) for field in _FIELDS} for row in section]
        if not rows:
            return None
        numbers = int(rows[0]["pv_count"] or 0), int(rows[0]["pe_start"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError("pvs told of physical volumes what cannot be read") from error
    names = frozenset(row["lv_name"].strip("[]") for row in rows) - {""}
    return PhysicalVolume(rows[0]["pv_name"], rows[0]["vg_name"], *numbers, names)
