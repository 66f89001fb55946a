"""The question, which determines steps, tests and what is kept."""

from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from raidtui.core.raid.levels import level
from raidtui.ui import question_rows, questions
from raidtui.ui.draft import Draft, chosen
from raidtui.ui.messages import PlanFailed, PlanMade, ScanFailed, Scanned
from raidtui.ui.question_rows import RUNNING, Asking, QuestionCost
from raidtui.ui.questions import Question
from raidtui.ui.render.cells import Line, Sheet, wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.pick_list import PickList
from raidtui.ui.widgets.sizes import HIGH
from raidtui.ui.widgets.step_header import StepHeader

_QUESTION = (" What do you want to do?", "strong")
_HELP_HINT = "? help"
_ESTIMATING = f"{RUNNING} = estimating"
_LOOKING = "Scanning this machine…"
_REMOVING = "Removing an array first…"
_NO_DISK = "No usable disk: no estimate."
_STILL_S = 0.3  # after the look, or a way back: who types on at once is not kept waiting by plans that nobody reads


class StartScreen(BaseScreen[None]):
    """Questions left, details right. Costs are estimated one by one, the highlighted first, while visible."""

    STEP = "Start"
    HELP = (
        "Choose a task. Each shows its estimated time on the free disks. The right panel shows the next steps, the"
        " bytes written and every test (tab: scroll it). Nothing is written before you confirm on Review."
    )
    TERMS = (
        "array",
        "JBOD",
        "chunk",
        "initial resync",
        "fio",
        "IOPS",
        "queue depth",
        "ramp",
        "page cache",
        "times over",
        "kept",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "next", "choose", id="question.choose", tooltip="Continue with this task"),
        Binding("tab", "app.focus_next", "list, text", id="question.read", tooltip="Switch between list and text"),
        Binding(
            "e", "every_step", "every step", id="question.every-step", tooltip="Show all steps, or only the open ones"
        ),
        Binding("r", "look", "rescan", id="question.look", tooltip="Scan the machine again"),
        Binding("q", "app.leave", "quit", id="quit", tooltip="Quit; asks first if something is selected"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._looking = False
        self._every_step = False
        self._estimating: Draft | None = None
        self._costs: dict[Draft, QuestionCost] = {}
        self._list_width = 0
        self._laid: tuple[Question | questions.Purpose | None, ...] = ()
        self._before_last_time: Draft | None = None

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines([(_QUESTION,)], id="question")
        with Horizontal(id="middle"):
            yield PickList(self._lay_out, id="questions")
            yield Listing(self._explain, id="explained")

    def on_mount(self) -> None:
        self.query_one(PickList).focus()

    # --- the machine ------------------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        """At first, and after each restart of the selection."""
        before, self._before_last_time = self._before_last_time, None
        if before is not None and self.wizard.draft == self.wizard.scan.last:  # back from its Review
            self.wizard.draft = before
        if not self.wizard.scanned:
            self.action_look()
        elif self.is_mounted:
            self._refill()
            self._estimate_soon()

    def action_every_step(self) -> None:
        self._every_step = not self._every_step
        self._refill()
        self._estimate_soon()

    def action_look(self) -> None:
        if not self._looking:
            self._looking = True
            self.wizard.rescan(self)
            self._refill()

    def on_scanned(self, scanned: Scanned) -> None:
        """Costs may have changed."""
        self.wizard.looked(scanned.scan, scanned.recipes)
        self._costs.clear()
        self._looking = False
        self._refill()
        self._estimate_soon()

    def on_scan_failed(self, failed: ScanFailed) -> None:
        """The reason replaces the explanation."""
        self.wizard.look_failed(failed.sentence)
        self._looking = False
        self._refill()

    # --- what each would cost ---------------------------------------------------------------------------------

    def on_plan_made(self, plan_made: PlanMade) -> None:
        self._estimated(plan_made.draft, question_rows.cost_of(plan_made.plan))

    def on_plan_failed(self, failed: PlanFailed) -> None:
        self._estimated(failed.draft, QuestionCost(problem=failed.sentence))

    def _estimated(self, draft: Draft, cost: QuestionCost) -> None:
        self._costs[draft] = cost
        self._estimating = None
        self._refill()
        self._estimate_next()

    def _estimate_soon(self) -> None:
        self.set_timer(_STILL_S, self._estimate_next)

    def _estimate_next(self) -> None:
        """The next unknown cost."""
        if self._estimating or self._looking or self.app.screen is not self:
            return
        question_here = [self._here] if self._here else []
        unknown = (
            self._likely(question)
            for question in (*question_here, *self._laid)
            if isinstance(question, Question) and question.recipe
        )
        self._estimating = next((draft for draft in unknown if draft.disks and draft not in self._costs), None)
        self._show_question()
        if self._estimating:
            self.wizard.make_plan(self, self._estimating)

    def _likely(self, question: Question) -> Draft:
        """With this question and the disks selected now."""
        if question.filled_in:
            return question.filled_in
        disks = questions.likely_disks(self.wizard.draft, self.wizard.scan.disks)
        draft_asked = questions.asked(self.wizard.draft, question)
        return msgspec.structs.replace(draft_asked, disks=tuple(disk.id for disk in disks))

    # --- showing ----------------------------------------------------------------------------------------------

    def _refill(self) -> None:
        self._show_question()
        question_here, pick = self._here, self.query_one(PickList)
        pick.refill()
        if question_here and question_here != self._here and question_here in self._laid:
            pick.move_to(self._laid.index(question_here))  # the list has another line above it now
        self.query_one(Listing).refill()
        self._show_steps()

    def _show_question(self) -> None:
        beside = _ESTIMATING if self._estimating else _HELP_HINT
        if self._looking and self._laid:
            beside = self._looking_words
        self.query_one("#question", Lines).show([(_QUESTION, (f"   {beside}", "dim"))])

    def _show_steps(self) -> None:
        """Of the highlighted question."""
        if self._here:
            self.query_one(StepHeader).present(self.wizard.steps_for(self._likely(self._here)))

    def on_resize(self) -> None:
        self._refill()

    def units_changed(self) -> None:
        self._refill()

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        listing = self.query_one(Listing)
        listing.refill()
        listing.scroll_to(y=0, animate=False)
        self._show_steps()
        self._estimate_soon()

    @property
    def _looking_words(self) -> str:
        return _REMOVING if self.wizard.clearing_away else _LOOKING

    @property
    def _here(self) -> Question | None:
        cursor = self.query_one(PickList).cursor
        question_at = self._laid[cursor] if cursor < len(self._laid) else None
        return question_at if isinstance(question_at, Question) else None

    def _lay_out(self, width: int) -> Sheet:
        self._list_width = width
        recipes = self.wizard.recipes
        offered = questions.as_last_time(self.wizard.scan, recipes) if recipes else ()
        offered += questions.questions(recipes, self._every_step) if recipes else ()
        self._laid = question_rows.rows(offered, self.app.size.height >= HIGH)
        return question_rows.question_sheet(self._laid, self._asking, width, self.units)

    def _asking(self, question: Question) -> Asking:
        draft = self._likely(question)
        if question.filled_in:
            names = " ".join(disk.name for disk in chosen(draft, self.wizard.scan.disks))
            return Asking(question, self._costs.get(draft), on=names)
        count = len(draft.disks)
        which_disks = "selected" if self.wizard.draft.disks else "free"
        disks = f"{count} {which_disks} disk{'' if count == 1 else 's'}" if count else ""
        if count and question.builds != "recipe":
            disks += f", {level(draft.level_or_suggested).name}{'' if draft.level else ' unless changed'}"
        walked = self.wizard.steps_for(draft)
        return Asking(
            question,
            self._costs.get(draft, None if count else QuestionCost(problem=_NO_DISK)),
            questions.too_few_disks(question, self.wizard.scan),
            disks,
            walked[1 : walked.index("Review")],
        )

    def _explain(self, width: int) -> list[Line]:
        problem = self.wizard.scan_problem
        if problem or self._here is None:
            text = problem or self._looking_words
            return [((f" {line}", "bad" if problem else "dim"),) for line in wrap(text, width - 1)]
        return question_rows.question_lines(self._asking(self._here), width - 1, self._list_width)

    # --- going on ---------------------------------------------------------------------------------------------

    def on_pick_list_clicked(self, clicked: PickList.Clicked) -> None:
        self.query_one(PickList).focus()

    def action_next(self) -> None:
        question = self._here
        if question is None or self._looking:
            self.app.bell()  # what stands at the right says why
        elif question.recipe is None:
            self.wizard.show_runs()
        elif reason := questions.too_few_disks(question, self.wizard.scan):
            self.app.bell()
            self.notify(reason, severity="warning", markup=False)
        else:
            self._before_last_time = self.wizard.draft if question.filled_in else None
            self.wizard.draft = questions.asked(self.wizard.draft, question)
            self.wizard.go_on("Tests" if question.filled_in else self.STEP)
