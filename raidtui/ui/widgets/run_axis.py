"""The array and every disk of a run on one time axis. A second repaints the present test and the figures beside it."""

from operator import is_
from typing import NamedTuple

from textual.app import ComposeResult
from textual.containers import Vertical

from raidtui.core.plan.model import Plan
from raidtui.core.run.state import RunState
from raidtui.core.units import Units
from raidtui.ui.render import axis, live_disks, live_lines
from raidtui.ui.render.axis import AxisPiece
from raidtui.ui.render.cells import round_top
from raidtui.ui.render.live_disks import DiskTitle, Form, FormKind
from raidtui.ui.render.rates import AxisColumn, Columns, Look, Track, Unlike
from raidtui.ui.widgets.lines import Lines, Sliced

_GRAPH_LOW, _GRAPH_HIGH, _GRAPH_MORE, _GRAPH_MOST = 4, 7, 6, 40  # lines of the array's graph
_DONE_LOW, _DONE_HIGH = 3, 5  # lines kept for what was measured, where disks are graphs
_WIDE = 100  # columns of the window
_CALM = 120  # tiles, from which on they are drawn at every other look


class AxisSpace(NamedTuple):
    """Window, cells of it for the axis, lines for it and its frame; `alone`: results are beside it, not below."""

    window: tuple[int, int]
    width: int
    lines: int
    is_low: bool
    alone: bool


