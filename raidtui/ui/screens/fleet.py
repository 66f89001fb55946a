"""Do all hosts do the same? A row a host, the odd ones first; each opens with its tests and disks."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from raidtui.core.units import both
from raidtui.ui.render.cells import Line, Sheet, fit
from raidtui.ui.render.fleet_rows import FleetHost, counts_line, host_lines, hosts_of, hosts_sheet, strip_lines
from raidtui.ui.render.page_lines import page_lines
from raidtui.ui.screens.base import HELP_KEY, BaseScreen
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList

if TYPE_CHECKING:
    from raidtui.core.fleet.fleet import Fleet

_QUIT = bound("q", "app.leave", "quit", "quit", "Leave; nothing has been changed")


class FleetScreen(BaseScreen[None], inherit_bindings=False):
    """The runs below `folder`. Units are fixed."""

    STEP = "Fleet"
    HELP = (
        "The newest run of each host and answer file counts. Hosts are compared with hosts of the same answers, disks"
        " with those of their host and of their model in the fleet. Slow means: slow in at least two tests. A % is the"
        " difference from the median of all hosts. `raidtui fleet FOLDER --html` adds charts, `--csv` has one line per"
        " host and test."
    )
    BINDINGS = bindings(
        bound("enter,right", "open", "open host", "fleet.open", "This host's tests and disks"),
        bound("d", "report", "report", "fleet.report", "All tables of the fleet's report"),
        HELP_KEY,
        _QUIT,
    )

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._fleet: Fleet | None = None
        self._groups: Sequence[Sequence[FleetHost]] = ()
        self._rows: list[FleetHost | None] = []

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines([((f" Reading the runs below {self._folder}…", "dim"),)], id="fleet", classes="panel")
        yield PickList(self._lay_out, id="hosts", classes="panel")
        yield Lines(id="detail")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()
        self.wizard.ask(self, partial(self.wizard.services.fleet, self._folder), self._take, self._failed)

    def _take(self, fleet: "Fleet") -> None:
        self._fleet, self._groups = fleet, hosts_of(fleet)
        self.fit_window()

    def _failed(self, sentence: str) -> None:
        self.lines("fleet").show_whole(self.paragraph(sentence, "bad"))

    @property
    def place(self) -> str:
        return f"{self._fleet.hosts:,} hosts · {self._fleet.disks:,} disks" if self._fleet else ""

    def fit_window(self) -> None:
        if self._fleet:
            self.show_place()
            high = not self.low
            lines = self._summary(self._fleet, self.window_width - (4 if high else 2), high)
            box = self.lines("fleet")
            box.show_whole(lines)
            box.styles.height = len(lines) + (2 if high else 1)
            box.entitle("Do all hosts do the same?")
            rows = self.query_one(PickList)
            rows.entitle("Each host", "%: against the median of all; grey: within the noise")
            rows.refill()
            self._show_row()

    def _summary(self, fleet: "Fleet", width: int, high: bool) -> list[Line]:
        hosts = [host for group in self._groups for host in group]
        lines = [counts_line(hosts), *(strip_lines(hosts, width, 4 if high else 2) if len(hosts) > 2 else [])]
        emulated = sum(host.run.emulated for host in hosts)
        told = [f"{emulated} of {len(hosts)} runs on EMULATED DISKS: not valid for real hardware"] if emulated else []
        told += [f"Not read (d: report): {'; '.join(fleet.not_read)}"] if fleet.not_read else []
        lines += [((fit(text, width), "warn"),) for text in told]
        kept = f", {fleet.kept} arrays kept with {both(fleet.kept_bytes)}" if fleet.kept else ""
        return [*lines, ((f"{both(fleet.raw_bytes)} raw{kept}", "dim"),)] if high else lines

    def on_pick_list_moved(self) -> None:
        self._show_row()

    def on_pick_list_clicked(self) -> None:
        self.action_open()

    @property
    def _host(self) -> FleetHost | None:
        at = self.query_one(PickList).cursor
        return self._rows[at] if at < len(self._rows) else None

    def _show_row(self) -> None:
        if host := self._host:
            step = ((" ▸ Next: ", "*accent"), ("enter", "*accent"), (f"  tests and disks of {host.run.host}", ""))
            self.lines("detail").show_whole([*self.paragraph(host.why or host.standing)[:3], step])

    def action_open(self) -> None:
        if host := self._host:
            self.app.push_screen(HostScreen(host))

    def action_report(self) -> None:
        from raidtui.core.fleet.sections import blocks

        if self._fleet:
            self.app.push_screen(DetailsScreen(partial(page_lines, list(blocks(self._fleet)))))

    def _lay_out(self, width: int) -> Sheet:
        sheet, self._rows = hosts_sheet(self._groups, width) if self._groups else (Sheet((), ()), [])
        return sheet


class HostScreen(BaseScreen[None], inherit_bindings=False):
    """A host among the others."""

    STEP = "Fleet"
    HELP = FleetScreen.HELP
    BINDINGS = bindings(
        bound("escape,left,enter", "back", "all hosts", "fleet.back", "All hosts", key_display="esc"),
        HELP_KEY,
        _QUIT,
    )

    def __init__(self, host: FleetHost) -> None:
        super().__init__()
        self._host = host

    @property
    def place(self) -> str:
        return self._host.run.host

    def content(self) -> ComposeResult:
        yield self.header()
        yield Listing(partial(host_lines, self._host), id="host")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()
