"""Many rotating disks: groups with two parities in place of one wide array, spares, and the commands by hand."""

from collections.abc import Sequence

import msgspec

from raidtui.core.advice.preview import LevelPreview, preview_level
from raidtui.core.advice.proposals import MOST_HDDS_OF_PARITY, Advice, proposed_chunk_bytes
from raidtui.core.disks.disk import Disk
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.levels import level
from raidtui.core.raid.redundancy import YearlyLoss, yearly_loss
from raidtui.core.units import KIB, TB

_LEAST, _MOST = 8, MOST_HDDS_OF_PARITY  # disks of a group
_LEVEL, _PARITIES = "6", 2
_DISKS_PER_SPARE, _DISKS_PER_SPARE_OF_LARGE, _LARGE_BYTES = 24, 12, 12 * TB
_SPARE_GROUP = "shared"  # name in mdadm.conf


class Groups(msgspec.Struct, frozen=True):
    """`count` arrays like `view`, all needed; the other disks are spares, of which the rule asks for `wanted`."""

    count: int
    spares: int
    wanted: int
    view: LevelPreview

    @property
    def to_buy(self) -> int:
        return max(0, self.wanted - self.spares)

    @property
    def disks(self) -> int:
        return self.view.disks

    @property
    def array_bytes(self) -> int:
        """At least: with the smallest disk in every group, less some MB of the RAID 0's metadata."""
        return self.count * self.view.capacity.array_bytes if self.view.capacity else 0

    def loss(self, afr: float | None = None) -> YearlyLoss:
        view = self.view
        afr = view.kind.afr if afr is None else afr
        return yearly_loss(view.key, view.layout, view.disks, view.rebuild, afr, self.count)


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
    view = preview_level(_LEVEL, level(_LEVEL).default_layout, proposed_chunk_bytes(_LEVEL, size), smallest, best.speed)
    return Groups(count, len(disks) - count * size, wanted, view)


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


def md_commands(found: Groups, paths: Sequence[str]) -> list[str]:
    """RAID 60 by hand: a RAID 0 over arrays of RAID 6. The spares are the first one's, until the monitor moves them."""
    chunk_bytes = found.view.chunk_bytes or 0
    lines, last = [], found.count * found.disks
    names = [f"/dev/md/group{number + 1}" for number in range(found.count)]
    for number, name in enumerate(names):
        members = paths[number * found.disks : (number + 1) * found.disks]
        idle = paths[last:] if number == 0 else ()
        spare = (f"--spare-devices={len(idle)}",) if idle else ()
        sizes = (f"--raid-devices={found.disks}", *spare, f"--chunk={chunk_bytes // KIB}")
        lines.append(" ".join(("mdadm", "--create", name, "--level=6", *sizes, *members, *idle)))
    if found.count == 1:
        return lines
    # A chunk of the RAID 0 is a stripe of a group, and the first one begins at a stripe: then a long write fills
    # stripes. RAID 0 takes any multiple of 4 KiB; mdadm's own data offset is of whole MiB (mdadm(8)).
    stripe_bytes = chunk_bytes * (found.disks - _PARITIES)
    usual_bytes = capacity("0", [found.array_bytes // found.count] * found.count).data_offset_bytes
    offset_bytes = -(-usual_bytes // stripe_bytes) * stripe_bytes
    outer = (f"--chunk={stripe_bytes // KIB}", f"--data-offset={offset_bytes // KIB}")
    of_all = ("mdadm", "--create", "/dev/md/all", "--level=0", f"--raid-devices={found.count}", *outer, *names)
    lines.append(" ".join(of_all))
    if found.spares:
        shared = f"mdadm --detail --brief {' '.join(names)} | sed 's/$/ spare-group={_SPARE_GROUP}/'"
        lines.append(f"{shared} >> /etc/mdadm/mdadm.conf  # not on Debian, Ubuntu: /etc/mdadm.conf")
        lines.append("systemctl restart mdmonitor  # the file needs MAILADDR")
    return lines


def zfs_command(found: Groups, paths: Sequence[str]) -> str:
    words, last = ["zpool", "create", "-o", "ashift=12", "tank"], found.count * found.disks
    for number in range(found.count):
        words += ["raidz2", *paths[number * found.disks : (number + 1) * found.disks]]
    return " ".join((*words, *(("spare", *paths[last:]) if paths[last:] else ())))
