"""The part of a report for jobs that differ in queue depth and number alone: a row a depth, a column a number of jobs.

Knows rows of an analysis; Little's law says in each cell what the mean latency must be: depth x jobs / IOPS.
"""

from collections.abc import Callable, Sequence

from raidtui.core.report.latencies import milliseconds
from raidtui.core.report.tables import bullets, cell, escape, table
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.expectation import LITTLE_OFF
from raidtui.core.results.series.families import kind_of


def pages(comparison: Comparison) -> list[str]:
    """Each family of jobs on each setup: IOPS, mean latency, and Little's check of them."""
    blocks: list[str] = []
    depths = [row for row in comparison.rows if kind_of(row.family, row.varied) == "depths"]
    for stage, family, direction_name in dict.fromkeys((row.stage, row.family, row.direction) for row in depths):
        rows = [row for row in depths if (row.stage, row.family, row.direction) == (stage, family, direction_name)]
        title = escape(rows[0].title.partition(",")[0])
        blocks.append(f"## {title} ({direction_name}s) by queue depth and jobs: {escape(rows[0].setup)}")
        blocks += ["### IOPS", _table(rows, lambda row: cell(row.array, 1.0))]
        blocks += ["### Mean latency, ms", _table(rows, lambda row: milliseconds(row.latency.mean_ns))]
        blocks += _little(rows)
    return blocks


def _table(rows: Sequence[ResultRow], cell_words: Callable[[ResultRow], str]) -> str:
    """A row a depth, a column a number of jobs, each ascending; empty where no such job was."""
    depths = sorted({row.iodepth or 1 for row in rows})
    numbers = sorted({row.numjobs or 1 for row in rows})
    cells = {(row.iodepth or 1, row.numjobs or 1): cell_words(row) for row in rows}
    headers = ["Depth", *(f"{number} job{'' if number == 1 else 's'}" for number in numbers)]
    return table(headers, [[str(depth), *(cells.get((depth, jobs), "") for jobs in numbers)] for depth in depths])


def _little(rows: Sequence[ResultRow]) -> list[str]:
    """How many cells keep Little's law; those that do not, and those without a figure, by name."""
    judged = [row for row in rows if row.little_ns and row.latency.mean_ns]
    off = [row for row in judged if row.little_off]
    lines = [
        f"{_place(row)}: measured {milliseconds(row.latency.mean_ns)} ms, depth x jobs / IOPS says"
        f" {milliseconds(row.little_ns)} ms"
        for row in off
    ]
    lines += [
        f"{_place(row)}: {row.array.standing.upper()}: {escape(row.array.error)}" for row in rows if row.array.error
    ]
    law_kept = (
        f"Little's check: in {len(judged) - len(off)} of {len(judged)} cells the mean latency is depth x jobs / IOPS,"
        f" within {100 * LITTLE_OFF:.0f} %, or within one wait of the test's time."
    )
    return [*([law_kept] if judged else []), *([bullets(lines)] if lines else [])]


def _place(row: ResultRow) -> str:
    return f"depth {row.iodepth or 1}, {row.numjobs or 1} jobs"
