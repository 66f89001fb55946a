"""LVM between an array and its file system: one group, one volume over all of it, whose data begin at a whole stripe.

Builds names and argument lists, and reads what pvs tells; starts nothing. What was made is found again by the UUID of
the physical volume, which was drawn for it: of group and volume LVM draws them itself.
"""

import json

import msgspec

from raidtui.core.text import clean
from raidtui.core.units import KIB, MIB

PROGRAM = "pvcreate"  # of the package lvm2, as are the others
NAME = "data"  # of the volume in its group
_LEAST_START_BYTES: int = MIB  # of the first extent: the label and the group's description come before it (pvcreate(8))
_EXTENT_BYTES: int = 4 * MIB  # vgcreate(8), --physicalextentsize
_FIELDS = ("pv_name", "vg_name", "pv_count", "pe_start", "lv_name")  # pvs -o help
_UNITS = ("--reportformat", "json", "--units", "b", "--nosuffix")


class Found(msgspec.Struct, frozen=True):
    """A physical volume as it is: its `device`, the `group` that it is of ("": none), with so many `devices` in all,
    where its first extent begins, and the `names` of the volumes on it.
    """

    device: str
    group: str
    devices: int
    start_bytes: int
    names: frozenset[str]


def room_bytes(array_bytes: int, align: int) -> int:
    """What the volume has of an array of so many bytes: whole extents behind the start, a multiple of `align` bytes."""
    start_bytes = -(-_LEAST_START_BYTES // align) * align
    return max(0, array_bytes - start_bytes) // _EXTENT_BYTES * _EXTENT_BYTES


def mapped(group: str) -> str:
    """The name of the volume as the device mapper has it: a hyphen in a part of it is doubled (lvm(8))."""
    return f"{group.replace('-', '--')}-{NAME}"


def pvcreate_argv(device: str, uuid: str, align: int) -> tuple[str, ...]:
    """It does not force: where something came to the device since it was wiped, pvcreate refuses."""
    named = ("--norestorefile", "--uuid", uuid)
    return (PROGRAM, *named, "--dataalignment", f"{align // KIB}k", device)


def lvcreate_argv(group: str) -> tuple[str, ...]:
    """What an earlier file system left at the same place of the array is wiped, or it would come to light."""
    return ("lvcreate", "--yes", "--wipesignatures", "y", "--extents", "100%FREE", "--name", NAME, group)


def of_group(program: str, uuid: str, *options: str) -> tuple[str, ...]:
    """A command on the group that has the physical volume of this UUID, and on no other, whatever its name."""
    return (program, *options, "--select", f"pv_uuid={uuid}")


def told_argv(uuid: str) -> tuple[str, ...]:
    """What tells of the physical volume of this UUID, a row for each piece of it."""
    return of_group("pvs", uuid, *_UNITS, "--options", ",".join(_FIELDS))


def parse_told(text: str) -> Found | None:
    """What `told_argv`'s command says; None where there is none. Raises ValueError where it is not to be read."""
    try:
        (section,) = json.loads(text)["report"][0].values()
        rows = [{field: clean(str(row[field])) for field in _FIELDS} for row in section]
        if not rows:
            return None
        numbers = int(rows[0]["pv_count"] or 0), int(rows[0]["pe_start"])
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise ValueError("pvs told of physical volumes what cannot be read") from error
    names = frozenset(row["lv_name"].strip("[]") for row in rows) - {""}
    return Found(rows[0]["pv_name"], rows[0]["vg_name"], *numbers, names)
