"""`iostat -x` of every device, newest second."""

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.core.run.samples import ARRAY, times
from raidtui.ui.paths import path_text
from raidtui.ui.render.cells import Line
from raidtui.ui.render.live_disks import titles_of
from raidtui.ui.render.times_lines import MEANINGS, times_heading, times_lines
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.services import Feed, RunView
from raidtui.ui.terminal import tick_s
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing


class TimesScreen(BaseScreen[None]):
    """A line per device, the array first."""

    STEP = "Live"
    HELP = MEANINGS
    TERMS = ("queue depth", "IOPS", "page cache")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,i,left,q", "back", "back", id="times.back", key_display="esc", tooltip="Back to the panes"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._feed: Feed | None = None
        self._view: RunView | None = None

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines(id="question")
        yield Lines(id="times-heading")
        yield Listing(self._lay_out, id="times")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()
        self.set_interval(tick_s(), self.tick)
        self.call_after_refresh(self.tick)

    def fit_window(self) -> None:
        self._show()

    def units_changed(self) -> None:
        self._show()

    def tick(self) -> None:
        self._feed = self._feed or self.wizard.services.feed(self._path, live=True)
        try:
            view = self._feed.poll()
        except (OSError, ValueError) as error:
            self.query_one("#question", Lines).show([((f" {path_text(self._path)}: {error}", "bad"),)])
            return
        if view is not None:
            self._view = view
            self._show()

    def action_back(self) -> None:
        self.dismiss(None)

    def _show(self) -> None:
        ended = self._view is not None and self._view.state.ended
        second = "the last second" if not ended else "run ended: its last second; esc: Results"
        head = ((" iostat -x", "strong"), (f"   {second}; ?: columns", "dim"))
        self.query_one("#question", Lines).show([head])
        self.query_one("#times-heading", Lines).show([times_heading(self.app.size.width - 1, self.units)])
        self.query_one(Listing).refill()

    def _lay_out(self, width: int) -> list[Line]:
        view = self._view
        if view is None or len(view.history) < 2:
            return [((" No samples yet.", "dim"),)]
        found = dict(zip(view.slots, times(*view.history[-2:]), strict=True))
        disks = [(title.name, found[slot]) for slot, title in titles_of(view.plan, view.state).items()]
        array = [(view.state.array.node.removeprefix("/dev/"), found[ARRAY])] if view.state.array else []
        return times_lines([*array, *disks], width, self.units)
