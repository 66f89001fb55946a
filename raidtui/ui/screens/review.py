"""The whole plan, and its confirmation. Nothing starts without the typed answer."""

from functools import partial

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input

from raidtui.core.plan import confirmation
from raidtui.core.plan.model import Plan
from raidtui.ui.confirmation import Prompt, prompt
from raidtui.ui.draft import Draft
from raidtui.ui.last_time import write_answers
from raidtui.ui.messages import RunFailed
from raidtui.ui.paths import in_practice
from raidtui.ui.render.cells import Line, Piece, wrapped
from raidtui.ui.render.review_lines import Review, review_of
from raidtui.ui.screens.base import QUIT_KEY, BaseScreen
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing

_NOTHING_YET = " Review: nothing has been written yet"
_STARTING = " Review: starting the run…"
_DETAIL = 1  # line under the plan, at least


class ReviewScreen(BaseScreen[None]):
    """Disks with contents must be scrolled through before the question."""

    STEP = "Review"
    HELP = (
        "Check the plan; arrow and page keys scroll, s adds every command. Enter opens the prompt: type exactly the"
        " given phrase. If disks are not blank, scroll their list to its end first. Anything else, or an empty answer,"
        " starts nothing. w writes an answer file for `raidtui run`. Commands that are not programs"
        " (check_members_free, add_lines) are raidtui's own checks and edits, explained in the line above. A test that"
        " stalls for a second is rerun once; its writes come on top."
    )
    TERMS = ("recipe", "baseline", "fio", "md", "udev", "superblock", "initial resync", "times over", "kept")
    BINDINGS = bindings(
        bound("enter", "answer", "answer", "review.answer", "Go to the prompt"),
        bound("up", "plan_by(-1)"),
        bound("down", "plan_by(1)"),
        bound("pageup", "plan_page(-1)"),
        bound("pagedown", "plan_page(1)"),
        bound("home", "plan_end(-1000000)", priority=True),
        bound("end", "plan_end(1000000)", priority=True),
        bound("m", "mount", "mount at boot", "review.mount", "Mount the kept array at boot, or not"),
        bound("s", "steps", "all steps", "review.steps", "Every step with its command; again: without"),
        bound("c", "capacity", "capacity", "review.capacity", "Where the bytes of the disks go"),
        bound("w", "write", "write answers.toml", "review.write", "Write an answer file for `raidtui run`"),
        bound("escape,left,backspace", "back", "back", "review.back", "Back; nothing is started"),
        QUIT_KEY,
    )

    def __init__(self) -> None:
        super().__init__()
        self._plan: Plan | None = None
        self._obstacles: tuple[str, ...] = ()
        self._prompt: Prompt | None = None
        self._starting = False
        self._making = True  # the plan
        self._detail_shown = ("", "")
        self._with_steps = self._with_capacity = False
        self._seen = False  # the list of what is lost, before lines were added to it

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines([((_NOTHING_YET, "strong"),)], id="question")
        yield Listing(self._lay_out, id="review")
        with Vertical(id="sure", classes="panel -warn"):
            yield Lines(id="detail")
            yield self._field()

    def _field(self) -> Input:
        answer = Input(id="answer", compact=True, disabled=True, select_on_focus=False)
        answer.cursor_blink = False
        return answer

    def on_mount(self) -> None:
        self.query_one(Listing).focus()
        self._make()

    def _make(self) -> None:
        self._show_detail("Making the plan…", "dim")
        draft = self.wizard.draft
        self.wizard.make_plan(self, draft, partial(self._take, draft), partial(self._refused, draft))

    def _take(self, draft: Draft, plan: Plan, obstacles: tuple[str, ...]) -> None:
        if draft != self.wizard.draft:
            return
        self._plan, self._obstacles, self._making = plan, obstacles, False
        self._prompt = prompt(plan, self.wizard.host, self.wizard.services.demo)
        self._seen = False
        self.query_one(Listing).refill()
        self._open_field()
        self._ask()

    def _refused(self, draft: Draft, why: str) -> None:
        if draft != self.wizard.draft:
            return
        self._plan, self._making = None, False
        self.query_one(Listing).refill()
        self.query_one(Input).disabled = True
        self._show_detail(f"Not possible: {why}", "bad")

    def on_run_failed(self, failed: RunFailed) -> None:
        self._starting = False
        self._head(_NOTHING_YET)
        self.query_one(Input).disabled = False
        self._show_detail(f"Not started: {failed.sentence}", "bad")

    def on_listing_shown(self) -> None:
        if self._plan and not self._starting and self.query_one(Input).disabled:
            self._open_field()
            self._show()

    def units_changed(self) -> None:
        self.query_one(Listing).refill()

    def action_answer(self) -> None:
        field = self.query_one(Input)
        if self._making:  # what is typed meanwhile stays, unless something has to be read first
            field.disabled = False
        if field.disabled:
            self._ask()
            self.app.bell()
        else:
            field.value = ""
            self.set_focus(field)  # at once: what is typed right behind is not lost

    def action_back(self) -> None:
        if self.query_one(Input).has_focus:
            self.query_one(Input).value = ""
            self.query_one(Listing).focus()
        else:
            self.wizard.go_back()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Home and End belong to a non-empty field, which may not exist yet."""
        if action == "mount":
            return self.wizard.draft.may_last and not self._starting
        return action != "plan_end" or any(field.has_focus and not field.value for field in self.query(Input))

    def action_plan_by(self, lines: int) -> None:
        """Scrolls the plan while the field has the focus."""
        self.query_one(Listing).action_by(lines)

    def action_plan_page(self, pages: int) -> None:
        self.query_one(Listing).action_page(pages)

    def action_plan_end(self, lines: int) -> None:
        self.action_plan_by(lines)

    def action_mount(self) -> None:
        """What was proposed is taken back, or wished for: another plan."""
        draft, self._plan, self._making = self.wizard.draft, None, True
        self.wizard.draft = draft.having(permanent="" if draft.permanent else "yes")
        self._open_field()
        self._make()

    def action_steps(self) -> None:
        """What was seen to its end stays so: nothing above changes."""
        self._with_steps = not self._with_steps
        self._refill()

    def action_capacity(self) -> None:
        self._with_capacity = not self._with_capacity
        self._refill()

    def _refill(self) -> None:
        listing = self.query_one(Listing)
        had_seen, top = self._was_read, listing.scroll_offset.y
        listing.refill()
        self._seen = had_seen
        listing.scroll_to(y=top, animate=False)
        self._open_field()
        self._show()

    def action_write(self) -> None:
        self._show_detail(write_answers(self.wizard.answers), "good")

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        """Exactly the expected text, or nothing happens."""
        submitted.stop()
        typed = submitted.value.strip()
        if not typed or self._plan is None or self._starting or self._obstacles:
            return
        submitted.input.value = ""
        if self._prompt is None or typed != self._prompt.expected:
            self._show_detail(f"Nothing was started: type exactly `{self._prompt and self._prompt.expected}`", "warn")
            return
        self._starting = True
        submitted.input.disabled = True
        self._head(_STARTING)
        self._show_detail("Starting the run…", "accent")
        self.wizard.start_run(self, self._plan)

    def _head(self, text: str) -> None:
        self.lines("question").show([((text, "strong"),)])

    def _open_field(self) -> None:
        """No typing before every disk to be erased was visible."""
        field = self.query_one(Input)
        field.disabled = bool(self._obstacles) or self._making or not self._was_read
        if field.disabled:
            field.value = ""

    @property
    def _was_read(self) -> bool:
        if self._plan is None or self._seen or not confirmation.doubtful(self._plan.members):
            return True
        listing = self.query_one(Listing)
        width = max(20, listing.scrollable_content_region.width)
        return listing.shown >= self._review(self._plan, width).to_see

    def _review(self, plan: Plan, width: int) -> Review:
        members = {member.id for member in plan.disks}
        others = [disk.name for disk in self.wizard.scan.disks if disk.id not in members]
        return review_of(
            plan,
            self.units,
            (width, not self.low),
            untouched=others,
            practice=in_practice(),
            steps=self._with_steps,
            capacity=self._with_capacity,
        )

    def _ask(self) -> None:
        self._show_detail("", "")

    def _show_detail(self, text: str, look: str) -> None:
        """Above the question; both stay visible."""
        self._detail_shown = (text, look)
        self._show()

    def on_descendant_focus(self) -> None:
        self._show()

    def on_descendant_blur(self) -> None:
        self._show()

    def fit_window(self) -> None:
        self._show()

    def _show(self) -> None:
        width = max(20, self.window_width - 5)
        text, look = self._detail_shown
        lines = wrapped(text, width, look, " ") if text else []
        self.lines("detail").show_whole([*lines, *self._question(width)], least=_DETAIL)

    def _question(self, width: int) -> list[Line]:
        if self._plan is None or self._starting:
            return []
        if self._obstacles:
            text = "Cannot be started here: " + " ".join(self._obstacles)
            return wrapped(text, width, "bad", " ")
        assert self._prompt
        if not self._was_read:
            text = "Disks hold something that will be lost: read their list to its end (Page Down), then type."
            return wrapped(text, width, "warn", " ")
        prompt_before, prompt_after = (" Press Enter, then type  ", "")
        if self.query_one(Input).has_focus:
            prompt_before, prompt_after = " Type  ", "  and press Enter; anything else starts nothing."
        question = self._prompt.question
        if self.window_width - 2 < len(f"{prompt_before}{self._prompt.expected}{prompt_after}"):
            question, prompt_after = f"{question} Anything else starts nothing.", "  and press Enter"
        return [
            *wrapped(question, width, "warn", " "),
            ((prompt_before, ""), *self._phrase(self._prompt.expected), (prompt_after, "")),
        ]

    def _phrase(self, expected: str) -> tuple[Piece, ...]:
        """All of it has one look; its typed part is underlined."""
        typed = self.query_one(Input).value
        typed = typed if expected.startswith(typed) else ""
        return tuple((text, look) for text, look in ((typed, "*_accent"), (expected[len(typed) :], "*accent")) if text)

    def on_input_changed(self) -> None:
        self._show()

    def _lay_out(self, width: int) -> list[Line]:
        return list(self._review(self._plan, width).lines) if self._plan else []
