"""One deviation of an array from theory, with all that the run recorded around it: what causes are looked for in.

Knows how to read a plan and the counters of a test; judges nothing.
"""

from collections.abc import Sequence
from statistics import median

import msgspec

from raidtui.core.disks.buses import narrowest
from raidtui.core.fio.measurement import Direction, DiskRates, Measurement
from raidtui.core.plan import sweep
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Member, Plan, Stage
from raidtui.core.raid.levels import level
from raidtui.core.results.attempts import Compared
from raidtui.core.results.disk_operations import DiskOperations
from raidtui.core.results.figure import direction, good
from raidtui.core.run.kernel import Message
from raidtui.core.run.samples import ARRAY

_LINK_FULL = 0.85


class Deviation(msgspec.Struct, frozen=True):
    """What the run recorded around one row."""

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
    write_caches: frozenset[str] = frozenset()  # how those of the disks were set then, "write back"; empty: not known

    @property
    def members(self) -> Sequence[Member]:
        """The disks that the setup takes."""
        return sweep.taken(self.stage.setup or Setup(), self.plan.disks)

    @property
    def direction(self) -> Sequence[Direction]:
        """What the array's tests gave in the job's direction."""
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
    """Is an array with parity built there?"""
    return stage.array is not None and bool(level(stage.array.level).parity_disks)


def disks_of(measured: Measurement) -> dict[str, DiskRates]:
    return {key: rates for key, rates in measured.disks.items() if key != ARRAY}


def moved(rates: DiskRates) -> float:
    return rates.read_bytes_per_s + rates.write_bytes_per_s


def named(member: Member) -> str:
    """By model and serial, else by its identity."""
    return f"{member.model} {member.serial}".strip() or member.id


def tight_link(facts: Deviation) -> tuple[str, bool]:
    """The link that carries less than its disks did alone, in words, and whether it was seen full; ("", False): none.

    A disk that was not measured is taken for one that was.
    """
    alone = {
        member: median(values)
        for member, attempts in facts.job.alone.items()
        if (values := [value for measurement in good(attempts) if (value := facts.job.value(measurement))])
    }
    if facts.job.kind != "sequential" or not alone:
        return "", False
    usual = median(alone.values())
    members = facts.plan.members
    speeds = [alone.get(index, usual) for index in range(len(members))]
    link = narrowest([member.buses for member in members], speeds)
    if link is None:
        return "", False
    most_moved = max((sum(map(moved, disks_of(measurement).values())) for measurement in facts.measured), default=0.0)
    return link.words(len(members)), most_moved >= _LINK_FULL * link.carries_bytes_per_s
