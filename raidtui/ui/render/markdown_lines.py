"""A markdown page of the program's own as lines of cells: parsed and laid out by rich, in the looks of the screens."""

from collections.abc import Iterator
from io import StringIO
from typing import ClassVar

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
    """As it is, a little to the right; what is wider than the window goes on below."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Padding(Text(str(self.text).rstrip(), style=self.style_name), (0, 0, 0, 2))


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
