"""One cell of a result: the median of a trial's complete repetitions, or why there is none."""

from collections.abc import Callable, Mapping, Sequence
from math import exp, log
from statistics import median, median_low, stdev
from typing import Literal

import msgspec

from raidtui.core.fio.job import Kind
from raidtui.core.fio.measurement import Direction, DirectionName, Measurement
from raidtui.core.results.numerics import Steady, steady
from raidtui.core.run.samples import ARRAY
from raidtui.core.units import format_latency

_NEARLY_ALL = "99.9"  # a percentile
_LONG_NS, _FAR_LONGER = 1e9, 5.0  # of a request: a second, and so many times what nearly all take

Usability = Literal["ok", "incomplete", "interrupted", "failed", "running", "not run"]
_FEWEST_BEYOND = 10
_ROUNDING = 1e-9
LARGEST = "100"  # of percentiles
_WORST_FIRST: tuple[Usability, ...] = ("failed", "interrupted", "incomplete", "running", "not run")


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """`value`: median of `runs` good repetitions; None: `standing` and `error` give the reason. `spread` = (max - min)
    / median, for display only. `values`, `blocks`: of the repetitions; `lost`: without a figure. `steady`: of the last
    five.
    """

    standing: Usability
    value: float | None = None
    spread: float | None = None
    runs: int = 0
    lost: int = 0
    error: str = ""
    steady: Steady | None = None
    values: tuple[float, ...] = ()
    blocks: tuple[int, ...] = ()

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the logs of its repetitions: about a share; None with fewer than two."""
        return stdev(map(log, self.values)) if len(self.values) > 1 and min(self.values) > 0 else None


class Attempt(msgspec.Struct, frozen=True):
    """One repetition: its result, or running, or not begun. `block` 0: not known; `repeated`: it stalled before."""

    measurement: Measurement | None
    running: bool = False
    block: int = 0
    repeated: bool = False

    @property
    def standing(self) -> Usability:
        if self.measurement is None:
            return "running" if self.running else "not run"
        return self.measurement.status


NOT_RUN = Figure(standing="not run")


def mean(figures: Sequence[Figure]) -> Figure:
    """The geometric mean of figures of several tests, repetition by repetition where all have the same ones."""
    if not all(test_figure.values and min(test_figure.values) > 0 for test_figure in figures):
        return NOT_RUN
    if len(figures) == 1:
        return figures[0]
    same_blocks = (
        len({test_figure.blocks for test_figure in figures}) == 1
        and len({len(test_figure.values) for test_figure in figures}) == 1
    )
    values = (
        tuple(_geometric(values) for values in zip(*(test_figure.values for test_figure in figures), strict=True))
        if same_blocks
        else ()
    )
    middle = _geometric([test_figure.value or 0.0 for test_figure in figures])
    return Figure(
        standing="ok",
        value=middle,
        runs=len(values) or 1,
        values=values or (middle,),
        blocks=figures[0].blocks if same_blocks else (),
    )


def _geometric(values: Sequence[float]) -> float:
    return exp(sum(map(log, values)) / len(values))


def direction(measurement: Measurement, name: DirectionName) -> Direction | None:
    return measurement.read if name == "read" else measurement.write


def value_of(measurement: Measurement, name: DirectionName, test: Kind) -> float | None:
    """What a measurement is compared by in this direction; None where it moved nothing in it."""
    transfers = direction(measurement, name)
    return compared_by(transfers, test) if transfers else None


def compared_by(transfers: Direction, test: Kind) -> float:
    """What a test is compared by: bytes/s of a sequential one, IOPS of a random one, of whole seconds where counted."""
    return transfers.bytes_per_s if test == "sequential" else transfers.steady_iops


def good(attempts: Sequence[Attempt]) -> list[Measurement]:
    return [measurement for attempt in attempts if (measurement := _good(attempt))]


def stalled(measurement: Measurement) -> bool:
    """Did the array stand still for a second of it, or without an array one of the disks?"""
    array = measurement.disks.get(ARRAY)
    return any(disk_rates.stalls for disk_rates in ([array] if array else measurement.disks.values()))


def undisturbed(attempts: Sequence[Attempt]) -> list[Measurement]:
    """Of the good ones those without a stall, but for one that came again when it was repeated: that is the setup's."""
    return [m for attempt in attempts if (m := _good(attempt)) and (attempt.repeated or not stalled(m))]


def _good(attempt: Attempt) -> Measurement | None:
    return attempt.measurement if attempt.measurement and attempt.measurement.status == "ok" else None


