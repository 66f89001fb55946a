"""Steady state by SNIA's Solid State Storage Performance Test Specification; a round is a repetition."""

from collections.abc import Sequence
from statistics import fmean, linear_regression

import msgspec

from raidtui.core.plan.recipe import ROUNDS

_RANGE = 0.20
_SLOPE = 0.10


class Steady(msgspec.Struct, frozen=True):
    """Of the last five rounds, as shares of their mean: the range, and how far the line of best fit rises or falls."""

    range: float
    drift: float

    @property
    def holds(self) -> bool:
        return self.range <= _RANGE and abs(self.drift) <= _SLOPE

    @property
    def deviations(self) -> str:
        return (
            f"the last {ROUNDS} repetitions range over {100 * self.range:.0f} % and drift by {100 * self.drift:+.0f} %"
        )

    @property
    def words(self) -> str:
        standing = "in steady state" if self.holds else "NOT in steady state (SNIA: 20 % and 10 %)"
        return f"{standing}: {self.deviations}"


def steady(figures: Sequence[float]) -> Steady | None:
    """SNIA's judgement (PTS 2.0.2, 2.1.24) of the last five figures; None where there are fewer, or they are all 0."""
    last = figures[-ROUNDS:]
    mean = fmean(last) if last else 0.0
    if len(last) < ROUNDS or not mean:
        return None
    slope = linear_regression(range(ROUNDS), last).slope
    return Steady((max(last) - min(last)) / mean, slope * (ROUNDS - 1) / mean)
