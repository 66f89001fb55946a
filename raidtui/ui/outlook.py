"""What the draft would become: capacity, where the rest goes, what it survives, how fast it should be.

Pure. Before anything is measured, speeds are the model's, of disks as fast as `assumed` says, and shown as such.
"""

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.raid.capacity import Capacity, capacity
from raidtui.core.raid.levels import level, possible
from raidtui.core.raid.theory import Prediction, predict
from raidtui.ui.draft import Draft


class OutlookSpeed(msgspec.Struct, frozen=True):
    """What one disk alone is taken to do until it is measured; IOPS of 4 KiB at random."""

    bytes_per_s: float
    iops: float


_ROTATING_IOPS, _FLASH_IOPS = 150, 50_000


class Outlook(msgspec.Struct, frozen=True):
    """`problem` is one sentence where the draft cannot be built; then there is no capacity."""

    level: str
    disks: int
    raw_bytes: int = 0
    capacity: Capacity | None = None
    prediction: Prediction | None = None
    speed: OutlookSpeed = OutlookSpeed(0, 0)
    problem: str = ""
    advice: str = ""


def assumed(disks: tuple[Disk, ...]) -> OutlookSpeed:
    """As the plan's estimate assumes it. The slowest kind decides; a disk of unknown kind counts as rotating."""
    from raidtui.core.plan.estimate import ASSUMED_BYTES_PER_S

    rotating = any(disk.rotational is not False for disk in disks)
    return OutlookSpeed(ASSUMED_BYTES_PER_S[rotating], _ROTATING_IOPS if rotating else _FLASH_IOPS)


def outlook(draft: Draft, disks: tuple[Disk, ...]) -> Outlook:
    """What `draft` gives over `disks`, its members in order."""
    return outlook_of(draft.level_or_suggested, draft.layout_or_default, draft.chunk_bytes, disks)


def outlook_of(key: str, layout: str | None, chunk_bytes: int | None, disks: tuple[Disk, ...]) -> Outlook:
    """The same for any level, so that they can stand side by side."""
    row = level(key)
    raw = sum(disk.size_bytes for disk in disks)
    can, said = possible(key, layout, len(disks), chunk_bytes)
    if not can:
        return Outlook(level=row.name, disks=len(disks), raw_bytes=raw, problem=said)
    speed = assumed(disks)
    flash = all(disk.rotational is False for disk in disks)
    try:
        return Outlook(
            level=row.name,
            disks=len(disks),
            raw_bytes=raw,
            capacity=capacity(key, [disk.size_bytes for disk in disks], chunk_bytes, layout),
            prediction=predict(key, len(disks), speed.bytes_per_s, speed.iops, layout, flash=flash),
            speed=speed,
            advice=said,
        )
    except ValueError as problem:
        return Outlook(level=row.name, disks=len(disks), raw_bytes=raw, problem=str(problem))


def may_fail(count: int) -> str:
    """How many disks may fail, as a person says it."""
    if count == 0:
        return "no disk may fail"
    return "any 1 disk may fail" if count == 1 else f"any {count} disks may fail"
