"""A list with a cursor, for keys and mouse; meaning is the screen's.

A titled list; the highlighted option is taken.
"""

from collections.abc import Callable, Sequence
from itertools import zip_longest

from rich.style import Style
from textual import events
from textual.geometry import Offset, Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from raidtui.ui.render import roles
from raidtui.ui.render.cells import Row, Sheet, to_strip
from raidtui.ui.render.choice_rows import Option, option_sheet
from raidtui.ui.textual_private import SizedFirstView
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.named_field import TypedLine
from raidtui.ui.widgets.sizes import HIGH
from raidtui.ui.widgets.styles import CellWidget, cursor

_PATTERNS = {
    "data",
    "mirror",
    "parity",
    "parity2",
    "lost",
    *(f"{ramp}{tone}" for ramp in roles.RAMPS for tone in range(roles.TONES)),
}


class PickList(SizedFirstView, CellWidget, can_focus=True, inherit_bindings=False):
    """Equally high rows under a fixed heading. `lay_out`: sheet for a width."""

    BINDINGS = bindings(
        bound("up,k", "move(-1)"),
        bound("down,j", "move(1)"),
        bound("pageup", "page(-1)"),
        bound("pagedown", "page(1)"),
        bound("home", "edge(-1)"),
        bound("end", "edge(1)"),
    )

    class Moved(Message):
        def __init__(self, pick_list: "PickList", index: int) -> None:
            super().__init__()
            self.pick_list = pick_list
            self.index = index

    class Clicked(Moved):
        pass

    def __init__(
        self, lay_out: Callable[[int], Sheet], *, cursor: int = 0, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(id=id, classes=classes)
        self._lay_out = lay_out
        self._sheet = Sheet((), ())
        self.cursor = cursor

    def on_mount(self) -> None:
        self.screen.screen_layout_refresh_signal.subscribe(self, self._point)  # what holds it may move it, too
        for what_moves_it in ("scroll_y", "has_focus"):
            self.watch(self, what_moves_it, self._point, init=False)

    @property
    def rows(self) -> tuple[Row, ...]:
        return self._sheet.rows

    @property
    def text(self) -> str:
        """Heading first."""
        lines = [self._sheet.heading, *(line for row in self.rows for line in row.lines)]
        return "\n".join("".join(text for text, _ in line).rstrip() for line in lines)

    def refill(self) -> None:
        """Only changed lines are sent."""
        if not self.columns:
            return  # not on the screen yet; the first size brings the first rows
        old, cursor, shape = self._sheet, self.cursor, (self._top, self._row_height)
        self.fill()
        self.stretch()
        if old.heading != self._sheet.heading or shape != (self._top, self._row_height):
            self.refresh()
        for index, (old_row, new_row) in enumerate(zip_longest(old.rows, self.rows)):
            if old_row != new_row or (cursor != self.cursor and index in (cursor, self.cursor)):
                self._refresh_row(index)

    def move_to(self, index: int) -> None:
        index = max(0, min(index, len(self.rows) - 1))
        if index != self.cursor and self.rows:
            self.place(index)
            self.tell_moved()
        self._reveal()
        self._point()

    def place(self, index: int) -> None:
        """To the row that the screen chose; nothing is told."""
        if index != self.cursor:
            old, self.cursor = self.cursor, index
            self._refresh_row(old)
            self._refresh_row(index)
            self._reveal()
            self._point()

    def tell_moved(self) -> None:
        self.post_message(self.Moved(self, self.cursor))

    def action_move(self, by: int) -> None:
        index = self._standable(self.cursor + by, by)
        if index is None:
            self._leave(by)
            return
        self.move_to(index)

    def action_page(self, by: int) -> None:
        page = max(1, (self.size.height - self._top) // self._row_height - 1)
        self._move_near(self.cursor + by * page, by)

    def action_edge(self, by: int) -> None:
        self._move_near(0 if by < 0 else len(self.rows) - 1, by)

    def _move_near(self, index: int, by: int) -> None:
        """To this row or the next selectable one, forward if possible."""
        index = max(0, min(index, len(self.rows) - 1))
        onwards, back = self._standable(index, by), self._standable(index, -by)
        self.move_to(onwards if onwards is not None else back if back is not None else index)

    def _standable(self, index: int, by: int) -> int | None:
        """First row that is no heading, in steps of `by`."""
        while 0 <= index < len(self.rows):
            if not self.rows[index].is_heading:
                return index
            index += by
        return None

    def on_click(self, event: events.Click) -> None:
        y = event.y - self.gutter.top
        index = (y - self._top + self.scroll_offset.y) // self._row_height
        is_row = y >= self._top and 0 <= index < len(self.rows) and not self.rows[index].is_heading
        if is_row and self.screen.is_active:  # not one that was on its way when a key led on
            self.move_to(index)
            self.post_message(self.Clicked(self, self.cursor))

    def sized(self) -> None:
        self._reveal()
        self._point()

    def fill(self) -> None:
        self._sheet = self._lay_out(self.columns)
        self.cursor = max(0, min(self.cursor, len(self.rows) - 1))
        if self.rows and self.rows[self.cursor].is_heading:
            self.cursor = next((at for at, row in enumerate(self.rows) if not row.is_heading), self.cursor)

    @property
    def line_count(self) -> int:
        return len(self.rows) * self._row_height + self._top

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y < self._top:
            return to_strip(self._sheet.heading, width, self.style_of)
        line = y - self._top + self.scroll_offset.y
        index, line_of_row = divmod(line, self._row_height)
        if index >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        row = self.rows[index]
        if index != self.cursor:
            return to_strip(row.lines[line_of_row], width, self.style_of)
        marked = cursor(self, self.has_focus)
        # a bar keeps its own ground, or its pattern, under the cursor
        return to_strip(row.lines[line_of_row], width, lambda look: self._under(look, marked))

    @property
    def _top(self) -> int:
        return 1 if self._sheet.heading else 0

    @property
    def _row_height(self) -> int:
        return len(self.rows[0].lines) if self.rows else 1

    def _leave(self, by: int) -> None:
        """To the next or former list or field."""
        siblings = [other for other in self.screen.focus_chain if isinstance(other, PickList | TypedLine)]
        index = siblings.index(self) + by if self in siblings else -1  # what is hidden by now has none
        if 0 <= index < len(siblings):
            siblings[index].focus()

    def _reveal(self) -> None:
        """Completely, below the heading."""
        if not self.rows or not self.size.height:
            return
        first = self.cursor * self._row_height
        if self._standable(self.cursor - 1, -1) is None:
            first = 0  # what stands above the first row is seen with it
        room = max(self._row_height, self.size.height - self._top)
        if first < self.scroll_offset.y:
            self.scroll_to(y=first, animate=False, force=True)
        elif first + self._row_height > self.scroll_offset.y + room:
            self.scroll_to(y=first + self._row_height - room, animate=False, force=True)

    def _point(self, *_: object) -> None:
        """Terminal cursor on the row, for screen readers."""
        row = self._top + self.cursor * self._row_height - self.scroll_offset.y
        place = self.content_region.offset + Offset(0, row)
        if self.has_focus and self.app.cursor_position != place:
            self.app.cursor_position = place
            self._refresh_row(self.cursor)  # it goes there with the next paint

    def _refresh_row(self, index: int) -> None:
        top_line = index * self._row_height - self.scroll_offset.y + self._top
        if top_line + self._row_height > self._top and top_line < self.size.height:
            self.refresh(Region(0, max(self._top, top_line), self.size.width, self._row_height))

    def _under(self, look: str, marked: Style) -> Style:
        style = self.style_of(look)
        return style if "/" in look or (self.app.no_color and look in _PATTERNS) else style + marked


_MOST_ROWS, _MOST_ROWS_HIGH = 7, 16  # more than these scroll in place; in a high window more fit


class OptionPick(PickList):
    """`options` is called at each layout: it may depend on other answers."""

    class Taken(PickList.Moved):
        def __init__(self, pick: "OptionPick") -> None:
            super().__init__(pick, pick.cursor)
            self.key = pick.option.key

    def __init__(
        self, heading: str, options: Callable[[], Sequence[Option]], taken: str, *, id: str, classes: str | None = None
    ) -> None:
        keys = [option.key for option in options()]
        super().__init__(self._sheet_for, cursor=keys.index(taken) if taken in keys else 0, id=id, classes=classes)
        self._heading = heading
        self._options = options

    @property
    def option(self) -> Option:
        options = self._options()
        return options[min(self.cursor, len(options) - 1)]

    def tell_moved(self) -> None:
        self.post_message(self.Taken(self))

    def action_page(self, by: int) -> None:
        """Scrolls the form; keeps the option."""
        form = self.parent
        if isinstance(form, Widget):
            (form.scroll_page_down if by > 0 else form.scroll_page_up)(animate=False)

    def on_mount(self) -> None:
        self.fit_height()

    def fit_height(self) -> None:
        """As many rows as the window has room for, the heading, and an edge or a blank line."""
        most_rows = _MOST_ROWS_HIGH if self.app.size.height >= HIGH else _MOST_ROWS
        self.styles.height = min(len(self._options()), most_rows) + 1 + (self.gutter.height or 1)

    def _sheet_for(self, width: int) -> Sheet:
        return option_sheet(self._heading, self._options(), self.option.key, width)
