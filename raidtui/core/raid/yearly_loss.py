"""Chance that failing disks lose an array within a year: arithmetic of independent failures, an order of magnitude."""

import math

import msgspec

from raidtui.core.raid.levels import survives
from raidtui.core.raid.redundancy import Rebuild, fatal_sets

UNDER_LOAD = 3.0  # times as long as on an idle array: assumed
_YEAR_S = 365.25 * 86400


class YearlyLoss(msgspec.Struct, frozen=True):
    """`share` of arrays a year; `rebuild_s` under load, 0 without redundancy."""

    share: float
    afr: float
    rebuild_s: float


def yearly_loss(
    key: str, layout: str | None, disks: int, rebuild: Rebuild | None, afr: float, groups: int = 1
) -> YearlyLoss:
    """Of each set of disks whose failure loses data one fails, in any order, and each next one before the last is
    rebuilt. Disks of one batch, or in one enclosure, fail together more often. `groups`: so many arrays, all needed.
    """
    rate = -math.log1p(-afr)  # of failures a year
    rebuild_s = UNDER_LOAD * rebuild.duration_s if rebuild else 0.0
    more = survives(key, layout, disks)
    orders = fatal_sets(key, layout, disks) * math.factorial(more + 1)
    expected = orders * rate * (rate * rebuild_s / _YEAR_S) ** more
    return YearlyLoss(-math.expm1(-groups * expected), afr, rebuild_s)
