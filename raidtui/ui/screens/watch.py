"""Lines of Watch: all disks as a graph in fixed columns, every device as `iostat -x` has it, with bars. Pure.

Disks and md arrays of a machine at work, without a run.
"""

from collections import deque
from collections.abc import Mapping, Sequence

from textual.app import ComposeResult

from raidtui.core.run import at_work
from raidtui.core.run.at_work import ORDERS, Device, DeviceLine, Order
from raidtui.core.run.samples import DeviceTimes, Sample, times
from raidtui.core.units import Units, format_duration, shown_in
from raidtui.ui.render.cells import Line, Piece, fit, fit_right, round_top
from raidtui.ui.render.live_disks import mega
from raidtui.ui.render.live_lines import MEANINGS, times_heading, times_lines
from raidtui.ui.render.parts import bar, big, column, columns_to_lines, join, title_line
from raidtui.ui.screens.base import HELP_KEY, BaseScreen
from raidtui.ui.services import AtWork
from raidtui.ui.terminal import tick_s
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing, Sliced

GAP = 3  # columns between the newest second and the oldest
BARS_FROM = 118  # columns of the window
_BUSY = 0.95
_NAME, _RATE_BAR, _FIGURE, _COUNT, _BUSY_BAR = 9, 10, 8, 7, 8
_LABEL, _RIGHT = 22, 12
_NARROW_LABEL, _NARROW_RIGHT = 11, 8
_AGO_S = (0, 20, 40, 60, 80)
Pair = tuple[float, float]  # bytes/s read, written


def widths(width: int) -> tuple[int, int, int]:
    """Of the label, the graph and the scale beside it."""
    label, right = (_LABEL, _RIGHT) if width >= BARS_FROM else (_NARROW_LABEL, _NARROW_RIGHT)
    return label, width - label - right, right


def hero_lines(seconds: Sequence[Pair], count: int, rows: int, width: int, units: Units) -> tuple[Line, ...]:
    """`seconds`: oldest first, of `count` that were ever seen. The newest overwrites the oldest at the cursor, so that
    one column changes.
    """
    label, columns_wide, _ = widths(width)
    shown = seconds[-(columns_wide - GAP) :]
    top = round_top(max([1e6, *(read + write for read, write in shown)]))
    head = (count - 1) % columns_wide
    columns: list[tuple[Piece, ...]] = [((" ", ""),) * rows for _ in range(columns_wide)]
    for back, pair in enumerate(reversed(shown)):
        columns[(head - back) % columns_wide] = column(pair, top, rows)
    columns[(head + 1) % columns_wide] = (("│", "line"),) * rows
    graph = columns_to_lines(columns)
    beside = _labels(seconds[-1] if seconds else (0.0, 0.0), label, rows, width, units)
    unit = shown_in("sequential", units)[0]
    scale = {0: f" {mega(top, units)}{f' {unit}' if width >= BARS_FROM else ''}", rows - 1: " 0"}
    lines = [join((*left, *graph[row], (scale.get(row, ""), "dim"))) for row, left in enumerate(beside)]
    return (*lines, join(((" " * label, ""), (_ago(len(shown), head, columns_wide), "dim"))))


