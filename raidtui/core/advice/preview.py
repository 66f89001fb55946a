"""Preview of a level: capacity, failures, rebuild, expected speed (modelled, disks known or assumed). Pure."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import msgspec

from raidtui.core.disks.disk import Disk
from raidtui.core.disks.emulators import emulator_of, sync_share
from raidtui.core.raid.capacity import Capacity, capacity
from raidtui.core.raid.levels import level, possible
from raidtui.core.raid.redundancy import Rebuild, luck, rebuild
from raidtui.core.raid.theory import Prediction, journalled_bytes_per_s, predict


class PreviewSpeed(msgspec.Struct, frozen=True):
    """One disk, 4 KiB random IOPS; `kind`: assumed for this kind, "" if measured or given."""

    bytes_per_s: float
    iops: float
    kind: str = ""


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
    speed: PreviewSpeed = PreviewSpeed(0, 0)
    problem: str = ""
    advice: str = ""


HELD = "held"  # the kind of a practice disk: nothing is known of it but what it is held to
# The disk of which nothing is known, slowest kind first. HDD and SSD as `estimate` has them; NVMe: 3 GB/s, what four
# lanes of PCIe 3.0 let through with some room, and the writes of the drive that `depth_curve` assumes.
_NVME_BYTES_PER_S = 3e9
_IOPS: Mapping[str, float] = {"HDD": 150, "SSD": 50_000, "NVMe": 250_000}


def assumed(disks: Sequence[Disk]) -> PreviewSpeed:
    """The slowest kind; unknown kinds count as rotating."""
    from raidtui.core.plan.estimate import ASSUMED_BYTES_PER_S

    kinds = {_kind(disk) for disk in disks} or {"HDD"}
    kind = next(kind for kind in _IOPS if kind in kinds)
    pace = _NVME_BYTES_PER_S if kind == "NVMe" else ASSUMED_BYTES_PER_S[kind == "HDD"]
    return PreviewSpeed(pace, _IOPS[kind], kind)


def _kind(disk: Disk) -> str:
    if disk.rotational is not False:
        return "HDD"
    return "NVMe" if disk.transport == "nvme" else "SSD"


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
) -> LevelPreview:
    """Members in order, or their partitions. `journal`: on an equally fast disk, which all writes pass first."""
    row = level(key)
    raw = sum(disk.size_bytes for disk in disks)
    bare = LevelPreview(key, row.name, len(disks), layout, chunk_bytes, raw)
    can, reason = possible(key, layout, len(disks), chunk_bytes)
    if not can:
        return msgspec.structs.replace(bare, problem=reason)
    speed = speed or assumed(disks)
    rotating = any(disk.rotational is not False for disk in disks)
    try:
        sizes = [disk.size_bytes for disk in disks]
        holds = capacity(key, sizes, chunk_bytes, layout, partitioned=partitioned, parity_log=parity_log)
        expected = predict(key, len(disks), speed.bytes_per_s, speed.iops, layout, flash=not rotating)
        if journal:
            through = journalled_bytes_per_s(key, len(disks), speed.bytes_per_s)
            least = min(expected.seq_write_bytes_per_s, through)
            expected = msgspec.structs.replace(expected, seq_write_bytes_per_s=least)
    except ValueError as problem:
        return msgspec.structs.replace(bare, problem=str(problem))
    pace = sync_share((emulator_of(disk.model) for disk in disks), parity=bool(row.parity_disks)) * speed.bytes_per_s
    return msgspec.structs.replace(
        bare,
        capacity=holds,
        prediction=expected,
        rebuild=rebuild(key, layout, len(disks), holds, pace),
        luck=luck(key, layout, len(disks)),
        rotating=rotating,
        speed=speed,
        advice=reason,
    )
