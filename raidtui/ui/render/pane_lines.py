"""How one disk's rates are written: in one line, two, five, or more with higher strips; how many panes fit. Pure."""

from collections.abc import Sequence
from itertools import islice

import msgspec
from rich.cells import cell_len

from raidtui.core.disks.disk import marks
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.model import Plan
from raidtui.core.run.state import RunState
from raidtui.core.units import Units, format_rate, shown_in
from raidtui.ui.render.cells import Line, fit, fit_end
from raidtui.ui.render.glyphs import Glyphs, history_rows, history_strip

_FULL = 5  # lines of a pane with a title and a line each for reads, writes and how busy the disk is
# Lines -> least width. Two more give the strips of reads and writes a line more each, and want a wider pane.
_LEAST_WIDTH = {**dict.fromkeys(range(_FULL + 10, _FULL, -2), 38), _FULL: 30, 2: 26, 1: 36}


class Grid(msgspec.Struct, frozen=True):
    """`lines` of each pane, and how many stand side by side; `rows` of panes."""

    lines: int
    columns: int
    rows: int

    @property
    def height(self) -> int:
        return self.lines * self.rows

    @property
    def panes(self) -> int:
        return self.columns * self.rows

    def within(self, height: int) -> "Grid":
        """As many of its rows as fit into this height, one at least."""
        return Grid(self.lines, self.columns, min(self.rows, max(1, height // self.lines)))


def grid(disks: int, width: int, height: int) -> Grid:
    """The tallest panes of which all fit into `width` x `height`; the smallest ones if none do."""
    for lines, least_width in _LEAST_WIDTH.items():
        rows = max(1, height // lines)
        columns = -(-disks // rows)
        if height >= lines and columns * least_width <= width:
            if lines >= _FULL:  # spread over the width rather than down
                columns = max(columns, min(disks, width // 40))
            rows = -(-disks // columns)
            return Grid(lines, -(-disks // rows), rows)
    columns = max(1, width // _LEAST_WIDTH[1])
    return Grid(1, columns, -(-disks // columns))


class DiskTitle(msgspec.Struct, frozen=True):
    name: str
    model: str = ""
    serial: str = ""


def titles_of(plan: Plan, state: RunState) -> dict[str, DiskTitle]:
    resolved = state.worker.resolved if state.worker else {}
    marked = marks(plan.disks)
    return {
        member.id: DiskTitle(resolved.get(member.id, member.name).rpartition("/")[2], member.model, marked[member.id])
        for member in plan.disks
    }


def mega(bytes_per_s: float, units: Units) -> str:
    """A rate as a number alone, in MB/s or MiB/s; the heading names which."""
    number = bytes_per_s / shown_in("sequential", units)[1]
    return f"{number:.1f}" if number < 1000 else f"{number:.0f}"


def pane_lines(
    title: DiskTitle,
    latest: DiskRates | None,
    history: Sequence[DiskRates | None],
    top: float,
    pane_grid: tuple[int, int],
    units: Units,
    glyphs: Glyphs,
) -> tuple[Line, ...]:
    """One disk's pane; `pane_grid`: its lines and width; strips against `top` bytes/s. Figures left: small repaints."""
    lines, width = pane_grid
    room = width - 2  # a gap to the next pane
    recent = list(islice(history, max(0, len(history) - room), None))
    reads = [rate.read_bytes_per_s if rate else None for rate in recent]
    writes = [rate.write_bytes_per_s if rate else None for rate in recent]
    read = mega(latest.read_bytes_per_s, units) if latest else "gone" if history else "-"
    write = mega(latest.write_bytes_per_s, units) if latest else "-"
    busy = f"{latest.util * 100:.0f}%" if latest else "-"
    if lines == 1:
        sums = [None if r is None or w is None else r + w for r, w in zip(reads, writes, strict=True)]
        return (
            (
                (fit(title.name, 7), "strong"),
                (fit(read, 7, right=True), "read"),
                (fit(write, 7, right=True), "write"),
                (fit(busy, 5, right=True) + " ", ""),
                (history_strip(sums, room - 27, top, glyphs), "util"),
            ),
        )
    if lines == 2:
        strip = room - 16
        return (
            (
                (fit(title.name, 7), "strong"),
                ("R" + fit(read, 7, right=True) + " ", "read"),
                (history_strip(reads, strip, top, glyphs), "read"),
            ),
            (
                (fit(busy, 6, right=True) + " ", ""),
                ("W" + fit(write, 7, right=True) + " ", "write"),
                (history_strip(writes, strip, top, glyphs), "write"),
            ),
        )
    strip = room - 15
    utils = [rate.util if rate else None for rate in recent]
    high = 1 + (lines - _FULL) // 2
    disk_name = f"{title.name}  "
    serial = max(0, min(14, cell_len(title.serial), room - len(disk_name)))
    return (
        (
            (disk_name, "strong"),
            (fit_end(title.serial, serial) + " ", ""),
            (fit(title.model, max(0, room - len(disk_name) - serial - 1)), "dim"),
        ),
        *beside_strip(
            fit("read " + fit(read, 9, right=True), 15), history_rows(reads, strip, top, high, glyphs), "read"
        ),
        *beside_strip(
            fit("write" + fit(write, 9, right=True), 15), history_rows(writes, strip, top, high, glyphs), "write"
        ),
        (("busy " + fit(busy, 9, right=True) + " ", ""), (history_strip(utils, strip, 1.0, glyphs), "util")),
        (),
    )


def beside_strip(figure: str, strip: Sequence[str], look: str) -> tuple[Line, ...]:
    """A strip of one line or more, and its figure to the left of its foot."""
    blank = " " * len(figure)
    return tuple(
        ((figure if index == len(strip) - 1 else blank, look), (line, look)) for index, line in enumerate(strip)
    )


def grid_heading(lines: int, cell_s: int, top: float, units: Units, width: int, shown: str = "") -> Line:
    """The line above the panes: which disks are `shown`, the unit of every figure, the scale of every strip; in fewer
    words where the window has no room for all."""
    unit = shown_in("sequential", units)[0]
    legend, strip = {1: ("read, write", "their sum, "), 2: ("R read, W write", "")}.get(lines, ("read, write", ""))
    rate = format_rate(top, units)
    whole = f" {legend} in {unit}, % busy; {strip}a column is {cell_s} s, its top {rate}"
    first = f" {shown};" if shown else ""
    if len(first) + len(whole) > width:
        whole = f" {legend}, % busy; {cell_s} s a column, top {rate}"
    return ((first, "strong"), (whole, "dim"))
