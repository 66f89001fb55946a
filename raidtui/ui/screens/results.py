"""Results of a run, place of the report, and the kept array."""

from functools import cached_property
from pathlib import Path
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.core.plan.kept.permanence import mount_line, mount_point
from raidtui.core.report.context import RunContext
from raidtui.core.run import kept
from raidtui.core.run.permanence import is_permanent, permanence_due
from raidtui.runs.directory import COMMISSIONING
from raidtui.system.new_file import write_new
from raidtui.ui.messages import AblationMade, NameAsked, RunCleaned, RunFailed, RunUndone
from raidtui.ui.paths import in_practice, lasting, path_text
from raidtui.ui.render.cells import Line, wrap
from raidtui.ui.render.results_lines import results_lines
from raidtui.ui.screens.details import DetailsScreen
from raidtui.ui.screens.run_asking import RunAsking
from raidtui.ui.services import RunView, read_whole
from raidtui.ui.widgets.key_bar import key_name
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing

_NEXT = ("resume", "explain", "clear", "further")  # named on the page with their keys
_CODES = {"finished": 0, "stopped": 130}
_KEPT_HERE = "Array kept: x would rebuild it. D removes it first, then x."
_KEPT = _KEPT_HERE + " To keep it: {mount}`raidtui explain {run} --target {folder}` (one test file there)."


def _default(name: str) -> str:
    """In practice only a bare name is persistent."""
    return name if in_practice() else path_text(Path(name).absolute())


