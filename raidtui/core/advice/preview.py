"""Preview of a level: capacity, failures, rebuild, expected speed (modelled, disks known or assumed). Pure."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec
from msgspec.structs import replace

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.identity import emulator_of, sync_share
from raidtui.core.raid.capacity import Capacity, capacity
from raidtui.core.raid.disk_kinds import HDD, DiskKind, kind_of, slowest
from raidtui.core.raid.levels import LAYOUTS_10, Level, level, possible, split_name, why_no_groups
from raidtui.core.raid.redundancy import Rebuild, luck, rebuild
from raidtui.core.raid.theory import Prediction, journalled_bytes_per_s, predict


class PreviewSpeed(msgspec.Struct, frozen=True):
    """One disk, 4 KiB random IOPS; `kind`, `iops_kind`: assumed for this kind, "" if measured or given."""

    bytes_per_s: float
    iops: float
    kind: str = ""
    iops_kind: str = ""


class LevelPreview(msgspec.Struct, frozen=True):
    """`problem`: no capacity then. `luck`: share of ways to lose one disk above `survives` without data loss."""

    key: str
    level: str
    disks: int
    layout: str | None = None
    chunk_bytes: int | None = None
    raw_bytes: int = 0
    capacity: Capacity | None = None
    prediction: Prediction | None = None
    rebuild: Rebuild | None = None
    luck: Fraction = Fraction(0)
    rotating: bool = True
    kind: DiskKind = HDD
    speed: PreviewSpeed = PreviewSpeed(0, 0)
    problem: str = ""
    advice: str = ""
    groups: int = 1

    @property
    def raid(self) -> Level:
        return level(self.key)

    @property
    def group_disks(self) -> int:
        return self.disks // self.groups

    @property
    def named(self) -> str:
        """RAID 6; RAID 10 n2; RAID 60, 2 × 11."""
        if self.groups > 1:
            return split_name(self.raid, self.groups, self.disks)
        return f"{self.level} {self.layout}" if self.layout in LAYOUTS_10 else self.level


HELD = "held"  # the kind of a practice disk: nothing is known of it but what it is held to


def assumed(disks: Sequence[Disk]) -> PreviewSpeed:
    """The slowest kind; unknown kinds count as rotating."""
    kind = disk_kind(disks)
    return PreviewSpeed(kind.bytes_per_s, kind.iops, kind.title, kind.title)


def disk_kind(disks: Sequence[Disk]) -> DiskKind:
    return slowest(kind_of(disk.rotational, disk.transport == "nvme") for disk in disks)


def preview_level(
    key: str,
    layout: str | None,
    chunk_bytes: int | None,
    disks: Sequence[Disk],
    speed: PreviewSpeed | None = None,
    *,
    partitioned: bool = False,
    parity_log: bool = False,
    journal: bool = False,
    groups: int = 1,
) -> LevelPreview:
    """Members in order, or their partitions. `journal`: on an equally fast disk, which all writes pass first."""
    row = level(key)
    sizes = [disk.size_bytes for disk in disks]
    bare = LevelPreview(key, row.name, len(disks), layout, chunk_bytes, sum(sizes), groups=groups)
    if why_no := why_no_groups(row, groups, len(disks)):
        return replace(bare, problem=why_no)
    can, reason = possible(key, layout, bare.group_disks, chunk_bytes)
    if not can:
        return replace(bare, problem=reason)
    speed = speed or assumed(disks)
    rotating = any(disk.rotational is not False for disk in disks)
    try:
        holds = capacity(key, sizes, chunk_bytes, layout, partitioned=partitioned, parity_log=parity_log, groups=groups)
        expected = None
        if not row.no_model:
            expected = predict(
                key, len(disks), speed.bytes_per_s, speed.iops, layout, flash=not rotating, groups=groups
            )
        if expected and journal:
            through = journalled_bytes_per_s(key, len(disks), speed.bytes_per_s)
            expected = replace(expected, seq_write_bytes_per_s=min(expected.seq_write_bytes_per_s, through))
    except ValueError as problem:
        return replace(bare, problem=str(problem))
    pace = sync_share((emulator_of(disk.model) for disk in disks), parity=bool(row.parity_disks)) * speed.bytes_per_s
    return replace(
        bare,
        capacity=holds,
        prediction=expected,
        rebuild=rebuild(key, layout, len(disks), holds, pace, groups),
        luck=luck(key, layout, len(disks), groups),
        rotating=rotating,
        kind=disk_kind(disks),
        speed=speed,
        advice=reason,
    )
