"""Latency by offered rate, as a share of another job's peak; percentiles by the nearest rising line."""

import math
from statistics import median
from typing import Literal

import msgspec

from raidtui.core.fio.job import offered_iops
from raidtui.core.fio.measurement import DirectionName
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow, attempt
from raidtui.core.results.figure import Figure, Latency, direction, good
from raidtui.core.results.numerics import MonotoneFit, rising
from raidtui.core.results.series.families import kind_of
from raidtui.core.run.state import RunState

# As long as at the lowest rate, from which on requests are said to wait: half of them, and the last of a hundred.
MEDIAN_TIMES, TAIL_TIMES = 1.5, 2.0
Point = Literal["50", "99"]


class OfferedRate(msgspec.Struct, frozen=True):
    """One offered rate: its share of what was done flat out, in percent, and as fio was told; None where not known."""

    percent: int
    offered_iops: float | None
    measured: Figure
    latency: Latency


class Knee(msgspec.Struct, frozen=True):
    """`held`: highest rate with p50 within 1.5x and p99 within 2x of `rest`, the lowest; `beyond`: the next, or None.
    `p50_ns`, `p99_ns`: smoothed, of rest, held, beyond; `by`: the percentile that decided.
    """

    rest: OfferedRate
    held: OfferedRate
    beyond: OfferedRate | None
    p50_ns: tuple[float | None, ...]
    p99_ns: tuple[float | None, ...]
    by: Point

    @property
    def loads(self) -> tuple[OfferedRate | None, ...]:
        """Rest, held and beyond, as the latencies stand."""
        return self.rest, self.held, self.beyond


class _Line(msgspec.Struct, frozen=True):
    """A percentile over the rates that have it: the logs of its nearest rising line, by their shares."""

    shares: tuple[int, ...]
    line: MonotoneFit

    def ns(self, load: OfferedRate | None) -> float | None:
        is_offered = load is not None and load.percent in self.shares
        return math.exp(self.line.values[self.shares.index(load.percent)]) if load and is_offered else None

    def waits(self, load: OfferedRate, times: float) -> bool:
        """Is this percentile so many times that of the lowest rate that has one, by more than chance?"""
        if load.percent not in self.shares:
            return False
        return self.line.exceeds(self.shares.index(load.percent), 0, math.log(times))


class Loads(msgspec.Struct, frozen=True, kw_only=True):
    """The rates of one test on one setup, ascending, and what it did flat out."""

    title: str
    setup: str
    direction: DirectionName
    flat_out: Figure
    flat_out_latency: Latency
    loads: tuple[OfferedRate, ...]

    @property
    def knee(self) -> Knee | None:
        """None where fewer than two rates have a median or a p99."""
        p50, p99 = self._line("50"), self._line("99")
        measured_loads = [load for load in self.loads if load.percent in (*p50.shares, *p99.shares)]
        if max(len(p50.shares), len(p99.shares)) < 2:
            return None
        at_rest = held_load = measured_loads[0]
        beyond_knee, point = None, "50" if p50.shares else "99"
        for load in measured_loads[1:]:
            late: dict[Point, bool] = {"50": p50.waits(load, MEDIAN_TIMES), "99": p99.waits(load, TAIL_TIMES)}
            if any(late.values()):
                beyond_knee, point = load, "50" if late["50"] else "99"
                break
            held_load = load
        three = (at_rest, held_load, beyond_knee)
        return Knee(
            at_rest,
            held_load,
            beyond_knee,
            tuple(p50.ns(load) for load in three),
            tuple(p99.ns(load) for load in three),
            "50" if point == "50" else "99",
        )

    def _line(self, point: Point) -> _Line:
        share_latencies = [(load.percent, ns) for load in self.loads if (ns := load.latency.percentiles_ns.get(point))]
        return _Line(tuple(share for share, _ in share_latencies), rising([math.log(ns) for _, ns in share_latencies]))


def loads(plan: Plan, state: RunState, comparison: Comparison) -> list[Loads]:
    """Tests that offered a share of a job's own rate, in the recipe's order."""
    whole_rows = {(row.stage, row.job, row.direction): row for row in comparison.rows}
    tests: dict[tuple[int, str, DirectionName], list[ResultRow]] = {}
    for row in comparison.rows:
        if kind_of(row.family, row.varied) == "loads" and (row.stage, row.share_of, row.direction) in whole_rows:
            tests.setdefault((row.stage, row.family, row.direction), []).append(row)
    return [
        _loads(plan, state, whole_rows[rows[0].stage, rows[0].share_of, rows[0].direction], rows)
        for rows in tests.values()
    ]


def _loads(plan: Plan, state: RunState, whole_row: ResultRow, rows: list[ResultRow]) -> Loads:
    first = rows[0]
    by_percent = {_percent(row): row for row in rows}
    flat_out_iops = _flat_out_iops(plan, state, whole_row)
    return Loads(
        title=first.title.partition(",")[0],
        setup=first.setup,
        direction=first.direction,
        flat_out=whole_row.array,
        flat_out_latency=whole_row.latency,
        loads=tuple(
            OfferedRate(percent, _offered(flat_out_iops, percent, row.numjobs or 1), row.array, row.latency)
            for percent, row in sorted(by_percent.items())
        ),
    )


def _percent(row: ResultRow) -> int:
    return int(str(row.varied["rate_iops"]).removesuffix("%"))


def _flat_out_iops(plan: Plan, state: RunState, row: ResultRow) -> list[float]:
    """What fio said that each repetition did flat out: of that the shares were taken, not of the kernel's count."""
    trials = [trial for trial in plan.stages[row.stage].trials if trial.job == row.job]
    by_direction = [
        direction(measurement, row.direction) for measurement in good([attempt(state, trial) for trial in trials])
    ]
    return [transfers.iops for transfers in by_direction if transfers]


def _offered(flat_out_iops: list[float], percent: int, jobs: int) -> float | None:
    return (
        median(jobs * offered_iops(flat_out_iop, percent, jobs) for flat_out_iop in flat_out_iops)
        if flat_out_iops
        else None
    )
