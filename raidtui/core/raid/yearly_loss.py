"""Chance that failing disks lose an array within a year: arithmetic of independent failures, an order of magnitude."""

import math

import msgspec

from raidtui.core.raid.levels import copies, level, survives
from raidtui.core.raid.redundancy import Rebuild

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
    """n x AFR failures a year; each is one too many where as many more follow, of those disks that count, before it is
    rebuilt. Disks of one batch, or in one enclosure, fail together more often. `groups`: so many arrays, all needed.
    """
    rate = -math.log1p(-afr)  # of failures a year
    rebuild_s = UNDER_LOAD * rebuild.duration_s if rebuild else 0.0
    expected = disks * rate
    spare = survives(key, layout, disks)
    for more in range(1, spare + 1):
        at_risk = disks - more if level(key).parity_disks else copies(key, layout, disks) - more
        expected *= at_risk * rate * rebuild_s / _YEAR_S
    return YearlyLoss(-math.expm1(-groups * expected), afr, rebuild_s)
