"""Many rotating disks: groups with two parities in place of one wide array, spares, and the same as a ZFS pool."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from raidtui.core.advice.preview import LevelPreview, preview_level
from raidtui.core.advice.proposals import MOST_HDDS_OF_PARITY, Advice, proposed_chunk_bytes
from raidtui.core.disks.disk import Disk
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.levels import level
from raidtui.core.raid.redundancy import YearlyLoss, yearly_loss
from raidtui.core.units import TB

_LEAST, _MOST = 8, MOST_HDDS_OF_PARITY  # disks of a group
_LEVEL, _PARITIES = "6", 2
_DISKS_PER_SPARE, _DISKS_PER_SPARE_OF_LARGE, _LARGE_BYTES = 24, 12, 12 * TB


_MOST_OF_RAID_5, _LEAST_OF_RAID_5 = 8, 4  # disks of a group
_MOST_SPLITS = 3  # of RAID 6


class Split(NamedTuple):
    """`groups` of `disks` each, of level `key`; `left`: the other disks, spares."""

    key: str
    groups: int
    disks: int
    left: int = 0


class Groups(msgspec.Struct, frozen=True):
    """`count` arrays like `view`, all needed; the other disks are spares, of which the rule asks for `wanted`.
    `array_bytes`: usable.
    """

    count: int
    spares: int
    wanted: int
    view: LevelPreview
    array_bytes: int

    @property
    def to_buy(self) -> int:
        return max(0, self.wanted - self.spares)

    @property
    def disks(self) -> int:
        return self.view.disks

    def loss(self, afr: float | None = None) -> YearlyLoss:
        return yearly(self.view, afr, self.count)


def yearly(view: LevelPreview, afr: float | None = None, groups: int = 0) -> YearlyLoss:
    """Of so many `groups` like this; 0: those it has."""
    afr = view.kind.afr if afr is None else afr
    return yearly_loss(view.key, view.layout, view.group_disks, view.rebuild, afr, groups or view.groups)


def spares(disks: Sequence[Disk]) -> int:
    """1 per 24 disks, 1 per 12 above 12 TB, rounded down. The smallest member counts: a rebuild writes no more."""
    large = all(disk.size_bytes > _LARGE_BYTES for disk in disks)
    return len(disks) // (_DISKS_PER_SPARE_OF_LARGE if large else _DISKS_PER_SPARE)


def groups_of(advice: Advice, disks: Sequence[Disk]) -> Groups | None:
    """Of many rotating disks with parity."""
    best, wanted = advice.best.preview, spares(disks)
    if len(disks) <= MOST_HDDS_OF_PARITY or not best.rotating or not best.raid.parity_disks:
        return None
    count, size = _split(len(disks), wanted)
    smallest = sorted(disks, key=lambda disk: disk.size_bytes)[:size]
    chunk = proposed_chunk_bytes(_LEVEL, size)
    view = preview_level(_LEVEL, level(_LEVEL).default_layout, chunk, smallest, best.speed)
    taken, left = divided(disks, count * size)
    holds = capacity(_LEVEL, [disk.size_bytes for disk in taken], chunk, groups=count)
    return Groups(count, len(left), wanted, view, holds.array_bytes)


def splits(disks: Sequence[Disk], *, spared: bool) -> tuple[Split, ...]:
    """Sensible ones of many disks, those of RAID 5 first; with spares only if `spared`."""
    total, wanted = len(disks), spares(disks)
    if total <= MOST_HDDS_OF_PARITY:
        return ()
    left = {0, wanted, wanted + 1} if spared else {0}
    whole = [size for size in range(_LEAST_OF_RAID_5, _MOST_OF_RAID_5 + 1) if total % size == 0]
    of_6 = {
        Split(_LEVEL, total // size, size, total % size)
        for size in range(_LEAST, _MOST + 1)
        if total % size in left and total // size > 1
    }
    advised = _split(total, wanted)
    if spared and advised[0] > 1 and total - math.prod(advised) >= wanted:
        of_6.add(Split(_LEVEL, *advised, total - math.prod(advised)))
    in_order = sorted(of_6, key=lambda split: (split[1:3] != advised, -split.groups * (split.disks - _PARITIES)))
    return (
        *(Split("5", total // size, size) for size in whole[-1:]),
        *sorted(in_order[:_MOST_SPLITS], key=lambda split: (split.groups, -split.disks)),
    )


def divided(disks: Sequence[Disk], taken: int) -> tuple[tuple[Disk, ...], tuple[Disk, ...]]:
    """So many for the groups, in order; the largest are left, of equal ones the last."""
    by_size = sorted(range(len(disks)), key=lambda index: disks[index].size_bytes)  # stable
    chosen = {*by_size[:taken]}
    of_groups = tuple(disk for index, disk in enumerate(disks) if index in chosen)
    return of_groups, tuple(disk for index, disk in enumerate(disks) if index not in chosen)


def _split(disks: int, wanted: int) -> tuple[int, int]:
    """Groups and their size: the most space that leaves the spares and at most one disk more; else the spares are to
    buy; else the fewest idle disks. 14 and 15 disks may be one array and a spare.
    """
    splits = [(count, size) for size in range(_LEAST, _MOST + 1) for count in range(1, disks // size + 1)]
    idle = {split: disks - split[0] * split[1] for split in splits}
    few = [split for split in splits if idle[split] <= wanted + 1]
    if not few:
        return (1, disks - 1) if disks < 2 * _LEAST else min(splits, key=lambda split: (idle[split], split[1]))
    with_spares = [split for split in few if idle[split] >= wanted]
    return max(with_spares or few, key=lambda split: (split[0] * (split[1] - _PARITIES), -split[1]))


def zfs_command(found: Groups, paths: Sequence[str]) -> str:
    words, last = ["zpool", "create", "-o", "ashift=12", "tank"], found.count * found.disks
    for number in range(found.count):
        words += ["raidz2", *paths[number * found.disks : (number + 1) * found.disks]]
    return " ".join((*words, *(("spare", *paths[last:]) if paths[last:] else ())))
