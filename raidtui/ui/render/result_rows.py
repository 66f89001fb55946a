"""The rows of Results: in which tables they stand, how they are sorted, what one of them is over another. Pure."""

from collections.abc import Callable, Iterator, Sequence, Set
from typing import NamedTuple

import msgspec
from rich.cells import cell_len

from raidtui.core.answer import numbers
from raidtui.core.answer.beyond_disks import Tested
from raidtui.core.answer.mark import NO_TESTS, glance
from raidtui.core.answer.ranking import Ranking
from raidtui.core.fio.job import Kind
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.differences import difference
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.results.figure import Figure
from raidtui.core.results.grid import grids
from raidtui.core.units import Units, change, format_iops, format_ms, format_number, shown_in
from raidtui.ui.render.cells import Piece, Row, Sheet, fit, fit_right
from raidtui.ui.render.parts import bar

_LEAST_BAR = 14
ARRAY, _OVER_BASE = "array", "over base"


class Page(msgspec.Struct, frozen=True):
    """Rows side by side: the tests of one setup (`kind` None: of both units), or the setups of one test."""

    heading: str
    kind: Kind | None
    named: tuple[tuple[str, ResultRow], ...]


def pages(comparison: Comparison) -> tuple[Page, ...]:
    """Of one setup test under test, of a sweep setup under setup, by test."""
    if len({row.stage for row in comparison.rows}) > 1:
        return tuple(
            Page(
                grid.title,
                grid.kind,
                tuple((grid.name(index, narrow=True), row) for index, row in enumerate(grid.rows)),
            )
            for grid in grids(comparison)
        )
    kinds = {row.kind for row in comparison.rows}
    named_rows = tuple((title(row), row) for row in comparison.rows)
    return (Page("Test", kinds.pop() if len(kinds) == 1 else None, named_rows),) if named_rows else ()


def title(row: ResultRow) -> str:
    return row.title if row.direction in row.title.lower() else f"{row.title} ({row.direction}s)"


def short(words: str) -> str:
    """A test's name where room is scarce."""
    return words.replace("Sequential", "seq.").replace("Random ", "")


def number(value: float, row: ResultRow, units: Units) -> str:
    return format_iops(value) if row.kind == "random" else format_number(value, shown_in(row.kind, units)[1])


def theory(row: ResultRow, units: Units) -> str:
    """Theory's figure, ~ before one that hangs on what was not measured."""
    return row.expected.mark + number(row.predicted, row, units) if row.predicted is not None else "-"


def standing(figure: Figure) -> str:
    return {"not run": "-", "incomplete": "SHORT", "interrupted": "STOPPED"}.get(
        figure.standing, figure.standing.upper()
    )


class Column(NamedTuple):
    """`value`: what it is sorted by (None: no figure); `spared`: where there is no room those with the highest go
    first. Without any figure it is left out.
    """

    name: str
    width: int
    value: Callable[[ResultRow, ResultRow], float | None]
    text_of: Callable[[ResultRow, ResultRow, Units], str]
    spared: int = 0
    look: str = ""


def _share(value: float | None) -> str:
    return f"{100 * value:.0f} %" if value is not None else "-"


def _off(value: float | None) -> str:
    return change(value) if value is not None else "-"


def _figure(figure_of: Callable[[ResultRow], Figure]) -> Callable[[ResultRow, ResultRow, Units], str]:
    def figure_text(row: ResultRow, base: ResultRow, units: Units) -> str:
        figure = figure_of(row)
        return standing(figure) if figure.value is None else number(figure.value, row, units)

    return figure_text


def comparable(row: ResultRow, base: ResultRow) -> bool:
    """Reads are compared with reads, writes with writes: what one is over the other says nothing."""
    return (row.direction, row.kind) == (base.direction, base.kind)


def is_alone(page: Page) -> bool:
    """Is there nothing on this page that a figure could be compared with?"""
    rows = [row for _, row in page.named]
    return not any(comparable(row, other) for row in rows for other in rows if row is not other)


