"""Quantiles of normal, Student's t (5 digits) and studentized range (4 digits) by quadrature; fractional freedom."""

import math
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()
_NEARLY_ENDLESS = 5000.0  # degrees of freedom, from which on a spread counts as known
_STEP = 0.25  # of both quadratures: by the trapezoid rule, whose error falls exponentially on such bells
# Of the largest of n normal values, in standard deviations: z, the bell's height there, erf(z / sqrt 2).
_MAXIMA = tuple((z, math.exp(-z * z / 2), math.erf(z / math.sqrt(2))) for z in (_STEP * i for i in range(-26, 31)))
_LOG_STEP = 0.125
_LOG_LEAST = -14.0


def normal(probability: float) -> float:
    """z with P(Z <= z) = probability."""
    return _NORMAL.inv_cdf(probability)


@lru_cache(maxsize=4096)
def student(probability: float, freedom: float) -> float:
    """t with P(T <= t) = probability > 0.5, of `freedom` > 0 degrees."""
    if freedom >= _NEARLY_ENDLESS:
        return normal(probability)
    return _solve(lambda t: _student_within(t, freedom), 2 * probability - 1)


@lru_cache(maxsize=4096)
def studentized_range(probability: float, groups: int, freedom: float) -> float:
    """q with P(range of `groups` normal values / their spread, of `freedom` degrees, <= q) = probability."""
    if groups == 2:
        return math.sqrt(2) * student((1 + probability) / 2, freedom)
    return _solve(lambda q: _range_within(q, groups, freedom), probability)


def _solve(rising: Callable[[float], float], target: float) -> float:
    """Where a function that rises from 0 at 0 to 1 has this value, to 7 digits: regula falsi by the Illinois rule, in
    which an end that stays twice counts half (Dowell and Jarratt 1971, BIT 11).
    """
    low, below, high = 0.0, -target, 4.0
    while (above := rising(high) - target) < 0:
        low, below, high = high, above, 4 * high
    found, stayed = high, ""
    while True:
        previous, found = found, high - above * (high - low) / (above - below)
        if abs(found - previous) <= 1e-7 * found:
            return found
        if (off := rising(found) - target) < 0:
            low, below, above, stayed = found, off, above / 2 if stayed == "high" else above, "high"
        else:
            high, above, below, stayed = found, off, below / 2 if stayed == "low" else below, "low"


def _student_within(t: float, freedom: float) -> float:
    """P(|T| <= t) = 1 - I_x(v/2, 1/2) with x = v / (v + t²). Abramowitz and Stegun 26.7.1."""
    return 1 - _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """I_x(a, b), regularised, by its continued fraction (Abramowitz and Stegun 26.5.8) on the side where it is fast."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    tail = 0.0
    for m in range(200, 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        tail = even / (1 + odd / (1 + tail))
    first = -(a + b) * x / (a + 1)
    return math.exp(front) / a / (1 + first / (1 + tail))


def _range_within(q: float, groups: int, freedom: float) -> float:
    """The range of normal values, over all that their estimated spread may be: s² v / sigma² is chi squared."""
    if freedom >= _NEARLY_ENDLESS:
        return _normal_range_within(q, groups)
    scale = math.log(2) + freedom / 2 * math.log(freedom / 2) - math.lgamma(freedom / 2)
    most = math.log(1 + 9 / math.sqrt(freedom))
    total, log_s = 0.0, most
    while log_s > _LOG_LEAST:
        s = math.exp(log_s)
        density = math.exp(scale + freedom * (log_s - s * s / 2))
        total += density * _normal_range_within(q * s, groups)
        if s < 1 and density < 1e-12:
            break
        log_s -= _log_step(freedom)
    return total * _log_step(freedom)


def _log_step(freedom: float) -> float:
    """Narrow enough for the bell of log s, which is about 1 / sqrt(2 v) wide."""
    return min(_LOG_STEP, 0.4 / math.sqrt(2 * freedom))


def _normal_range_within(width: float, groups: int) -> float:
    """P(range <= width) of so many normal values: all others within `width` below the largest."""
    if width <= 0:
        return 0.0
    total = 0.0
    for z, height, below in _MAXIMA:
        share_inside = (below - math.erf((z - width) / math.sqrt(2))) / 2
        total += height * share_inside ** (groups - 1)
    return min(1.0, groups * _STEP * total / math.sqrt(2 * math.pi))
