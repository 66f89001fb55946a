"""A search field; posts its text as it changes."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class SearchField(Input):
    """Visible while used or not empty."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,down,tab", "leave", "to the list", id="search.leave", tooltip="To the list"),
        Binding("escape", "close", "show all", id="search.close", tooltip="Clear the search"),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id, compact=True, placeholder="Search: all words must match")
        self.cursor_blink = False
        self.display = False

    def open(self) -> None:
        """At once, so that no key is lost."""
        self.display = True  # what is not seen takes no focus
        self.screen.set_focus(self)

    def close(self) -> None:
        self.value = ""
        self.action_leave()

    def action_close(self) -> None:
        self.close()

    def action_leave(self) -> None:
        self.screen.focus_previous()
        self.display = bool(self.value)
