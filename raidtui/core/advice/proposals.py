"""Level, layout, chunk and file system by workload: opinions in one table, on `preview`. Texts: `wording`.

Reasons of a proposal as values: gains, failures, costs, by arithmetic or model. No sentences.
"""

from collections.abc import Sequence
from fractions import Fraction

import msgspec
from msgspec.structs import replace

from raidtui.core.advice.preview import LevelPreview, PreviewSpeed, preview_level
from raidtui.core.disks.disk import Disk
from raidtui.core.raid import filesystems
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.ceilings import Limit
from raidtui.core.raid.confidence import Confidence
from raidtui.core.raid.disk_kinds import HDD, KINDS, SSD, DiskKind
from raidtui.core.raid.levels import DEFAULT_CHUNK_BYTES, LAYOUTS_10, level
from raidtui.core.raid.purposes import COUNTS, Measure, Workload
from raidtui.core.raid.redundancy import Rebuild, Unreadable, unreadable
from raidtui.core.units import KIB, MIB

MOST_SURVIVED = 2  # that a wish may ask for


class Wish(msgspec.Struct, frozen=True):
    """`survive`: any so many disks may fail."""

    use: Workload
    survive: int = 1


class Proposal(msgspec.Struct, frozen=True):
    preview: LevelPreview
    capacity: Capacity
    filesystem: str

    @property
    def named(self) -> str:
        return self.preview.named


class Advice(msgspec.Struct, frozen=True):
    """Best first; all survive as many failures as asked."""

    wish: Wish
    disks: int
    ranked: tuple[Proposal, ...]

    @property
    def best(self) -> Proposal:
        return self.ranked[0]

    @property
    def second(self) -> Proposal | None:
        return self.ranked[1] if len(self.ranked) > 1 else None


class NoAdvice(ValueError):
    """One sentence: reason and remedy."""


class Candidate(msgspec.Struct, frozen=True):
    """When a level is proposed. `copies`, `far`: RAID 10 layout. `most_hdds`, `most_hdd_rebuild_s`: of HDDs alone."""

    key: str
    copies: int = 0
    far: bool = False
    least_disks: int = 2
    most_disks: int = 100_000
    most_hdds: int = 100_000
    least_rebuild_s: float = 0.0
    most_rebuild_s: float = float("inf")
    most_hdd_rebuild_s: float = float("inf")
    kinds: tuple[DiskKind, ...] = KINDS

    @property
    def layout(self) -> str | None:
        kind = "far" if self.far else "near"
        of_ten = (name for name, row in LAYOUTS_10.items() if (row.kind, row.copies) == (kind, self.copies))
        return next(of_ten) if self.copies else level(self.key).default_layout


# A short rebuild of few disks: one parity is enough where the time without any is short and few disks could fail in it.
_SHORT_S = 4 * 3600.0
_MOST_OF_ONE_PARITY = 8  # disks: with more a second one fails during a rebuild too often
MOST_HDDS_OF_PARITY = 12  # in one array; of more there are groups
_ONE_DISK, _STRIPE = Candidate("jbod", least_disks=1, most_disks=1), Candidate("0")
_FEW_DISKS = Candidate("5", least_disks=3, most_disks=5, most_rebuild_s=_SHORT_S)
_PARITY_OF_3 = Candidate("5", least_disks=3, most_disks=3)
_PARITY = Candidate("5", least_disks=3, most_disks=_MOST_OF_ONE_PARITY, most_hdd_rebuild_s=_SHORT_S)
_PARITY_OF_HDDS, _PARITY_OF_SSDS = replace(_PARITY, kinds=(HDD,)), replace(_PARITY, kinds=(SSD,))
_TWO_PARITIES = Candidate("6", least_disks=4)  # as the best: of many HDDs with a word about groups
_FEW_HDDS_OR_FLASH = replace(_TWO_PARITIES, most_hdds=MOST_HDDS_OF_PARITY)
_FEW_HDDS = replace(_FEW_HDDS_OR_FLASH, kinds=(HDD,))
_PAIR, _TRIPLE = Candidate("1", most_disks=2), Candidate("1", least_disks=3, most_disks=3)
_LARGE_TRIPLE = replace(_TRIPLE, kinds=(HDD,), least_rebuild_s=_SHORT_S)
_MIRRORS, _THREE_COPIES = Candidate("10", copies=2, least_disks=3), Candidate("10", copies=3, least_disks=4)
# Far copies are read as RAID 0 is; disks without seeks read near ones as fast, and write them no slower.
_FAR, _FAR_THREE = Candidate("10", copies=2, far=True, kinds=(HDD,)), replace(_THREE_COPIES, far=True, kinds=(HDD,))

Ranks = dict[int, tuple[Candidate, ...]]  # failures that must be survived -> what to propose, the best first

