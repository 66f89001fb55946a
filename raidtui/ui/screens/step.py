"""A step of the selection: header, question, choices, plan. Filled by each step."""

from typing import Any, ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from raidtui.core.advice.preview import PreviewSpeed
from raidtui.core.advice.wording import USES
from raidtui.core.disks.disk import Disk
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import level
from raidtui.ui.draft import Draft, answers, chosen, chunk_text
from raidtui.ui.preview import preview, speed_of
from raidtui.ui.render import words
from raidtui.ui.render.cells import wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList
from raidtui.ui.widgets.plan_panel import PlanLine, PlanPanel


class StepScreen(BaseScreen[None]):
    class WayOn(Message):
        """Forward, after all choices made before: to this step, or the next one."""

        def __init__(self, step: str = "") -> None:
            super().__init__()
            self.step = step

    QUESTION: ClassVar[str] = ""
    _going_on = False  # from Enter until the next step is there, or is refused
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,right", "next", "next", id="step.next", priority=False, tooltip="Next step"),
        Binding("escape,left,backspace", "back", "back", id="step.back", tooltip="Previous step"),
        Binding("tab", "next_list", "next list", id="step.next-list", tooltip="Next list of this step"),
        Binding("q", "app.leave", "quit", id="quit", tooltip="Quit; asks first if something is selected"),
    ]

    def content(self) -> ComposeResult:
        yield self.header()
        yield Lines([((f" {self.QUESTION}", "strong"),)], id="question")
        with Horizontal(id="middle"):
            with Vertical(id="body"):
                yield from self.body()
                yield Lines(id="detail")
                yield from self.below()
            yield PlanPanel(id="plan-panel")
        yield PlanLine(id="plan-line")

    def body(self) -> ComposeResult:
        yield from ()

    def below(self) -> ComposeResult:
        yield from ()

    def blocker(self) -> str:
        """Why the next step is blocked, or ""."""
        return ""

    def detail(self) -> tuple[str, str]:
        """Text and look, for the highlighted row."""
        return "", ""

    def further_choices(self) -> tuple[tuple[str, str], ...]:
        """(name, value) for the panel, besides disks and level."""
        draft = self.draft
        is_decided = draft.use is not None or bool(draft.level) or self.wizard.seen("Level")
        until = " (default)" if draft.builds == "chosen" else ""
        rows = [
            ("level", "" if is_decided else f"{level(draft.level_or_suggested).name}{until}"),
            ("for", USES[draft.use][0] if draft.use else ""),
            ("layout", (draft.layout_or_default or "") if is_decided else draft.layout),
            ("chunk", chunk_text(draft.chunk_bytes) if is_decided and draft.chunk_bytes else ""),
        ]
        if draft.use or self.wizard.seen("File system"):
            rows.append(("file system", draft.filesystem_or_default))
        given = answers(draft)
        if given.setup.between:
            rows.append(("on", LAYERS[given.setup.between].title))
        rows += [("tests", draft.recipe), ("result", words.AFTER_BRIEF[draft.after])]
        if given.permanent:
            rows.append(("at boot", "assembled"))
        return tuple(row for row in rows if row[1])

    @property
    def draft(self) -> Draft:
        return self.wizard.draft

    @property
    def members(self) -> tuple[Disk, ...]:
        """In order."""
        return self.all_chosen[: self.draft.array_disks]

    @property
    def all_chosen(self) -> tuple[Disk, ...]:
        return chosen(self.draft, self.wizard.scan.disks)

    @property
    def speed(self) -> PreviewSpeed:
        """Of one of them."""
        return speed_of(self.members, self.wizard.scan.measured_speeds)

    def change(self, **answers: Any) -> None:
        self.take(msgspec.structs.replace(self.draft, **answers))

    def take(self, draft: Draft) -> None:
        self.wizard.draft = draft
        self.refill()

    def refill(self) -> None:
        for pick_list in self.query(PickList):
            pick_list.refill()
        if self.draft.builds == "recipe" and self.members:
            recipe = next(recipe for name, recipe in self.wizard.recipes if name == self.draft.recipe)
            self.query_one(PlanPanel).present_recipe(recipe, len(self.members))
            self.query_one(PlanLine).present_recipe(recipe, len(self.members))
        else:
            view = preview(self.draft, self.members, self.speed)
            self.query_one(PlanPanel).present(view, self.further_choices(), self.units)
            self.query_one(PlanLine).present(view, self.units)
        self.show_detail(*self.detail())

    def show_detail(self, text: str, look: str = "") -> None:
        """About the highlighted row, or an error."""
        lines = self.query_one("#detail", Lines)
        lines.show([((f" {line}", look),) for line in wrap(text, max(20, (lines.size.width or 80) - 2))])

    def on_screen_resume(self) -> None:
        self._going_on = False
        if self.is_mounted:
            self.refill()

    def on_resize(self) -> None:
        self.refill()
        self.call_after_refresh(self.refill)  # by then the widgets have their new widths, too

    def units_changed(self) -> None:
        self.refill()

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        self.show_detail(*self.detail())

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "back":
            return len(self.app.screen_stack) > 1  # nothing is before the first step
        return action != "next_list" or len(self.query(PickList)) > 1

    def action_next_list(self) -> None:
        self.focus_next()

    def action_next(self) -> None:
        """By message, so that no earlier choice is overtaken."""
        self.action_go("")

    def action_go(self, step: str) -> None:
        self._going_on = True
        (self.focused or self).post_message(self.WayOn(step))

    @property
    def listens(self) -> bool:
        return super().listens and not self._going_on

    def on_step_screen_way_on(self, way: WayOn) -> None:
        self._going_on = False
        if reason := self.blocker():
            if self.detail()[0] == reason:  # it stands there already, and would look as if nothing came of the key
                self.notify(reason, severity="warning", markup=False)
            self.show_detail(reason, "warn")
            self.app.bell()
        elif way.step and self.leads_to(way.step):
            self.wizard.go_to_step(way.step)
        else:
            self.wizard.go_on(self.STEP)

    def leads_to(self, step: str) -> bool:
        """Can this step be opened from here?"""
        return True

    def action_back(self) -> None:
        self.wizard.go_back()
