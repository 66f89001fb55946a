"""When two figures differ: every pair of setups of one test, judged by all repetitions of all of them.

log(figure) = setup + block + rest; the SD of the rest is pooled, intervals are corrected for all pairs (Tukey).
Shares are of medians over blocks; a difference needs both means within blocks and medians. Single runs: 5 % SD is
assumed, so two differ from 15 % on, and are never "equal".
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from statistics import fmean, median
from typing import Literal, NamedTuple

import msgspec

from raidtui.core.plan import blocks
from raidtui.core.results.figure import Figure
from raidtui.core.results.numerics import Fit, fit, normal, student, studentized_range, values_of
from raidtui.core.units import signed_percent

Conclusion = Literal["different", "equal", "cannot tell"]
Repeated = Mapping[int, float]  # block -> figure

EQUAL = math.log(1.03)
ASSUMED_SPREAD = 0.05  # of a setup from run to run, where nothing was measured twice: two differ from 15 % on
# Of two single figures one may be so much more than the other by chance; so much less is 1 - 1 / (1 + it).
OF_ONE_RUN = math.expm1(normal(0.975) * math.sqrt(2) * ASSUMED_SPREAD)
_MOST_OPEN = math.log(1.20)  # that what is not worth finding may yet be: two single runs leave 15 % open
_WORTH_REPETITIONS = 10  # of each, for figures that are within 3 % already
_CONFIDENCE = 0.95
_SURE_OF_ASSUMED = 0.993  # beside the measured one: the two together are wrong in under 6 of 100
_HARDLY_KNOWN = 3  # degrees of freedom, of which a spread is known no better than the assumed one
_NO_CHANCE = 0.999
_MOST_APART = 700.0  # logarithm, of what a float holds
_WILD = 3.0  # times the others' spread
_OF_MEDIANS = 0.5  # of the interval, that medians show of what is different: one wild block shows in the mean alone
_FEWEST_OF_WILD = 5
_FOUND_OF_DIFFERENT, _FOUND_OF_EQUAL = normal(0.80), normal(0.90)  # 80 of 100, of the latter on both sides


class Difference(msgspec.Struct, frozen=True):
    """`share` = figure / base - 1 of medians, `low` to `high` its 95 % interval; None: a figure is missing.
    `repetitions` of each setup find it in 80 of 100 cases (None: found, or over 100). `assumed`: 5 % SD, single runs.
    """

    share: float | None = None
    low: float | None = None
    high: float | None = None
    conclusion: Conclusion | None = None
    repetitions: int | None = None
    assumed: bool = False

    @property
    def ratio(self) -> float | None:
        return None if self.share is None else self.share + 1

    @property
    def is_worth_finding(self) -> bool:
        """Not where the figures are within 3 %, more than 20 % is ruled out, and over ten repetitions would tell."""
        if self.share is None or self.low is None or self.high is None or self.conclusion != "cannot tell":
            return True
        small = abs(math.log1p(self.share)) <= EQUAL
        return not (small and _within(self.low, self.high) and (self.repetitions or blocks.MOST) > _WORTH_REPETITIONS)

    @property
    def is_open(self) -> bool:
        """Is more than 20 % left open where nothing differs?"""
        small = self.low is not None and self.high is not None and _within(self.low, self.high)
        return self.conclusion == "cannot tell" and not small


def _within(low: float, high: float) -> bool:
    return math.log1p(low) >= -_MOST_OPEN and math.log1p(high) <= _MOST_OPEN


class _Wild(msgspec.Struct, frozen=True):
    """A setup whose repetitions lie three times as far apart as the others': its own mean and variance of logs."""

    mean: float
    variance: float
    count: int


class _Medians(NamedTuple):
    """One setup over another, as logs: of medians as they stand in tables, and of what blocks do not explain."""

    of_figures: float
    within_blocks: float


