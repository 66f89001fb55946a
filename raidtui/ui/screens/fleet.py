"""Fleet report on screen: summary, parts, tables."""

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.core.fleet.sections import ReportPart
from raidtui.ui.render import fleet_rows
from raidtui.ui.render.cells import Sheet
from raidtui.ui.screens.base import HELP_KEY, BaseScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList

_HELP = (
    "The newest run of each host and answer file counts. Hosts are compared with hosts of the same answers, disks with"
    " those of their host and of their model in the fleet. Slow means: slow in at least two tests. `raidtui fleet"
    " FOLDER --html` adds charts, `--csv` has one line per host and test."
)


class FleetScreen(BaseScreen[None], inherit_bindings=False):
    """The runs below `folder`, with parts to open. Units are fixed."""

    HELP = _HELP
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "open", "open", id="fleet.open", tooltip="This part, row by row"),
        HELP_KEY,
        Binding("q", "app.leave", "quit", id="quit", tooltip="Leave; nothing has been changed"),
    ]

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._parts: tuple[ReportPart, ...] = ()

    def content(self) -> ComposeResult:
        yield Lines(id="question")
        yield PickList(self._lay_out, id="parts")
        yield Lines([((f" Reading the runs below {self._folder}…", "dim"),)], id="detail")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self.wizard.ask(self, partial(self.wizard.services.fleet, self._folder), self._take, self._failed)

    def _take(self, parts: tuple[ReportPart, ...]) -> None:
        self._parts = parts
        self.query_one("#question", Lines).show([((f" {self._parts[0].title}", "strong"),)])
        self.query_one("#detail", Lines).show([])
        self.query_one(PickList).refill()

    def _failed(self, sentence: str) -> None:
        self.query_one("#detail", Lines).show_whole(self.paragraph(sentence, "bad"))

    def on_pick_list_clicked(self, clicked: PickList.Clicked) -> None:
        self.action_open()

    def action_open(self) -> None:
        pick_list = self.query_one(PickList)
        if self._parts and not pick_list.rows[pick_list.cursor].is_heading:
            part = self._parts[pick_list.cursor - len(pick_list.rows)]  # the last rows are the parts
            self.app.push_screen(FleetPartScreen(part))

    def _lay_out(self, width: int) -> Sheet:
        return fleet_rows.parts_sheet(self._parts, width) if self._parts else Sheet((), ())


class FleetPartScreen(BaseScreen[None], inherit_bindings=False):
    """The row under the cursor is complete below."""

    HELP = _HELP
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "columns", "more columns", id="fleet.columns", tooltip="The columns that do not fit, in turn"),
        Binding("escape,left", "back", "back", id="fleet.back", key_display="esc", tooltip="Back to all parts"),
        HELP_KEY,
        Binding("q", "app.leave", "quit", id="quit", tooltip="Leave; nothing has been changed"),
    ]

    def __init__(self, part: ReportPart) -> None:
        super().__init__()
        self._part = part
        self._set = 0  # which of the sets of columns is shown
        self._sets = 1

    def content(self) -> ComposeResult:
        yield Lines([((f" {self._part.title}", "strong"),)], id="question")
        if self._part.table:
            yield Lines(id="said")
        yield PickList(self._lay_out, id="rows")
        yield Lines(id="detail")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()

    def fit_window(self) -> None:
        self._set = 0
        for said in self.query("#said").results(Lines):
            said.show_whole([line for sentence in self._part.sentences for line in self.paragraph(sentence)])
            said.display = bool(self._part.sentences)
        self.call_after_refresh(self._show_again)

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self._show_row()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "columns" or self._sets > 1

    def action_columns(self) -> None:
        self._set += 1
        self.query_one(PickList).refill()

    def action_back(self) -> None:
        self.dismiss(None)

    def _show_again(self) -> None:
        self.query_one(PickList).refill()
        self.refresh_bindings()
        self._show_row()

    def _show_row(self) -> None:
        if self._part.table and self._part.table.rows:
            text = fleet_rows.row_whole(self._part.table, self.query_one(PickList).cursor)
            self.query_one("#detail", Lines).show_whole(self.paragraph(text, "dim"), least=3)

    def _lay_out(self, width: int) -> Sheet:
        if self._part.table:
            sets = fleet_rows.column_sets(self._part.table, width)
            self._sets = len(sets)
            return fleet_rows.table_sheet(self._part.table, sets[self._set % len(sets)], width)
        return fleet_rows.sentences_sheet(self._part.sentences, width)
