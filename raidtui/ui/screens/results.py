"""Results of a run, place of the report, and the kept array."""

from functools import cached_property, partial
from pathlib import Path

import msgspec
from textual.app import ComposeResult
from textual.containers import Horizontal

from raidtui.core.answer.answer import words_of
from raidtui.core.plan.answers import Answers
from raidtui.core.report.context import RunContext
from raidtui.core.run.kept import permanence_due
from raidtui.runs.directory import COMMISSIONING
from raidtui.ui.messages import RunFailed
from raidtui.ui.paths import in_practice, path_text, report_text, shown_default, written
from raidtui.ui.render import results_lines as tabs
from raidtui.ui.render.cells import Line
from raidtui.ui.render.chart_lines import trial_of
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.figures import ChartsPane, FiguresTable
from raidtui.ui.screens.run_asking import RunAsking
from raidtui.ui.services import Recipes, RunView, Scan, read_whole
from raidtui.ui.widgets.bars import key_name
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.overview import CAPACITY, CHARTS, REPORT, RESULTS, WHY, Overview

_NEXT = ("resume", "explain", "clear", "hand_over")  # named in the sentence with their keys
_ROOMY = 160, 48  # columns and rows from which charts and capacity are beside the table
_CHART_ROWS = 21  # below the table
_CODES = {"finished": 0, "stopped": 130}