class Setups:
    """All setups of one test; those without a value are not counted. `blocks`: repetitions of one number share
    conditions.
    """

    def __init__(self, setups: Sequence[Repeated], blocks: bool = True) -> None:
        logs = {i: {b: math.log(v) for b, v in setup.items() if v > 0} for i, setup in enumerate(setups)}
        logs = {i: log for i, log in logs.items() if log}
        self._logs = logs
        self._compared = max(2, len(logs))
        self._blocks = blocks
        self._wild = self._sort_out()
        self._fit = self._fitted([i for i in logs if i not in self._wild])

    @property
    def spread(self) -> float | None:
        """The standard deviation of log(figure) that no setup and no block explains; None without repetitions."""
        return self._fit.spread

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the spread: (setups - 1)(blocks - 1) where every block has every setup."""
        return self._fit.freedom

    @property
    def block_effects(self) -> dict[int, float]:
        """How each block differs from the first, as a log; empty where blocks were not told apart."""
        return self._fit.blocks

    @property
    def wild(self) -> tuple[int, ...]:
        """The setups that are judged by their own spread, over three times that of the others."""
        return tuple(self._wild)

    def level(self, setup: int) -> tuple[float, int]:
        """The log of what this setup did, in the conditions of the first block, and in how many blocks it did so."""
        return self._alone(setup)[0], len(self._logs[setup])

    def over(self, setup: int, base: int) -> Difference:
        """`setup` over `base`, corrected for all pairs of these setups."""
        if setup not in self._logs or base not in self._logs:
            return Difference()
        if setup in self._wild or base in self._wild:
            return self._welch(setup, base)
        effect = self._fit.setups[setup] - self._fit.setups[base]
        error = math.sqrt(self._fit.variance(setup, base))
        return self.judged(effect, error, self._least(setup, base), self._compared, medians=self._medians(setup, base))

    def over_all(self, pairs: Sequence[tuple[int, int]], claims: int = 1) -> Difference:
        """The mean of these pairs, none of which shares a setup, where so many such `claims` are made of one run."""
        pairs_known = [(a, b) for a, b in pairs if a in self._fit.setups and b in self._fit.setups]
        if not pairs_known:
            return Difference()
        effect = fmean(self._fit.setups[a] - self._fit.setups[b] for a, b in pairs_known)
        error = math.sqrt(sum(self._fit.variance(a, b) for a, b in pairs_known)) / len(pairs_known)
        least_freedom = len(pairs_known) * min(self._least(a, b) for a, b in pairs_known)
        medians = _Medians(*map(fmean, zip(*(self._medians(a, b) for a, b in pairs_known), strict=True)))
        return self.judged(effect, error, least_freedom, claims=claims, medians=medians)

    def interact(self, pairs: Sequence[tuple[int, int]]) -> bool:
        """Do these differences differ among themselves by more than chance? By the range of all of them (Tukey)."""
        pairs_known = [(a, b) for a, b in pairs if a in self._fit.setups and b in self._fit.setups]
        if len(pairs_known) < 2:
            return False
        pair_effects = [self._fit.setups[a] - self._fit.setups[b] for a, b in pairs_known]
        error = math.sqrt(fmean(self._fit.variance(a, b) for a, b in pairs_known))
        spread, freedom = (ASSUMED_SPREAD, math.inf) if self.spread is None else (self.spread, self.freedom)
        return (
            max(pair_effects) - min(pair_effects)
            > studentized_range(_CONFIDENCE, len(pairs_known), freedom) * spread * error
        )

    def _medians(self, a: int, b: int) -> _Medians:
        rests = [values_of(self._logs[i], self._fit) or [*self._logs[i].values()] for i in (a, b)]
        # of figures, not of their logs: of an even number of them the two differ
        of_figures = [math.log(median(map(math.exp, self._logs[i].values()))) for i in (a, b)]
        return _Medians(of_figures[0] - of_figures[1], median(rests[0]) - median(rests[1]))

    def _least(self, a: int, b: int) -> int:
        return min(len(self._logs[a]), len(self._logs[b]))

    def judged(
        self,
        effect: float,
        error: float,
        count: int,
        compared: int = 2,
        claims: int = 1,
        medians: _Medians | None = None,
    ) -> Difference:
        """An effect, a log, by the spread of these setups. `error` is its standard error in spreads, `count` the least
        number of repetitions in it, `compared` in all pairs of how many setups it is one, `claims` how many are made.
        `medians` are the same effect by medians, where there are any.
        """
        assumed = self.spread is None
        if self.spread is None:
            half = _times(compared, math.inf, _CONFIDENCE, claims) * ASSUMED_SPREAD * error
            sure_half = math.inf
        else:
            half = sure_half = _times(compared, self.freedom, _CONFIDENCE, claims) * self.spread * error
            if self.freedom <= _HARDLY_KNOWN and _may_be_assumed(self.spread, self.freedom):
                half = min(half, _times(compared, math.inf, _SURE_OF_ASSUMED, claims) * ASSUMED_SPREAD * error)
        equal = count > 1 and abs(effect) + sure_half <= EQUAL
        spread = ASSUMED_SPREAD if self.spread is None else self.spread
        return _difference(effect, half, equal, assumed, spread, compared, count, medians or _Medians(effect, effect))

    def _fitted(self, columns: Sequence[int]) -> Fit:
        return fit({i: self._logs[i] for i in columns}, self._blocks)

    def _sort_out(self) -> dict[int, _Wild]:
        """The setups whose spread is over three times the others', worst first; of two in blocks there are none."""
        wild: dict[int, _Wild] = {}
        calm = list(self._logs)
        while len(calm) > (2 if self._blocks else 1):
            worst, ratio = None, _WILD
            for column in calm:
                if len(self._logs[column]) < _FEWEST_OF_WILD:
                    continue
                rest_fit = self._fitted([block for block in calm if block != column])
                values = values_of(self._logs[column], rest_fit)
                if rest_fit.spread and len(values) >= _FEWEST_OF_WILD:
                    mean = fmean(values)
                    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
                    if math.sqrt(variance) / rest_fit.spread > ratio:
                        worst, ratio = (
                            (column, _Wild(mean, variance, len(values))),
                            math.sqrt(variance) / rest_fit.spread,
                        )
            if worst is None:
                break
            wild |= dict([worst])
            calm.remove(worst[0])
        return wild

    def _welch(self, setup: int, base: int) -> Difference:
        """By the two setups' own spreads, with Welch's and Satterthwaite's degrees of freedom (Games and Howell)."""
        (a, va, fa), (b, vb, fb) = (self._alone(column) for column in (setup, base))
        half = math.inf
        if va + vb > 0 and min(fa, fb) > 0:
            half = _times(self._compared, (va + vb) ** 2 / (va**2 / fa + vb**2 / fb), _CONFIDENCE) * math.sqrt(va + vb)
        count = self._least(setup, base)
        spread = math.sqrt((va + vb) / 2 * count)
        equal = abs(a - b) + half <= EQUAL
        return _difference(a - b, half, equal, False, spread, self._compared, count, self._medians(setup, base))

    def _alone(self, setup: int) -> tuple[float, float, float]:
        """Mean, its variance, and the degrees of freedom of that."""
        if wild := self._wild.get(setup):
            return wild.mean, wild.variance / wild.count, wild.count - 1
        return self._fit.setups[setup], (self.spread or 0.0) ** 2 / len(self._logs[setup]), self.freedom


