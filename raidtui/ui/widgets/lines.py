"""A few lines of cells; repaints only changed ones."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from raidtui.ui.render.cells import Line, to_strip
from raidtui.ui.widgets import styles


class Lines(Widget):
    """From the top left corner; clipped."""

    def __init__(self, lines: Sequence[Line] = (), *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: tuple[Line, ...] = tuple(lines)
        self._styles: dict[str, Style] = {}

    @property
    def lines(self) -> tuple[Line, ...]:
        return self._lines

    @property
    def text(self) -> str:
        """For tests and the clipboard."""
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self._lines)

    def show(self, lines: Sequence[Line]) -> None:
        """Equal lines are not sent again."""
        old, self._lines = self._lines, tuple(lines)
        if not self.is_attached:
            return
        width = self.size.width
        for row in range(max(len(old), len(self._lines))):
            old_line = old[row] if row < len(old) else ()
            new_line = self._lines[row] if row < len(self._lines) else ()
            if old_line != new_line:
                self.refresh(Region(0, row, _changed_width(old_line, new_line, width), 1))

    def show_whole(self, lines: Sequence[Line], least: int = 1) -> None:
        """With as many lines as needed."""
        self.styles.height = max(least, len(lines))
        self.show(lines)

    def render_line(self, y: int) -> Strip:
        cells = self._lines[y] if y < len(self._lines) else ()
        return to_strip(cells, self.size.width, self.style_of)

    def style_of(self, look: str) -> Style:
        style = self._styles.get(look)
        if style is None:
            style = self._styles[look] = styles.style_of(self, look)
        return style

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()


def _changed_width(old_line: Line, new_line: Line, width: int) -> int:
    """Equal cells at the end are not sent again."""
    if len(old_line) != len(new_line):
        return width
    reach = sum(cell_len(text) for text, _ in new_line)
    if reach != sum(cell_len(text) for text, _ in old_line):
        return width
    for old, new in zip(reversed(old_line), reversed(new_line), strict=True):
        if old != new:
            break
        reach -= cell_len(new[0])
    return min(width, reach)
