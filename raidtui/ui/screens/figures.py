"""Results in tables: sortable, relative to a selectable base; charts."""

from functools import cached_property
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.runs.follow import window
from raidtui.ui.render import result_rows
from raidtui.ui.render.cells import Line, Sheet
from raidtui.ui.render.chart_lines import chart_lines, disks_over_time, trial_of, when
from raidtui.ui.render.charts import Curve
from raidtui.ui.render.glyphs import ASCII, of_terminal
from raidtui.ui.render.result_rows import Order, Page
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.services import RunView
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.pick_list import PickList


class FiguresScreen(BaseScreen[str]):
    """One test of a sweep, or one kind of test of a setup. Returns a trial to explain, or nothing."""

    STEP = "Results"
    HELP = (
        "Values are medians of the repetitions; spread: how far these are apart; mean: mean latency. Gain = array / one"
        " disk; diff.: array vs expected."
    )
    TO_EXPLAIN = " x: find the bottleneck of the selected test, one change at a time, after a Review."
    TO_COMPARE = (
        "Over the base, reads with reads and writes with writes; equal: within 3 %; n.s.: within measurement noise. b:"
        " make this row's setup the base, test by test. B: make this one result the base of all in its unit."
    )
    TERMS = (
        "one disk",
        "gain",
        "expected",
        "setup",
        "pass",
        "latency",
        "p99",
        "queue depth",
        "ramp",
        "throttling",
        "busiest CPU",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "charts", "charts", id="figures.charts", tooltip="Charts of this test and this row"),
        Binding("tab", "page(1)", "next table", id="figures.next", tooltip="Next table"),
        Binding("shift+tab", "page(-1)", "previous table", id="figures.before", show=False),
        Binding("s", "sort", "sort", id="figures.sort", tooltip="Sort by the next column"),
        Binding("r", "turn", "reverse", id="figures.turn", tooltip="Reverse the order"),
        Binding("b", "base(False)", "base", id="figures.base", tooltip="Compare with this setup, in every test"),
        Binding(
            "B", "base(True)", "this cell", id="figures.cell", tooltip="Compare with this one result, in every test"
        ),
        Binding("x", "explain", "explain", id="figures.explain", tooltip="Find the bottleneck of this test"),
        Binding("escape,left,q", "back", "back", id="figures.back", key_display="esc", tooltip="Back to Results"),
    ]

    def __init__(self, path: Path, view: RunView, comparison: Comparison, *, explains: bool) -> None:
        super().__init__()
        self.path = path
        self._view = view
        self._explains = explains  # can its tests be measured again with something changed?
        self.pages = result_rows.pages(comparison)  # the tables that there are
        self._number = 0
        self._order = Order()
        self._base: ResultRow | None = None
        self._fixed = False  # this very cell, not its setup in each test

    @property
    def page(self) -> Page:
        return self.pages[self._number]

    @property
    def base(self) -> tuple[str, ResultRow]:
        """The selected cell, else its setup on this page, else the default row."""
        row_before, named_rows = self._base, self.page.named
        if row_before is None or (self._fixed and row_before.kind != self.page.kind):
            return self._usual_base
        if self._fixed or len({row.stage for _, row in named_rows}) == 1:
            everywhere = [(f"{page.heading}, {name}", row) for page in self.pages for name, row in page.named]
            base_row = result_rows.find(named_rows, row_before) or result_rows.find(everywhere, row_before)
        else:
            base_row = next((named_row for named_row in named_rows if named_row[1].stage == row_before.stage), None)
        return base_row if base_row and base_row[1].kind == self.page.kind else self._usual_base

    @property
    def _usual_base(self) -> tuple[str, ResultRow]:
        """The first row; in an ablation the first unchanged one."""
        changed = {row.job for _, row in self.page.named if (one := trial_of(self._view.plan, row)) and one.suspect}
        unchanged = (named_row for named_row in self.page.named if named_row[1].job not in changed)
        return next(unchanged, self.page.named[0])

    @property
    def chosen(self) -> tuple[str, ResultRow]:
        """Under the cursor."""
        return result_rows.in_order(self.page, self._order, self.base[1])[self.query_one(PickList).cursor]

    def content(self) -> ComposeResult:
        yield self.header()
        yield PickList(self._lay_out, id="figures")
        yield Lines(id="detail")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()

    def on_resize(self) -> None:
        self._describe()

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self._describe()

    def units_changed(self) -> None:
        self._refill()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        shown_if = {"page": len(self.pages) > 1, "base": self._is_comparing, "explain": self._explains}
        return shown_if.get(action, True)

    @property
    def help_text(self) -> str:
        explaining = self.TO_EXPLAIN if self._explains else ""
        return f"{self.HELP}{explaining}{f' {self.TO_COMPARE}' if self._is_comparing else ''}"

    @cached_property
    def _is_comparing(self) -> bool:
        return not all(map(result_rows.is_alone, self.pages))

    def action_page(self, pages: int) -> None:
        self._number = (self._number + pages) % len(self.pages)
        self._refill()

    def action_sort(self) -> None:
        self._order = self._order.next_column()
        self._refill()

    def action_turn(self) -> None:
        self._order = self._order.turned()
        self._refill()

    def action_base(self, fixed: bool) -> None:
        self._base, self._fixed = self.chosen[1], fixed
        self._refill()

    def action_charts(self) -> None:
        self.app.push_screen(ChartsScreen(self.path, self._view, self.page, self.chosen, self.base))

    def action_explain(self) -> None:
        """Done by Results."""
        trial = trial_of(self._view.plan, self.chosen[1])
        self.dismiss(trial.id if trial else None)

    def action_back(self) -> None:
        self.dismiss(None)

    def _refill(self) -> None:
        self.query_one(PickList).refill()
        self._describe()

    def _describe(self) -> None:
        if not self.query_one(PickList).rows:
            return  # not laid out yet
        text = result_rows.describe(self.chosen, self.base, self.units, alone=result_rows.is_alone(self.page))
        self.query_one("#detail", Lines).show_whole(self.paragraph(text, "dim"), least=2)

    def _lay_out(self, width: int) -> Sheet:
        marks = "▼▲" if of_terminal() is not ASCII else "v^"
        which = f"{self._number + 1} of {len(self.pages)}" if len(self.pages) > 1 else ""
        return result_rows.sheet(self.page, self._order, self.base[1], self.units, width, marks, which)