@lru_cache(maxsize=256)
def of_figures(figures: tuple[Figure, ...]) -> Setups:
    """These figures as setups; blocks count where each has them. Several figures of one block are one."""
    return Setups([_by_block(figure) for figure in figures], all(figure.blocks for figure in figures if figure.values))


def _by_block(figure: Figure) -> Repeated:
    by_block: dict[int, list[float]] = {}
    for block, value in zip(figure.blocks or range(len(figure.values)), figure.values, strict=True):
        by_block.setdefault(block, []).append(value)
    return {block: values[0] if len(values) == 1 else _middle(values) for block, values in by_block.items()}


def _middle(values: Sequence[float]) -> float:
    """The geometric mean; 0 where one of them is none."""
    return math.exp(fmean(map(math.log, values))) if min(values) > 0 else 0.0


def difference(figure: Figure, base: Figure, among: Sequence[Figure] = ()) -> Difference:
    """`figure` over `base`, judged with all the setups `among` which they stand, and corrected for all their pairs."""
    figures = tuple(dict.fromkeys((*among, base, figure)))
    return of_figures(figures).over(figures.index(figure), figures.index(base))


def of_sum(sum_figure: Figure, single_figures: Sequence[Figure], times: float = 1) -> Difference:
    """`sum_figure` over `times` the sum of `single_figures`; SD pooled over the blocks of all, 5 % assumed of one."""
    figures = (sum_figure, *single_figures)
    if not single_figures or not all(figure.values and min(figure.values) > 0 for figure in figures):
        return Difference()
    pooled = of_figures(figures)
    (effect, count), *alone = (pooled.level(index) for index in range(len(figures)))
    sizes = [math.exp(level) for level, _ in alone]
    error = 1 / count + sum((x / sum(sizes)) ** 2 / n for x, (_, n) in zip(sizes, alone, strict=True))
    return pooled.judged(effect - math.log(times * sum(sizes)), math.sqrt(error), min(count, *(n for _, n in alone)))