def figure(attempts: Sequence[Attempt], value_of: Callable[[Measurement], float | None]) -> Figure:
    if not attempts:
        return NOT_RUN
    block_values = [
        (attempt.block, value) for attempt in attempts if (m := _good(attempt)) and (value := value_of(m)) is not None
    ]
    values = [value for _, value in block_values]
    lost = sum(attempt.standing in ("failed", "interrupted", "incomplete") for attempt in attempts)
    if not values:
        worst = next((standing for standing in _WORST_FIRST if any(a.standing == standing for a in attempts)), None)
        if worst is None:  # it ran, but without an operation in this direction
            return Figure(standing="incomplete", error="no such operation")
        return Figure(standing=worst, lost=lost, error=_error(attempts))
    middle = median(values)
    return Figure(
        standing="ok",
        value=middle,
        spread=(max(values) - min(values)) / middle if len(values) > 1 and middle else None,
        runs=len(values),
        lost=lost,
        error=_error(attempts),
        steady=steady(values),
        values=tuple(values),
        blocks=tuple(block for block, _ in block_values) if all(block for block, _ in block_values) else (),
    )


def _error(attempts: Sequence[Attempt]) -> str:
    """What the first repetition that gave no number says for itself."""
    for attempt in attempts:
        if attempt.measurement and attempt.measurement.status != "ok":
            return attempt.measurement.error or "; ".join(attempt.measurement.warnings[:1])
    return ""


LEFT_OUT = "leaves out submission (clat)"


class Latency(msgspec.Struct, frozen=True):
    """Of one direction, ns: medians over repetitions, `max_ns` the largest. `mean_of`, `percentiles_of` as in
    `Direction`.
    """

    mean_ns: float | None = None
    percentiles_ns: dict[str, float] = {}
    max_ns: float | None = None
    mean_of: str = ""
    percentiles_of: str = ""

    @property
    def mean_above_p99(self) -> bool:
        """Did so few operations take so long that the mean says nothing about the others?"""
        p99 = self.percentiles_ns.get("99")
        return self.mean_ns is not None and p99 is not None and self.mean_ns > p99

    @property
    def straggler_words(self) -> str:
        """That the slowest request took a second or more, and far longer than nearly all others; "" where none did."""
        nearly_all_ns = self.percentiles_ns.get(_NEARLY_ALL)
        if not nearly_all_ns or self.max_ns is None or self.max_ns < max(_LONG_NS, _FAR_LONGER * nearly_all_ns):
            return ""
        return (
            f"its slowest request took {format_latency(self.max_ns)}, where 999 of 1000 took"
            f" {format_latency(nearly_all_ns)} at most"
        )

    @property
    def leaves_out(self) -> bool:
        """Do the percentiles leave out so much of the wait before the kernel took a request that the mean shows it?"""
        return self.mean_above_p99 and (self.mean_of, self.percentiles_of) == ("lat", "clat")


def flush_percentiles(attempts: Sequence[Attempt]) -> dict[str, float]:
    """ns, medians over repetitions; empty for a job without flushes."""
    flushes = [measurement.flushes for measurement in good(attempts) if measurement.flushes]
    measured = [supported(one.percentiles_ns, one.count) for one in flushes]
    points = [point for point in measured[0] if all(point in each for each in measured)] if measured else []
    return {point: median_low(each[point] for each in measured) for point in points}


def latency(attempts: Sequence[Attempt], name: DirectionName) -> Latency:
    measured = [transfers for measurement in good(attempts) if (transfers := direction(measurement, name))]
    means = [transfers.lat_mean_ns for transfers in measured if transfers.lat_mean_ns is not None]
    tables = [percentiles(transfers) for transfers in measured if transfers.lat_percentiles_ns]
    points = [point for point in tables[0] if all(point in table for table in tables)] if tables else []
    names_of_fields = [
        {getattr(transfers, field) for transfers in measured} for field in ("lat_mean_of", "lat_percentiles_of")
    ]
    mean_of, percentiles_of = (names.pop() if len(names) == 1 else "" for names in names_of_fields)
    return Latency(
        median(means) if means else None,
        {point: median_low(table[point] for table in tables) for point in points},
        max((transfers.lat_max_ns for transfers in measured if transfers.lat_max_ns), default=None),
        mean_of,
        percentiles_of,
    )


def percentiles(measured: Direction) -> dict[str, float]:
    return supported(measured.lat_percentiles_ns or {}, measured.operations)


def supported(table: Mapping[str, float], count: float) -> dict[str, float]:
    """Of percentiles of `count` samples those with ten beyond them at least, and the largest: p99 of 1,000 samples,
    p99.9 of 10,000. Of fewer a percentile is a matter of chance.
    """
    beyond = {point: count * (1 + _ROUNDING) * (1 - float(point) / 100) for point in table}
    return {point: ns for point, ns in table.items() if point == LARGEST or beyond[point] >= _FEWEST_BEYOND}


TIMES = "\N{MULTIPLICATION SIGN}"
