"""Scrollable lines of cells."""

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from raidtui.ui.render.cells import Line, to_strip
from raidtui.ui.textual_private import SizedFirstView
from raidtui.ui.widgets.styles import CellWidget


class Listing(SizedFirstView, CellWidget, can_focus=True, inherit_bindings=False):
    """`lay_out`: lines for a width; called again if it changes."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "by(-1)", "Up", show=False),
        Binding("down,j", "by(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("home", "by(-1000000)", "Top", show=False),
        Binding("end", "by(1000000)", "Bottom", show=False),
    ]

    class Shown(Message):
        """Lines further down than before are visible."""

    def __init__(self, lay_out: Callable[[int], Sequence[Line]], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lay_out = lay_out
        self._lines: tuple[Line, ...] = ()
        self.shown = 0  # how many lines, from the first on, have been in view since they were laid out

    @property
    def text(self) -> str:
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self._lines)

    def refill(self) -> None:
        """Only changed lines are sent."""
        if not self.columns:
            return  # not on the screen yet; the first size brings the first lines
        before = self._in_view
        self.fill()
        self.stretch()
        self._note_shown()
        for row, (was, is_now) in enumerate(zip_longest(before, self._in_view)):
            if was != is_now:
                self.refresh(Region(0, row, self.size.width, 1))

    def fill(self) -> None:
        lines = tuple(self._lay_out(max(20, self.columns)))
        if lines != self._lines:
            self._lines, self.shown = lines, 0

    @property
    def line_count(self) -> int:
        return len(self._lines)

    @property
    def _in_view(self) -> tuple[Line, ...]:
        top = self.scroll_offset.y
        return self._lines[top : top + self.size.height]

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._note_shown()

    def _note_shown(self) -> None:
        """A jump to the end shows only what is there."""
        top, height = self.scroll_offset.y, self.size.height
        if self._lines and top <= self.shown < top + height:
            self.shown = top + height
            self.post_message(self.Shown())

    def on_resize(self) -> None:
        self._note_shown()

    def action_by(self, lines: int) -> None:
        self.scroll_to(y=max(0, min(self.max_scroll_y, self.scroll_offset.y + lines)), animate=False)

    def action_page(self, pages: int) -> None:
        self.action_by(pages * max(1, self.size.height - 1))

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        return to_strip(self._lines[line] if line < len(self._lines) else (), self.size.width, self.style_of)
