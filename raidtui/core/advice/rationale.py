"""Why a setup is proposed, as values: what its purpose gains, what may fail, what it costs. No sentence stands here.

Each figure holds by arithmetic (bytes, failures) or by the model (rates, against one disk alone).
"""

from fractions import Fraction

import msgspec

from raidtui.core.advice.outlook import Outlook, OutlookSpeed
from raidtui.core.advice.proposals import Advice, Proposal
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.levels import level
from raidtui.core.raid.purposes import COUNTS, Measure, Workload
from raidtui.core.raid.redundancy import Rebuild, Unreadable, unreadable


class Times(msgspec.Struct, frozen=True):
    """How many times one disk alone, by the model: streams read and written, small reads and writes at random.

    `held_by_md`: it is md's one writing thread that ends the small writes, not the disks.
    """

    long_reads: float
    long_writes: float
    small_reads: float
    small_writes: float
    held_by_md: bool = False


class Failing(msgspec.Struct, frozen=True):
    """`survives` disks may fail, whichever they are; one more with `luck`. `risk`: of a rebuild with none to spare."""

    survives: int
    asked_for: int
    luck: Fraction
    rebuild: Rebuild | None
    risk: tuple[Unreadable, ...] = ()


class Price(msgspec.Struct, frozen=True):
    """What safety takes: bytes of parity and of copies, disk operations for each small write."""

    parity_bytes: int
    mirror_bytes: int
    unequal_bytes: int
    raw_bytes: int
    write_operations: int


class Reasons(msgspec.Struct, frozen=True):
    """Of one proposal, beside what would be next."""

    use: Workload
    proposal: Proposal
    measure: Measure
    times: Times
    failing: Failing
    price: Price
    speed: OutlookSpeed
    second: "Reasons | None" = None


def rationale(advice: Advice) -> Reasons:
    """Of the best proposal, with those of the second."""
    second = _reasons(advice, advice.second, None) if advice.second else None
    return _reasons(advice, advice.best, second)


def times(view: Outlook) -> Times:
    """Of a level that can be built."""
    expected, speed = view.prediction, view.speed
    if expected is None:
        raise ValueError(view.problem)
    return Times(
        expected.seq_read_bytes_per_s / speed.bytes_per_s,
        expected.seq_write_bytes_per_s / speed.bytes_per_s,
        expected.rand_read_iops / speed.iops,
        expected.rand_write_iops / speed.iops,
        expected.limited_by["rand_write_iops"] is Limit.MD_THREAD,
    )


def failing(view: Outlook, asked_for: int = 0) -> Failing:
    """What a level survives; the risk of its rebuild is of rotating disks that read all others, for nothing spare."""
    survives = view.capacity.survives if view.capacity else 0
    rebuild = view.rebuild
    exposed = rebuild is not None and not rebuild.spare_after and view.rotating and level(view.key).parity_disks > 0
    risk = unreadable(rebuild.read_bytes) if rebuild is not None and exposed else ()
    return Failing(survives, asked_for, view.luck, rebuild, risk)


def _reasons(advice: Advice, proposal: Proposal, second: Reasons | None) -> Reasons:
    view, lost = proposal.outlook, proposal.capacity.lost
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