class ResultsScreen(RunAsking):
    STEP = "Results"
    HELP = (
        "Cards: the array against one disk and against expected (modelled for this level from the disks as measured; ~"
        " about, < at most). Gain = array / one disk; diff.: array vs expected; spread: of the repetitions. enter does"
        " what Next names. x: explain, find the bottleneck of the test under the cursor, one change at a time, after a"
        " Review. s, S: sort, reverse. Over the base, reads with reads and writes with writes; equal: within 3 %; n.s.:"
        " within measurement noise. b: make this row's setup the base, test by test. B: make this one result the base"
        " of all in its unit. The report (5) has all results, commands and versions."
    )
    TERMS = (
        *("superblock", "one disk", "baseline", "gain", "expected", "as expected", "throttling", "busiest CPU"),
        *("queue depth", "latency", "p99", "percentile", "setup", "pass", "ramp", "IOPS", "md", "kept"),
    )
    BINDINGS = bindings(
        bound("enter", "next_step", "next step", "results.next", "Do what Next names", show=False),
        bound("1", "tab(1)", "tabs", "results.tab-1", "Results: all figures", key_display="1-5"),
        bound("2", "tab(2)", "charts", "results.tab-2", "Throughput, latency, disks", show=False),
        bound("3", "tab(3)", "why", "results.tab-3", "Causes, more findings, notes", show=False),
        bound("4", "tab(4)", "capacity", "results.tab-4", "Usable bytes and the rest", show=False),
        bound("5", "tab(5)", "report", "results.tab-5", "The whole report", show=False),
        bound("space", "charts('turn')", "next chart", "results.chart", "Next one"),
        bound("l", "charts('scale')", "logarithmic", "results.scale", "Logarithmic or linear latencies"),
        bound("r", "resume", "resume", "results.resume", "Remove leftovers, run missing tests; asks first"),
        bound("x", "explain", "explain", "results.explain", "Find the bottleneck; asks first"),
        bound("e", "export", "export", "results.export", "Write the report as Markdown"),
        bound("h", "hand_over", "handover", "results.hand-over", "Handover document of the array"),
        bound("D", "clear", "remove", "results.clear", "Remove the kept array; asks first"),
        bound("y", "copy", "copy", "results.copy", "Copy the answer (terminal clipboard, OSC 52)"),
        bound("escape", "back", "runs", "results.back", "First tab, then list of runs", show=False),
        bound("n", "new", "new run", "results.new", "Start over with the disks"),
        bound("q", "app.leave", "quit", "quit", "Quit; the results are saved"),
    )

    def __init__(self, path: Path, view: RunView) -> None:
        super().__init__()
        self.path = path
        self._take(view)
        self._told = self._status = ("", "")
        self._detail_lines: list[Line] = []
        self._explaining = False  # from x until this is seen again after Review, or nothing explains the test
        self._reviewed = False
        self._made: tuple[Answers, Scan, Recipes] | None = None
        self._tab = RESULTS
        self._picked = False  # was a row of the table chosen by a person?

    def _take(self, view: RunView) -> None:
        """Computed once, also for when the array is gone."""
        self._view, self._run = view, RunContext(view.plan, view.state)
        self._cleared = RunContext(view.plan, msgspec.structs.replace(view.state, kept=False))

    @property
    def is_clearing(self) -> bool:
        return self.wizard.removing_path == self.path

    @property
    def _now(self) -> RunContext:
        return self._cleared if self.is_clearing else self._run

    def content(self) -> ComposeResult:
        yield self.header()
        yield Overview()
        with Horizontal(id="figures-row"):
            yield FiguresTable(self._view, self._run, self.units)
            yield Lines(id="space", classes="panel")
        yield Listing(self._lay_out, id="results")
        yield ChartsPane(self.path, self._view, self._run)
        yield Lines(id="detail")

    @property
    def table(self) -> FiguresTable:
        return self.query_one(FiguresTable)

    def on_mount(self) -> None:
        self.refresh_status()
        self.table.focus()

    def units_changed(self) -> None:
        self.table.units = self.units
        self.table.refill()
        self.query_one(Listing).refill()
        self.fit_window()

    @property
    def _is_roomy(self) -> bool:
        return self.window_width >= _ROOMY[0] and self.window_height >= _ROOMY[1]

    def fit_window(self) -> None:
        """Everything at its size, by the window's."""
        if self._told == self._status:  # how much it says is by the window's size, too
            self.refresh_status()
        else:
            self.present(*self._told)
        width, low, roomy = self.window_width, self.has_class("-low"), self._is_roomy
        on_table, now = self._tab == RESULTS, self._now
        free = self.window_height - 2 - self._detail_high
        gone = tabs.GONE if self.in_practice else tabs.elsewhere(self.is_demo, False)
        for cards in (on_table, False):  # without them where what is said below is long
            shown = (
                self._cleared if self._view.not_here else now
            )  # of no other machine's array is told that it is ready
            high = self.query_one(Overview).fill(
                shown, self._tab, self.units, self._keys(), cards=cards, has_next=not self.is_clearing, gone=gone
            )
            if free - high >= 2:
                break
        left = max(2, free - high)
        row, space, charts = self.query_one("#figures-row"), self.lines("space"), self.query_one(ChartsPane)
        in_table = self.table.count + 3
        row.display = on_table
        across = roomy and bool(self.table.count)  # a proof has no figures, and its states in their place
        of_charts = min(_CHART_ROWS, left // 2) if on_table else left
        row.styles.height = left - of_charts if across else left
        beside = tabs.capacity_lines(now, width * 2 // 5 - 5) if across else tabs.below_lines(now, width - 5)
        has_room = roomy or not self.table.count or (not low and left - in_table > 5)
        space.display = on_table and bool(beside) and has_room
        self.table.display = bool(self.table.count)
        space.entitle("Capacity" if across else "Causes and capacity" if self.table.count else "States and capacity")
        space.show(beside)
        row.set_class(across, "-across")
        self.table.styles.height = in_table if space.display and not roomy else "100%"
        self.query_one(Listing).display = self._tab in (WHY, CAPACITY, REPORT)
        charts.display = self._tab == CHARTS or (on_table and across)
        if charts.display:
            charts.fill(self.table, width, of_charts, across=on_table)

    def _keys(self) -> dict[str, str]:
        bindings = [active.binding for active in self.active_bindings.values() if active.enabled]
        return {binding.action: key_name(binding.key) for binding in bindings if binding.action in _NEXT}

    @property
    def _detail_high(self) -> int:
        return max(0 if self.has_class("-low") else 2, len(self._detail_lines))

    def on_pick_list_moved(self) -> None:
        self._picked = True
        self.present(self.table.describe(), "dim")

    def action_tab(self, number: int) -> None:
        self._tab = number
        self.fit_window()
        listing = self.query_one(Listing)
        if listing.display:
            listing.refill()
            listing.scroll_home(animate=False)
        self.set_focus(listing if listing.display else self.table if number == RESULTS else None)
        self.refresh_bindings()

    def action_charts(self, change: str) -> None:
        pane = self.query_one(ChartsPane)
        {"turn": pane.turn, "scale": pane.scale}[change]()
        self.fit_window()

    def action_next_step(self) -> None:
        """As the sentence names it; else what it is, again."""
        step, keys = self._run.answer.next, self._keys()
        if self._stands and "hand_over" in keys and "resume" not in keys:
            self.action_hand_over()
        elif step.does not in keys:
            self.present(words_of(step), "accent")
        elif step.does == "explain":
            self._explain("")
        else:
            self.action_resume()

    @property
    def picture_name(self) -> str:
        return f"raidtui-{self.path.name}"

    @property
    def badge(self) -> str:
        return "EMULATED" if self._run.answer.emulated else ""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        kept = self._stands
        shown_if = {
            "hand_over": self._view.state.kept and self._page.is_file() and not self.is_clearing,
            "clear": kept and not self.is_clearing,
            "resume": self._is_resumable,
            "charts": self._tab == CHARTS or (self._tab == RESULTS and self._is_roomy),
            "explain": not self.is_demo and self._is_explainable and self._is_off_theory and not self.is_clearing,
        }
        return shown_if.get(action, True)

    @property
    def _page(self) -> Path:
        return self.path / COMMISSIONING

    @property
    def _is_explainable(self) -> bool:
        """Repeatable with changes; not on other disks."""
        plan = self._view.plan
        return not self._view.not_here and not plan.existing and not plan.answers.explain

    @cached_property
    def _is_off_theory(self) -> bool:
        """Any significant difference; cached, as each key asks."""
        rows = self._run.comparison.rows
        return any(row.causes.deviation is not None and not row.causes.chance for row in rows)

    @property
    def _stands(self) -> bool:
        """Kept, and on this machine."""
        return self._view.state.kept and not self._view.not_here

    @property
    def _is_resumable(self) -> bool:
        """Trials left and no kept array, or permanence left; not once a block of a proof differed."""
        plan, state = self._view.plan, self._view.state
        if self._view.not_here:
            return False
        is_over = state.kept or state.is_complete(trial.id for trial in plan.trials)
        return permanence_due(plan, state) or not (is_over or state.differed)

    def on_runs_changed(self) -> None:
        self._show_anew()

    def _show_anew(self, told: str = "", look: str = "") -> None:
        if view := read_whole(self.wizard.services.feed(self.path)):
            self._take(view)
        self.query_one(Listing).refill()
        self.refresh_bindings()
        self.refresh_status()
        if told:
            self.present(told, look)
        self.fit_window()

    def on_run_failed(self, failed: RunFailed) -> None:
        """Also if nothing explains a test; the former text returns."""
        self._explaining = False
        self._show_anew(failed.sentence, "bad")

    def action_resume(self) -> None:
        self.go_on_with(self.path)

    def _explained(self, made: tuple[Answers, Scan, Recipes]) -> None:
        """Review opens once this screen is visible."""
        self._made = made
        self._review_what_waits()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self._reviewed:
            self._explaining = self._reviewed = False
        self._review_what_waits()

    def _review_what_waits(self) -> None:
        if self._made and self.app.screen is self:
            (answers, scan, recipes), self._made, self._reviewed = self._made, None, True
            self.wizard.looked(scan, recipes)
            self.refresh_status()
            self.wizard.review_ablation(answers)

    def action_explain(self) -> None:
        """The test under the cursor, once it was moved; else the one furthest from expected."""
        trial = trial_of(self._view.plan, self.table.chosen[1]) if self._picked and self.table.pages else None
        self._explain(trial.id if trial else "")

    def _explain(self, trial_id: str) -> None:
        """Without trial: the one furthest from expected."""
        if self._explaining:  # one is being looked for
            self.app.bell()
            return
        if self._stands:
            self.action_tab(WHY)
            return
        self._explaining = True
        self.present("Looking at the disks…", "accent")
        self.wizard.explain_run(self, self._view, trial_id, self._explained, self.fail)

    def action_export(self) -> None:
        from raidtui.ui.screens.dialogs import PathScreen

        default = shown_default(f"raidtui-{self.path.name}.md")
        self.app.push_screen(PathScreen("Write the report (Markdown) to which file?", default), self._export)

    def action_hand_over(self) -> None:
        """Saved beside the report."""
        report = report_text(self.path, self.is_demo)
        lay_out = partial(tabs.handover_lines, self._run, path_text(self._page), report, practice=in_practice())
        self.app.push_screen(DetailsScreen(lay_out))

    def action_copy(self) -> None:
        """OSC 52: also over ssh, if the terminal allows it."""
        copied = "\n".join((self._run.answer.title, *self._run.answer.lines)) + "\n"
        self.app.copy_to_clipboard(copied)
        self.present(
            f"{len(copied.encode())} bytes sent to the terminal's clipboard (some terminals must allow this).", "good"
        )

    def action_clear(self) -> None:
        self.wizard.remove_run(self, self.path)

    def action_back(self) -> None:
        if self._tab != RESULTS:
            self.action_tab(RESULTS)
        else:
            self.wizard.show_runs()

    def action_new(self) -> None:
        self.wizard.begin_again()

    @property
    def last_words(self) -> tuple[int, str]:
        told = f"Results: {path_text(self.path)}; `raidtui report {self.path.name}` prints them."
        return _CODES.get(self._view.state.outcome, 1), told

    def _export(self, chosen: str | None) -> None:
        from raidtui.core.report.markdown import whole

        self.present(*written(chosen, whole(self._run.plan, self._run.state) if chosen else ""))

    def refresh_status(self) -> None:
        """What of the array and the run is not done; in a high window where the report is."""
        report, low = report_text(self.path, self.is_demo), self.low
        elsewhere = tabs.elsewhere(self.is_demo, self._view.not_here)
        words = []
        if self._is_resumable:
            words.append(f"r: {'add the array to mdadm.conf and fstab' if self._stands else 'run the missing tests'}.")
        if self._view.state.kept and elsewhere:
            words.append(elsewhere)
        if not low:
            words.append(f"Report: {report} (e: copy)")
        self._status = ("  ".join(words), "dim")
        self.present(*self._status)

    def present(self, text: str, look: str) -> None:
        self._told = text, look
        before = self._detail_high
        self._detail_lines = self.paragraph(text, look) if text else []
        if self._detail_high != before:
            self.fit_window()
        detail = self.lines("detail")
        detail.display = bool(self._detail_high)
        detail.show_whole(self._detail_lines, least=self._detail_high)

    def _lay_out(self, width: int) -> list[Line]:
        if self._tab == WHY:
            is_waiting = self._stands and self._is_explainable and self._is_off_theory
            shown = self._view.plan, self._view.state, self.path.name, in_practice()
            return tabs.why_lines(self._now, width, tabs.kept_words(*shown) if is_waiting else "")
        if self._tab == CAPACITY:
            return tabs.capacity_lines(self._now, width)
        if self._tab != REPORT:
            return []
        elsewhere, report = tabs.elsewhere(self.is_demo, self._view.not_here), report_text(self.path, self.is_demo)
        return tabs.report_lines(self._now, report, width, practice=in_practice(), elsewhere=elsewhere)
