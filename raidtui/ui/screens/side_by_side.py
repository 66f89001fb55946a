"""Two runs by test: one disk, all disks, array."""

from functools import partial
from pathlib import Path

from textual.app import ComposeResult

from raidtui.ui.render.cells import Line
from raidtui.ui.render.side_by_side_lines import SideBySide, side_by_side_lines
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing


class SideBySideScreen(BaseScreen[None]):
    """`first` is the base, A; `second` is B."""

    HELP = (
        "B over A: difference of B to A, if the repetitions show it significantly. Single runs have no interval: the"
        " number of repetitions needed is shown instead. Not worth repeating: results within 3 %, if a difference over"
        " 20 % is ruled out and over ten repetitions would be needed."
    )
    BINDINGS = bindings(
        bound("escape,left,q", "back", "back", "side-by-side.back", "List of runs", key_display="esc"),
    )

    def __init__(self, first: Path, second: Path) -> None:
        super().__init__()
        self._paths = first, second
        self._comparison: SideBySide | None = None

    def content(self) -> ComposeResult:
        yield self.header("Compared")
        yield Listing(self._lay_out, id="side-by-side")
        yield Lines([((" Reading both runs…", "dim"),)], id="detail")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()
        self.wizard.ask(self, partial(self.wizard.services.compare, *self._paths), self._take, self._failed)

    def _take(self, comparison: SideBySide) -> None:
        self._comparison = comparison
        self.lines("detail").show([])
        self.query_one(Listing).refill()

    def _failed(self, sentence: str) -> None:
        self.lines("detail").show([((f" {sentence}", "bad"),)])

    def units_changed(self) -> None:
        self.query_one(Listing).refill()

    def _lay_out(self, width: int) -> list[Line]:
        return side_by_side_lines(self._comparison, self.units, width) if self._comparison else []
