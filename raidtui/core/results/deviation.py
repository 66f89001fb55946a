"""One deviation from the model: the facts around it, and the values of causes (`core/answer/numbers`
words them).
"""

from collections.abc import Sequence
from statistics import median
from typing import Literal, dataclass_transform

import msgspec

from raidtui.core.disks.buses import Narrow, narrowest
from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.plan import sweep
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Member, Plan, Stage
from raidtui.core.plan.parsed_setup import ParsedSetup, parse
from raidtui.core.results.disk_operations import DiskOperations, disks_of
from raidtui.core.results.figure import direction
from raidtui.core.results.outliers import Compared
from raidtui.core.run.kernel import Message
from raidtui.core.run.samples import moved

_LINK_FULL = 0.85


@dataclass_transform(frozen_default=True)
class _Cause(msgspec.Struct, frozen=True, tag_field="kind"):
    """Of a measured figure. Shares are of 1."""


class KernelMessages(_Cause, tag="kernel"):
    messages: tuple[Message, ...]


class AlsoRead(_Cause, tag="also-read"):
    """Disks read in a test of writes: `share` as many operations as they wrote. `moved_bytes_per_s`: reads and writes
    together, where these are `of_limit` of what all disks do without md.
    """

    share: float
    parity: bool
    moved_bytes_per_s: float | None = None
    of_limit: float = 0.0


class Penalty(_Cause, tag="penalty"):
    measured: DiskOperations
    model: DiskOperations


class SlowedByDisk(_Cause, tag="slow-disk"):
    """A disk that gives `share` of the typical one; `left`: what that leaves of the expected figure."""

    disk: str
    share: float
    left: float


class Resync(_Cause, tag="resync"):
    pass


class BusyDisk(_Cause, tag="one-disk"):
    """`disk` was `busy` of the time, the others from `least` to `most`."""

    disk: str
    busy: float
    least: float
    most: float


class FullThreads(_Cause, tag="full-threads"):
    """Threads that used all of a CPU, by name."""

    threads: tuple[tuple[str, float], ...]


class Cpu(_Cause, tag="cpu"):
    """The busiest CPU, and what of it was `threads`'. `mostly_others`: less than half of it. `all_at_once`: how busy it
    was with all disks at once, without md; 0 where that was not measured.
    """

    busiest: float
    threads: tuple[tuple[str, float], ...]
    mostly_others: bool
    all_at_once: float = 0.0

    @property
    def headroom(self) -> float:
        """How much more work it has time for at most, by the utilisation law."""
        return 1 / self.busiest - 1


class Hot(_Cause, tag="hot"):
    """A disk at the temperature from which it slows itself down."""

    disk: str
    reached_c: float
    limit_c: float


class Link(_Cause, tag="link"):
    """A link that carries less than the disks behind it do alone; a suspect where it was not seen full."""

    link: Narrow
    disks: int


class Shared(_Cause, tag="shared"):
    """All disks at once without the array do `share` of what they do alone; `of`: the deviation, where that explains
    only a part of it.
    """

    share: float
    of: float | None = None


class PageCache(_Cause, tag="page-cache"):
    """The disks read this share of what the program got."""

    share: float


class TunableValue(_Cause, tag="setting"):
    tunable: str
    value: str


class UnequalDisks(_Cause, tag="unequal-disks"):
    """This share of a RAID 0 lies on fewer than all `disks`."""

    share: float
    disks: int


class NearBalancer(_Cause, tag="near-balancer"):
    """RAID 10 near's choice of the copy that is read."""

    lucky: bool


class MirrorReads(_Cause, tag="mirror-reads"):
    """RAID 1 reads a queue of this depth from more than one disk."""

    queue: int


class ShortStrokes(_Cause, tag="short-strokes"):
    """The test spans this share of the array."""

    share: float


OtherName = Literal["file-start", "controller", "read-ahead", "buffered", "zeros", "write-caches", "journal"]


class Other(_Cause, tag="other"):
    name: OtherName


Cause = (
    KernelMessages
    | SlowedByDisk
    | AlsoRead
    | Penalty
    | Resync
    | BusyDisk
    | FullThreads
    | Cpu
    | Hot
    | Link
    | Shared
    | PageCache
)
Suspect = TunableValue | UnequalDisks | NearBalancer | MirrorReads | ShortStrokes | Link | Other
OF_A_DISK = (KernelMessages, SlowedByDisk, BusyDisk, Hot, Link)
OF_A_CPU = (FullThreads, Cpu)


class Causes(msgspec.Struct, frozen=True):
    """`evident`: proved; `suspects`: not tested; `chance`: n.s., without either. `deviation` None: small."""

    deviation: float | None = None
    evident: tuple[Cause, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    chance: bool = False

    @property
    def of_a_disk(self) -> bool:
        """Is one of them a disk's own, or of its link?"""
        return any(isinstance(cause, OF_A_DISK) for cause in self.evident)

    @property
    def of_a_cpu(self) -> bool:
        """Is one of them a CPU that had no time for what is missing?"""
        return any(isinstance(cause, OF_A_CPU) for cause in self.evident)


class Deviation(msgspec.Struct, frozen=True):
    plan: Plan
    stage: Stage
    job: Compared
    options: dict[str, str]  # fio's, as run
    detail: dict[str, str]  # the array's settings
    measured: tuple[Measurement, ...]
    together_share: float | None  # all at once / (n x one), where that is less by more than chance
    flash: bool
    deviation: float
    model_operations: DiskOperations | None = None  # that theory has the disks do for one of the user's
    kernel_messages: tuple[Message, ...] = ()  # by the kernel, during the array's tests
    file_start: bool = False  # theory takes the test file to begin on the grid of its requests, which nobody looked at
    slowest: SlowedByDisk | None = None  # what it leaves of the expected figure
    write_caches: frozenset[str] = frozenset()  # how those of the disks were set then, "write back"; empty: not known

    @property
    def members(self) -> Sequence[Member]:
        return sweep.taken(self.stage.setup or Setup(), self.plan.disks)

    @property
    def direction(self) -> Sequence[Direction]:
        return [transfers for measurement in self.measured if (transfers := direction(measurement, self.job.name))]

    @property
    def parity(self) -> bool:
        return has_parity(self.stage)

    @property
    def buffered(self) -> bool:
        """Through the page cache, as fio is unless told otherwise; False where its options are not known."""
        return bool(self.options) and self.options.get("direct", "0") == "0"

    @property
    def is_write(self) -> bool:
        return self.job.name == "write"


def has_parity(stage: Stage) -> bool:
    return stage.array is not None and bool(stage.array.raid.parity_disks)


def cell_of(plan: Plan, stage: Stage) -> ParsedSetup:
    assert stage.setup
    return parse(stage.setup, [member.size_bytes for member in sweep.taken(stage.setup, plan.members)], "4.2")


def named(member: Member) -> str:
    return f"{member.model} {member.serial}".strip() or member.id


def tight_link(facts: Deviation) -> tuple[Link | None, bool]:
    """(link that carries less than its disks alone, seen full?); a disk not measured counts as the measured one."""
    alone = facts.job.rates_alone
    if facts.job.kind != "sequential" or not alone:
        return None, False
    usual = median(alone.values())
    members = facts.plan.members
    link = narrowest([member.buses for member in members], [alone.get(index, usual) for index in range(len(members))])
    if link is None:
        return None, False
    most_moved = max((sum(map(moved, disks_of(measurement).values())) for measurement in facts.measured), default=0.0)
    return Link(link, len(members)), most_moved >= _LINK_FULL * link.carries_bytes_per_s
