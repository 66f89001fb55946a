"""The recipes under the questions they answer, each with its time and bytes on the free disks."""

from collections.abc import Iterable
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal

from raidtui.ui import questions
from raidtui.ui.draft import Draft
from raidtui.ui.questions import Asking, Purpose, Question, QuestionCost
from raidtui.ui.render.cells import Line, Sheet, wrap
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.looking import LookingScreen
from raidtui.ui.widgets.bars import StepHeader
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList
from raidtui.ui.widgets.sizes import HIGH

_NO_DISK = "No usable disk: no estimate."
BESIDE = 100  # columns from which all of a recipe stands beside the list


class RecipesScreen(LookingScreen):
    STEP = "Start"
    HELP = (
        "Choose a recipe. Each shows its estimated time (bar: logarithmic) and the bytes written on the free disks."
        " d: next steps, what is kept and every test. Nothing is written before you confirm on Review."
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
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "next", "choose", id="recipes.choose", tooltip="Continue with this recipe"),
        Binding("d", "details", "details", id="recipes.details", tooltip="Next steps, cost and every test"),
        Binding("tab", "read", "list, text", id="recipes.read", tooltip="Switch between list and text"),
        Binding("e", "every_step", "every step", id="recipes.every-step", tooltip="Show all steps, or only open ones"),
        Binding("r", "look", "rescan", id="recipes.look", tooltip="Scan the machine again"),
        Binding("escape,left", "back", "start", id="recipes.back", key_display="esc", tooltip="Back to Start"),
        Binding("q", "app.leave", "quit", id="quit", tooltip="Quit; asks first if something is selected"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._every_step = False
        self._laid: tuple[Question | Purpose | None, ...] = ()

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines(id="question")
        with Horizontal(id="middle"):
            recipes = PickList(self._lay_out, id="questions")
            recipes.add_class("panel")
            recipes.entitle("Recipes")
            yield recipes
            about = Listing(self._explain, id="explained")
            about.add_class("panel")
            yield about

    def on_mount(self) -> None:
        self.query_one(PickList).focus()

    def fit_window(self) -> None:
        self.query_one("#explained").display = self.app.size.width >= BESIDE
        super().fit_window()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "read" or self.app.size.width >= BESIDE

    def action_every_step(self) -> None:
        self._every_step = not self._every_step
        self.refill()
        self.estimate_soon()

    def action_details(self) -> None:
        if question := self._here:
            self.app.push_screen(DetailsScreen(lambda width: questions.question_lines(self._asking(question), width)))

    def action_read(self) -> None:
        self.focus_next()

    def action_back(self) -> None:
        self.wizard.go_back()

    def wanted(self) -> Iterable[Draft]:
        """The highlighted first."""
        here = [self._here] if self._here else []
        return (self._likely(question) for question in (*here, *self._laid) if isinstance(question, Question))

    def _likely(self, question: Question) -> Draft:
        """With this question and the disks selected now."""
        disks = questions.likely_disks(self.wizard.draft, self.wizard.scan.disks)
        draft_asked = questions.asked(self.wizard.draft, question)
        return msgspec.structs.replace(draft_asked, disks=tuple(disk.id for disk in disks))

    def refill(self) -> None:
        if not self.is_mounted:
            return
        beside = self.looking_words if self.looking else "Nothing is kept."
        self.query_one("#question", Lines).show(
            [((" What do you want to measure?", "*strong"), (f"   {beside}", "dim"))]
        )
        self.query_one(PickList).refill()
        self.query_one(Listing).refill()
        if self._here:
            self.query_one(StepHeader).present(self.wizard.steps_for(self._likely(self._here)))

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self.refill()
        self.query_one(Listing).scroll_to(y=0, animate=False)
        self.estimate_soon()

    @property
    def _here(self) -> Question | None:
        cursor = self.query_one(PickList).cursor
        question_at = self._laid[cursor] if cursor < len(self._laid) else None
        return question_at if isinstance(question_at, Question) else None

    def _lay_out(self, width: int) -> Sheet:
        offered = questions.questions(self.wizard.recipes, self._every_step)
        self._laid = questions.rows(offered, self.app.size.height >= HIGH)
        return questions.question_sheet(self._laid, self._asking, width, self.units)

    def _asking(self, question: Question) -> Asking:
        draft = self._likely(question)
        count = len(draft.disks)
        which_disks = "selected" if self.wizard.draft.disks else "free"
        disks = f"{count} {which_disks} disk{'' if count == 1 else 's'}" if count else ""
        if count and question.builds != "recipe":
            disks += f", {draft.raid.name}{'' if draft.level else ' unless changed'}"
        walked = self.wizard.steps_for(draft)
        return Asking(
            question,
            self.costs.get(draft, None if count else QuestionCost(problem=_NO_DISK)),
            questions.short_of_disks(question, self.wizard.scan),
            disks,
            walked[1 : walked.index("Review")],
        )

    def _explain(self, width: int) -> list[Line]:
        problem = self.wizard.scan_problem
        if problem or self._here is None:
            text = problem or self.looking_words
            return [((line, "bad" if problem else "dim"),) for line in wrap(text, width)]
        return questions.question_lines(self._asking(self._here), width)

    def on_pick_list_clicked(self, clicked: PickList.Clicked) -> None:
        self.query_one(PickList).focus()

    def action_next(self) -> None:
        question = self._here
        if question is None or self.looking:
            self.app.bell()
        elif reason := questions.short_of_disks(question, self.wizard.scan):
            self.app.bell()
            self.notify(reason, severity="warning", markup=False)
        else:
            self.wizard.draft = questions.asked(self.wizard.draft, question)
            self.wizard.go_on(self.STEP)
