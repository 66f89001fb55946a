"""`raidtui predict --json`, `raidtui advise --json`; MB/s, shares 0 to 1."""

import msgspec

from raidtui.core.advice import wording
from raidtui.core.advice.proposals import Advice, Proposal, Times, failing, times
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.confidence import Confidence
from raidtui.core.raid.depth_curve import CurveSource
from raidtui.core.raid.purposes import Workload
from raidtui.core.raid.redundancy import Rebuild
from raidtui.core.raid.theory import Prediction
from raidtui.core.units import MB


class PredictionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`theory.Prediction`, and source of one disk's IOPS (`depth_curve.CurveSource`)."""

    seq_read_mbps: float
    seq_write_mbps: float
    rand_read_iops: float
    rand_write_iops: float
    rand_mixed_iops: float | None
    write_penalty: int
    upper_bound: bool
    limited_by: dict[str, Limit]
    confidence: dict[str, Confidence]
    error_share: float | None
    iops_source: str


def prediction_document(prediction: Prediction, iops_source: CurveSource) -> PredictionDocument:
    return PredictionDocument(
        seq_read_mbps=prediction.seq_read_bytes_per_s / MB,
        seq_write_mbps=prediction.seq_write_bytes_per_s / MB,
        rand_read_iops=float(prediction.rand_read_iops),
        rand_write_iops=float(prediction.rand_write_iops),
        rand_mixed_iops=prediction.rand_mixed_iops,
        write_penalty=prediction.write_penalty,
        upper_bound=prediction.upper_bound,
        limited_by=prediction.limited_by,
        confidence=prediction.confidence,
        error_share=prediction.error_share,
        iops_source=iops_source.value,
    )


class OneDisk(msgspec.Struct, frozen=True, kw_only=True):
    """`assumed_of`: kind of disk, if assumed."""

    bytes_per_s: float
    iops: float
    assumed_of: str | None


class SectorRisk(msgspec.Struct, frozen=True, kw_only=True):
    """`redundancy.Unreadable`."""

    bits_per_sector: int
    chance: float


class Advised(msgspec.Struct, frozen=True, kw_only=True):
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
    """Best first; the best in sentences."""

    use: Workload = msgspec.field(name="for")
    survive: int
    disks: int
    one_disk: OneDisk
    ranked: tuple[Advised, ...]
    sentences: tuple[str, ...]
    second_best: str
    yearly: str = ""


def advice_document(advice: Advice) -> AdviceDocument:
    speed = advice.best.preview.speed
    return AdviceDocument(
        use=advice.wish.use,
        survive=advice.wish.survive,
        disks=advice.disks,
        one_disk=OneDisk(bytes_per_s=speed.bytes_per_s, iops=float(speed.iops), assumed_of=speed.kind or None),
        ranked=tuple(_advised(advice, proposal) for proposal in advice.ranked),
        sentences=tuple(wording.sentences(advice)),
        second_best=wording.second_best(advice),
        yearly=wording.yearly_words(advice),
    )


def _advised(advice: Advice, proposal: Proposal) -> Advised:
    view = proposal.preview
    risks = failing(view, advice.wish.survive).risk
    return Advised(
        level=view.key,
        layout=view.layout,
        chunk_bytes=view.chunk_bytes,
        filesystem=proposal.filesystem,
        capacity=proposal.capacity,
        survives_one_more_share=float(view.luck),
        rebuild=view.rebuild,
        unreadable=tuple(SectorRisk(bits_per_sector=risk.bits_per_sector, chance=risk.chance) for risk in risks),
        times_one_disk=times(view),
        write_operations=view.prediction.write_penalty if view.prediction else 0,
    )
