"""Cost of failed disks: failures survived, rebuild time, read errors. No failure probability of drives.

Chance that failing disks lose an array within a year: arithmetic of independent failures, an order of magnitude.
"""

import functools
import math
from collections.abc import Set
from fractions import Fraction
from typing import NamedTuple

import msgspec

from raidtui.core.raid import zfs
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.levels import copies, level, survives, vdev_disks
from raidtui.core.raid.placement import block, cycle_stripes, disk_parts, has_rows, roles
from raidtui.core.units import KIB

# A rebuild of md's goes no faster than this for a member unless told to (kernel md.c: speed_limit_max, KiB/s).
MD_LIMIT_BYTES_PER_S = 200_000 * KIB

# Bits read for each sector that cannot be read any more, at most, as makers specify it. 10^15: Seagate's product manual
# of ST35000415SS ("less than 1 sector in 10^15 bits transferred"), as of most drives for servers; 10^14: of its
# ST19171 and of many drives for desktops. A limit that is specified, not a rate that was seen.
BITS_PER_UNREADABLE = (10**15, 10**14)


class Rebuild(msgspec.Struct, frozen=True):
    """Onto a new disk: bytes written, bytes read from the others, seconds at best. `held_by_md`: md's speed limit is
    the bottleneck; `disks_s`: without it. `spare_after`: failures survived meanwhile.
    """

    written_bytes: int
    read_bytes: int
    duration_s: float
    held_by_md: bool
    spare_after: int
    disks_s: float = 0.0


class Unreadable(NamedTuple):
    """Chance of at least one unreadable sector in a rebuild, upper bound by the makers' limit."""

    bits_per_sector: int
    chance: float


def rebuild(
    key: str, layout: str | None, disks: int, holds: Capacity, bytes_per_s: float, count: int = 1
) -> Rebuild | None:
    """One failed disk, idle array; None if nothing is left to rebuild from. Parity reads all other disks whole
    (raid5.c: a synced stripe is read whole), a mirror copies one. `count` groups: those of its group.
    """
    spare = survives(key, layout, disks)
    if not spare:
        return None
    sources = disks // count - 1 if level(key).parity_disks else 1
    pace = min(bytes_per_s, MD_LIMIT_BYTES_PER_S)
    return Rebuild(
        written_bytes=holds.member_used_bytes,
        read_bytes=sources * holds.member_used_bytes,
        duration_s=holds.member_used_bytes / pace,
        held_by_md=bytes_per_s > MD_LIMIT_BYTES_PER_S,
        spare_after=spare - 1,
        disks_s=holds.member_used_bytes / bytes_per_s,
    )


def unreadable(read_bytes: int) -> tuple[Unreadable, ...]:
    """1 - e^-(bits / limit), independent errors."""
    return tuple(Unreadable(limit, -math.expm1(-8 * read_bytes / limit)) for limit in BITS_PER_UNREADABLE)


class Group(NamedTuple):
    """Disks that hold the same data, as copies or with parity: any `spare` of them may fail."""

    disks: frozenset[int]
    spare: int


@functools.cache
def groups(key: str, layout: str | None, disks: int, count: int = 1) -> tuple[Group, ...]:
    """By the placement of chunks, until it repeats; without stripes each disk for itself; of ZFS by its vdevs. `count`:
    arrays that the disks, in order, are divided into.
    """
    if count > 1:
        each = disks // count
        return tuple(
            Group(frozenset(number * each + disk for disk in group.disks), group.spare)
            for number in range(count)
            for group in groups(key, layout, each)
        )
    if level(key).filesystem == zfs.KIND:
        each = vdev_disks(level(key), disks)
        starts = range(0, disks, each)
        return tuple(Group(frozenset(range(disks)[at : at + each]), survives(key, layout, each)) for at in starts)
    if not has_rows(key):
        return tuple(Group(frozenset((disk,)), 0) for disk in range(disks))
    if level(key).parity_disks:
        stripes = (roles(key, layout, stripe, disks) for stripe in range(cycle_stripes(key, layout, disks)))
        return tuple({Group(frozenset((*data, *parity)), len(parity)) for data, parity in stripes})
    holders: dict[int, set[int]] = {}
    for disk_part in range(disk_parts(key, layout, disks)):
        for row in range(copies(key, layout, disks)):  # they hold as many chunks as there are disks, each whole
            for disk in range(disks):
                holders.setdefault(block(key, layout, disks, disk, row, disk_part).number, set()).add(disk)
    return tuple({Group(frozenset(held), len(held) - 1) for held in holders.values()})


def spare_left(key: str, layout: str | None, disks: int, failed: Set[int], count: int = 1) -> int:
    """How many disks more may fail, whichever; below 0: data is lost."""
    return min(group.spare - len(group.disks & failed) for group in groups(key, layout, disks, count))


def next_survived(key: str, layout: str | None, disks: int, failed: Set[int], count: int = 1) -> tuple[int, int]:
    """(disks of which one more may fail, disks left)."""
    left = [disk for disk in range(disks) if disk not in failed]
    return sum(spare_left(key, layout, disks, {*failed, disk}, count) >= 0 for disk in left), len(left)


def fatal_sets(key: str, layout: str | None, disks: int, count: int = 1) -> int:
    """Of the smallest sets of disks whose failure loses data: how many there are."""
    return sum(math.comb(len(group.disks), group.spare + 1) for group in groups(key, layout, disks, count))


def luck(key: str, layout: str | None, disks: int, count: int = 1) -> Fraction:
    """Share of ways to lose one disk more than guaranteed without loss."""
    if key != "10" and count == 1:
        return Fraction(0)
    more = survives(key, layout, disks // count) + 1
    return 1 - Fraction(fatal_sets(key, layout, disks, count), math.comb(disks, more))


UNDER_LOAD = 3.0  # times as long as on an idle array: assumed
_YEAR_S = 365.25 * 86400


class YearlyLoss(msgspec.Struct, frozen=True):
    """`share` of arrays a year; `rebuild_s` under load, 0 without redundancy."""

    share: float
    afr: float
    rebuild_s: float


def yearly_loss(
    key: str, layout: str | None, disks: int, rebuild: Rebuild | None, afr: float, groups: int = 1
) -> YearlyLoss:
    """Of each set of disks whose failure loses data one fails, in any order, and each next one before the last is
    rebuilt. Disks of one batch, or in one enclosure, fail together more often. `groups`: so many arrays, all needed.
    """
    rate = -math.log1p(-afr)  # of failures a year
    rebuild_s = UNDER_LOAD * rebuild.duration_s if rebuild else 0.0
    more = survives(key, layout, disks)
    orders = fatal_sets(key, layout, disks) * math.factorial(more + 1)
    expected = orders * rate * (rate * rebuild_s / _YEAR_S) ** more
    return YearlyLoss(-math.expm1(-groups * expected), afr, rebuild_s)