class RunAxis(Vertical):
    """`status` and `heading` are the screen's. What changes alone is a widget."""

    def __init__(self, look: Look) -> None:
        super().__init__(id="frame", classes="panel -open")
        self.status, self.heading = Lines(id="status"), Lines(id="disks-title")
        self._hero, self._axis, self._disks = Sliced(id="hero"), Lines(id="axis"), Sliced(id="disks")
        self._look = look
        self._columns: Columns | None = None
        self._wanted: FormKind | None = None
        self.form = Form("rows", 1, 1, 1, 21, 12)
        self.height = 0  # all lines
        self._graph = _GRAPH_HIGH
        self._first = 0  # disk that is shown
        self.cursor = -1  # the disk that is described
        self.titles: tuple[DiskTitle, ...] = ()
        self._titled_for: tuple[object, ...] = (None,)
        self.present: AxisPiece | None = None
        self.seen = Unlike(())
        self._pieces: tuple[AxisPiece, ...] = ()
        self._places: tuple[tuple[int, int], ...] = ()
        self._arranged: tuple[object, ...] = ()  # for what the widgets were made
        self._drawn: object = None  # for what every piece was drawn
        self._looks = 0

    def compose(self) -> ComposeResult:
        yield self._hero
        yield self._axis
        yield self.status
        yield self.heading
        yield self._disks

    @property
    def has_pages(self) -> bool:
        return len(self.titles) > self.form.shown

    @property
    def shown(self) -> str:
        """Which disks, if not all."""
        last = min(self._first + self.form.shown, len(self.titles))
        return f"disks {self._first + 1:,} to {last:,} of {len(self.titles):,}" if self.has_pages else ""

    def turn(self, pages: int) -> None:
        first = self._first + pages * self.form.shown
        if 0 <= first < len(self.titles):
            self._first, self.cursor = first, -1

    def move(self, by: int) -> None:
        """Before the first disk none is described, beyond the last of a page the next page is shown."""
        self.cursor = max(-1, min(len(self.titles) - 1, max(self.cursor, self._first - 1) + by))
        self._first = max(0, self.cursor) // self.form.shown * self.form.shown

    def change_form(self) -> None:
        self._wanted = live_disks.next_form(self.form)

    def forget(self) -> None:
        """Of other devices."""
        self._arranged, self._columns = (), None

    def show(self, plan: Plan, state: RunState, track: Track, space: AxisSpace, units: Units) -> None:
        titled_for = (plan, state.worker, track.slots)
        if not all(map(is_, titled_for, self._titled_for)):
            titles = live_disks.titles_of(plan, state)
            self.titles = tuple(titles.get(slot, DiskTitle(slot)) for slot in track.members)
            self._titled_for = titled_for
        self._arrange(plan, state, track, space)
        self.present = next((piece for piece in self._pieces if piece.present), None)
        self.seen = live_disks.seen_of(plan, state, track, self.present)
        self._draw(max(track.wall_s, state.now_s), track, space, units)

    def show_times(self, texts: tuple[str, str], now_s: float) -> None:
        """Beside the names below the graph, where both have room."""
        lines = (axis.names_line(self._pieces, self._places, now_s), axis.groups_line(self._pieces, self._places))
        beside = zip(texts, ("dim", "*strong"), lines, strict=True)
        self._axis.show([((text.ljust(self.form.label), look), *line) for text, look, line in beside])

    def _arrange(self, plan: Plan, state: RunState, track: Track, space: AxisSpace) -> None:
        """The form and the axis follow from the size alone."""
        names = [title.name for title in self.titles]
        frame = 4 if space.is_low else 5  # two lines of the axis, status, heading of the disks, lower edge
        graph = _GRAPH_LOW if space.is_low else _GRAPH_HIGH
        room, wide = space.lines - frame - graph, space.window[0] >= _WIDE
        form = live_disks.form_of(names, space.width, room, self._wanted, wide)
        kept = 0 if space.alone else _DONE_LOW if space.is_low else _DONE_HIGH
        if form.kind == "graphs" and kept:
            fewer = live_disks.form_of(names, space.width, room - kept, self._wanted, wide)
            form = fewer if fewer.kind == "graphs" else form
        graph += max(0, min(_GRAPH_MORE, room - form.height - kept))
        if space.alone:
            graph = min(_GRAPH_MOST, (_GRAPH_LOW if space.is_low else _GRAPH_HIGH) + room - form.height)
        self.form, self._graph, self.height = form, graph, frame + graph + form.height
        self._first = min(self._first, max(0, len(names) - 1)) // form.shown * form.shown
        axis_width = space.width - form.label - form.right
        self._pieces = axis.pieces_of(plan, state, axis_width)
        self._places = axis.laid_out(self._pieces, axis_width, space.window[0])
        ends = [form.label + first + columns for first, columns in self._places]
        cuts = (form.label, *dict.fromkeys((*ends, space.width)))
        arranged = (space.window, form, graph, cuts)
        if arranged == self._arranged:
            return
        if self._columns is None or self._arranged[:2] != arranged[:2]:
            self._columns = Columns(track.slots, self._look, form.kind != "tiles")
        self._arranged, self._drawn = arranged, None
        disk_cuts = (0, space.width) if form.kind == "tiles" else (0, form.name, *cuts)
        for sliced, lines, places in ((self._hero, graph, (0, *cuts)), (self._disks, form.height, disk_cuts)):
            sliced.styles.height = lines
            sliced.cut_at(places)

    def _draw(self, now_s: float, track: Track, space: AxisSpace, units: Units) -> None:
        """All pieces if anything but the present one has changed."""
        assert self._columns is not None
        form, seen, present = self.form, self.seen, self.present
        pieces = list(zip(self._pieces, self._places, strict=True))
        drawn = [self._columns.of(piece, place[1], now_s, track.newest) for piece, place in pieces]
        tops = self._tops(drawn)
        drawn_for = (self._pieces, tops, self._first, form, self.cursor, units)
        is_all, self._drawn = drawn_for != self._drawn, drawn_for
        figure = track.now(present) if track.has_rates else None
        shape = (form.label, self._graph)
        self._hero.show_slice(0, live_lines.figure_lines(figure, present, shape, units))
        used = 0
        for number, ((piece, place), columns) in enumerate(zip(pieces, drawn, strict=True), 1):
            gap, used = place[0] - used, sum(place)
            if not is_all and not piece.present:
                continue
            lines = live_disks.graph_lines(columns, place, gap, tops[piece.is_random], self._graph)
            self._hero.show_slice(number, lines)
            if form.kind != "tiles":
                disks = len(self.titles)
                lines = live_disks.piece_lines(form, piece, columns, place, gap, self._first, disks)
                self._disks.show_slice(number + 1, lines)
        kinds = (any(not piece.is_random for piece in self._pieces), any(piece.is_random for piece in self._pieces))
        self._hero.show_slice(-1, live_lines.scale_lines(tops, kinds, (form.right, self._graph), units))
        wide, first, titles = space.window[0] >= _WIDE, self._first, self.titles
        if form.kind != "tiles":
            labels = live_disks.label_lines(form, titles, first, seen, present, track, units, self.cursor, wide)
            self._disks.show_slice(0, labels, 2)
            self._disks.show_slice(-1, live_disks.right_lines(form, len(titles), first, seen, present, units, wide))
            return
        self._looks += 1
        if is_all or form.shown <= _CALM or self._looks % 2:  # so many change with every look at every other one
            tiles = live_disks.tile_lines(form, titles, first, space.width, seen, present, track, units, self.cursor)
            self._disks.show(tiles)

    def _tops(self, drawn: list[tuple[AxisColumn | None, ...]]) -> tuple[float, float]:
        """The scale of all bytes, and of all requests."""
        most = [1.0, 1.0]
        for piece, columns in zip(self._pieces, drawn, strict=True):
            sums = [sum(column.whole) for column in columns if column]
            most[piece.is_random] = max([most[piece.is_random], *sums])
        return round_top(most[0]), round_top(most[1])