class ChartsScreen(BaseScreen[None]):
    """One test, and one row of it with the base."""

    STEP = "Results"
    HELP = "Lines are drawn as digits, with a legend below. Where lines overlap, the last one is visible."
    TERMS = ("one disk", "expected", "latency", "percentile")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("l", "scale", "logarithmic", id="charts.scale", tooltip="Latencies on a logarithmic scale, or not"),
        Binding("escape,left,q", "back", "back", id="charts.back", key_display="esc", tooltip="Back to the table"),
    ]

    def __init__(
        self, path: Path, view: RunView, page: Page, chosen: tuple[str, ResultRow], base: tuple[str, ResultRow]
    ) -> None:
        super().__init__()
        self.path = path
        self._view = view
        self._page, self._chosen, self._base = page, chosen, base
        self._logarithmic = False

    def content(self) -> ComposeResult:
        yield self.header()
        yield Listing(self._lay_out, id="charts")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()

    def units_changed(self) -> None:
        self.query_one(Listing).refill()

    def action_scale(self) -> None:
        self._logarithmic = not self._logarithmic
        self.query_one(Listing).refill()

    def action_back(self) -> None:
        self.dismiss(None)

    def _over_time(self) -> list[Curve]:
        """Per disk during the row's trial, from samples."""
        trial = trial_of(self._view.plan, self._chosen[1])
        times = when(self._view.state, trial) if trial else None
        if times is None or times.ended_at_s is None:
            return []
        slots, history = window(self.path, times.started_at_s, times.ended_at_s)
        measured = times.measurement.disks if times.measurement else {}
        return disks_over_time(self._view.plan, slots, history, measured, self.units)

    def _lay_out(self, width: int) -> list[Line]:
        return chart_lines(
            self._page, self._chosen, self._base, self._over_time(), self.units, width, self._logarithmic
        )
