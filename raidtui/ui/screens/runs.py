"""Runs of this machine (R): open, resume, stop, compare, keep, remove, forget."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical

from raidtui.runs.status import RunStatus
from raidtui.ui.confirmation import Prompt
from raidtui.ui.messages import RunFailed
from raidtui.ui.render.cells import Sheet, wrapped
from raidtui.ui.render.parts import join
from raidtui.ui.run_rows import bars_beside, order, run_detail, run_sheet, tally
from raidtui.ui.screens.dialogs import ask_typed
from raidtui.ui.screens.looking import JudgingScreen
from raidtui.ui.screens.run_asking import RunAsking
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList

# Action -> may it be done to this run? Why it may not is said in words.
_MAY: dict[str, Callable[[RunStatus], bool]] = {
    "resume": lambda run: run.resumable,
    "stop": lambda run: run.alive and run.word != "clearing",
    "keep": lambda run: run.unsettled,
    "clear": lambda run: run.unsettled or run.kept,
    "forget": lambda run: run.settled,
}
_WHY_NOT = {
    "resume": "Nothing to resume: {sentence}",
    "stop": "Not running.",
    "keep": "Only the array of an interrupted run can be kept.",
    "clear": "No array to remove.",
    "forget": "Cannot be deleted yet: {needed}",
}


def _needed(run: RunStatus) -> str:
    if run.kept or run.unsettled:
        return f"{'it keeps an array' if run.kept else 'it left an array'}; D removes it"
    return "running; s stops it" if run.alive else f"it is {run.label}"


_DO = (
    ("watch", "enter", "results, charts, report"),
    ("resume", "r", "resume: missing tests; asks first"),
    ("stop", "s", "stop; asks first"),
    ("keep", "K", "keep its array"),
    ("clear", "D", "remove its array; asks first"),
    ("forget", "F", "delete its folder; asks first"),
    ("mark", "space", "mark two, then b: compare"),
)
_WITH_BESIDE = 100  # columns

_LEAVING = "A run is a separate process: leaving does not stop it."
_IN_PRACTICE = "Leaving ends the practice machine and its runs."


class RunsScreen(RunAsking, JudgingScreen):
    """`runs`: known so far; all are looked up."""

    STEP = "Runs"
    HELP = (
        "A sign per test, in order; the mark before a run is the worse of its end and its results. Watching a run does"
        " not change it. An interrupted run has kept its results: resume it (its leftovers are removed first, then the"
        " missing tests run), keep its array, or remove it. Stopped and failed runs can be resumed too. b compares two"
        " marked runs test by test. Delete removes a run's folder with all results, once it has no array."
    )
    TERMS = ("kept", "interrupted", "elsewhere", "unreadable", "array")
    BINDINGS = bindings(
        bound("enter,right", "watch", "open", "runs.open", "Watch it, or show its results"),
        bound("r", "resume", "resume", "runs.resume", "Remove leftovers, run missing tests; asks first"),
        bound("s", "stop", "stop", "runs.stop", "Stop it and remove its array; asks first"),
        bound("space", "mark", "mark", "runs.mark", "Mark two runs to compare"),
        bound("b", "compare", "compare", "runs.compare", "Compare the two marked runs"),
        bound("K", "keep", "keep array", "runs.keep", "Keep the array of an interrupted run"),
        bound("D", "clear", "remove", "runs.clear", "Remove the array it keeps or left; asks first"),
        bound("F", "forget", "delete", "runs.forget", "Delete its folder with all results; asks first"),
        bound("n", "new", "new run", "runs.new", "Choose disks for a new run"),
        bound("escape,left", "back", "back", "runs.back", "Previous screen", key_display="esc"),
        bound("q", "app.leave", "quit", "quit", "Quit; asks first if that ends a run"),
    )

    def __init__(self, runs: tuple[RunStatus, ...] = ()) -> None:
        super().__init__()
        self._runs = order(runs)
        self._looked = bool(runs)
        self._told = ("", "")
        self._rows: tuple[RunStatus | None, ...] = ()

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines(id="asked")
        with Horizontal(id="runs-row"):
            yield PickList(self._lay_out, id="runs")
            with Vertical(id="beside"):
                yield Lines(id="one", classes="panel")
                yield Lines(id="do", classes="panel")
        yield Lines(id="detail")

    def on_mount(self) -> None:
        self.query_one("#runs").add_class("panel")
        self.query_one(PickList).focus()
        self._look_at_runs()
        self._head()
        self._judge()

    def fit_window(self) -> None:
        if self._told[0]:
            self._show_beside()
            self.present(*self._told)
        else:
            self.refresh_status()

    @property
    def help_text(self) -> str:
        return f"{'' if self.is_demo else _IN_PRACTICE if self.in_practice else _LEAVING} {self.HELP}".strip()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "compare":
            return len(self._marked) == 2 or None  # it is no key now, and stands in help
        may = _MAY.get(action)
        return may is None or any(may(run) for run in self._runs)

    def _look_at_runs(self) -> None:
        self.wizard.ask(self, self.wizard.services.runs, self._take_runs, partial(self.present, look="bad"))

    def _take_runs(self, runs: tuple[RunStatus, ...]) -> None:
        """The cursor stays on its run."""
        if (order(runs), True) == (self._runs, self._looked):
            return  # what is said of one, or asked, stays
        path_here = self._chosen.path if self._chosen else None
        self._runs, self._looked = order(runs), True
        pick_list = self.query_one(PickList)
        pick_list.refill()
        pick_list.move_to(self._place(path_here))
        self._head()
        self._judge()
        self.refresh_bindings()
        self.refresh_status()

    def on_pick_list_moved(self) -> None:
        self.refresh_status()

    on_pick_list_clicked = on_pick_list_moved

    def _judge(self) -> None:
        """The one under the cursor first."""
        self.judge((*((self._chosen,) if self._chosen else ()), *self._runs))

    def marks_changed(self) -> None:
        self.query_one(PickList).refill()
        self._show_beside()

    def units_changed(self) -> None:
        self._show_beside()

    def on_runs_changed(self) -> None:
        self._look_at_runs()

    def on_run_failed(self, failed: RunFailed) -> None:
        self.present(failed.sentence, "bad")

    def action_watch(self) -> None:
        if run := self._chosen:
            self.wizard.show_live(run.path)

    def action_mark(self) -> None:
        if run := self._chosen:
            other_marked = tuple(path for path in self._marked if path != run.path)
            self.wizard.marked_runs = other_marked if run.path in self._marked else (*other_marked[-1:], run.path)
            self.query_one(PickList).refill()
            self.refresh_bindings()

    def action_compare(self) -> None:
        from raidtui.ui.screens.side_by_side import SideBySideScreen

        first, second = self._marked
        self.app.push_screen(SideBySideScreen(first, second))

    def action_resume(self) -> None:
        if run := self._if_may("resume"):
            self.go_on_with(run.path)

    def action_stop(self) -> None:
        if run := self._if_may("stop"):
            question = f"Stop {run.name}? Its results are kept, its array is removed."
            ask_typed(self.app, Prompt(question, "stop"), partial(self._stop, run.path))

    def action_keep(self) -> None:
        if run := self._if_may("keep"):
            self.present("Looking at its array…", "accent")
            self.wizard.keep_run(self, run.path)

    def action_clear(self) -> None:
        if run := self._if_may("clear"):
            self.wizard.remove_run(self, run.path)

    def action_forget(self) -> None:
        if run := self._if_may("forget"):
            question = f"Delete {run.name}? Its folder is deleted: results, report, copies of signatures."
            ask_typed(self.app, Prompt(question, "forget"), partial(self._forget, run.path))

    def action_new(self) -> None:
        self.wizard.new_run()

    def present(self, text: str, look: str) -> None:
        self._told = text, look
        self.lines("detail").show_whole(self.paragraph(text, look), least=3)

    def _show_beside(self) -> None:
        """The results of the run under the cursor, and what can be done with it."""
        run, width = self._chosen, self.window_width
        beside = self.query_one("#beside")
        beside.display = width >= _WITH_BESIDE and (run is not None or not self._looked)
        wide, low = max(46, width * 2 // 5), self.has_class("-low")
        beside.styles.width = wide
        if run is None or not beside.display:
            return
        may = [(key, words) for action, key, words in _DO if action not in _MAY or _MAY[action](run)]
        actions, one = self.lines("do"), self.lines("one")
        actions.styles.height = len(may) + (1 if low else 2)
        actions.entitle("Actions")
        actions.show([join([(f"{key:<7}", "*accent"), (words, "")]) for key, words in may])
        one.entitle(run.setup)
        high = self.window_height - 8 - len(may) - (2 if low else 4)
        known, inner = self.judged.get(run.path), wide - (2 if low else 4)
        lines = bars_beside(known, self.units, inner, high) if known else []
        one.show(lines or wrapped(run.sentence, inner))

    def refresh_status(self) -> None:
        self._show_beside()
        if not self._looked:
            self.present("Looking at the runs…", "dim")
        elif self._chosen:
            self.present(run_detail(self._chosen), "dim")
        else:
            self.present("No runs yet; n starts one.", "dim")

    @property
    def _marked(self) -> tuple[Path, ...]:
        """Existing ones; marks outlive the screen."""
        paths = [run.path for run in self._runs]
        return tuple(path for path in self.wizard.marked_runs if path in paths)

    @property
    def _chosen(self) -> RunStatus | None:
        """Under the cursor; before the list is laid out the first."""
        cursor = self.query_one(PickList).cursor
        return self._rows[cursor] if cursor < len(self._rows) else next(iter(self._runs), None)

    def _place(self, path: Path | None) -> int:
        return next((number for number, run in enumerate(self._rows) if run and run.path == path), 1)

    def _if_may(self, action: str) -> RunStatus | None:
        """None if not allowed, with a message."""
        run = self._chosen
        if run is None or _MAY[action](run):
            return run
        self.present(_WHY_NOT[action].format(sentence=run.sentence, needed=_needed(run)), "warn")
        self.app.bell()
        return None

    def _stop(self, path: Path) -> None:
        self.present("Stopping…", "accent")
        self.wizard.stop_run(self, path)

    def _forget(self, path: Path) -> None:
        self.present("Deleting its folder…", "accent")
        self.wizard.forget_run(self, path)

    def _head(self) -> None:
        counted = f": {tally(self._runs)}." if self._runs else "."
        self.lines("asked").show([((f" Runs on this machine{counted}", "strong"),)])

    def _lay_out(self, width: int) -> Sheet:
        sheet, self._rows = run_sheet(self._runs, self._marked, self.judged, width)
        return sheet