def _over_share(row: ResultRow, base: ResultRow) -> float | None:
    return difference(row.array, base.array, row.beside).share if comparable(row, base) else None


def _over(row: ResultRow, base: ResultRow, units: Units) -> str:
    if row is base:
        return "base"
    if not comparable(row, base):
        return "-"
    return numbers.in_cell(difference(row.array, base.array, row.beside)) or "-"


def _late_ns(row: ResultRow, point: str) -> float | None:
    return row.latency.percentiles_ns.get(point)


def _late(point: str) -> Column:
    return Column(f"p{point} ms", 8, lambda row, base: _late_ns(row, point),
                  lambda row, base, units: format_ms(_late_ns(row, point)) or "-", 1)  # fmt: skip


COLUMNS = (
    Column("one disk", 9, lambda row, base: row.single.value, _figure(lambda row: row.single), 2, "one"),
    Column("all disks", 10, lambda row, base: row.all_at_once.value, _figure(lambda row: row.all_at_once), 6, "all"),
    Column("expected", 10, lambda row, base: row.predicted, lambda row, base, units: theory(row, units), 2, "expected"),
    Column(ARRAY, 12, lambda row, base: row.array.value, _figure(lambda row: row.array), 0, "array"),
    Column("spread", 8, lambda row, base: row.array.spread, lambda row, base, units: _share(row.array.spread), 3),
    Column("gain", 7, lambda row, base: row.gain, lambda row, base, units: numbers.times(row.gain) if row.gain else "-",
           4),
    Column("diff.", 8, lambda row, base: row.deviation, lambda row, base, units: _off(row.deviation)),
    _late("50"),
    _late("99"),
    Column("mean ms", 9, lambda row, base: row.latency.mean_ns,
           lambda row, base, units: format_ms(row.latency.mean_ns) or "-", 7),
    Column(_OVER_BASE, 14, _over_share, _over),
)  # fmt: skip
_VERDICT, _WITH_VERDICTS = 26, 80


class Order(msgspec.Struct, frozen=True):
    """How a table is sorted: by which column (None: as measured), and which end comes first."""

    column: str | None = None
    rising: bool = False

    def next_column(self) -> "Order":
        """By the column after this one; after the last as measured again."""
        names = [None, *(column.name for column in COLUMNS)]
        return Order(names[(names.index(self.column) + 1) % len(names)])

    def turned(self) -> "Order":
        return Order(self.column, not self.rising)


def in_order(page: Page, order: Order, base: ResultRow) -> tuple[tuple[str, ResultRow], ...]:
    """The page's rows, sorted; those without a figure come last, whichever end is first."""
    column = next((column for column in COLUMNS if column.name == order.column), None)
    if column is None:
        return tuple(reversed(page.named)) if order.rising else page.named
    values_at = [
        (value, index) for index, (_, row) in enumerate(page.named) if (value := column.value(row, base)) is not None
    ]
    places = [index for _, index in sorted(values_at, key=lambda keyed: keyed[0], reverse=not order.rising)]
    places_without = [index for index in range(len(page.named)) if index not in places]
    return tuple(page.named[index] for index in [*places, *places_without])


