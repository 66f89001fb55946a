"""A page's blocks as lines of cells: laid out by rich, in the looks of the screens."""

from collections.abc import Iterable, Iterator
from io import StringIO

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text as Styled

from raidtui.core.page.blocks import (
    Bars,
    Block,
    Bullets,
    Code,
    Fenced,
    Heading,
    PageTable,
    Spread,
    Text,
    Words,
    column_groups,
    read,
    spans,
)
from raidtui.core.page.characters import bar_lines
from raidtui.ui.render.cells import Line, plain

_INDENT = 2  # of commands
_GAP = 2  # between two columns
BROKEN = "| "  # before each part of a line that is wider than the window: a shell that is given one refuses it


def page_lines(blocks: Iterable[Block], width: int, indent: int = 0) -> list[Line]:
    """The whole page in `width` columns, nothing cut, with one blank line between its parts."""
    width -= indent
    console = Console(file=StringIO(), width=max(1, width))
    lines: list[Line] = []
    for block in blocks:
        for segments in console.render_lines(_drawn(block, width), pad=False):
            line = list(_cells(segments))
            while line and not line[-1][0].strip():
                line.pop()
            line[-1:] = [(text.rstrip(), look) for text, look in line[-1:]]
            if line or (lines and lines[-1]):
                lines.append(((" " * indent, ""), *line) if line and indent else tuple(line))
        if lines and lines[-1] and not (isinstance(block, Heading) and block.level > 2):
            lines.append(())
    return lines if lines and lines[-1] else lines[:-1]


def _cells(segments: list[Segment]) -> Iterator[tuple[str, str]]:
    for segment in segments:
        meta = segment.style.meta if segment.style else {}
        yield plain(segment.text), meta.get("look", "")


def _look(name: str) -> Style:
    return Style(meta={"look": name})


def _drawn(block: Block, width: int) -> RenderableType:
    match block:
        case Heading(text, level):
            return Styled(text, _look("head" if level < 3 else "strong"))
        case Text(words):
            return _styled(words)
        case Bullets(items):
            grid = Grid.grid()
            for words in items:
                grid.add_row(" - ", _styled(words))
            return grid
        case PageTable(_, rows):
            return Group(*_tables(block, width)) if rows else ""
        case Fenced(shell):
            parts = [part for line in shell for part in _in_room(line, width - _INDENT)]
            return Padding(Styled("\n".join(parts), _look("accent")), (0, 0, 0, _INDENT))
        case Bars(_, bars):
            return Styled("\n".join(bar_lines(bars)))
        case Spread():
            return ""


def _tables(block: PageTable, width: int) -> Iterator[RenderableType]:
    """The figures to the right; what has no room beside the first columns stands in a table below."""
    lines = [block.heads, *([read(cell) for cell in row] for row in block.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    capped = [min(wide, width // 2) if index < block.words else wide for index, wide in enumerate(widths)]
    for number, group in enumerate(column_groups(capped, block.words, width + _GAP, _GAP)):
        grid = Grid(box=None, pad_edge=False, padding=(0, _GAP, 0, 0), show_edge=False)
        for index in group:
            is_words = index < block.words
            head = Styled(block.heads[index], _look("dim"))
            least = None if is_words else min(widths[index], width // 2)
            grid.add_column(head, justify="left" if is_words else "right", overflow="fold", min_width=least)
        for row in block.rows:
            grid.add_row(*(_styled(row[index] or "\N{EN DASH}") for index in group))
        yield Padding(grid, (int(number > 0), 0, 0, 0))


def _styled(words: Words) -> Styled:
    styled = Styled(overflow="fold")
    for span in spans(words):
        if isinstance(span, str):
            styled.append(span)
        else:
            styled.append(span.text, _look("accent" if isinstance(span, Code) else "strong"))
    return styled


def _in_room(line: str, room: int) -> Iterator[str]:
    """A line of a shell or a file, or its parts, broken behind blanks where it has some."""
    if cell_len(line) <= room:
        yield line
        return
    room = max(1, room - len(BROKEN))
    while line:
        end = room if len(line) <= room else line.rfind(" ", 1, room) + 1 or room
        yield f"{BROKEN}{line[:end]}"
        line = line[end:]
