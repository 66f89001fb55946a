"""Many rotating disks: groups with two parities in place of one wide array, spares, and the commands by hand."""

from collections.abc import Sequence

import msgspec

from raidtui.core.advice.proposals import Advice, proposed_chunk_bytes
from raidtui.core.disks.disk import Disk
from raidtui.core.raid.levels import level
from raidtui.core.units import TB

LEAST_DISKS, _LEAST, _MOST = 13, 8, 12
_LEVEL, _PARITIES = "6", 2
_DISKS_PER_SPARE, _DISKS_PER_SPARE_OF_LARGE, _LARGE_BYTES = 24, 12, 12 * TB


class Groups(msgspec.Struct, frozen=True):
    """`count` groups of `disks` each, with two parities; the others are spares."""

    count: int
    disks: int
    spares: int
    chunk_bytes: int


def spares(disks: Sequence[Disk]) -> int:
    """1 per 24 disks, 1 per 12 above 12 TB: a rebuild of these takes a day and more."""
    large = any(disk.size_bytes > _LARGE_BYTES for disk in disks)
    return len(disks) // (_DISKS_PER_SPARE_OF_LARGE if large else _DISKS_PER_SPARE)


def groups_of(advice: Advice, disks: Sequence[Disk]) -> Groups | None:
    """Of many rotating disks with parity: the most space that leaves the spares."""
    view = advice.best.preview
    if len(disks) < LEAST_DISKS or not view.rotating or not level(view.key).parity_disks:
        return None
    fitting = [
        (count, size)
        for size in range(_LEAST, _MOST + 1)
        for count in range(1, len(disks) // size + 1)
        if len(disks) - count * size >= spares(disks)
    ]
    count, size = max(fitting, key=lambda group: (group[0] * (group[1] - _PARITIES), -group[1]))
    return Groups(count, size, len(disks) - count * size, proposed_chunk_bytes(_LEVEL, size) or 0)


def md_commands(found: Groups, paths: Sequence[str]) -> list[str]:
    """RAID 60 by hand: a RAID 0 over arrays of RAID 6. The spares are the first one's."""
    size = f"--raid-devices={found.disks}"
    chunk = f"--chunk={found.chunk_bytes // 1024}"
    lines, last = [], found.count * found.disks
    for number in range(found.count):
        members = paths[number * found.disks : (number + 1) * found.disks]
        idle = paths[last:] if number == 0 else ()
        spare = (f"--spare-devices={len(idle)}",) if idle else ()
        name = f"/dev/md/group{number + 1}"
        lines.append(" ".join(("mdadm", "--create", name, "--level=6", size, *spare, chunk, *members, *idle)))
    if found.count > 1:
        names = [f"/dev/md/group{number + 1}" for number in range(found.count)]
        lines.append(
            " ".join(("mdadm", "--create", "/dev/md/all", "--level=0", f"--raid-devices={found.count}", *names))
        )
    return lines


def zfs_command(found: Groups, paths: Sequence[str]) -> str:
    words, last = ["zpool", "create", "-o", "ashift=12", "tank"], found.count * found.disks
    for number in range(found.count):
        words += ["raidz2", *paths[number * found.disks : (number + 1) * found.disks]]
    return " ".join((*words, *(("spare", *paths[last:]) if paths[last:] else ())))