def sheet(
    page: Page,
    order: Order,
    base: ResultRow,
    units: Units,
    width: int,
    marks: str,
    which: str = "",
    doubted: Set[Tested] = NO_TESTS,
) -> Sheet:
    """The table at a width; `marks` are the two signs of a falling and a rising order, `which` page it is."""
    unit = shown_in(page.kind, units)[0] if page.kind else f"{shown_in('sequential', units)[0]}, IOPS"
    heading = " ".join(filter(None, (page.heading, f"({which})" if which else "", "" if page.kind else unit)))
    rows = [row for _, row in page.named]
    longest = max(cell_len(words) for words in (heading, *(words for words, _ in page.named)))
    verdicts = _VERDICT if width >= _WITH_VERDICTS + longest else 0
    columns = _columns(page, base, width - verdicts)
    room = width - sum(column.width for column in columns)
    tops = dict.fromkeys(("sequential", "random"), 0.0)
    for row in rows:
        tops[row.kind] = max(tops[row.kind], row.array.value or 0.0, row.predicted or 0.0)
    legend = f"  {whose(page.named)}{', | expected' if any(row.predicted for row in rows) else ''}"
    bars = room - verdicts - 2 - longest
    if bars < max(_LEAST_BAR, len(legend)) or not any(row.array.value for row in rows):
        bars = 0
    name = room - verdicts - bars
    head: list[Piece] = [(fit(f" {heading}", name), "head")]
    for column in columns:
        sorted_by = column.name == order.column
        text = whose(page.named) if column.name == ARRAY else column.name
        text += f", {unit}" if column.name == ARRAY and page.kind else ""
        text += marks[order.rising] if sorted_by else ""
        head.append((fit_right(text, column.width), "accent" if sorted_by else "dim"))
    head += [(fit("", verdicts), ""), (fit(legend, bars), "dim")]
    lines = []
    for words, row in in_order(page, order, base):
        seen = glance(row, doubted)
        line: list[Piece] = [(fit(f" {words}", name), "strong" if row is base and which else "")]
        for column in columns:
            look = "*strong" if column.name == ARRAY and row.array.value is not None else column.look
            if column.name == "diff." or (column.name == ARRAY and row.array.value is None):
                look = seen.grade
            line.append((fit_right(column.text_of(row, base, units), column.width), look))
        line.append((fit(f"  {seen.sign} {seen.words}", verdicts), seen.grade))
        line += _drawn(row, tops[row.kind], bars - 2)
        lines.append(Row((tuple(line),)))
    return Sheet(tuple(head), tuple(lines))


