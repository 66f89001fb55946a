"""A markdown page of the program's own as lines of cells: parsed and laid out by rich, in the looks of the screens."""

from collections.abc import Iterator
from io import StringIO
from typing import ClassVar

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, TableDataElement
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from raidtui.ui.render.cells import Line, plain
from raidtui.ui.render.glyphs import ASCII, of_terminal

# rich's name of a part -> its look here
_LOOKS = {
    "h1": "head",
    "h2": "head",
    "h3": "strong",
    "code": "accent",
    "code_block": "accent",
    "strong": "strong",
    "table.header": "dim",
    "table.border": "dim",
}
_INDENT = 2  # of commands
BROKEN = "| "  # before each part of a line that is wider than the window: a shell that is given one refuses it
_THEME = Theme({f"markdown.{part}": Style(meta={"look": look}) for part, look in _LOOKS.items()})


def markdown_lines(page: str, width: int) -> list[Line]:
    """The whole of `page` in `width` columns, nothing cut, with never more than one blank line between its parts."""
    console = Console(file=StringIO(), width=width, theme=_THEME)
    options = console.options
    options.encoding = "ascii" if of_terminal() is ASCII else "utf-8"  # what tables are drawn with
    lines: list[Line] = []
    for segments in console.render_lines(_Page(page, hyperlinks=False), options, pad=False):
        line = list(_cells(segments))
        while line and not line[-1][0].strip():
            line.pop()
        if line or (lines and lines[-1]):
            lines.append(tuple(line))
    return lines


def _cells(segments: list[Segment]) -> Iterator[tuple[str, str]]:
    for segment in segments:
        meta = segment.style.meta if segment.style else {}
        yield plain(segment.text), meta.get("look", "")


class _Heading(Heading):
    LEVEL_ALIGN: ClassVar = {}  # all at the left


class _Commands(CodeBlock):
    """A little to the right; of what is wider than the window each part stands behind a |, which no shell takes."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width - _INDENT
        lines = [part for line in str(self.text).rstrip().splitlines() for part in _in_room(line, room)]
        yield Padding(Text("\n".join(lines), style=self.style_name), (0, 0, 0, _INDENT))


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


class _Cell(TableDataElement):
    """What is wider than its column goes on below."""

    def __init__(self, justify: JustifyMethod) -> None:
        super().__init__(justify)
        self.content.overflow = "fold"


class _Page(Markdown):
    elements: ClassVar = Markdown.elements | {
        "heading_open": _Heading,
        "fence": _Commands,
        "th_open": _Cell,
        "td_open": _Cell,
    }
