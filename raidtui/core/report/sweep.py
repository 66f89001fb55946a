"""Setups beside each other: tables and charts of a sweep, comparison with the model."""

import re
from collections.abc import Iterator, Sequence

from raidtui.core.answer import numbers
from raidtui.core.answer.effects import effects
from raidtui.core.answer.ranking import Ranking
from raidtui.core.page.blocks import Bar, Bars, Block, Bullets, Code, Heading, PageTable, Role, Text, Words
from raidtui.core.page.markdown import markdown as page
from raidtui.core.plan.fields import FIELDS
from raidtui.core.report import results
from raidtui.core.report.context import RunContext
from raidtui.core.report.results import bar_of
from raidtui.core.report.setups import (
    TIMES,
    TOO_FEW,
    Column,
    depth_table,
    figure_cell,
    gain_cell,
    lacks_points,
    latency_cells,
    latency_heads,
    mark,
    mark_words,
    model_cell,
    operations_cell,
    row_table,
    split_cell,
    theory_cell,
    theory_columns,
)
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.comparison import ASSUMED, DepthGrid, Entry, Matched, Series, is_assumed
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.results.figure import LEFT_OUT, Figure
from raidtui.core.results.figure import TIMES as TIMES_of_figure
from raidtui.core.results.grid import SetupGrid, grids
from raidtui.core.units import MB, format_ms, format_number, format_percent, shown_in, signed_percent

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?: to (\d+(?:\.\d+)?))?")  # or a range
_MOST_PAIRED = 12  # cells of which each stands over each
_FEWEST_COLUMNS = 3  # values of an axis that make a table of their own


def sweep(run: RunContext) -> Iterator[Block]:
    """All about the setups of a sweep, test by test; excluded figures are marked as in the ranking."""
    comparison, ranking = results.without_families(run.comparison), run.ranking
    if not comparison.rows:
        return
    yield Heading("Results: every setup, test by test")
    if any(row.array.runs > 1 for row in comparison.rows):
        yield Text(_MEDIANS)
    tests = grids(comparison)
    for grid in tests:
        yield Heading(grid.title, 3)
        yield Text(f"{_single(grid, comparison.members)}{mark_words(grid, ranking)}")
        yield _cells(grid, ranking)
        yield _chart(grid, comparison.members)
        if pivot := _pivot(grid):
            yield Text(f"By {FIELDS[_widest(grid)].label.lower()}, {shown_in(grid.kind)[0]}:")
            yield pivot
        yield Bullets(_notes(grid))
    if sentences := results.about_theory(comparison.rows, comparison.flash):
        yield Text(sentences)
    if any(lacks_points([row.latency for row in grid.rows]) for grid in tests):
        yield Text(TOO_FEW)
    if changes := list(_changes(tests, ranking)):
        yield Heading("What each choice changes")
        yield Text(_CHANGES)
        yield PageTable(["Choice", "Test", "Effect (95 % interval)"], changes, 2)


def pairs(run: RunContext) -> Iterator[Block]:
    """Every setup over every other, test by test."""
    ranking = run.ranking
    for grid in grids(results.without_families(run.comparison)):
        if 1 < len(grid.rows) <= _MOST_PAIRED:
            yield Heading(f"Setup over setup: {grid.title}")
            yield Text(f"{_PAIRS} {_certainty(grid)}{mark_words(grid, ranking)}")
            yield _pairs(grid, ranking)


_PAIRS = "Each row against the setup of the column: medians over passes, corrected for all pairs of this test."
_MEDIANS = "Figures are medians of the repetitions; max latency is the largest of all. Spread: (max - min) / median."
_CHANGES = (
    "Each value against the first one of its axis, over all pairs of setups that differ in nothing else: the mean of"
    " their ratios, and its 95 % interval, corrected for the rows of this table. Pairs that differ from one another are"
    " cases of their own. ! marks rows with an implausible figure."
)


def _certainty(grid: SetupGrid) -> str:
    """What the marks mean, and how large a difference has to be here."""
    judged = grid.judged
    if judged.spread is None:
        return f"Single runs, SD 5 % assumed. {numbers.LEGEND['n.s.']}"
    return f"SD {100 * judged.spread:.1f} % ({judged.freedom} degrees of freedom). {numbers.LEGEND['n.s.']}"


