"""What disks did all at once, as shares of the one that was measured alone: they correct what that one promises."""

import math
from statistics import fmean

import msgspec

from raidtui.core.fio.job import directions
from raidtui.core.plan.model import Plan
from raidtui.core.results.attempts import Compared
from raidtui.core.results.differences import OF_ONE_RUN
from raidtui.core.results.disturbance import own_rate
from raidtui.core.results.figure import good

_ALIKE = 0.05  # what several runs make of equal disks
_DEVIATIONS = 3  # of a count of requests


class AtOnce(msgspec.Struct, frozen=True):
    """`share`: what each of `disks` gives, of the disk alone (number `alone`); `weakest`: number of that one, or None:
    mean of all.
    """

    share: float
    disks: int
    alone: int
    weakest: int | None

    @property
    def words(self) -> str:
        of = f"{self.share:.2f}× disk {self.alone}, all at once"
        which = f"the weakest of {self.disks} disks, disk {self.weakest}" if self.weakest else f"{self.disks} disks"
        return f"expected uses {which} ({of})"


def at_once(plan: Plan, job: Compared, members: int, *, by_weakest: bool) -> AtOnce | None:
    """None where each was measured alone, where nobody counted each, where chance is enough, and of a mix, whose reads
    and writes wait for each other.
    """
    if len(directions(job.trial.rw)) > 1:
        return None
    alone = sorted(member for member, attempts in job.alone.items() if member < members and good(attempts))
    rates = [own_rate(plan, job, member) or 0.0 for member in range(members)]
    if not alone or len(alone) >= members or not all(rates):
        return None
    shares = [rate / rates[alone[0]] for rate in rates]
    share = min(shares) if by_weakest else fmean(shares)
    weakest = shares.index(share) + 1 if by_weakest else None
    return AtOnce(share, members, alone[0] + 1, weakest) if abs(share - 1) >= _chance(job, min(rates)) else None


def _chance(job: Compared, iops: float) -> float:
    """Of a random test also by the number of requests of a disk."""
    measured = good(job.all_at_once)
    alike = OF_ONE_RUN if len(measured) == 1 else _ALIKE
    seconds = sum((measurement.runtime_ms or 0) / 1000 for measurement in measured)
    if job.kind == "sequential" or not seconds:
        return alike
    return max(alike, _DEVIATIONS * math.sqrt(2 / (iops * seconds)))
