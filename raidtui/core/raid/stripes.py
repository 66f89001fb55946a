"""Data, copies and parity by disk and row of chunks, for equal disks. Kernel raid5.c (`raid5_compute_sector`), raid10.c
(`__raid10_find_phys`), raid0.c; tested with a pattern on real arrays.
"""

import enum
import functools
from collections.abc import Mapping
from typing import Literal, NamedTuple

from raidtui.core.raid.levels import copies, layout10, level


class Kind(enum.Enum):
    DATA = "data"
    COPY = "copy"
    PARITY = "P"
    SECOND_PARITY = "Q"


class StoredBlock(NamedTuple):
    """One chunk of one disk. `number`: chunk of the array; for parity its stripe."""

    kind: Kind
    number: int
    copy: int = 0  # of copies: 1 is the first after the data itself


class Rotation(NamedTuple):
    """Parity rotation. `parity`: position of P; `symmetric`: data start after P, else on the first disk; `apart`: Q
    stays on the last disk; `later`: shift in stripes; `q_first`: Q before P.
    """

    parity: Literal["left", "right", "first", "last"]
    symmetric: bool = False
    apart: bool = False
    later: int = 0
    q_first: bool = False


_ROTATIONS: Mapping[str, Rotation] = {
    "left-symmetric": Rotation("left", symmetric=True),
    "left-asymmetric": Rotation("left"),
    "right-symmetric": Rotation("right", symmetric=True),
    "right-asymmetric": Rotation("right"),
    "parity-first": Rotation("first"),
    "parity-last": Rotation("last"),
    "ddf-zero-restart": Rotation("right"),
    "ddf-N-restart": Rotation("left", later=1),
    "ddf-N-continue": Rotation("left", symmetric=True, q_first=True),
    "left-symmetric-6": Rotation("left", symmetric=True, apart=True),
    "left-asymmetric-6": Rotation("left", apart=True),
    "right-symmetric-6": Rotation("right", symmetric=True, apart=True),
    "right-asymmetric-6": Rotation("right", apart=True),
    "parity-first-6": Rotation("first", apart=True),
}


class Roles(NamedTuple):
    """Disks of one stripe: data in order; P, Q."""

    data: tuple[int, ...]
    parity: tuple[int, ...]


def roles(key: str, layout: str | None, stripe: int, disks: int) -> Roles:
    """RAID 4, 5, 6; `layout` None: default. RAID 4: parity on the last disk."""
    rotation = _rotation(key, layout)
    p_disks = disks - rotation.apart  # the disks that P wanders over
    has_two_parities = level(key).parity_disks == 2 and not rotation.apart
    if rotation.parity in ("left", "right"):
        steps = (stripe + rotation.later) % p_disks
        parity_disk = p_disks - 1 - steps if rotation.parity == "left" else steps
    else:
        parity_disk = 0 if rotation.parity == "first" else p_disks - 1 - has_two_parities
    parity: tuple[int, ...] = (parity_disk,)
    if has_two_parities:
        parity = (parity_disk, (parity_disk + (-1 if rotation.q_first else 1)) % p_disks)
    elif rotation.apart:
        parity = (parity_disk, disks - 1)
    first = (parity_disk + 1 + (has_two_parities and not rotation.q_first)) % p_disks if rotation.symmetric else 0
    order = ((first + step) % p_disks for step in range(p_disks))
    return Roles(tuple(disk for disk in order if disk not in parity), parity)


def cycle_stripes(key: str, layout: str | None, disks: int) -> int:
    """Stripes of RAID 4, 5, 6 until parity positions repeat."""
    rotation = _rotation(key, layout)
    return disks - rotation.apart if rotation.parity in ("left", "right") else 1


@functools.cache
def parity_only_disks(key: str, layout: str | None, disks: int) -> int:
    """Disks that serve no reads: 1 for RAID 4. None if parity rotates, for pools and unknown layouts."""
    row = level(key)
    if row.md_name is None or not row.parity_disks or (layout and layout not in row.layouts):
        return 0
    stripes = range(cycle_stripes(key, layout, disks))
    return disks - len({disk for stripe in stripes for disk in roles(key, layout, stripe, disks).data})


def _rotation(key: str, layout: str | None) -> Rotation:
    return _ROTATIONS[layout or level(key).default_layout or "parity-last"]


def block(key: str, layout: str | None, disks: int, disk: int, row: int, disk_part: int = 0) -> StoredBlock:
    """RAID 10 far: `disk_part` selects a copy's part. ValueError for a level without rows (linear, JBOD, pools)."""
    if level(key).parity_disks:
        data_disks, parity = roles(key, layout, row, disks)
        if disk in parity:
            return StoredBlock((Kind.PARITY, Kind.SECOND_PARITY)[parity.index(disk)], row)
        return StoredBlock(Kind.DATA, row * len(data_disks) + data_disks.index(disk))
    if key == "0":
        return StoredBlock(Kind.DATA, row * disks + disk)
    if key == "1":
        return _stored(row, disk)
    if key != "10":
        raise ValueError(f"{level(key).name} has no stripes: there is nothing to draw.")
    kind, stored = layout10(layout).kind, copies(key, layout, disks)
    if kind == "near":
        return _stored(*divmod(row * disks + disk, stored))
    stripe, copy = divmod(row, stored) if kind == "offset" else (row, disk_part)
    return _stored(stripe * disks + (disk - copy) % disks, copy)


def disk_parts(key: str, layout: str | None, disks: int) -> int:
    return copies(key, layout, disks) if key == "10" and layout10(layout).kind == "far" else 1


def has_rows(key: str) -> bool:
    return level(key).has_chunk or key == "1"


def _stored(number: int, copy: int) -> StoredBlock:
    return StoredBlock(Kind.COPY if copy else Kind.DATA, number, copy)