def _single(grid: SetupGrid, members: int) -> str:
    """What disks did without an array, in a line; nothing where they were not measured."""
    first, (unit, scale) = grid.rows[0], shown_in(grid.kind)
    words = []
    if first.single.value is not None:
        article = f" (published: {format_number(first.published_single, scale)})" if first.published_single else ""
        words.append(f"One disk alone: {format_number(first.single.value, scale)} {unit}{article}.")
    if first.all_at_once.value is not None:
        words.append(f"All {members} at once: {format_number(first.all_at_once.value, scale)} {unit}.")
    return " ".join(words) or "No disk was measured alone."


def _cells(grid: SetupGrid, ranking: Ranking) -> PageTable:
    """The table of a test: what a cell is, its figures, theory's and the source's."""
    unit, scale = shown_in(grid.kind)
    counts = {row.disks for row in grid.rows}
    members = str(max(counts)) if len(counts) == 1 else "n"
    by_slowest = any(row.efficiency_slowest is not None for row in grid.rows)
    columns: list[Column] = [
        (unit, lambda row: figure_cell(row.array, scale) + mark(row, ranking)),
        ("IOPS" if grid.kind == "sequential" else "MB/s", _other_figure),
        (f"Gain over one disk, {TIMES}", lambda row: gain_cell(row.gain)),
        (
            f"Of {members} {TIMES} {'slowest' if by_slowest else 'one disk'}, %",
            lambda row: format_percent(row.efficiency if row.efficiency_slowest is None else row.efficiency_slowest),
        ),
        *theory_columns(unit, scale),
        ("Disk reads + writes per write", operations_cell),
        ("Model", lambda row: model_cell(row) if operations_cell(row) else ""),
        (f"Published, {unit}", lambda row: format_number(row.published, scale)),
    ]
    if grid.kind == "random" and "partition_start_sectors" in grid.columns:
        columns.append(("On two disks, %", split_cell))
    return row_table([FIELDS[field].label for field in grid.columns], grid.labels, grid.rows, columns)


def _other_figure(row: ResultRow) -> str:
    """The same figure in operations where it is bytes, in bytes where it is operations."""
    if row.array.value is None or not row.bs_bytes:
        return ""
    if row.kind == "sequential":
        return format_number(row.array.value / row.bs_bytes)
    return format_number(row.array.value * row.bs_bytes, MB)


def _chart(grid: SetupGrid, members: int) -> Bars:
    first, unit = grid.rows[0], shown_in(grid.kind)[0]
    without_array: tuple[tuple[Role, str, Figure], ...] = (
        ("one", "one disk", first.single),
        ("all", f"all {members} at once", first.all_at_once),
    )
    named: list[tuple[Role, str, Figure]] = [
        named_figure for named_figure in without_array if named_figure[2].value is not None
    ]
    named += [("array", grid.name(index), row.array) for index, row in enumerate(grid.rows)]
    return Bars(f"{grid.title}, {unit}", [bar_of(name, figure, grid.kind, role) for role, name, figure in named])


def _widest(grid: SetupGrid) -> str:
    counts = {field: len({labels[i] for labels in grid.labels}) for i, field in enumerate(grid.columns)}
    return max(counts, key=lambda field: (field == "chunk" and counts[field] >= _FEWEST_COLUMNS, counts[field]))


def _pivot(grid: SetupGrid) -> PageTable | None:
    """A line for each of all other choices, a column for each value of the widest axis; theory's line beside it."""
    if len(grid.columns) < 2:
        return None
    column = grid.columns.index(_widest(grid))
    values = list(dict.fromkeys(labels[column] for labels in grid.labels))
    other_choices = {tuple(label for i, label in enumerate(labels) if i != column) for labels in grid.labels}
    if len(values) < _FEWEST_COLUMNS or 2 * len(grid.labels) < len(values) * len(other_choices):  # mostly empty
        return None
    unit, scale = shown_in(grid.kind)
    lines: dict[tuple[str, ...], dict[str, str]] = {}
    expected: dict[tuple[str, ...], set[str]] = {}
    for labels, row in zip(grid.labels, grid.rows, strict=True):
        other_labels = (*labels[:column], *labels[column + 1 :])
        lines.setdefault(other_labels, {})[labels[column]] = figure_cell(row.array, scale)
        expected.setdefault(other_labels, set()).add(theory_cell(row, scale))
    other_axes = [FIELDS[field].label for field in grid.columns if field != grid.columns[column]]
    heads = [*other_axes, *(f"{value or 'none'}, {unit}" for value in values)]
    cell_lines = [[*other_labels, *(cells.get(value, "") for value in values)] for other_labels, cells in lines.items()]
    if all(len(theory_cells) == 1 for theory_cells in expected.values()) and any(
        "".join(theory_cells) for theory_cells in expected.values()
    ):
        heads.append(f"Expected, {unit}")
        cell_lines = [
            [*line, "".join(theory_cells)] for line, theory_cells in zip(cell_lines, expected.values(), strict=True)
        ]
    return PageTable(heads, cell_lines, len(other_axes))