_SPACE: Ranks = {
    0: (_ONE_DISK, _STRIPE, _PARITY_OF_3, _PARITY, _FEW_HDDS_OR_FLASH, _MIRRORS, _PAIR),
    1: (_PAIR, _FEW_DISKS, _TWO_PARITIES, _PARITY_OF_3, _PARITY, _LARGE_TRIPLE, _MIRRORS),
    2: (_TRIPLE, _TWO_PARITIES, _THREE_COPIES),
}
# One parity of NVMe drives writes small blocks slower than one of them: md's single thread.
_SMALL_WRITES: Ranks = {
    0: (_ONE_DISK, _STRIPE, _MIRRORS, _PAIR),
    1: (_PAIR, _MIRRORS, _PARITY_OF_SSDS, _FEW_HDDS_OR_FLASH, _PARITY_OF_HDDS, _TRIPLE, _THREE_COPIES),
    2: (_TRIPLE, _THREE_COPIES, _FEW_HDDS_OR_FLASH),
}
_SPEED: Ranks = {
    0: (_ONE_DISK, _STRIPE, _PAIR, _PARITY, _FAR, _MIRRORS),
    1: (_FAR, _PAIR, _PARITY_OF_HDDS, _MIRRORS, _PARITY, _FEW_HDDS_OR_FLASH),
    2: (_FAR_THREE, _TRIPLE, _FEW_HDDS, _THREE_COPIES, _FEW_HDDS_OR_FLASH),
}
TABLE: dict[Workload, Ranks] = {
    Workload.BACKUP: _SPACE,
    Workload.MEDIA: _SPACE,
    Workload.FILES: _SPACE,
    Workload.VMS: _SMALL_WRITES,
    Workload.DATABASES: _SMALL_WRITES,
    Workload.SCRATCH: _SPEED,
}
# How many failed disks each has to survive unless a person says otherwise: what is scratch can be made again.
USUALLY_SURVIVED: dict[Workload, int] = {use: 0 if use is Workload.SCRATCH else 1 for use in Workload}
_MOST_STRIPE_BYTES, _LEAST_CHUNK_BYTES = 4 * MIB, 64 * KIB
# With parity on flash: 512 KiB cost RAID 5 35 % of its sequential writes (tests/recordings/reports/nvme-array.md).
_MOST_FLASH_CHUNK_BYTES: int = 128 * KIB


def advise(wish: Wish, disks: Sequence[Disk], speed: PreviewSpeed | None = None) -> Advice:
    """Members in order. NoAdvice if nothing survives as asked, or fits."""
    if not 0 <= wish.survive <= MOST_SURVIVED:
        raise NoAdvice(
            f"no md parity level survives {wish.survive} failures; use 0 to {MOST_SURVIVED} (--survive), keep a copy"
            " elsewhere"
        )
    candidates = TABLE[wish.use][wish.survive]
    if not disks:
        raise NoAdvice("no disks to build an array of; select some")
    fitting = [candidate for candidate in candidates if candidate.least_disks <= len(disks) <= candidate.most_disks]
    if not fitting:
        disks_needed = min(candidate.least_disks for candidate in candidates)
        raise NoAdvice(
            f"surviving {_count(wish.survive, 'failure')} needs {_count(disks_needed, 'disk')} ({len(disks)} given);"
            f" add {disks_needed - len(disks)}, or survive fewer"
        )
    ranked: list[Proposal] = []
    problem = ""
    for candidate in fitting:
        chunk = proposed_chunk_bytes(candidate.key, len(disks), rotating=any(disk.rotational for disk in disks))
        view = preview_level(candidate.key, candidate.layout, chunk, disks, speed)
        problem = problem or view.problem
        if (
            view.capacity is None
            or not _holds(candidate, view)
            or any((view.key, view.layout) == (one.preview.key, one.preview.layout) for one in ranked)
        ):
            continue
        ranked.append(Proposal(view, view.capacity, _filesystem(view, view.capacity)))
    if not ranked:
        raise NoAdvice(problem)
    return Advice(wish, len(disks), tuple(ranked))


def _holds(candidate: Candidate, view: LevelPreview) -> bool:
    if view.kind not in candidate.kinds or (view.kind == HDD and view.disks > candidate.most_hdds):
        return False
    if view.rebuild is None:
        return True
    duration_s = view.rebuild.disks_s  # md's limit can be lifted
    if view.kind == HDD and duration_s > candidate.most_hdd_rebuild_s:
        return False
    return candidate.least_rebuild_s < duration_s <= candidate.most_rebuild_s


def are_many_and_large(view: LevelPreview) -> bool:
    """Too many disks or too long a rebuild for one parity."""
    long = view.rebuild is not None and view.rebuild.disks_s > _FEW_DISKS.most_rebuild_s
    return long and view.disks > _FEW_DISKS.most_disks


def chunk_reason(key: str, chunk_bytes: int, rotating: bool) -> str:
    """What decided a chunk that `proposed_chunk_bytes` gave."""
    if chunk_bytes == DEFAULT_CHUNK_BYTES:
        return "mdadm's default"
    on_flash = level(key).parity_disks and not rotating and chunk_bytes == _MOST_FLASH_CHUNK_BYTES
    return "the most with parity on flash" if on_flash else "full stripe of 4 MiB at most"


def proposed_chunk_bytes(key: str, disks: int, rotating: bool = True) -> int | None:
    """mdadm's default; with parity small enough that a long write fills stripes, and smaller on flash."""
    if not level(key).has_chunk:
        return None
    chunk: int = DEFAULT_CHUNK_BYTES
    if level(key).parity_disks:
        chunk = chunk if rotating else _MOST_FLASH_CHUNK_BYTES
        while chunk > _LEAST_CHUNK_BYTES and chunk * (disks - level(key).parity_disks) > _MOST_STRIPE_BYTES:
            chunk //= 2
    return chunk


def _filesystem(view: LevelPreview, holds: Capacity) -> str:
    """First of those for kept arrays that fits, on separate disks onto the smallest."""
    shape = filesystems.geometry(view.key, view.disks, view.chunk_bytes, view.layout)
    size_bytes = holds.array_bytes if view.raid.md_name else holds.member_used_bytes
    return next(
        (key for key in filesystems.TO_KEEP if filesystems.possible(key, size_bytes, shape)[0]), filesystems.NONE
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


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
    return _reasons(advice, advice.best, _reasons(advice, advice.second, None) if advice.second else None)


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
