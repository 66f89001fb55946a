"""The part of a report on latency by offered rate: a row a rate, the percentiles beside it."""

from collections.abc import Sequence

from raidtui.core.report.charts import Bar, Bars, Block
from raidtui.core.report.tables import cell, escape, milliseconds, number, table
from raidtui.core.results.series.loads import Loads, OfferedRate

_POINTS = ("50", "99", "99.9")


def pages(tests: Sequence[Loads]) -> list[Block]:
    """Each test with its table, the rate up to which p99 holds, and p99 as bars."""
    blocks: list[Block] = []
    for test in tests:
        headers = ["Offered, %", "Offered, IOPS", "Measured, IOPS", *(f"p{point}, ms" for point in _POINTS)]
        lines = [[f"{load.percent}", number(load.offered_iops), *_cells(load)] for load in test.loads]
        flat_out = OfferedRate(0, None, test.flat_out, test.flat_out_latency)
        lines.append(["flat out", "", *_cells(flat_out)])
        blocks.append(f"## Latency by load: {escape(test.title)}, {escape(test.setup)}")
        blocks += [*([said] if (said := _knee(test)) else []), table(headers, lines)]
        late = [(f"p99 at {load.percent} %", load.p99_ns) for load in test.loads]
        drawn = tuple(Bar(name, ns, f"{milliseconds(ns)} ms" if ns else "not known") for name, ns in late)
        blocks.append(Bars(f"{test.title}, {test.setup}: p99 by offered rate", drawn))
    return blocks


def _cells(load: OfferedRate) -> list[str]:
    return [cell(load.measured, 1.0), *(milliseconds(load.latency.percentiles_ns.get(point)) for point in _POINTS)]


def _knee(test: Loads) -> str:
    """The highest rate up to which p99 is at most twice that of the lowest one."""
    knee = test.knee
    if knee is None:
        return ""
    below = f"p99 stays below twice that of {knee.rest.percent} %"
    if knee.beyond is None:
        return f"{below} at every rate up to {knee.held.percent} %."
    return f"{below} up to {knee.held.percent} % of what was done flat out."
