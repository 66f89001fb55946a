"""The setups of a run, and the facts of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from raidtui.core.answer.ranking import Ranking
from raidtui.core.page.blocks import Bar, Bars, Block, Heading, PageTable, Text, Words
from raidtui.core.plan.fields import given_fields
from raidtui.core.plan.member_steps import may_fail
from raidtui.core.plan.model import ArrayPlan, Plan, Stage, goes_on
from raidtui.core.plan.parsed_setup import array_title, chunk_bytes, unit_bytes
from raidtui.core.raid import theory
from raidtui.core.raid.capacity import SECTOR_BYTES
from raidtui.core.report.context import RunContext
from raidtui.core.report.facts import pool_blocks, setup, sync_words
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.results.grid import SetupGrid
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, GIB, both, format_ms, format_number, signed_percent


def setups(run: RunContext) -> Iterator[Block]:
    """What was built, and what it was: as planned beside as read back; of one setup alone in its own sentences."""
    if not run.is_sweep:
        yield from setup(run)
        return
    plan, state = run.joined_plan, run.state
    yield Heading("Setups")
    yield Text(f"{len(plan.members)} disks hold {both(sum(member.size_bytes for member in plan.members))}.")
    arrays = [(number, stage, stage.array) for number, stage in run.built if stage.array and not goes_on(plan, number)]
    if arrays:
        heads = ["Array", "Usable, GB", "Usable, GiB", "Parity, GB", "Copies, GB", "Other loss, GB", "May fail, disks"]
        heads += ["Kernel's size, bytes", "Settings", "Initial resync"]
        yield PageTable(heads, [_array(run, number, stage, array) for number, stage, array in arrays])
        yield Text("Usable:")
        sizes = [(_array_words(stage, plan), array.capacity.array_bytes) for _, stage, array in arrays]
        yield Bars("Usable bytes", [Bar(name, size, both(size)) for name, size in sizes])
    heads = ["Setup", "Geometry asked", "Geometry read back", "Offered, GB", "Free, GB"]
    yield PageTable(heads, [_filesystem(number, stage, state) for number, stage in run.built if stage.filesystem], 3)
    yield from pool_blocks(plan, run.built, state)


def _array(run: RunContext, number: int, stage: Stage, array: ArrayPlan) -> list[Words]:
    holds, lost, made = array.capacity, array.capacity.lost, run.state.arrays.get(number)
    other_lost = lost.total_bytes - lost.parity_bytes - lost.mirror_bytes
    size = ""
    if made:
        off = made.size_bytes - holds.array_bytes
        size = f"{made.size_bytes} ({off:+d})" if off else f"{made.size_bytes} as computed"
    settings = made.detail if made else {}
    return [
        _array_words(stage, run.plan),
        _gb(holds.array_bytes),
        f"{holds.array_bytes / GIB:.2f}",
        *map(_gb, (lost.parity_bytes, lost.mirror_bytes, other_lost)),
        str(may_fail(stage.setup, holds.survives)),
        size,
        ", ".join(f"{key} {_setting(run, stage, key, value)}" for key, value in settings.items()),
        sync_words(stage, run.state, number) if array.raid.has_sync else "",
    ]


def _gb(size_bytes: int) -> str:
    return f"{size_bytes / GB:.2f}" if size_bytes else ""


def _setting(run: RunContext, stage: Stage, key: str, value_read: str) -> str:
    """As it was read when the array had been built; the values that setups on it ask for, where they do."""
    array = _array_words(stage, run.plan)
    alike = [other.setup for _, other in run.built if other.array and _array_words(other, run.plan) == array]
    asked = dict.fromkeys(str(getattr(setup, key)) for setup in alike if setup and key in given_fields(setup))
    return " and ".join(asked) + (" in turn" if len(asked) > 1 else "") if asked else value_read


def _array_words(stage: Stage, plan: Plan) -> str:
    assert stage.setup is not None
    return array_title(stage.setup, len(plan.members))


def _filesystem(number: int, stage: Stage, state: RunState) -> list[str]:
    assert stage.filesystem is not None
    read_back = state.filesystems.get(number)
    geometry = stage.filesystem.geometry
    geometry_read = read_back.geometry if read_back and geometry else {}
    return [
        stage.title,
        _geometry(geometry),
        _geometry(geometry_read) + (" NOT as asked" if bool(geometry_read) and geometry_read != geometry else ""),
        *(
            _gb(size_bytes or 0)
            for size_bytes in ((read_back.total_bytes, read_back.free_bytes) if read_back else (0, 0))
        ),
    ]


def _geometry(geometry: dict[str, int]) -> str:
    return ", ".join(f"{key} {value}" for key, value in geometry.items())


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
    return MARK if row.tested in ranking.doubted else ""


def mark_words(grid: SetupGrid, ranking: Ranking) -> str:
    """What the mark means in this test, of the reasons that there are; nothing where none has it."""
    tested_by_reason = {
        "whose rate and latency differ by over 10 %": {row.tested for row in ranking.contradicted},
        "above what its disks do": ranking.beyond_disks.keys(),
    }
    tested_here = {row.tested for row in grid.rows}
    words = [reason for reason, tested in tested_by_reason.items() if tested_here & tested]
    return f"{MARK} marks a setup {', or one '.join(words)}." if words else ""
