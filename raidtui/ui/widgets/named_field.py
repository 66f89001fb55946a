"""A named, optional line of text.

A search field; posts its text as it changes.
"""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Input

from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines

_NAME = 22


class TypedLine(Input):
    """Up and down leave it; Enter continues."""

    BINDINGS = bindings(
        bound("up", "leave(-1)"),
        bound("down", "leave(1)"),
        bound("enter", "submit", "next", "field.next", "Next step"),
    )

    def action_leave(self, by: int) -> None:
        (self.screen.focus_next if by > 0 else self.screen.focus_previous)()


class NamedField(Horizontal):
    """`hint`: default and examples, if empty. `id`: of the field."""

    def __init__(self, name: str, value: str, hint: str, *, id: str, room: int = _NAME) -> None:
        super().__init__()
        self._room = room
        self._before, self._given, self._hint, self.field_id = name, value, hint, id

    def compose(self) -> ComposeResult:
        name = Lines([((f" {self._before}", "head"),)])
        name.styles.width = self._room
        yield name
        field = TypedLine(self._given, placeholder=self._hint, id=self.field_id, compact=True, select_on_focus=False)
        field.cursor_blink = False
        yield field

    def mark(self, *, wrong: bool) -> None:
        for name in self.query(Lines):
            name.show([((f"{'✗' if wrong else ' '}{self._before}", "bad" if wrong else "head"),)])


class SearchField(Input):
    """Visible while used or not empty."""

    BINDINGS = bindings(
        bound("enter,down,tab", "leave", "to the list", "search.leave", "To the list"),
        bound("escape", "close", "show all", "search.close", "Clear the search"),
    )

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
