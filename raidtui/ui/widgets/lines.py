"""A few lines of cells; repaints only changed ones.

Words in a row of which one of each group is taken, by key or click.

Scrollable lines of cells.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise, zip_longest

from rich.cells import cell_len
from textual import events
from textual.containers import Horizontal
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from raidtui.ui.render.cells import Line, Piece, to_strip
from raidtui.ui.render.choice_rows import WordGroup, words_line
from raidtui.ui.render.parts import join
from raidtui.ui.textual_private import SizedFirstView
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.styles import CellWidget

_GAP = 8  # equal cells between two changes


class Lines(CellWidget):
    """From the top left corner; clipped."""

    def __init__(self, lines: Sequence[Line] = (), *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._lines: tuple[Line, ...] = tuple(lines)

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
        due = [
            Region(first, row, end - first, 1)
            for row, (old_line, new_line) in enumerate(zip_longest(old, self._lines, fillvalue=()))
            if old_line != new_line
            for first, end in changes(old_line, new_line, width)
        ]
        if due:
            self.refresh(*due)

    def show_whole(self, lines: Sequence[Line], least: int = 1) -> None:
        """With as many lines as needed."""
        self.styles.height = max(least, len(lines))
        self.show(lines)

    def render_line(self, y: int) -> Strip:
        cells = self._lines[y] if y < len(self._lines) else ()
        return to_strip(cells, self.size.width, self.style_of)


def changes(old: Line, new: Line, width: int) -> list[tuple[int, int]]:
    """(first, end) of the cells that differ; a gap that is cheaper to send than a move of the cursor is sent too."""
    if any(cell_len(text) != len(text) for text, _ in (*old, *new)):
        return [(0, width)]
    spans: list[tuple[int, int]] = []
    for at, (was, is_now) in enumerate(zip(cells_of(old, width), cells_of(new, width), strict=True)):
        if was == is_now:
            continue
        if spans and at - spans[-1][1] < _GAP:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans


def cells_of(line: Line, width: int) -> list[Piece]:
    """A piece a cell, `width` of them."""
    cells = [(char, look) for text, look in line for char in text][:width]
    return cells + [(" ", "")] * (width - len(cells))


class Sliced(Horizontal):
    """Lines cut into columns of widgets of their own: Textual sends a widget's line from its left edge on, so what
    changes alone (the piece of an axis, figures) is a widget.
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._cuts: tuple[int, ...] = ()
        self._slices: list[Lines] = []

    def cut_at(self, cuts: Sequence[int]) -> None:
        """The first is 0, the last the width; rising. Nothing happens if they are as before."""
        if self._cuts == tuple(cuts):
            return
        self._cuts = tuple(cuts)
        self._slices = [Lines(classes="slice") for _ in self._cuts[1:]]
        for one, first, end in zip(self._slices, self._cuts, self._cuts[1:], strict=False):
            one.styles.width = end - first
        if self.is_attached:
            self.remove_children()
            self.mount_all(self._slices)
            return
        for one in self._slices:  # before it is composed
            self.compose_add_child(one)

    def show(self, lines: Sequence[Line]) -> None:
        self.show_slice(0, lines, len(self._slices))

    def show_slice(self, number: int, lines: Sequence[Line], count: int = 1) -> None:
        """These slices alone: what does not change is not even made."""
        slices = self._slices[number:][:count]
        if count == 1:
            for one in slices:
                one.show(lines)
            return
        cuts = [cut - self._cuts[number] for cut in self._cuts[number : number + count + 1]]
        rows = [cells_of(line, cuts[-1]) for line in lines]
        for one, (first, end) in zip(slices, pairwise(cuts), strict=True):
            one.show([join(row[first:end]) for row in rows])


class Listing(SizedFirstView, CellWidget, can_focus=True, inherit_bindings=False):
    """`lay_out`: lines for a width; called again if it changes."""

    BINDINGS = bindings(
        bound("up,k", "by(-1)"),
        bound("down,j", "by(1)"),
        bound("pageup", "page(-1)"),
        bound("pagedown,space", "page(1)"),
        bound("home", "by(-1000000)"),
        bound("end", "by(1000000)"),
    )

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

    def sized(self) -> None:
        self._note_shown()

    def action_by(self, lines: int) -> None:
        self.scroll_to(y=max(0, min(self.max_scroll_y, self.scroll_offset.y + lines)), animate=False)

    def action_page(self, pages: int) -> None:
        self.action_by(pages * max(1, self.size.height - 1))

    def render_line(self, y: int) -> Strip:
        line = y + self.scroll_offset.y
        return to_strip(self._lines[line] if line < len(self._lines) else (), self.size.width, self.style_of)


class WordRow(Lines):
    class Taken(Message):
        def __init__(self, group: int, number: int) -> None:
            super().__init__()
            self.group, self.number = group, number

    def __init__(self, groups: Sequence[WordGroup] = (), *, id: str) -> None:
        super().__init__([words_line(groups)], id=id)
        self._groups = tuple(groups)

    def present(self, groups: Sequence[WordGroup]) -> None:
        self._groups = tuple(groups)
        self.show([words_line(groups)])

    def on_click(self, event: events.Click) -> None:
        reach = 0
        for at, group in enumerate(self._groups):
            reach += len(group.before)
            for number, word in enumerate(group.words):
                if event.y == 0 and reach <= event.x < reach + len(word) + 2:
                    self.post_message(self.Taken(at, number))
                reach += len(word) + 2
            reach += len(group.after)
