"""Parts of Results: the table of its figures, sortable and over a base; its charts, laid out for the window."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Container

from raidtui.core.report.context import RunContext
from raidtui.core.results.analysis import ResultRow
from raidtui.core.run.samples import Sample, first_at
from raidtui.core.units import Units
from raidtui.runs.follow import samples_at, window
from raidtui.ui.render import chart_lines, result_rows
from raidtui.ui.render.cells import ASCII, Sheet, of_terminal
from raidtui.ui.render.chart_lines import Chart, ChartPiece, trial_of
from raidtui.ui.render.result_rows import Order, Page
from raidtui.ui.services import RunView
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList

_MOST_ROWS = 12  # of a graph: each costs bytes of the first paint


class FiguresTable(PickList):
    """Setups ranked, then one test of a sweep after the other; of one setup all its tests."""

    BINDINGS = bindings(
        bound("tab", "turn_page(1)", "next table", "results.table", "Next table of a sweep"),
        bound("shift+tab", "turn_page(-1)", "previous table", "results.table-before", show=False),
        bound("s", "sort", "sort", "results.sort", "Sort by the next column"),
        bound("S", "turn", "reverse", "results.turn", "Reverse the order", show=False),
        bound("b", "base(False)", "base", "results.base", "Compare with this setup, in every test"),
        bound("B", "base(True)", "this cell", "results.cell", "Compare with this one result"),
    )

    def __init__(self, view: RunView, run: RunContext, units: Units) -> None:
        super().__init__(self._sheet_of, id="figures")
        self.add_class("panel")
        self._view, self._run, self.units = view, run, units
        self.pages = result_rows.pages(run.comparison)
        self._number = -1 if run.ranks else 0
        self._order = Order()
        self._base: ResultRow | None = None
        self._fixed = False  # this very cell, not its setup in each test
        self.cursor = self._first()

    def _first(self) -> int:
        """The test furthest from expected."""
        from raidtui.core.results.ablation import most_deviating

        row = most_deviating(self._run.comparison) if self.pages and not self._run.is_sweep else None
        return next((at for at, (_, one) in enumerate(self.page.named) if one is row), 0) if row else 0

    @property
    def is_ranked(self) -> bool:
        return self._number < 0

    @property
    def page(self) -> Page:
        return self.pages[max(0, self._number)]

    @property
    def count(self) -> int:
        """Rows of the table."""
        return len(self._run.ranking.ranked) if self.is_ranked else len(self.page.named) if self.pages else 0

    @property
    def base(self) -> tuple[str, ResultRow]:
        """The selected cell, else its setup on this page, else the default row."""
        row_before, named_rows = self._base, self.page.named
        if row_before is None or (self._fixed and self.page.kind not in (None, row_before.kind)):
            return self._usual_base
        if self._fixed or len({row.stage for _, row in named_rows}) == 1:
            everywhere = [(f"{page.heading}, {name}", row) for page in self.pages for name, row in page.named]
            base_row = result_rows.find(named_rows, row_before) or result_rows.find(everywhere, row_before)
        else:
            base_row = next((named_row for named_row in named_rows if named_row[1].stage == row_before.stage), None)
        return base_row if base_row and self.page.kind in (None, base_row[1].kind) else self._usual_base

    @property
    def _usual_base(self) -> tuple[str, ResultRow]:
        """The first row; in an ablation the first unchanged one."""
        changed = {row.job for _, row in self.page.named if (one := trial_of(self._view.plan, row)) and one.suspect}
        unchanged = (named_row for named_row in self.page.named if named_row[1].job not in changed)
        return next(unchanged, self.page.named[0])

    @property
    def chosen(self) -> tuple[str, ResultRow]:
        """Under the cursor; of a ranked setup its test furthest from expected."""
        if self.is_ranked:
            setup = self._run.ranking.ranked[self.cursor]
            return setup.name, max(setup.rows, key=lambda row: abs(row.deviation or 0.0))
        return result_rows.in_order(self.page, self._order, self.base[1])[self.cursor]

    @cached_property
    def is_comparing(self) -> bool:
        return not all(map(result_rows.is_alone, self.pages))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        shown_if = {
            "turn_page": len(self.pages) + self._run.ranks > 1,
            "sort": not self.is_ranked,
            "turn": not self.is_ranked,
            "base": self.is_comparing and not self.is_ranked,
        }
        return shown_if.get(action, True)

    def describe(self) -> str:
        if not self.pages or not self.rows:
            return ""
        if self.is_ranked:
            return "Mean of all tests; ✓ best, or not significantly below it. tab: test by test, sorted, over a base"
        return result_rows.describe(self.chosen, self.base, alone=result_rows.is_alone(self.page))

    def action_turn_page(self, pages: int) -> None:
        count = len(self.pages) + self._run.ranks
        self._number = (self._number + self._run.ranks + pages) % count - self._run.ranks
        self._changed()
        self.screen.refresh_bindings()

    def action_sort(self) -> None:
        self._order = self._order.next_column()
        self._changed()

    def action_turn(self) -> None:
        self._order = self._order.turned()
        self._changed()

    def action_base(self, fixed: bool) -> None:
        self._base, self._fixed = self.chosen[1], fixed
        self._changed()

    def _changed(self) -> None:
        self.refill()
        self.tell_moved()

    def _sheet_of(self, width: int) -> Sheet:
        if not self.pages:
            return Sheet((), ())
        if self.is_ranked:
            return result_rows.ranked_sheet(self._run.ranking, self.units, width)
        marks = "▼▲" if of_terminal() is not ASCII else "v^"
        which = f"{self._number + 1} of {len(self.pages)}" if len(self.pages) > 1 else ""
        doubted = self._run.ranking.doubted
        return result_rows.sheet(self.page, self._order, self.base[1], self.units, width, marks, which, doubted)


class ChartsPane(Container):
    """Three charts where there is room, else one; `turn` shows the next."""

    def __init__(self, path: Path, view: RunView, run: RunContext) -> None:
        super().__init__(id="charts")
        self._path, self._view, self._run = path, view, run
        self._turned = 0
        self._grid = ("", "")
        self._logarithmic = True

    def compose(self) -> ComposeResult:
        for _ in range(3):
            yield Lines(classes="panel chart")

    def turn(self) -> None:
        self._turned += 1

    def scale(self) -> None:
        self._logarithmic = not self._logarithmic

    def fill(self, table: FiguresTable, width: int, height: int, *, across: bool) -> None:
        """For so much room; `across`: all three side by side."""
        low = self.screen.has_class("-low")
        if not table.pages:
            return
        edge_wide, edge_high = (0, 1) if low else (4, 2)
        if across:
            late = width * 3 // 10
            widths, heights = [width - late - width // 4, late, width // 4], [height] * 3
            self.styles.grid_size_columns = 3
            which = [0, 1, 2 + self._turned % 2]
        elif width < 100 or low:
            widths, heights, which = [width], [height], [self._turned % 4]
            self.styles.grid_size_columns = 1
        else:
            top = min(13, height * 2 // 5)
            late = width * 3 // 5
            widths, heights = [width, late, width - late], [top, height - top, height - top]
            self.styles.grid_size_columns = 2
            which = [0, 1, 2 + self._turned % 2]
        first_spans = 2 if len(widths) == 3 and not across else 1
        drawn = [
            (self._chart(number, table, wide - edge_wide, high - edge_high), high)
            for number, wide, high in zip(which, widths, heights, strict=True)
        ]
        for at, panel in enumerate(self.query(Lines)):
            panel.display = at < len(drawn)
            if not panel.display:
                continue
            chart, high = drawn[at]
            panel.styles.height = high
            panel.styles.column_span = first_spans if at == 0 else 1
            more = f"   {self._turned % 4 + 1} of 4 (space)" if len(widths) == 1 else ""
            panel.entitle(chart.title, f"{chart.beside}{more}")
            panel.show(chart.lines)
        columns = " ".join(map(str, widths[1:] if first_spans == 2 else widths if across else ["1fr"]))
        rows = str(height) if across else " ".join(str(high) for high in dict.fromkeys(heights))
        if self._grid != (columns, rows):  # the same again would lay out all anew
            self._grid = columns, rows
            self.styles.grid_columns, self.styles.grid_rows = columns, rows

    def _chart(self, number: int, table: FiguresTable, width: int, height: int) -> Chart:
        plan, state = self._view.plan, self._view.state
        name, row = table.chosen
        if number == 0:
            chunks = chart_lines.by_chunk(table.page, table.units, width, height) if self._run.is_sweep else None
            if chunks:
                return chunks
            axis = chart_lines.pieces(plan, state, row.stage, width)
            slots, seen = self._seen(axis)
            high = max(3, min(_MOST_ROWS, height - 3))
            return chart_lines.throughput(plan, state, axis, slots, seen, table.units, high)
        if number == 1:
            rows = [one for one in self._run.comparison.rows if one.stage == row.stage]
            return chart_lines.latency(rows, width, height, logarithmic=self._logarithmic)
        if number == 2:
            return chart_lines.against_median(plan, state, row.stage, width, height)
        found = self._over_time(row, table.units)
        drawn = chart_lines.curves(found, (), width, max(5, height - chart_lines.legend_rows(found, width)))
        return Chart("Each disk, second by second", name, tuple(drawn) or ((("No samples of this test.", "dim"),),))

    def _seen(self, axis: Sequence[ChartPiece]) -> tuple[Sequence[str], dict[float, Sample | None]]:
        """Of the run's samples those at these times; without its file of what the screen has."""
        times = [time_s for piece in axis for time_s in piece.times_s]
        slots, found = samples_at(self._path, times)
        if not slots:
            slots, found = self._view.slots, first_at(self._view.history, times)
        return slots, dict(zip(times, found, strict=True))

    def _over_time(self, row: ResultRow, units: Units) -> list[chart_lines.Curve]:
        """Per disk during the row's trial, from samples."""
        trial = trial_of(self._view.plan, row)
        times = chart_lines.when(self._view.state, trial) if trial else None
        if times is None or times.ended_at_s is None:
            return []
        slots, history = window(self._path, times.started_at_s, times.ended_at_s)
        measured = times.measurement.disks if times.measurement else {}
        return chart_lines.disks_over_time(self._view.plan, slots, history, measured, units)
