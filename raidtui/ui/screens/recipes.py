"""The recipes under the questions they answer, each with its time and bytes on the free disks."""

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.containers import Horizontal

from raidtui.ui import questions
from raidtui.ui.draft import Draft
from raidtui.ui.questions import Asking, Purpose, Question, QuestionCost
from raidtui.ui.render.cells import Line, Sheet, wrapped
from raidtui.ui.screens.base import QUIT_KEY
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.looking import LookingScreen
from raidtui.ui.widgets.bars import StepHeader
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList

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
    BINDINGS = bindings(
        bound("enter,right", "next", "choose", "recipes.choose", "Continue with this recipe"),
        bound("d", "details", "details", "recipes.details", "Next steps, cost and every test"),
        bound("tab", "read", "list, text", "recipes.read", "Switch between list and text"),
        bound("e", "every_step", "every step", "recipes.every-step", "Show all steps, or only open ones"),
        bound("r", "look", "rescan", "recipes.look", "Scan the machine again"),
        bound("escape,left", "back", "start", "recipes.back", "Back to Start", key_display="esc"),
        QUIT_KEY,
    )

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
        self.query_one("#explained").display = self.window_width >= BESIDE
        super().fit_window()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "read" or self.window_width >= BESIDE

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
        return draft_asked.having(disks=tuple(disk.id for disk in disks))

    def refill(self) -> None:
        if not self.is_mounted:
            return
        beside = self.looking_words if self.looking else "Nothing is kept."
        self.lines("question").show([((" What do you want to measure?", "*strong"), (f"   {beside}", "dim"))])
        self.query_one(PickList).refill()
        self.query_one(Listing).refill()
        if self._here:
            self.query_one(StepHeader).present(self.wizard.steps_for(self._likely(self._here)))

    def on_pick_list_moved(self) -> None:
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
        self._laid = questions.rows(offered, not self.low)
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
            return wrapped(text, width, "bad" if problem else "dim")
        return questions.question_lines(self._asking(self._here), width)

    def on_pick_list_clicked(self) -> None:
        self.query_one(PickList).focus()

    def action_next(self) -> None:
        question = self._here
        if question is None or self.looking:
            self.app.bell()
        elif reason := questions.short_of_disks(question, self.wizard.scan):
            self.refuse(reason)
        else:
            self.wizard.draft = questions.asked(self.wizard.draft, question)
            self.wizard.go_on(self.STEP)
