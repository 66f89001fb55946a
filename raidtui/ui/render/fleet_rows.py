"""A fleet's report as rows of lists: its parts under what it says first, then one part's table in columns. Pure."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len

from raidtui.core.fleet.sections import ReportPart
from raidtui.core.page.blocks import PageTable, Words, column_groups, read
from raidtui.ui.render.cells import Line, Piece, Row, Sheet, fit, wrap

_GAP = 2


def counted_rows(part: ReportPart) -> str:
    rows, noun = (len(part.table.rows), "row") if part.table else (len(part.sentences), "sentence")
    return f"{rows:,} {noun}{'' if rows == 1 else 's'}"


def parts_sheet(parts: Sequence[ReportPart], width: int) -> Sheet:
    """What the fleet's first part says, over which the cursor passes; then a row for each of the others."""
    first, *others = parts
    said = [
        Row((((f" {'-' if number == 0 else ' '} {line}", ""),),), is_heading=True)
        for sentence in first.sentences
        for number, line in enumerate(wrap(sentence, width - 4))
    ]
    counts = [counted_rows(part) for part in others]
    count_width = max(map(cell_len, counts), default=0) + _GAP
    name_width = min(max((cell_len(part.title) for part in others), default=0), width - 3 - count_width)
    rows = [
        Row((((f"   {fit(part.title, name_width)}", ""), (fit(counted, count_width, right=True), "dim")),))
        for part, counted in zip(others, counts, strict=True)
    ]
    return Sheet((), (*said, Row(((),), is_heading=True), *rows))


def column_sets(table: PageTable, width: int) -> list[list[int]]:
    """The columns that are shown, in turn: the first one always, beside it as many as fit."""
    return column_groups([_need(table, column) for column in range(len(table.heads))], 1, width - 1 + _GAP, _GAP)


def table_sheet(table: PageTable, columns: Sequence[int], width: int) -> Sheet:
    """The rows of a table with these columns; what wants attention is marked by its look."""
    widths = {column: _need(table, column) for column in columns}
    over = 1 + sum(widths.values()) + _GAP * (len(columns) - 1) - width
    if over > 0:
        widths[columns[-1]] = max(1, widths[columns[-1]] - over)
    heading = _cells(table, table.heads, widths, "dim")
    rows = [
        Row((_cells(table, cells, widths, "warn" if number in table.marked else ""),))
        for number, cells in enumerate(table.rows)
    ]
    return Sheet(heading, tuple(rows))


def sentences_sheet(sentences: Sequence[str], width: int) -> Sheet:
    """A part that has no table: its sentences, as they are wrapped."""
    return Sheet((), tuple(Row((((f" {line}", ""),),)) for sentence in sentences for line in wrap(sentence, width - 2)))


def row_whole(table: PageTable, number: int) -> str:
    """All that a row has, each with its heading: what the columns cut, or leave out."""
    pairs = zip(table.heads, table.rows[number], strict=True)
    return "; ".join(f"{head}: {read(cell)}" if head else read(cell) for head, cell in pairs if cell) + "."


def _need(table: PageTable, column: int) -> int:
    return max(cell_len(table.heads[column]), *(cell_len(read(row[column])) for row in table.rows), 1)


def _cells(table: PageTable, texts: Sequence[Words], widths: dict[int, int], look: str) -> Line:
    def cells() -> Iterator[Piece]:
        yield " ", ""
        for number, (column, width) in enumerate(widths.items()):
            gap = " " * _GAP if number else ""
            yield gap + fit(read(texts[column]), width, right=column >= table.words), look

    return tuple(cells())
