"""A titled list; the highlighted option is taken."""

from collections.abc import Callable, Sequence

from textual.message import Message
from textual.widget import Widget

from raidtui.ui.render.cells import Sheet
from raidtui.ui.render.choice_rows import Option, option_sheet
from raidtui.ui.widgets.pick_list import PickList
from raidtui.ui.widgets.sizes import HIGH

_MOST_ROWS, _MOST_ROWS_HIGH = 7, 16  # more than these scroll in place; in a high window more fit


class OptionPick(PickList):
    """`options` is called at each layout: it may depend on other answers."""

    class Taken(Message):
        def __init__(self, pick: "OptionPick", key: str) -> None:
            super().__init__()
            self.pick = pick
            self.key = key

        @property
        def control(self) -> "OptionPick":
            return self.pick

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
        self.post_message(self.Taken(self, self.option.key))

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