class Drift(msgspec.Struct, frozen=True):
    """`share`: how far the blocks rise or fall from the first to the last, by the line of best fit."""

    share: float
    blocks: int

    @property
    def words(self) -> str:
        return f"figures drift by {signed_percent(self.share)} % over {self.blocks} passes"


def drift(setups: Setups) -> Drift | None:
    """A trend over the blocks that chance makes in one test of a hundred, and of more than 3 %; else None."""
    points = sorted(setups.block_effects.items())
    if len(points) < 3:
        return None
    xs, block_effects = [float(n) for n in range(len(points))], [effect for _, effect in points]
    middle, mean = fmean(xs), fmean(block_effects)
    squares = sum((x - middle) ** 2 for x in xs)
    slope = sum((x - middle) * (y - mean) for x, y in zip(xs, block_effects, strict=True)) / squares
    residual = sum((y - mean - slope * (x - middle)) ** 2 for x, y in zip(xs, block_effects, strict=True))
    error = math.sqrt(residual / (len(points) - 2) / squares)
    rise = slope * (len(points) - 1)
    if abs(rise) <= EQUAL or abs(slope) <= student(0.995, len(points) - 2) * error:
        return None
    return Drift(math.expm1(rise), len(points))


def _times(compared: int, freedom: float, confidence: float, claims: int = 1) -> float:
    """How many standard errors the interval of a pair is wide to each side, of so many setups in all pairs."""
    return studentized_range(confidence ** (1 / claims), compared, freedom) / math.sqrt(2)


def _may_be_assumed(spread: float, freedom: float) -> bool:
    """Is the measured spread no proof that it is more than the assumed one? Chi squared, by Wilson and Hilferty."""
    most_spread = (1 - 2 / (9 * freedom) + normal(_NO_CHANCE) * math.sqrt(2 / (9 * freedom))) ** 3
    return (spread / ASSUMED_SPREAD) ** 2 <= most_spread


def _share(effect: float) -> float:
    """Of figures that are apart by this; no rate of a disk is apart from another by more."""
    return math.expm1(min(effect, _MOST_APART))


def _difference(
    effect: float, half: float, equal: bool, assumed: bool, spread: float, compared: int, count: int, medians: _Medians
) -> Difference:
    """By the mean effect, where the median within blocks tells the same; shown is that of medians as they stand."""
    conclusion: Conclusion = "cannot tell"
    if abs(effect) > half and math.copysign(1, effect) * medians.within_blocks > _OF_MEDIANS * half:
        conclusion = "different"
    elif abs(effect) <= half and equal and abs(medians.of_figures) <= EQUAL:
        conclusion = "equal"
    low, high = (_share(effect + sign * min(half, 50.0)) for sign in (-1, 1))
    share = _share(medians.of_figures)
    repetitions = _repetitions(abs(effect), spread, compared, count) if conclusion == "cannot tell" else None
    return Difference(share, min(low, share), max(high, share), conclusion, repetitions, assumed)


def _repetitions(effect: float, spread: float, compared: int, count: int) -> int | None:
    """How many of each setup tell in 80 of 100 cases: that they differ, if by so much, or that they are equal."""
    endless = _times(compared, math.inf, _CONFIDENCE)

    def are_enough(r: int) -> bool:
        times, error = _with_freedom(endless, (compared - 1) * (r - 1)), spread * math.sqrt(2 / r)
        return (times + _FOUND_OF_DIFFERENT) * error <= effect or (times + _FOUND_OF_EQUAL) * error <= EQUAL

    repetitions = bisect_left(range(blocks.MOST + 1), True, lo=count + 1, key=are_enough)
    return repetitions if repetitions <= blocks.MOST else None


def _with_freedom(z: float, freedom: float) -> float:
    """Student's t from the normal's z (Abramowitz and Stegun 26.7.5, three terms): for a plan, not for a conclusion."""
    terms = ((z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384)
    return z + sum(term / freedom ** (power + 1) for power, term in enumerate(terms))
