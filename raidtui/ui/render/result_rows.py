"""The rows of Results: in which tables they stand, how they are sorted, what one of them is over another. Pure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from rich.cells import cell_len

from raidtui.core.answer import cause_words, numbers
from raidtui.core.fio.job import Kind
from raidtui.core.page.blocks import Role
from raidtui.core.page.characters import drawn as bar
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.differences import difference
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.results.figure import Figure
from raidtui.core.results.grid import grids
from raidtui.core.units import Units, format_iops, format_ms, format_number, shown_in, signed_percent
from raidtui.ui.render import cells
from raidtui.ui.render.cells import Sheet, fit
from raidtui.ui.render.glyphs import ASCII, of_terminal

_LEAST_NAME = 20
_LEAST_BAR = 14
_OVER_BASE = "over base"
_PLAIN = str.maketrans("▒▌█╌┤", ":|#-+")
_PLAIN_ARRAY = str.maketrans("█▏▎▍▌▋▊▉", "#       ")


class Page(msgspec.Struct, frozen=True):
    """Rows of one unit that may be read side by side: tests of one setup, or the setups of one test."""

    heading: str
    kind: Kind
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
    kinds: tuple[Kind, ...] = ("sequential", "random")
    rows = {kind: tuple((title(row), row) for row in comparison.rows if row.kind == kind) for kind in kinds}
    return tuple(Page(kind.capitalize(), kind, named_rows) for kind, named_rows in rows.items() if named_rows)


def title(row: ResultRow) -> str:
    return row.title if row.direction in row.title.lower() else f"{row.title} ({row.direction}s)"


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
    """`value`: what it is sorted by (None: no figure); `wide`: only where there is room. Without any figure it is left
    out.
    """

    name: str
    width: int
    value: Callable[[ResultRow, ResultRow], float | None]
    text_of: Callable[[ResultRow, ResultRow, Units], str]
    wide: bool = False


def _share(value: float | None) -> str:
    return f"{100 * value:.0f} %" if value is not None else "-"


def _off(value: float | None) -> str:
    return f"{signed_percent(value)} %" if value is not None else "-"


def _figure(figure_of: Callable[[ResultRow], Figure]) -> Callable[[ResultRow, ResultRow, Units], str]:
    def figure_text(row: ResultRow, base: ResultRow, units: Units) -> str:
        figure = figure_of(row)
        return standing(figure) if figure.value is None else number(figure.value, row, units)

    return figure_text


def comparable(row: ResultRow, base: ResultRow) -> bool:
    """Reads are compared with reads, writes with writes: what one is over the other says nothing."""
    return row.direction == base.direction


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


COLUMNS = (
    Column("array", 14, lambda row, base: row.array.value, _figure(lambda row: row.array)),
    Column("spread", 8, lambda row, base: row.array.spread, lambda row, base, units: _share(row.array.spread)),
    Column("one disk", 10, lambda row, base: row.single.value, _figure(lambda row: row.single), wide=True),
    Column("gain", 7, lambda row, base: row.gain, lambda row, base, units: f"{row.gain:.2f}x" if row.gain else "-"),
    Column("expected", 10, lambda row, base: row.predicted, lambda row, base, units: theory(row, units), wide=True),
    Column("diff.", 7, lambda row, base: row.deviation, lambda row, base, units: _off(row.deviation)),
    Column("mean, ms", 9, lambda row, base: row.latency.mean_ns,
           lambda row, base, units: format_ms(row.latency.mean_ns) or "-"),
    Column(_OVER_BASE, 14, _over_share, _over),
)  # fmt: skip


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


def sheet(page: Page, order: Order, base: ResultRow, units: Units, width: int, marks: str, which: str = "") -> Sheet:
    """The table at a width; `marks` are the two signs of a falling and a rising order, `which` page it is."""
    heading = f"{page.heading} ({which})" if which else page.heading
    rows = [row for _, row in page.named]
    others = [row for row in rows if row is not base]
    with_values = [
        column
        for column in COLUMNS
        if any(column.value(row, base) is not None for row in (others if column.name == _OVER_BASE else rows))
    ]
    room = width - sum(column.width for column in with_values if not column.wide)
    columns = [
        column
        for column in with_values
        if not column.wide or room - _LEAST_NAME >= sum(wide.width for wide in with_values if wide.wide)
    ]
    name = width - sum(column.width for column in columns)
    largest = max((value for row in rows for value in (row.array.value, row.predicted) if value), default=0.0)
    legend = "  array, | expected" if any(row.predicted for row in rows) else "  array"
    bars = name - 2 - max(cell_len(words) for words in (heading, *(words for words, _ in page.named)))
    if bars < max(_LEAST_BAR, len(legend)) or not any(row.array.value for row in rows):
        bars = 0
    name -= bars
    head: list[cells.Piece] = [(fit(f" {heading}", name), "head")]
    for column in columns:
        sorted_by = column.name == order.column
        text = f"{column.name}, {shown_in(page.kind, units)[0]}" if column is COLUMNS[0] else column.name
        text += marks[order.rising] if sorted_by else ""
        head.append((fit(text, column.width, right=True), "accent" if sorted_by else "dim"))
    if bars:
        head.append((fit(legend, bars), "dim"))
    lines = []
    for words, row in in_order(page, order, base):
        line: list[cells.Piece] = [(fit(f" {words}", name), "strong" if row is base else "")]
        for column in columns:
            failed = column.name == "array" and row.array.value is None
            line.append((fit(column.text_of(row, base, units), column.width, right=True), "bad" if failed else ""))
        line += _drawn(row, largest, bars - 2)
        lines.append(cells.Row((tuple(line),)))
    return Sheet(tuple(head), tuple(lines))


def drawn_bar(role: Role, share: float, width: int) -> str:
    """A bar of `width` cells of which `share` (0 to 1) is drawn, as its role looks on this terminal."""
    drawn = bar(role, share, width)
    return drawn if of_terminal() is not ASCII else drawn.translate(_PLAIN_ARRAY if role == "array" else _PLAIN)


def _drawn(row: ResultRow, largest: float, width: int) -> list[cells.Piece]:
    """A row's figure as a bar that ends at the `largest`, with a stroke where theory has it; nothing without room."""
    if width <= 0 or row.array.value is None:
        return []
    drawn = drawn_bar("array", row.array.value / largest, width)
    if not row.predicted:
        return [("  ", ""), (drawn, "array")]
    at = min(width - 1, int(row.predicted / largest * width))
    return [("  ", ""), (drawn[:at], "array"), ("|", "theory"), (drawn[at + 1 :], "array")]


def whose(named_rows: Sequence[tuple[str, ResultRow]]) -> str:
    return "as it is" if any(row.stood for _, row in named_rows) else "array"


def describe(named_row: tuple[str, ResultRow], base: tuple[str, ResultRow], units: Units, *, alone: bool) -> str:
    """A row in words: what it is over the base, where it is not `alone`, and why it is not what theory says."""
    words, row = named_row
    sentences = [f"{words}: {row.array.error}"] if row.array.error else []
    over_base = numbers.in_words(difference(row.array, base[1].array, row.beside))
    if row is not base[1] and comparable(row, base[1]) and over_base:
        sentences.append(f"{words} vs {base[0]} (base): {over_base}")
    if row.little_off:
        sentences.append(f"{LITTLE_DIFFERS} (Little's law)")
    if off_model := cause_words.lines(row.causes):
        sentences.append(f"{signed_percent(row.deviation or 0)} % vs expected: {'; '.join(off_model)}")
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
