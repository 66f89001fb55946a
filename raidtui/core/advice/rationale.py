"""Reasons of a proposal as values: gains, failures, costs, by arithmetic or model. No sentences."""

from fractions import Fraction

import msgspec

from raidtui.core.advice.preview import LevelPreview, PreviewSpeed
from raidtui.core.advice.proposals import Advice, Proposal
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.confidence import Confidence
from raidtui.core.raid.purposes import COUNTS, Measure, Workload
from raidtui.core.raid.redundancy import Rebuild, Unreadable, unreadable


class Times(msgspec.Struct, frozen=True):
    """Multiples of one disk, modelled. `held_by_md`: md's writing thread limits small writes. `upper_limits`: which of
    them are no more than that.
    """

    long_reads: float
    long_writes: float
    small_reads: float
    small_writes: float
    held_by_md: bool = False
    upper_limits: tuple[str, ...] = ()

    def is_upper(self, name: str) -> bool:
        return name in self.upper_limits


_RATES = {  # as `Prediction` has them
    "long_reads": "seq_read_mbps",
    "long_writes": "seq_write_mbps",
    "small_reads": "rand_read_iops",
    "small_writes": "rand_write_iops",
}


class Failing(msgspec.Struct, frozen=True):
    """Any `survives` disks may fail, one more with `luck`. `risk`: of a rebuild without redundancy."""

    survives: int
    asked_for: int
    luck: Fraction
    rebuild: Rebuild | None
    risk: tuple[Unreadable, ...] = ()


class Price(msgspec.Struct, frozen=True):
    """Bytes of parity and copies, disk I/Os per small write."""

    parity_bytes: int
    mirror_bytes: int
    unequal_bytes: int
    raw_bytes: int
    write_operations: int


class Reasons(msgspec.Struct, frozen=True):
    use: Workload
    proposal: Proposal
    measure: Measure
    times: Times
    failing: Failing
    price: Price
    speed: PreviewSpeed
    second: "Reasons | None" = None


def rationale(advice: Advice) -> Reasons:
    second = _reasons(advice, advice.second, None) if advice.second else None
    return _reasons(advice, advice.best, second)


def times(view: LevelPreview) -> Times:
    expected, speed = view.prediction, view.speed
    if expected is None:
        raise ValueError(view.problem)
    return Times(
        expected.seq_read_bytes_per_s / speed.bytes_per_s,
        expected.seq_write_bytes_per_s / speed.bytes_per_s,
        expected.rand_read_iops / speed.iops,
        expected.rand_write_iops / speed.iops,
        expected.limited_by["rand_write_iops"] is Limit.MD_THREAD,
        tuple(name for name, rate in _RATES.items() if expected.confidence[rate] is Confidence.UPPER),
    )


def failing(view: LevelPreview, asked_for: int = 0) -> Failing:
    """`risk` only for rotating disks, read without redundancy: all others, or the one copy left."""
    survives = view.capacity.survives if view.capacity else 0
    rebuild = view.rebuild
    exposed = rebuild is not None and not rebuild.spare_after and view.rotating
    risk = unreadable(rebuild.read_bytes) if rebuild is not None and exposed else ()
    return Failing(survives, asked_for, view.luck, rebuild, risk)


def _reasons(advice: Advice, proposal: Proposal, second: Reasons | None) -> Reasons:
    view, lost = proposal.preview, proposal.capacity.lost
    operations = view.prediction.write_penalty if view.prediction else 0
    return Reasons(
        use=advice.wish.use,
        proposal=proposal,
        measure=COUNTS[advice.wish.use].measure,
        times=times(view),
        failing=failing(view, advice.wish.survive),
        price=Price(lost.parity_bytes, lost.mirror_bytes, lost.unequal_bytes, view.raw_bytes, operations),
        speed=view.speed,
        second=second,
    )
