"""A field of one line that searches a list while it is typed in. Knows no list: its text is told as it changes."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class SearchField(Input):
    """Seen while it is typed in, and as long as something stands in it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down,tab", "leave", "to the list", id="search.leave", tooltip="To the list"),
        Binding("escape", "close", "show all", id="search.close", tooltip="Clear the search"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True, placeholder="Search: all words must match")
        self.cursor_blink = False
        self.display = False

    def open(self) -> None:
        """Is typed in from now on, at once: what is typed right behind is not lost."""
        self.display = True  # what is not seen takes no focus
        self.screen.set_focus(self)

    def close(self) -> None:
        """Searches for nothing; back to the list."""
        self.value = ""
        self.action_leave()

    def action_close(self) -> None:
        self.close()

    def action_leave(self) -> None:
        self.screen.focus_previous()
        self.display = bool(self.value)
