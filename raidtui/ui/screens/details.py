"""Scrollable details of the screen below."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.ui.render.cells import Line
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.listing import Listing


class DetailsScreen(BaseScreen[None]):
    """`lay_out`: lines for a width; called again by `refill`."""

    HELP = "All there is to read here; the arrow and page keys scroll. Nothing is changed."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,left,q,d,enter", "back", "back", id="details.back", key_display="esc", tooltip="Back"),
    ]

    def __init__(self, lay_out: Callable[[int], Sequence[Line]]) -> None:
        super().__init__()
        self._lay_out = lay_out

    def content(self) -> ComposeResult:
        yield Listing(self._indented, id="details")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()

    def refill(self) -> None:
        """Also before the list exists."""
        for listing in self.query(Listing):
            listing.refill()

    def units_changed(self) -> None:
        self.refill()

    def action_back(self) -> None:
        self.dismiss(None)

    def _indented(self, width: int) -> list[Line]:
        return [((" ", ""), *line) for line in self._lay_out(max(20, width - 2))]
