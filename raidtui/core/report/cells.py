"""Cells of a report's tables: a figure or why there is none, theory's, latencies, and the mark of what is in doubt."""

from collections.abc import Callable, Mapping, Sequence

from raidtui.core.answer.ranking import Ranking
from raidtui.core.page.blocks import PageTable
from raidtui.core.plan.parsed_setup import chunk_bytes, unit_bytes
from raidtui.core.raid import theory
from raidtui.core.raid.capacity import SECTOR_BYTES
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.results.grid import SetupGrid
from raidtui.core.units import format_ms, format_number, signed_percent

TIMES = "\N{MULTIPLICATION SIGN}"
TOO_FEW = "A percentile is \N{EN DASH} where fewer than ten requests took longer, or fio gave none."
POINTS = ("50", "99", "99.9")
MARK = " !"


def figure_cell(figure: Figure, scale: float) -> str:
    if figure.value is None:
        return figure.standing if figure.standing in ("running", "not run") else figure.standing.upper()
    spread = f" (spread {100 * figure.spread:.1f} % of {figure.runs})" if figure.spread is not None else ""
    return format_number(figure.value, scale) + spread


def theory_cell(row: ResultRow, scale: float) -> str:
    """Theory's figure, with what it is where the queue is short."""
    return f"{row.expected.mark} {format_number(row.predicted, scale)}".strip() if row.predicted else ""


def gain_cell(gain: float | None) -> str:
    return "" if gain is None else f"~{gain:.1f}{TIMES}"


def operations_cell(row: ResultRow) -> str:
    """The disks' reads and writes for one small write of the user's: the write penalty as it was measured."""
    measured = row.operations
    if measured is None or row.direction != "write" or row.mixed:
        return ""
    return f"{measured.reads:.2f} + {measured.writes:.2f}"


def model_cell(row: ResultRow) -> str:
    model = row.expected.operations
    return f"{model.reads:.2f} + {model.writes:.2f}" if model else ""


def split_cell(row: ResultRow) -> str:
    """The share of transfers that partition start and chunk split between two disks, % (a range where the place of the
    file is not known and a transfer is larger than an allocation unit).
    """
    chunk = chunk_bytes(row.cell) if row.cell else None
    if row.cell is None or not chunk or not row.bs_bytes:
        return ""
    unit = unit_bytes(row.cell)
    start_bytes = row.expected.file_start_bytes
    starts = range(0, row.bs_bytes, unit) if row.cell.filesystem != "none" else (0,)
    starts = starts if start_bytes is None else (start_bytes,)
    offset = row.cell.partition_start_sectors * SECTOR_BYTES
    shares = sorted({theory.split_share(row.bs_bytes, chunk, offset + start) for start in starts})
    return " or ".join(f"{100 * share:.1f}" for share in shares)


Column = tuple[str, Callable[[ResultRow], str]]


def theory_columns(unit: str, scale: float) -> tuple[Column, Column]:
    return (
        (f"Expected, {unit}", lambda row: theory_cell(row, scale)),
        ("vs expected, %", lambda row: "" if row.deviation is None else signed_percent(row.deviation)),
    )


def row_table(
    heads: Sequence[str], names: Sequence[Sequence[str]], rows: Sequence[ResultRow], columns: Sequence[Column]
) -> PageTable:
    """The rows by their `names`, with those columns that have anything in them, and latencies."""
    cells = [[cell(row) for row in rows] for _, cell in columns]
    shown = [number for number, column in enumerate(cells) if any(column)]
    latencies = [row.latency for row in rows]
    lines = [
        [*names[index], *(cells[number][index] for number in shown), *latency_cells(row.latency, latencies)]
        for index, row in enumerate(rows)
    ]
    named = [columns[number][0] for number in shown]
    return PageTable([*heads, *named, *latency_heads(latencies)], lines, max(1, len(heads)))


def depth_table(cells: Mapping[tuple[int, int], str]) -> PageTable:
    """Cells by queue depth and jobs: a row a depth, a column a number of jobs, each ascending."""
    depths, numbers = (sorted({place[i] for place in cells}) for i in (0, 1))
    heads = ["Depth", *(f"{number} job{'' if number == 1 else 's'}" for number in numbers)]
    return PageTable(heads, [[str(depth), *(cells.get((depth, jobs), "") for jobs in numbers)] for depth in depths])


def latency_heads(latencies: Sequence[Latency]) -> list[str]:
    """Mean and those percentiles and the maximum that any of these has, in ms; with fio's name where all share one."""
    mean_of, points_of = (
        {getattr(latency, field) for latency in latencies if latency.mean_ns is not None}
        for field in ("mean_of", "percentiles_of")
    )
    two_sources = mean_of != points_of and all(
        len(sources) == 1 and "" not in sources for sources in (mean_of, points_of)
    )
    names = [f" ({sources.pop()})" if two_sources else "" for sources in (mean_of, points_of)]
    return [
        f"Mean{names[0]}, ms",
        *(f"p{point}{names[1]}, ms" for point in _points(latencies)),
        *([f"Max{names[0]}, ms"] if any(latency.max_ns for latency in latencies) else []),
    ]


def latency_cells(latency: Latency, among: Sequence[Latency]) -> list[str]:
    """The cells below `latency_heads` of the same latencies; the mean is marked where it is no middle of anything."""
    return [
        format_ms(latency.mean_ns) + (" (above p99)" if latency.mean_above_p99 else ""),
        *(format_ms(latency.percentiles_ns.get(point)) for point in _points(among)),
        *([format_ms(latency.max_ns)] if any(other.max_ns for other in among) else []),
    ]


def lacks_points(latencies: Sequence[Latency]) -> bool:
    """Has one of these that were measured no percentile that another has?"""
    points = set(_points(latencies))
    return any(latency.mean_ns is not None and points - set(latency.percentiles_ns) for latency in latencies)


def _points(latencies: Sequence[Latency]) -> list[str]:
    return [point for point in POINTS if any(point in latency.percentiles_ns for latency in latencies)]


def mark(row: ResultRow, ranking: Ranking) -> str:
    """The mark where this figure is contradicted by its latency, or more than its disks do; else nothing."""
    return MARK if (row.stage, row.job) in ranking.doubted else ""


def mark_words(grid: SetupGrid, ranking: Ranking) -> str:
    """What the mark means in this test, of the reasons that there are; nothing where none has it."""
    tested_by_reason = {
        "whose rate and latency differ by over 10 %": {(row.stage, row.job) for row in ranking.contradicted},
        "above what its disks do": ranking.beyond_disks.keys(),
    }
    tested_here = {(row.stage, row.job) for row in grid.rows}
    words = [reason for reason, tested in tested_by_reason.items() if tested_here & tested]
    return f"{MARK} marks a setup {', or one '.join(words)}." if words else ""
