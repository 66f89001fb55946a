"""The part of a report on latency by offered rate: a row a rate, the percentiles beside it."""

from collections.abc import Sequence

from raidtui.core.report.charts import Bar, Bars, Block
from raidtui.core.report.latencies import TOO_FEW, milliseconds
from raidtui.core.report.tables import cell, escape, number, table
from raidtui.core.results.series.loads import MEDIAN_TIMES, TAIL_TIMES, Loads, OfferedRate

_POINTS = ("50", "99", "99.9")


def pages(tests: Sequence[Loads]) -> list[Block]:
    """Each test with its table, the rate up to which requests hardly wait, and median and p99 as bars."""
    blocks: list[Block] = []
    for test in tests:
        headers = ["Offered, %", "Offered, IOPS", "Measured, IOPS", *(f"p{point}, ms" for point in _POINTS)]
        lines = [[f"{load.percent}", number(load.offered_iops), *_cells(load)] for load in test.loads]
        flat_out = OfferedRate(0, None, test.flat_out, test.flat_out_latency)
        lines.append(["flat out", "", *_cells(flat_out)])
        blocks.append(f"## Latency by load: {escape(test.title)}, {escape(test.setup)}")
        blocks += [*([sentences] if (sentences := _knee(test)) else []), table(headers, lines)]
        if any(point not in load.latency.percentiles_ns for load in (*test.loads, flat_out) for point in _POINTS):
            blocks.append(TOO_FEW)
        for point, name in (("50", "median"), ("99", "p99")):
            latencies = [(f"{name} at {load.percent} %", load.latency.percentiles_ns.get(point)) for load in test.loads]
            drawn = tuple(Bar(title, ns, f"{milliseconds(ns)} ms" if ns else "not known") for title, ns in latencies)
            if any(ns for _, ns in latencies):
                blocks.append(Bars(f"{test.title}, {test.setup}: {name} by offered rate", drawn))
    return blocks


def _cells(load: OfferedRate) -> list[str]:
    return [cell(load.measured, 1.0), *(milliseconds(load.latency.percentiles_ns.get(point)) for point in _POINTS)]


def _knee(test: Loads) -> str:
    """The highest rate up to which requests do not wait, and by which rule; how far single p99 lie from their line."""
    knee = test.knee
    if knee is None:
        return ""
    highest_rate = f"Up to {knee.held.percent} % of what was done flat out requests hardly wait"
    if knee.beyond is None:
        highest_rate = f"At every rate up to {knee.held.percent} % requests hardly wait"
    rule = f"the median is less than {MEDIAN_TIMES:g} times that at {knee.rest.percent} %"
    rule += f", p99 less than {TAIL_TIMES:.0f} times by more than chance"
    smoothed = "Both are judged smoothed, as if no request waited less where more is offered."
    return f"{highest_rate}: {rule}. {smoothed}"
