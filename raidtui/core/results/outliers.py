"""Which members hold the others back: a member much slower than the median of all, named so that it can be found.

Knows rates; refuses to screen where a member was not measured.
"""

from collections.abc import Sequence
from statistics import median

import msgspec

from raidtui.core.fio.measurement import (
    DirectionName,
)
from raidtui.core.plan.model import Plan
from raidtui.core.results.attempts import Compared
from raidtui.core.results.figure import (
    direction,
    good,
)

SLOW = 0.15
_ROBUST_DEVIATIONS = 3
_SCALE_OF_MAD = 1.4826  # makes the median absolute deviation of a normal distribution its standard deviation
_NEVER_SLOW = 0.08  # equal disks differ by this in seconds; few of them can have a deviation near 0


class SlowMember(msgspec.Struct, frozen=True, kw_only=True):
    """A member slower than the median of all by more than 15 % or 3 robust deviations. Rates in bytes/s."""

    member: int
    model: str
    serial: str
    job: str
    direction: DirectionName
    bytes_per_s: float
    median_bytes_per_s: float


def slow_members(plan: Plan, job: Compared) -> list[SlowMember]:
    """Members that hold the others back, by their rates alone where each was measured so, else by those all at once."""
    rates = {
        member: median(found)
        for member, attempts in job.alone.items()
        if (found := [one.bytes_per_s for measured in good(attempts) if (one := direction(measured, job.name))])
    }
    if len(rates) < len(plan.members):
        disks = next((measurement.disks for measurement in good(job.together)), {})
        rates = {
            number: disks[member.id].read_bytes_per_s if job.name == "read" else disks[member.id].write_bytes_per_s
            for number, member in enumerate(plan.members)
            if member.id in disks
        }
    if len(rates) < len(plan.members) or not rates:
        return []
    middle = median(rates.values())
    limit = middle - slow_margin(list(rates.values()))
    return [
        SlowMember(
            member=number,
            model=plan.members[number].model,
            serial=plan.members[number].serial,
            job=job.trial.title,
            direction=job.name,
            bytes_per_s=rate,
            median_bytes_per_s=middle,
        )
        for number, rate in sorted(rates.items())
        if rate < limit
    ]


def slow_margin(rates: Sequence[float]) -> float:
    """How far below the median of `rates` a member is slow: 15 %, or 3 robust deviations if that is less."""
    middle = median(rates)
    deviation = _SCALE_OF_MAD * median(abs(rate - middle) for rate in rates)
    return min(SLOW * middle, max(_NEVER_SLOW * middle, _ROBUST_DEVIATIONS * deviation))
