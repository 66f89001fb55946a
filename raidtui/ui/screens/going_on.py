"""At the start, if runs are going on: watch one of them, or begin another."""

from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.ui.cells import Row, Sheet, fit
from raidtui.ui.places import shown
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList


class GoingOnScreen(BaseScreen[None]):
    """The runs whose workers are alive."""

    HELP = "These runs are going on in processes of their own. Watching one changes nothing about it."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "watch", "watch it", id="going-on.watch"),
        Binding(
            "n,escape",
            "new",
            "new run",
            id="going-on.new",
            key_display="n",
            tooltip="Choose disks for another",
        ),
        Binding("q", "app.quit", "quit", id="quit", tooltip="Leave; the runs go on"),
    ]

    def __init__(self, paths: tuple[Path, ...]) -> None:
        super().__init__()
        self._paths = paths

    def content(self) -> ComposeResult:
        count = len(self._paths)
        asked = "A run is going on. Watch it?" if count == 1 else f"{count} runs are going on. Watch one?"
        yield Lines([(), ((f" {asked}", "strong"),)], id="asked")
        yield PickList(self._lay_out, id="going-on")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()

    def on_pick_list_clicked(self, clicked: PickList.Clicked) -> None:
        self.action_watch()

    def action_watch(self) -> None:
        self.raidtui.show_live(self._paths[self.query_one(PickList).cursor])

    def action_new(self) -> None:
        self.dismiss(None)

    def _lay_out(self, width: int) -> Sheet:
        rows = [
            Row((((fit(f"  {path.name}", 32), "strong"), (fit(shown(path.parent), width - 32), "dim")),))
            for path in self._paths
        ]
        return Sheet(((fit("  started (UTC) and id", 32), "dim"), ("where", "dim")), tuple(rows))
