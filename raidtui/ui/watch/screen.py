"""Disks and md arrays of a machine at work, without a run."""

from collections import deque
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.core.run import at_work
from raidtui.core.run.at_work import ORDERS, Device, DeviceLine, Order
from raidtui.core.run.samples import DeviceTimes, Sample, times
from raidtui.core.units import format_duration
from raidtui.ui.render.cells import Line
from raidtui.ui.render.glyphs import of_terminal
from raidtui.ui.render.parts import title_line
from raidtui.ui.render.times_lines import MEANINGS
from raidtui.ui.screens.base import HELP_KEY, BaseScreen
from raidtui.ui.services import AtWork
from raidtui.ui.terminal import tick_s
from raidtui.ui.watch import lines as watch_lines
from raidtui.ui.widgets.lines import Lines, Sliced
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.sizes import HIGH

_MOST_SECONDS = 600
_ROWS_LOW, _ROWS_HIGH = 3, 6  # of the graph
_TABLE_EVERY, _LIST_EVERY = 2, 10  # ticks: figures that change more often cannot be read
_SLICE = 8  # columns of the graph that are repainted together


class WatchScreen(BaseScreen[None], inherit_bindings=False):
    """A graph of all disks, a line a device. Reads the kernel's counters, changes nothing."""

    STEP = "Watch"
    HELP = (
        "All disks: reads on top of writes, a column a second; the newest overwrites the oldest at the line. Below: md"
        " arrays with their members, then other disks. ▼ or ▲: more than 25 % off the median of the array's members."
        f" {MEANINGS} raidtui reads the kernel's counters only."
    )
    TERMS = ("queue depth", "IOPS")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("o", "order", "sort", id="watch.order", tooltip="By array, % busy, MB/s, latency"),
        Binding("a", "arrays", "arrays only", id="watch.arrays", tooltip="Hide members and other disks"),
        Binding("i", "figures", "figures only", id="watch.figures", tooltip="As iostat -x"),
        Binding("f", "freeze", "freeze", id="watch.freeze", tooltip="Stop the display; nothing else stops"),
        Binding("u", "app.units", "units", id="units", tooltip="MB and TB, or MiB and TiB"),
        HELP_KEY,
        Binding("q", "app.leave", "quit", id="watch.quit", tooltip="Leave; nothing has been changed"),
    ]

    def __init__(self, machine: AtWork) -> None:
        super().__init__()
        self._machine = machine
        self._devices: tuple[Device, ...] = ()
        self._last: Sample | None = None
        self._shown_from: Sample | None = None  # for the table: two ticks ago
        self._seconds: deque[watch_lines.Pair] = deque(maxlen=_MOST_SECONDS)
        self._times: dict[str, DeviceTimes | None] = {}
        self._count = self._ticks = 0
        self._order: Order = "arrays"
        self._arrays_only = self._figures = False
        self._frozen_at: int | None = None  # tick

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines(id="hero-title")
        yield Sliced(id="watch-hero")
        yield Lines(id="disks-title")
        yield Listing(self._lay_out, id="devices")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()
        self.tick()
        self.set_interval(tick_s(), self.tick)

    def fit_window(self) -> None:
        self._show(table=True)

    def units_changed(self) -> None:
        self._show(table=True)

    def tick(self) -> None:
        if not self._ticks % _LIST_EVERY:
            devices = self._machine.devices()
            if [one.name for one in devices] != [one.name for one in self._devices]:
                self._last = self._shown_from = None
            self._devices = devices
        names = [device.name for device in self._devices]
        sample = self._machine.read(names)
        self._ticks += 1
        if self._last is not None:
            second = dict(zip(names, times(self._last, sample), strict=True))
            self._seconds.append(watch_lines.total(self._devices, second))
            self._count += 1
        with_table = self._ticks <= _TABLE_EVERY or not self._ticks % _TABLE_EVERY
        if self._frozen_at is None and with_table and self._shown_from is not None:
            self._times = dict(zip(names, times(self._shown_from, sample), strict=True))
        if with_table:
            self._shown_from = sample
        self._last = sample
        if self._frozen_at is None:
            self._show(table=with_table)
        else:
            self._title()

    @property
    def _entries(self) -> list[DeviceLine]:
        found = at_work.entries(self._devices, self._times, self._order)
        return [one for one in found if one.device.level] if self._arrays_only else found

    def _show(self, *, table: bool) -> None:
        size, glyphs = self.app.size, of_terminal()
        rows = _ROWS_LOW if size.height < HIGH else _ROWS_HIGH
        label, columns, right = watch_lines.widths(size.width)
        hero = self.query_one("#watch-hero", Sliced)
        hero.styles.height = rows + 1
        hero.cut_at((0, label, *range(label + _SLICE, label + columns, _SLICE), size.width - right, size.width))
        hero.show(watch_lines.hero_lines(tuple(self._seconds), self._count, rows, size.width, self.units, glyphs))
        self._title()
        if table:
            self.query_one(Listing).refill()

    def _title(self) -> None:
        width = self.app.size.width
        legend = (("read", "*read"), (" on top of ", "dim"), ("write", "*write"))
        shown = f"   last {min(len(self._seconds), watch_lines.widths(width)[1] - watch_lines.GAP)} s"
        title = [("All disks   ", "*strong"), *legend, (shown, "dim")]
        if self._frozen_at is not None:
            title = [(f" FROZEN {format_duration((self._ticks - self._frozen_at) * tick_s())} ", "*warn")]
        self.query_one("#hero-title", Lines).show([title_line(title, width, low=True)])
        about = f"   by {self._order}" if self._order != "arrays" else ""
        heading = [(watch_lines.words(self._devices), "*strong"), (about, "dim")]
        self.query_one("#disks-title", Lines).show([title_line(heading, width, low=True)])

    def _lay_out(self, width: int) -> list[Line]:
        if not self._devices:
            return [((" No disk and no md array here.", "dim"),)]
        return watch_lines.table_lines(self._entries, width, self.units, of_terminal(), figures=self._figures)

    def action_order(self) -> None:
        self._order = ORDERS[(ORDERS.index(self._order) + 1) % len(ORDERS)]
        self._show(table=True)

    def action_arrays(self) -> None:
        self._arrays_only = not self._arrays_only
        self._show(table=True)

    def action_figures(self) -> None:
        self._figures = not self._figures
        self._show(table=True)

    def action_freeze(self) -> None:
        self._frozen_at = self._ticks if self._frozen_at is None else None
        self._show(table=True)
