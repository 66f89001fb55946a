"""Which disk limits an array: the typical one of those of one model and size, and the slowest where that is surely
slower. By each disk alone, else by all at once, as shares of the one that was measured alone.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean

import msgspec

from raidtui.core.fio.job import Kind, directions
from raidtui.core.plan.model import Member, Plan
from raidtui.core.results.attempts import Compared
from raidtui.core.results.differences import OF_ONE_RUN
from raidtui.core.results.disturbance import own_rate
from raidtui.core.results.figure import good
from raidtui.core.units import format_iops, format_rate

_ALIKE = 0.05  # what several runs make of equal disks
_DEVIATIONS = 3  # of a count of requests


class AtOnce(msgspec.Struct, frozen=True):
    """`share`: what each of `disks` gives, of the disk alone (number `alone`); `disk`: number of the one that gives it,
    or None: mean of all.
    """

    share: float
    disks: int
    alone: int
    disk: int | None

    @property
    def words(self) -> str:
        of = f"{self.share:.2f}× disk {self.alone}, all at once"
        which = f"the typical of {self.disks} disks, disk {self.disk}" if self.disk else f"{self.disks} disks"
        return f"expected uses {which} ({of})"


class DiskLimit(msgspec.Struct, frozen=True):
    """`member`: index of the disk whose own figures count (None: of the first that was measured), times those of
    `shares`. `disk`: index of the limiting one.
    """

    member: int | None = None
    shares: AtOnce | None = None
    disk: int | None = None

    @property
    def share(self) -> float:
        return self.shares.share if self.shares else 1.0


class DiskLimits(msgspec.Struct, frozen=True):
    """`slowest`: None where it is no slower than the typical disk by more than chance; `of_typical`: its share."""

    typical: DiskLimit
    slowest: DiskLimit | None = None
    of_typical: float = 1.0


class SlowestDisk(msgspec.Struct, frozen=True):
    """The disk (`index` of the members) that gives `share` of the typical one, and the `figure` that it allows."""

    index: int
    share: float
    figure: float
    kind: Kind

    @property
    def words(self) -> str:
        rate = format_rate(self.figure) if self.kind == "sequential" else f"{format_iops(self.figure)} IOPS"
        return f"with the slowest disk, number {self.index + 1} ({self.share:.2f}× the typical one): {rate}"


def typical(rates: Mapping[int, float], members: Sequence[Member]) -> int:
    """Index of the median disk of each model and size; of several such kinds the slowest one's."""
    kinds: dict[tuple[str, int], list[int]] = {}
    for index in sorted(rates, key=rates.__getitem__):
        kinds.setdefault((members[index].model, members[index].size_bytes), []).append(index)
    medians = [indices[(len(indices) - 1) // 2] for indices in kinds.values()]
    return min(medians, key=rates.__getitem__)


def limits(
    plan: Plan, job: Compared, members: Sequence[Member], alone: Mapping[int, float], *, by_mean: bool
) -> DiskLimits:
    """`alone`: rates by index of the disks that were measured alone. Of all at once nothing is made where nobody
    counted each, and of a mix, whose reads and writes wait for each other.
    """
    if alone and len(alone) >= len(members):
        usual, slowest = typical(alone, members), min(alone, key=alone.__getitem__)
        of_typical = alone[slowest] / alone[usual]
        is_slower = of_typical < 1 / (1 + _noise(job.alone[slowest]))
        return DiskLimits(DiskLimit(usual), DiskLimit(slowest, disk=slowest) if is_slower else None, of_typical)
    rates = {index: own_rate(plan, job, index) or 0.0 for index in range(len(members))}
    if not alone or not all(rates.values()) or len(directions(job.trial.rw)) > 1:
        return DiskLimits(DiskLimit())
    first = min(alone)
    chance = _chance(job, min(rates.values()))

    def limit(share: float, disk: int | None) -> DiskLimit:
        number = None if disk is None else disk + 1
        differs = abs(share - 1) >= chance
        return DiskLimit(None, AtOnce(share, len(members), first + 1, number) if differs else None, disk)

    if by_mean:
        return DiskLimits(limit(fmean(rates.values()) / rates[first], None))
    usual, slowest = typical(rates, members), min(rates, key=rates.__getitem__)
    of_typical = rates[slowest] / rates[usual]
    is_slower = 1 - of_typical >= chance
    return DiskLimits(
        limit(rates[usual] / rates[first], usual),
        limit(rates[slowest] / rates[first], slowest) if is_slower else None,
        of_typical,
    )


def _noise(attempts: Sequence[object]) -> float:
    return OF_ONE_RUN if len(attempts) == 1 else _ALIKE


def _chance(job: Compared, iops: float) -> float:
    """Of a random test also by the number of requests of a disk."""
    measured = good(job.all_at_once)
    seconds = sum((measurement.runtime_ms or 0) / 1000 for measurement in measured)
    if job.kind == "sequential" or not seconds:
        return _noise(measured)
    return max(_noise(measured), _DEVIATIONS * math.sqrt(2 / (iops * seconds)))
