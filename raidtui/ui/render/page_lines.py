"""A page's blocks as lines of cells: laid out by rich, in the looks of the screens."""

from collections.abc import Iterable, Iterator
from io import StringIO

from rich.box import SIMPLE
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text as Styled

from raidtui.core.page.blocks import Bars, Block, Bullets, Code, Fenced, Heading, Spread, Table, Text, Words, spans
from raidtui.core.page.characters import bar_lines
from raidtui.ui.render.cells import Line, plain
from raidtui.ui.render.glyphs import ASCII, of_terminal

_INDENT = 2  # of commands
BROKEN = "| "  # before each part of a line that is wider than the window: a shell that is given one refuses it


def page_lines(blocks: Iterable[Block], width: int) -> list[Line]:
    """The whole page in `width` columns, nothing cut, with one blank line between its parts."""
    console = Console(file=StringIO(), width=width)
    options = console.options
    options.encoding = "ascii" if of_terminal() is ASCII else "utf-8"  # what tables are drawn with
    lines: list[Line] = []
    for block in blocks:
        for segments in console.render_lines(_drawn(block, width), options, pad=False):
            line = list(_cells(segments))
            while line and not line[-1][0].strip():
                line.pop()
            if line or (lines and lines[-1]):
                lines.append(tuple(line))
        if lines and lines[-1]:
            lines.append(())
    return lines[:-1]


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
        case Table(heads, rows, word_columns):
            table = Grid(box=SIMPLE, pad_edge=False, style=_look("dim"), collapse_padding=True)
            for column, head in enumerate(heads):
                styled = Styled(head, _look("dim"))
                table.add_column(styled, justify="left" if column < word_columns else "right", overflow="fold")
            for row in rows:
                table.add_row(*(_styled(cell or "\N{EN DASH}") for cell in row))
            return table if rows else ""
        case Fenced(shell):
            parts = [part for line in shell for part in _in_room(line, width - _INDENT)]
            return Padding(Styled("\n".join(parts), _look("accent")), (0, 0, 0, _INDENT))
        case Bars(_, bars):
            return Styled("\n".join(bar_lines(bars)))
        case Spread():
            return ""


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
