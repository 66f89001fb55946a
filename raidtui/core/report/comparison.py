"""A comparison of measurements as markdown: a table and bars for each test, and what was in no table."""

from collections.abc import Callable, Sequence

from raidtui.core.report.latencies import TOO_FEW, lacks_points, latency_cells, latency_headers, milliseconds
from raidtui.core.report.scales import SCALES
from raidtui.core.report.tables import bars, bullets, cell, escape, fenced, number, table
from raidtui.core.results.comparison import ASSUMED, DepthGrid, Entry, Matched, Series, is_assumed
from raidtui.core.results.figure import TIMES, Figure, Latency
from raidtui.core.units import MB


def markdown(series: Sequence[Series], matched: Sequence[Matched], grids: Sequence[DepthGrid] = ()) -> str:
    """The comparison as tables and bars, grids of queue depth and jobs, and what was in no table."""
    blocks = ["# Compared", "MB/s = 10^6 bytes a second. What is over what stands in each table's last columns."]
    blocks += [ASSUMED] if is_assumed(matched) else []
    for grid in grids:
        blocks += _grid_page(grid)
    for test in matched:
        latencies = [entry.latency for entry in test.entries]
        headers = [
            "Result",
            "MB/s",
            "IOPS",
            *latency_headers(latencies),
            f"Over {escape(test.base)}, %",
            f"As factor, {TIMES}",
        ]
        lines = [
            [
                escape(entry.series),
                cell(entry.bytes_per_s, MB),
                cell(entry.iops, 1.0),
                *latency_cells(entry.latency, latencies),
                entry.over_base.words or ("base" if entry.series == test.base else ""),
                entry.over_base.times,
            ]
            for entry in test.entries
        ]
        blocks.append(f"## {escape(test.title)}")
        blocks += [] if test.alike else ["These are not the same test: what each is stands behind its name."]
        blocks += [table(headers, lines), fenced(bars([_bar(test, e) for e in test.entries]))]
    if any(lacks_points([entry.latency for entry in test.entries]) for test in matched):
        blocks.append(TOO_FEW)
    if not matched and not grids:
        blocks.append("No test stands in more than one of these results: there is nothing to compare.")
    blocks.append(
        bullets(f"{escape(result.name)}: {len(result.tests)} tests{_how(result, series)}" for result in series)
    )
    return "\n\n".join(blocks) + "\n"


def _how(result: Series, series: Sequence[Series]) -> str:
    """What no name says, where the results differ in it."""
    differing = [about for about in result.how if len({other.how[about] for other in series if about in other.how}) > 1]
    return "".join(f", {escape(result.how[about])}" for about in differing)


def _grid_page(grid: DepthGrid) -> list[str]:
    unit, scale = SCALES[grid.kind]
    blocks = [
        f"## {escape(grid.title)} by queue depth and jobs, {unit}",
        _grid(grid, lambda cell_figures: cell(cell_figures[0], scale)),
    ]
    if any(late.mean_ns for _, late in grid.cells.values()):
        blocks += ["Mean latency, ms:", _grid(grid, lambda cell_figures: milliseconds(cell_figures[1].mean_ns))]
    return blocks


def _grid(grid: DepthGrid, cell_words: Callable[[tuple[Figure, Latency]], str]) -> str:
    """A row a depth, a column a number of jobs, each ascending; empty where no such test was."""
    depths, numbers = (sorted({place[i] for place in grid.cells}) for i in (0, 1))
    headers = ["Depth", *(f"{number} job{'' if number == 1 else 's'}" for number in numbers)]
    lines = [
        [str(depth), *(cell_words(grid.cells[depth, jobs]) if (depth, jobs) in grid.cells else "" for jobs in numbers)]
        for depth in depths
    ]
    return table(headers, lines)


def _bar(test: Matched, entry: Entry) -> tuple[str, float | None, str]:
    unit, scale = SCALES[test.kind]
    judged = entry.iops if test.kind == "random" else entry.bytes_per_s
    return entry.series, judged.value, f"{number(judged.value, scale)} {unit}" if judged.value else judged.standing
