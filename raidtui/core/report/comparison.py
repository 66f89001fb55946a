"""A comparison of measurements as blocks: a table and bars for each test, and what was in no table."""

from collections.abc import Iterator, Sequence

from raidtui.core.answer import numbers
from raidtui.core.page.blocks import Bar, Bars, Block, Bullets, Heading, PageTable, Text
from raidtui.core.page.markdown import markdown as page
from raidtui.core.report.setups import (
    TOO_FEW,
    depth_table,
    figure_cell,
    gain_cell,
    lacks_points,
    latency_cells,
    latency_heads,
)
from raidtui.core.results.comparison import ASSUMED, DepthGrid, Entry, Matched, Series, is_assumed
from raidtui.core.results.figure import TIMES
from raidtui.core.units import MB, format_ms, format_number, shown_in


def markdown(series: Sequence[Series], matched: Sequence[Matched], grids: Sequence[DepthGrid] = ()) -> str:
    return page(blocks(series, matched, grids))


def blocks(series: Sequence[Series], matched: Sequence[Matched], grids: Sequence[DepthGrid] = ()) -> Iterator[Block]:
    """The comparison as tables and bars, grids of queue depth and jobs, and what was in no table."""
    yield Heading("Compared", 1)
    yield Text("MB/s = 10^6 bytes/s. The last columns of each table compare with the base.")
    if is_assumed(matched):
        yield Text(ASSUMED)
    for grid in grids:
        unit, scale = shown_in(grid.kind)
        yield Heading(f"{grid.title} by queue depth and jobs, {unit}")
        yield depth_table({place: figure_cell(figure, scale) for place, (figure, _) in grid.cells.items()})
        if any(late.mean_ns for _, late in grid.cells.values()):
            yield Text("Mean latency, ms:")
            yield depth_table({place: format_ms(late.mean_ns) for place, (_, late) in grid.cells.items()})
    for test in matched:
        latencies = [entry.latency for entry in test.entries]
        yield Heading(test.title)
        if not test.alike:
            yield Text("Not the same test: see the names.")
        over = [f"Over {test.base}", f"As factor, {TIMES}"]
        rows = [
            [
                entry.series,
                figure_cell(entry.bytes_per_s, MB),
                figure_cell(entry.iops, 1.0),
                *latency_cells(entry.latency, latencies),
                numbers.in_words(entry.over_base) or ("base" if entry.series == test.base else ""),
                gain_cell(entry.over_base.ratio),
            ]
            for entry in test.entries
        ]
        yield PageTable(["Result", "MB/s", "IOPS", *latency_heads(latencies), *over], rows)
        yield Bars(test.title, [_bar(test, entry) for entry in test.entries])
    if any(lacks_points([entry.latency for entry in test.entries]) for test in matched):
        yield Text(TOO_FEW)
    if not matched and not grids:
        yield Text("No test is in more than one of these results.")
    yield Bullets([f"{result.name}: {len(result.tests)} tests{_how(result, series)}" for result in series])


def _how(result: Series, series: Sequence[Series]) -> str:
    """What no name says, where the results differ in it."""
    differing = [about for about in result.how if len({other.how[about] for other in series if about in other.how}) > 1]
    return "".join(f", {result.how[about]}" for about in differing)


def _bar(test: Matched, entry: Entry) -> Bar:
    unit, scale = shown_in(test.kind)
    judged = entry.iops if test.kind == "random" else entry.bytes_per_s
    words = f"{format_number(judged.value, scale)} {unit}" if judged.value else judged.standing
    return Bar(entry.series, judged.value, words)