def _notes(grid: SetupGrid) -> list[Words]:
    """What stands against the figures, each sentence once with the setups that it is of."""
    sentences: dict[str, list[tuple[str, str]]] = {}
    for index, row in enumerate(grid.rows):
        off = f" ({signed_percent(row.deviation)} %)" if row.deviation is not None else ""
        failed = row.array.error if row.array.standing != "ok" else ""
        own_words = [f"{row.array.standing.upper()}: {failed}"] if failed else []
        own_words += (
            [f"{row.array.lost} repetitions have no result: {row.array.error}"] if row.array.lost and not failed else []
        )
        own_words += [f"{LITTLE_DIFFERS} (Little's law)"] if row.little_off else []
        own_words += [f"p99 {LEFT_OUT}: the mean is above it"] if row.latency.leaves_out else []
        named = [(text, grid.name(index)) for text in (*own_words, *row.flags)]
        named += [(f"vs expected: {text}", grid.name(index) + off) for text in numbers.lines(row.causes)]
        for text, name in named:
            pattern = text if text in own_words else _NUMBER.sub("#", text)  # a tool's own words stay as they are
            sentences.setdefault(pattern, []).append((text, name))
    lines: list[Words] = []
    for alike in sentences.values():
        texts, names = [text for text, _ in alike], list(dict.fromkeys(name for _, name in alike))
        lines.append(f"{_ranged(texts)}: {_listed(names, len(grid.rows))}")
    if any(row.causes.suspects for row in grid.rows):
        lines.append(("Suspects are not proved: ", Code("raidtui explain RUN TRIAL"), " tests them."))
    single = [row.single for row in grid.rows[:1] if row.single.error and row.single.standing != "ok"]
    lines += [f"{figure.standing.upper()} on one disk: {figure.error}" for figure in single]
    return lines


def _ranged(texts: Sequence[str]) -> str:
    """Sentences that differ in their numbers alone as one, each number or range of them as the range of all."""
    ends = [[(float(low), float(high or low)) for low, high in _NUMBER.findall(text)] for text in texts]
    ranges = iter([(min(map(min, column)), max(map(max, column))) for column in zip(*ends, strict=True)])

    def range_words(match: re.Match[str]) -> str:
        lowest, highest = next(ranges)
        return match[0] if lowest == highest else f"{lowest:g} to {highest:g}"

    return _NUMBER.sub(range_words, texts[0])


def _listed(names: Sequence[str], setups: int) -> str:
    if len(names) == setups > 1 and not any("%" in name for name in names):
        return "every setup"
    return ", ".join(names)


def _changes(tests: Sequence[SetupGrid], ranking: Ranking) -> Iterator[list[str]]:
    """A row for each value of an axis over the first in each test, by the engine of the answer."""
    values_compared = sum(len({*column}) - 1 for grid in tests for column in zip(*grid.labels, strict=True))
    for grid in tests:
        for axis in grid.columns:
            of_axis = effects(grid, axis, claims=values_compared)
            for value in dict.fromkeys(effect.subject for effect in of_axis):
                cases = [effect for effect in of_axis if effect.subject == value]
                interval = (
                    f" ({numbers.interval(cases[0])})" if len(cases) == 1 and cases[0].verdict == "different" else ""
                )
                phrases = {value, cases[0].base}
                marks = [mark(row, ranking) for at, row in enumerate(grid.rows) if grid.phrase(at, axis) in phrases]
                yield [
                    f"{value} vs {cases[0].base}",
                    grid.title,
                    numbers.verdict(cases) + interval + max(marks),
                ]


def _pairs(grid: SetupGrid, ranking: Ranking) -> PageTable:
    judged, places = grid.judged, range(len(grid.rows))
    rows = [
        [
            f"{a + 1} {grid.name(a)}{mark(grid.rows[a], ranking)}",
            *("" if a == b else numbers.in_cell(judged.over(a, b)) for b in places),
        ]
        for a in places
    ]
    return PageTable(["Setup", *(f"Over {place + 1}" for place in places)], rows)


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
        over = [f"Over {test.base}", f"As factor, {TIMES_of_figure}"]
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
