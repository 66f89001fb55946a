"""`raidtui predict --json` and `raidtui advise --json`: what the model says; rates in MB/s, shares from 0 to 1."""

import msgspec

from raidtui.core.advice.proposals import Workload
from raidtui.core.advice.rationale import Times
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.redundancy import Rebuild


class PredictionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`theory.Prediction`, and where one disk's IOPS are from (`depth_curve.CurveSource`)."""

    seq_read_mbps: float
    seq_write_mbps: float
    rand_read_iops: float
    rand_write_iops: float
    rand_mixed_iops: float | None
    write_penalty: int
    upper_bound: bool
    limited_by: dict[str, Limit]
    error_share: float | None
    iops_source: str


class OneDisk(msgspec.Struct, frozen=True, kw_only=True):
    """What one disk alone is taken to do; `assumed_of`: the kind of disk that it is assumed of."""

    bytes_per_s: float
    iops: float
    assumed_of: str | None


class SectorRisk(msgspec.Struct, frozen=True, kw_only=True):
    """`redundancy.Unreadable`."""

    bits_per_sector: int
    chance: float


class Advised(msgspec.Struct, frozen=True, kw_only=True):
    """A proposal with what it gives."""

    level: str
    layout: str | None
    chunk_bytes: int | None
    filesystem: str
    capacity: Capacity
    survives_one_more_share: float
    rebuild: Rebuild | None
    unreadable: tuple[SectorRisk, ...]
    times_one_disk: Times
    write_operations: int


class AdviceDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The proposals, best first, and the best in sentences."""

    use: Workload = msgspec.field(name="for")
    survive: int
    disks: int
    one_disk: OneDisk
    ranked: tuple[Advised, ...]
    sentences: tuple[str, ...]
    second_best: str
