"""Statistics of figures: quantiles, least squares of setup + block, the nearest rising line.

Quantiles of normal, Student's t (5 digits) and studentized range (4 digits) by quadrature; fractional freedom.
Least squares: where no block joins two groups of setups, blocks count as spread. Rising line: pool adjacent
violators (Barlow, Bartholomew, Bremner, Brunk 1972)."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from statistics import NormalDist, fmean, linear_regression

import msgspec
from msgspec.structs import replace

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.recipe import ROUNDS

Logs = Mapping[int, Mapping[int, float]]  # setup -> block -> log(figure)
_SINGULAR = 1e-9
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


class Fit(msgspec.Struct, frozen=True):
    """Effects as logs, blocks over the first. `spread`: SD of the rest, None without `freedom`. `shares`: of a setup's
    repetitions over the blocks but the first, `inverse`: their covariance.
    """

    setups: dict[int, float]
    blocks: dict[int, float]
    spread: float | None
    freedom: int
    counts: dict[int, int]
    shares: dict[int, tuple[float, ...]] = {}
    inverse: tuple[tuple[float, ...], ...] = ()

    def variance(self, a: int, b: int) -> float:
        """Of the difference of two setups' effects, in squares of the spread: 2 / r where all blocks are whole."""
        apart = 1 / self.counts[a] + 1 / self.counts[b]
        gaps = [x - y for x, y in zip(self.shares.get(a, ()), self.shares.get(b, ()), strict=True)]
        products = [sum(x * y for x, y in zip(row, gaps, strict=True)) for row in self.inverse] if gaps else []
        return apart + sum(x * y for x, y in zip(gaps, products, strict=True))


def fit(logs: Logs, blocks: bool) -> Fit:
    """With the blocks' effects where asked and where that leaves anything to judge the spread by; else without."""
    plain = _one_way(logs)
    if not blocks:
        return plain
    two_way = _two_way(logs)
    return two_way if two_way is not None and (two_way.freedom or not plain.freedom) else plain


def values_of(by_block: Mapping[int, float], other_setups: Fit) -> list[float]:
    """The logs of a setup less the effects of the blocks, as far as the others know these."""
    if not other_setups.blocks:
        return list(by_block.values())
    return [value - other_setups.blocks[block] for block, value in by_block.items() if block in other_setups.blocks]


def _one_way(logs: Logs) -> Fit:
    setups = {i: fmean(log.values()) for i, log in logs.items()}
    squares = sum((value - setups[i]) ** 2 for i, log in logs.items() for value in log.values())
    return _fit(setups, {}, squares, sum(len(log) - 1 for log in logs.values()), logs)


def _two_way(logs: Logs) -> Fit | None:
    """Setups eliminated, the normal equations of the blocks are few; None where they have no one solution."""
    labels = sorted({block for log in logs.values() for block in log})
    rest_blocks = labels[1:]
    means = {i: fmean(log.values()) for i, log in logs.items()}
    matrix = [
        [sum((b in log) * ((b == c) - (c in log) / len(log)) for log in logs.values()) for c in rest_blocks]
        for b in rest_blocks
    ]
    sides = [sum(log[b] - means[i] for i, log in logs.items() if b in log) for b in rest_blocks]
    inverse = _inverted(matrix)
    if inverse is None:
        return None
    effects = dict(
        zip(rest_blocks, (sum(x * y for x, y in zip(row, sides, strict=True)) for row in inverse), strict=True)
    )
    blocks = {**dict.fromkeys(labels[:1], 0.0), **effects}
    setups = {i: fmean(value - blocks[b] for b, value in log.items()) for i, log in logs.items()}
    squares = sum((value - setups[i] - blocks[b]) ** 2 for i, log in logs.items() for b, value in log.items())
    freedom = sum(map(len, logs.values())) - len(logs) - len(rest_blocks)
    shares = {i: tuple((b in log) / len(log) for b in rest_blocks) for i, log in logs.items()}
    return replace(_fit(setups, blocks, squares, freedom, logs), shares=shares, inverse=inverse)


def _fit(setups: dict[int, float], blocks: dict[int, float], squares: float, freedom: int, logs: Logs) -> Fit:
    spread = math.sqrt(squares / freedom) if freedom > 0 else None
    return Fit(setups, blocks, spread, max(0, freedom), {i: len(log) for i, log in logs.items()})


def _inverted(matrix: list[list[float]]) -> tuple[tuple[float, ...], ...] | None:
    """Gauss and Jordan with pivots; None of a singular one."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: abs(rows[i][column]))
        if abs(rows[pivot][column]) < _SINGULAR:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        factor = rows[column][column]
        rows[column] = [value / factor for value in rows[column]]
        for i in range(size):
            if i != column and (times := rows[i][column]):
                rows[i] = [x - times * y for x, y in zip(rows[i], rows[column], strict=True)]
    return tuple(tuple(row[size:]) for row in rows)


class MonotoneFit(msgspec.Struct, frozen=True):
    """`values` never fall; `pooled` is how many measured ones are in each. `spread` is the standard deviation of what
    is left of the measured ones, and 0 where nothing is.
    """

    values: tuple[float, ...]
    pooled: tuple[int, ...]
    spread: float

    def exceeds(self, index: int, base: int, step: float) -> bool:
        """Is one value over another by more than `step` and than chance, two standard errors?"""
        error = self.spread * math.sqrt(1 / self.pooled[index] + 1 / self.pooled[base])
        return self.values[index] - self.values[base] > step + 2 * error


def rising(measured: Sequence[float]) -> MonotoneFit:
    pools: list[list[float]] = []
    for value in measured:
        pools.append([value])
        while len(pools) > 1 and fmean(pools[-2]) >= fmean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    values = tuple(fmean(pool) for pool in pools for _ in pool)
    squares = sum((value - fitted) ** 2 for value, fitted in zip(measured, values, strict=True))
    freedom = len(measured) - len(pools)
    return MonotoneFit(
        values, tuple(len(pool) for pool in pools for _ in pool), math.sqrt(squares / freedom) if freedom else 0.0
    )


def joined(plan: Plan) -> Plan:
    """The plan with each setup, and the baseline, at its first stage with the trials of all passes; later ones are
    empty.
    """
    if plan.blocks < 2:
        return plan
    first: dict[Setup | None, int] = {}
    stages = list(plan.stages)
    for number, stage in enumerate(plan.stages):
        first_number = first.setdefault(stage.setup, number) if stage.trials else number
        if first_number != number:
            stages[first_number] = _added(stages[first_number], stage)
            stages[number] = Stage(title=stage.title, steps=(), trials=())
    return replace(plan, stages=tuple(stages))


def built(plan: Plan) -> list[tuple[int, Stage]]:
    numbered = [(number, stage) for number, stage in enumerate(plan.stages) if stage.setup is not None]
    return sorted(numbered, key=lambda pair: plan.setups.index(pair[1].setup) if pair[1].setup in plan.setups else 0)


def _added(stage: Stage, later: Stage) -> Stage:
    return replace(
        stage,
        steps=(*stage.steps, *later.steps),
        trials=(*stage.trials, *later.trials),
        written_bytes=stage.written_bytes + later.written_bytes,
        sync_bytes=stage.sync_bytes + later.sync_bytes,
    )


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