def _labels(now: Pair, label: int, rows: int, width: int, units: Units) -> list[Line]:
    read, write = now
    total, unit = mega(read + write, units), shown_in("sequential", units)[0]
    both = (
        (fit(f" read {mega(read, units)}", label // 2), "*read"),
        (fit(f"write {mega(write, units)}", label - label // 2), "*write"),
    )
    if width >= BARS_FROM and rows >= 5:
        high = [
            (*((f" {text}", look) for text, look in line[:1]), (" " * (label - 1 - sum(len(t) for t, _ in line)), ""))
            for line in big(total, "strong")
        ]
        lines: list[Line] = [*high, ((fit(f" {unit}, all disks", label), "*strong"),), both]
    else:
        lines = [
            ((fit(f" {total} {unit}", label), "*strong"),),
            ((fit(f" R {mega(read, units)}", label), "*read"),),
            ((fit(f" W {mega(write, units)}", label), "*write"),),
        ]
    return [*lines, *([((" " * label, ""),)] * (rows - len(lines)))][:rows]


def _ago(seconds: int, head: int, width: int) -> str:
    cells = [" "] * width
    for ago in _AGO_S:
        text = "now" if not ago else f"\N{MINUS SIGN}{ago} s"
        end = (head - ago) % width + 1  # a label ends at its second
        if ago < seconds and end >= len(text) and set(cells[end - len(text) : end]) == {" "}:
            cells[end - len(text) : end] = text
    return "".join(cells)


def table_lines(entries: Sequence[DeviceLine], width: int, units: Units, *, figures: bool) -> list[Line]:
    """Heading first; without bars as `iostat -x`, where there is no room for them or `figures` are asked for."""
    if figures or width < BARS_FROM:
        named = [(f"{' ' * one.is_member}{one.device.name}", one.times) for one in entries]
        lines = times_lines(named, width, units)
        return [times_heading(width, units), *map(_tailed, lines, entries)]
    tops = _tops(entries)
    return [_heading(units), *(_line(one, tops, units) for one in entries)]


def _tops(entries: Sequence[DeviceLine]) -> Mapping[bool, float]:
    """The scale of bars of arrays, and of disks."""
    return {
        is_array: round_top(
            max(
                [
                    1e5,
                    *(
                        max(one.times.rates.read_bytes_per_s, one.times.rates.write_bytes_per_s)
                        for one in entries
                        if one.times and bool(one.device.level) == is_array
                    ),
                ]
            )
        )
        for is_array in (True, False)
    }


def _heading(units: Units) -> Line:
    unit = shown_in("sequential", units)[0]
    rates = [fit(f"{name} {unit}", _RATE_BAR + _FIGURE + 1) for name in ("read", "write")]
    counts = [fit_right(name, _COUNT) for name in ("r/s", "w/s")]
    waits = [fit_right(name, _FIGURE + 1) for name in ("r_await", "w_await", "aqu-sz")]
    heads = (fit(" device", _NAME), *rates, *counts, *waits, fit("  %util", _BUSY_BAR + 8))
    return (("".join(heads), "dim"),)


def _line(one: DeviceLine, tops: Mapping[bool, float], units: Units) -> Line:
    name_look = "*array" if one.device.level else "*warn" if one.off is not None else "*strong"
    name = (fit(f" {'  ' * one.is_member}{one.device.name}", _NAME), name_look)
    if one.times is None:
        return (name, ("no figures yet", "dim"), *_tail(one))
    rates, top = one.times.rates, tops[bool(one.device.level)]
    cells: list[Piece] = [name]
    for value, ramp, look in ((rates.read_bytes_per_s, "r5", "read"), (rates.write_bytes_per_s, "w5", "write")):
        cells += [*bar(value / top, _RATE_BAR, ramp)]
        cells += [(fit_right(mega(value, units), _FIGURE), look if value else "dim"), (" ", "")]
    cells += [(fit_right(f"{count or 0:.0f}", _COUNT), "") for count in (rates.reads_per_s, rates.writes_per_s)]
    waits = (one.times.read_await_ms, one.times.write_await_ms, one.times.queue)
    cells += [(fit_right("-" if wait is None else f"{wait:.2f}", _FIGURE + 1), "") for wait in waits]
    busy = "warn" if rates.util >= _BUSY else "one"
    cells += [("  ", ""), *bar(rates.util, _BUSY_BAR, busy), (fit_right(f"{100 * rates.util:.0f} %", 6), "")]
    return join((*cells, *_tail(one)))


def _tailed(line: Line, one: DeviceLine) -> Line:
    return join((*line, *_tail(one)))


def _tail(one: DeviceLine) -> tuple[Piece, ...]:
    """How an array stands; by how much a member is unlike the others."""
    if one.device.level:
        sync = f", {one.device.sync}" if one.device.sync else ""
        if one.device.missing:
            return ((f"  {one.device.level} {one.device.missing} missing{sync}", "bad"),)
        return ((f"  {one.device.level} of {one.device.slots}{sync}", "dim"),)
    if one.off is None:
        return ()
    sign, minus = ("▼", "\N{MINUS SIGN}") if one.off < 0 else ("▲", "+")
    return ((f"  {sign} {minus}{abs(100 * one.off):.0f} %", "*warn"),)


def words(devices: Sequence[Device]) -> str:
    disks = sum(not device.level for device in devices)
    arrays = len(devices) - disks
    counted = f"{disks} disk{'' if disks == 1 else 's'}"
    return f"{counted}, {arrays} md array{'' if arrays == 1 else 's'}"


def total(devices: Sequence[Device], times: Mapping[str, DeviceTimes | None]) -> Pair:
    found = [one.rates for device in devices if not device.level and (one := times.get(device.name))]
    return sum(rate.read_bytes_per_s for rate in found), sum(rate.write_bytes_per_s for rate in found)


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
    BINDINGS = bindings(
        bound("o", "order", "sort", "watch.order", "By array, % busy, MB/s, latency"),
        bound("a", "arrays", "arrays only", "watch.arrays", "Hide members and other disks"),
        bound("i", "figures", "figures only", "watch.figures", "As iostat -x"),
        bound("f", "freeze", "freeze", "watch.freeze", "Stop the display; nothing else stops"),
        bound("u", "app.units", "units", "units", "MB and TB, or MiB and TiB"),
        HELP_KEY,
        bound("q", "app.leave", "quit", "watch.quit", "Leave; nothing has been changed"),
    )

    def __init__(self, machine: AtWork) -> None:
        super().__init__()
        self._machine = machine
        self._devices: tuple[Device, ...] = ()
        self._last: Sample | None = None
        self._shown_from: Sample | None = None  # for the table: two ticks ago
        self._seconds: deque[Pair] = deque(maxlen=_MOST_SECONDS)
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
            self._seconds.append(total(self._devices, second))
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
        size = self.app.size
        rows = _ROWS_LOW if self.low else _ROWS_HIGH
        label, columns, right = widths(size.width)
        hero = self.query_one("#watch-hero", Sliced)
        hero.styles.height = rows + 1
        hero.cut_at((0, label, *range(label + _SLICE, label + columns, _SLICE), size.width - right, size.width))
        hero.show(hero_lines(tuple(self._seconds), self._count, rows, size.width, self.units))
        self._title()
        if table:
            self.query_one(Listing).refill()

    def _title(self) -> None:
        width = self.window_width
        legend = (("read", "*read"), (" on top of ", "dim"), ("write", "*write"))
        shown = f"   last {min(len(self._seconds), widths(width)[1] - GAP)} s"
        title = [("All disks   ", "*strong"), *legend, (shown, "dim")]
        if self._frozen_at is not None:
            title = [(f" FROZEN {format_duration((self._ticks - self._frozen_at) * tick_s())} ", "*warn")]
        self.lines("hero-title").show([title_line(title, width, low=True)])
        about = f"   by {self._order}" if self._order != "arrays" else ""
        heading = [(words(self._devices), "*strong"), (about, "dim")]
        self.lines("disks-title").show([title_line(heading, width, low=True)])

    def _lay_out(self, width: int) -> list[Line]:
        if not self._devices:
            return [((" No disk and no md array here.", "dim"),)]
        return table_lines(self._entries, width, self.units, figures=self._figures)

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