def _columns(page: Page, base: ResultRow, width: int) -> list[Column]:
    """Those with a figure, as many as have room beside the names."""
    rows = [row for _, row in page.named]
    others = [row for row in rows if row is not base]
    columns = [
        column
        for column in COLUMNS
        if any(column.value(row, base) is not None for row in (others if column.name == _OVER_BASE else rows))
        or column.name == ARRAY
    ]
    longest = min(max(cell_len(words) for words, _ in page.named) + 2, width // 2)
    while sum(column.width for column in columns) + longest > width and any(column.spared for column in columns):
        columns.remove(max(columns, key=lambda column: column.spared))
    return columns


def ranked_sheet(ranking: Ranking, units: Units, width: int) -> Sheet:
    """Every setup, best first: against the best, each test as a bar and its figure, failures that it survives."""
    tests = ranking.tests
    setups = ranking.ranked
    longest = max(cell_len(setup.name) for setup in setups) + 1
    fixed = 6 + longest + _AGAINST + _SURVIVES
    each = (width - fixed - _USABLE) // max(1, len(tests))
    usable = _USABLE if each >= _LEAST_TEST else 0
    shown = tests if (width - fixed - usable) // max(1, len(tests)) >= _LEAST_TEST - 4 else tests[:1]
    each = min(40, (width - fixed - usable) // max(1, len(shown)))
    spread = 9 if each >= 30 and any(row.array.spread is not None for test in shown for row in test.rows) else 0
    bar_cells = max(0, each - 8 - spread)
    tops = [max((row.array.value or 0.0 for row in test.rows), default=0.0) or 1.0 for test in shown]
    head: list[Piece] = [(fit("   #  setup", 6 + longest), "head"), (fit("vs best", _AGAINST), "dim")]
    head += [(fit(f"{short(test.title)}, {shown_in(test.kind, units)[0]}", each), "dim") for test in shown]
    head += [(fit("survives", _SURVIVES), "dim"), (fit("usable", usable), "dim")]
    lines = []
    for setup in setups:
        tied = setup.place == 1 or (setup.place is not None and setup.of_best.conclusion != "different")
        against = "best" if setup.place == 1 else numbers.in_cell(setup.of_best) or "not ranked"
        line: list[Piece] = [("✓ " if tied else "  ", "ok"), (f"{setup.place or '–':>2}  ", "dim")]
        line += [(fit(setup.name, longest), "strong"), (fit(against, _AGAINST), "ok" if tied else "")]
        for test, top in zip(shown, tops, strict=True):
            row = next(
                (one for one in setup.rows if (one.job, one.direction) == (test.rows[0].job, test.rows[0].direction)),
                None,
            )
            line += _test_cells(row, top, bar_cells, each, spread, units)
        none = setup.survives == 0
        survives = "" if setup.survives is None else "✗ none" if none else f"any {setup.survives}"
        line += [(fit(survives, _SURVIVES), "bad" if none else "ok"), (fit(_share(setup.usable), usable), "")]
        lines.append(Row((tuple(line),)))
    return Sheet(tuple(head), tuple(lines))


_AGAINST, _SURVIVES, _USABLE, _LEAST_TEST = 15, 9, 7, 18


def _test_cells(
    row: ResultRow | None, top: float, bar_cells: int, each: int, spread: int, units: Units
) -> Iterator[Piece]:
    if row is None or row.array.value is None:
        yield (fit("–" if row is None else standing(row.array), each), "dim")
        return
    yield from bar(row.array.value / top, bar_cells, f"{row.direction[0]}5")
    figure = fit_right(number(row.array.value, row, units), each - bar_cells - spread - 2)
    yield (f"{figure}  ", "*strong")
    if spread:
        half = f"±{50 * row.array.spread:.1f} %" if row.array.spread is not None else ""
        yield (fit(half, spread), "dim")


def _drawn(row: ResultRow, largest: float, width: int) -> list[Piece]:
    """A row's figure as a bar that ends at the `largest`, with a stroke where it is expected; nothing without room."""
    if width <= 0 or row.array.value is None:
        return []
    drawn = ("█" * round(row.array.value / largest * width)).ljust(width)
    if not row.predicted:
        return [("  ", ""), (drawn, "array")]
    at = min(width - 1, int(row.predicted / largest * width))
    return [("  ", ""), (drawn[:at], "array"), ("|", "expected"), (drawn[at + 1 :], "array")]


def whose(named_rows: Sequence[tuple[str, ResultRow]]) -> str:
    return "as it is" if any(row.stood for _, row in named_rows) else "array"


def describe(named_row: tuple[str, ResultRow], base: tuple[str, ResultRow], *, alone: bool) -> str:
    """A row in words: what it is over the base, where it is not `alone`, and why it is not what theory says."""
    words, row = named_row
    sentences = [f"{words}: {row.array.error}"] if row.array.error else []
    over_base = numbers.in_words(difference(row.array, base[1].array, row.beside))
    if row is not base[1] and comparable(row, base[1]) and over_base:
        sentences.append(f"{words} vs {base[0]} (base): {over_base}")
    if row.little_off:
        sentences.append(f"{LITTLE_DIFFERS} (Little's law)")
    if off_model := numbers.lines(row.causes):
        sentences.append(f"{change(row.deviation or 0)} vs expected: {'; '.join(off_model)}")
    else:
        sentences += row.flags
    if sentences:
        return ". ".join(sentences)
    if alone:
        return "enter: charts of this test"
    if row is base[1]:
        return f"{words} is the base; b: make another row the base"
    return f"{words}: not compared with {base[0]} (the base), {row.direction}s vs {base[1].direction}s"


def find(named_rows: Sequence[tuple[str, ResultRow]], row_wanted: ResultRow) -> tuple[str, ResultRow] | None:
    key = (row_wanted.stage, row_wanted.job, row_wanted.direction)
    return next(
        (
            named_row
            for named_row in named_rows
            if (named_row[1].stage, named_row[1].job, named_row[1].direction) == key
        ),
        None,
    )
