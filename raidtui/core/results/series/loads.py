"""Latency by offered rate: of each job that offered a share of what another did flat out, what came of it.

Knows rates and latencies; "measured" is what was done, which near 100 % may be less than what was offered.
"""

import msgspec

from raidtui.core.fio.measurement import DirectionName
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.results.series.families import kind_of

TIMES_AT_REST = 2.0  # as long as at the lowest rate: what waits begins to be seen


class OfferedRate(msgspec.Struct, frozen=True):
    """One offered rate: its share of what was done flat out, in percent, and in IOPS; None where that is not known."""

    percent: int
    offered_iops: float | None
    measured: Figure
    latency: Latency

    @property
    def p99_ns(self) -> float | None:
        return self.latency.percentiles_ns.get("99")


class Knee(msgspec.Struct, frozen=True):
    """Where requests begin to wait: `held` is the highest rate up to which p99 is at most twice that of the lowest
    `rest`; `beyond` is the next rate, whose p99 is more; None where there is none.
    """

    rest: OfferedRate
    held: OfferedRate
    beyond: OfferedRate | None


class Loads(msgspec.Struct, frozen=True, kw_only=True):
    """The rates of one test on one setup, ascending, and what it did flat out."""

    title: str
    setup: str
    way: DirectionName
    flat_out: Figure
    flat_out_latency: Latency
    loads: tuple[OfferedRate, ...]

    @property
    def knee(self) -> Knee | None:
        """None where fewer than two rates have a p99."""
        known = [load for load in self.loads if load.p99_ns]
        if len(known) < 2:
            return None
        rest = held = known[0]
        for load in known[1:]:
            if (load.p99_ns or 0.0) > TIMES_AT_REST * (rest.p99_ns or 0.0):
                return Knee(rest, held, load)
            held = load
        return Knee(rest, held, None)


def loads(comparison: Comparison) -> list[Loads]:
    """The tests that offered shares of what others do, in the recipe's order; none in most runs."""
    rows = [row for row in comparison.rows if kind_of(row.family, row.varied) == "loads" and row.share_of]
    tests = dict.fromkeys((row.stage, row.family, row.direction) for row in rows)
    return [
        _loads(comparison, [row for row in rows if (row.stage, row.family, row.direction) == test]) for test in tests
    ]


def _loads(comparison: Comparison, rows: list[ResultRow]) -> Loads:
    first = rows[0]
    whole = next(
        row
        for row in comparison.rows
        if (row.stage, row.job, row.direction) == (first.stage, first.share_of, first.direction)
    )
    known = {_percent(row): row for row in rows}
    return Loads(
        title=first.title.partition(",")[0],
        setup=first.setup,
        way=first.direction,
        flat_out=whole.array,
        flat_out_latency=whole.latency,
        loads=tuple(
            OfferedRate(percent, _share(whole.array.value, percent), row.array, row.latency)
            for percent, row in sorted(known.items())
        ),
    )


def _percent(row: ResultRow) -> int:
    return int(str(row.varied["rate_iops"]).removesuffix("%"))


def _share(iops: float | None, percent: int) -> float | None:
    return None if iops is None else iops * percent / 100