class ResultsScreen(RunAsking):
    STEP = "Results"
    HELP = (
        "Top: the answer (y: copy, w: more findings, p: SVG picture). Tables: one disk, all disks at once without an"
        " array, the array. Gain = array / one disk. Expected: modelled for this level from the disks as measured (~"
        " about, < at most); diff.: array vs expected. x: find the bottleneck of the test furthest from expected, one"
        " change at a time, after a Review; on the figures page, of the selected test. f: sortable table, charts,"
        " comparison of setups. The report has all results, commands and versions."
    )
    TERMS = (
        "superblock",
        "one disk",
        "baseline",
        "gain",
        "expected",
        "as expected",
        "throttling",
        "busiest CPU",
        "queue depth",
        "IOPS",
        "md",
        "kept",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "r", "resume", "resume", id="results.resume", tooltip="Remove leftovers, run missing tests; asks first"
        ),
        Binding("f", "figures", "figures", id="results.figures", tooltip="Sort, charts, compare setups"),
        Binding("x", "explain", "explain", id="results.explain", tooltip="Find the bottleneck; asks first"),
        Binding("e", "export", "export", id="results.export", tooltip="Write the report as Markdown"),
        Binding("h", "hand_over", "handover", id="results.hand-over", tooltip="Handover document of the array"),
        Binding("D", "clear", "remove", id="results.clear", tooltip="Remove the kept array; asks first"),
        Binding("y", "copy", "copy", id="results.copy", tooltip="Copy the answer (terminal clipboard, OSC 52)"),
        Binding("p", "picture", "picture", id="results.picture", tooltip="Write an SVG picture of the screen"),
        Binding("w", "further", "more", show=False, id="results.further", tooltip="More findings"),
        Binding("escape", "back", "runs", show=False, id="results.back", tooltip="List of runs"),
        Binding("n", "new", "new run", id="results.new", tooltip="Start over with the disks"),
        Binding("q", "app.leave", "quit", id="quit", tooltip="Quit; the results are saved"),
    ]

    def __init__(self, path: Path, view: RunView) -> None:
        super().__init__()
        self.path = path
        self._take(view)
        self._told = ("", "")
        self._explaining = False  # from x until this is seen again after Review, or nothing explains the test
        self._reviewed = False
        self._made: AblationMade | None = None

    def _take(self, view: RunView) -> None:
        """Computed once, also for when the array is gone."""
        self._view, self._run = view, RunContext(view.plan, view.state)
        self._cleared = RunContext(view.plan, msgspec.structs.replace(view.state, kept=False))

    def content(self) -> ComposeResult:
        yield self.header()
        yield Listing(self._lay_out, id="results")
        yield Lines(id="detail")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()
        self.refresh_status()

    def on_resize(self) -> None:
        self.present(*self._told)

    def units_changed(self) -> None:
        self.query_one(Listing).refill()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        kept = self._stands
        shown_if = {
            "hand_over": self._view.state.kept and self._page.is_file() and not self.is_clearing,
            "clear": kept and not self.is_clearing,
            "resume": self._is_resumable,
            "further": self._has_further,
            "explain": self._is_explainable and self._is_off_theory and not self.is_clearing,
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

    @property
    def _has_further(self) -> bool:
        return bool(self._run.answer.more or self._run.answer.details)

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
        """Trials left and no kept array, or permanence left."""
        plan, state = self._view.plan, self._view.state
        if self._view.not_here:
            return False
        is_over = state.kept or state.is_complete(trial.id for trial in plan.trials)
        return permanence_due(plan, state) or not is_over

    def on_run_cleaned(self, cleaned: RunCleaned) -> None:
        self._show_anew("Array removed; the disks are blank.")

    def on_run_undone(self, undone: RunUndone) -> None:
        self._show_anew("Boot entries removed. Array kept, not mounted, with all its data; D removes it.")

    def _show_anew(self, told: str, look: str = "good") -> None:
        self._stop_showing()
        if view := read_whole(self.wizard.services.feed(self.path)):
            self._take(view)
        listing = self.query_one(Listing)
        listing.refill()
        listing.scroll_home(animate=False)
        self.refresh_bindings()
        self.present(told, look)

    def on_run_failed(self, failed: RunFailed) -> None:
        """Also if nothing explains a test; the former text returns."""
        self._explaining = False
        self._show_anew(failed.sentence, "bad")

    def action_resume(self) -> None:
        self.go_on_with(self.path)

    def on_ablation_made(self, message: AblationMade) -> None:
        """Review opens once this screen is visible."""
        self._made = message
        self._review_what_waits()

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self._reviewed:
            self._explaining = self._reviewed = False
        self._review_what_waits()

    def _review_what_waits(self) -> None:
        if self._made and self.app.screen is self:
            message, self._made, self._reviewed = self._made, None, True
            self.wizard.looked(message.scan, message.recipes)
            self.refresh_status()
            self.wizard.review_ablation(message.answers)

    def action_explain(self) -> None:
        self._explain("")

    def _explain(self, trial_id: str) -> None:
        """Without trial: the one furthest from expected."""
        if self._explaining:  # one is being looked for
            self.app.bell()
            return
        if self._stands:
            self.present(self._kept_words, "warn")
            return
        self._explaining = True
        self.present("Looking at the disks…", "accent")
        self.wizard.explain_run(self, self._view, trial_id)

    @property
    def _kept_words(self) -> str:
        """With a file system also what keeps it."""
        plan = self._view.plan
        stage = plan.stages[plan.kept_stage] if plan.kept_stage is not None else None
        if in_practice() or stage is None or stage.filesystem is None:
            return _KEPT_HERE
        if is_permanent(plan, self._view.state):
            return _KEPT.format(mount="", run=self.path.name, folder=mount_point(plan))
        line = mount_line(plan, plan.stages.index(stage), "/mnt")
        mount = f"`{line}`, then " if line else "mount it at /mnt, then "
        return _KEPT.format(mount=mount, run=self.path.name, folder="/mnt")

    def action_figures(self) -> None:
        from raidtui.ui.screens.figures import FiguresScreen

        def left(trial_id: str | None) -> None:
            if trial_id:
                self._explain(trial_id)

        figures = FiguresScreen(self.path, self._view, self._run.comparison, explains=self._is_explainable)
        if figures.pages:
            self.app.push_screen(figures, left)
        else:
            self.present("This run has no tests.", "warn")

    def action_export(self) -> None:
        from raidtui.ui.screens.path import PathScreen

        default = _default(f"raidtui-{self.path.name}.md")
        self.app.push_screen(PathScreen("Write the report (Markdown) to which file?", default), self._export)

    def action_hand_over(self) -> None:
        """Saved beside the report."""
        from raidtui.core.handover.commissioning import page
        from raidtui.ui.render.page_lines import BROKEN, page_lines

        blocks = list(page(self._view.plan, self._view.state))

        def lay_out(width: int) -> list[Line]:
            broken = f"{BROKEN}marks lines wider than this window; copy them from {path_text(self._page)}."
            return [*(((text, "dim"),) for text in wrap(broken, width)), (), *page_lines(blocks, width)]

        self.app.push_screen(DetailsScreen(lay_out))

    def action_further(self) -> None:
        from raidtui.core.report.answer import further
        from raidtui.ui.render.page_lines import page_lines

        self.app.push_screen(DetailsScreen(lambda width: page_lines(further(self._run), width)))

    def action_copy(self) -> None:
        """OSC 52: also over ssh, if the terminal allows it."""
        copied = "\n".join((self._run.answer.title, *self._run.answer.lines)) + "\n"
        self.app.copy_to_clipboard(copied)
        size = len(copied.encode())
        self.present(f"{size} bytes sent to the terminal's clipboard (some terminals must allow this).", "good")

    def action_picture(self) -> None:
        from raidtui.ui.screens.path import PathScreen

        picture = self.app.export_screenshot(title=self._view.plan.title)
        default = _default(f"raidtui-{self.path.name}.svg")

        def chosen(path: str | None) -> None:
            self._write(path, picture)

        self.app.push_screen(PathScreen("Write the picture (SVG) to which file?", default), chosen)

    def action_clear(self) -> None:
        kept_words = kept.named(self._view.plan, self._view.state)
        self.ask_to_clear(self.path, f"Remove {kept_words}? All data on it is lost; the disks are left blank.")

    def action_back(self) -> None:
        self.wizard.show_runs()

    def action_new(self) -> None:
        self.wizard.begin_again()

    @property
    def last_words(self) -> tuple[int, str]:
        told = f"Results: {path_text(self.path)}; `raidtui report {self.path.name}` prints them."
        return _CODES.get(self._view.state.outcome, 1), told

    def _export(self, chosen: str | None) -> None:
        from raidtui.core.page.markdown import markdown
        from raidtui.core.report.markdown import report

        self._write(chosen, markdown(report(self._run)) if chosen else "")

    def _write(self, chosen: str | None, content: str) -> None:
        """Reports the result in a line."""
        if not chosen:
            self.present("Nothing was written.", "dim")
            return
        path = lasting(Path(chosen).expanduser().absolute())
        if path is None:
            self.present(
                f"Not written: {chosen} would be lost with the practice machine; give a name without a folder.",
                "bad",
            )
            return
        try:
            write_new(path, content.encode())
        except FileExistsError:
            self.present(f"Not written: {path_text(path)} exists; choose another name.", "warn")
        except OSError as error:
            self.present(f"Not written: {path_text(path)}: {error.strerror}; choose another place.", "bad")
        else:
            self.present(f"Written to {path_text(path)}", "good")

    def refresh_status(self) -> None:
        report = f"Report: {path_text(self.path / 'report.md')} (e: copy)"
        what_it_does = "add the array to mdadm.conf and fstab" if self._stands else "run the missing tests"
        resume_words = f"r: {what_it_does}. R: runs. " if self._is_resumable else ""
        self.present(resume_words + report, "dim")

    def present(self, text: str, look: str) -> None:
        self._told = text, look
        self.query_one("#detail", Lines).show_whole(self.paragraph(text, look), least=2)

    def on_name_asked(self, needed: NameAsked) -> None:
        self._stop_showing()
        self._show_whether_clearing()

    def _do_named(self, needed: NameAsked) -> None:
        super()._do_named(needed)
        self._show_whether_clearing()

    def _take_back(self, path: Path, undoes: bool) -> None:
        super()._take_back(path, undoes)
        self._show_whether_clearing()

    def _show_whether_clearing(self) -> None:
        self.refresh_bindings()
        self.query_one(Listing).refill()

    def _lay_out(self, width: int) -> list[Line]:
        bindings = [active.binding for active in self.active_bindings.values() if active.enabled]
        return results_lines(
            self._cleared if self.is_clearing else self._run,
            path_text(self.path / "report.md"),
            self.units,
            width,
            keys={binding.action: key_name(binding.key) for binding in bindings if binding.action in _NEXT},
            practice=in_practice(),
            not_here=self._view.not_here,
            clearing=self.is_clearing,
        )
