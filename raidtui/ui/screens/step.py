"""A step of the selection: what it asks, and the way on. Filled by each step."""

from typing import Any, ClassVar

import msgspec
from textual.binding import Binding, BindingType
from textual.message import Message

from raidtui.core.advice.preview import PreviewSpeed
from raidtui.core.disks.disk import Disk
from raidtui.ui.draft import Draft, chosen
from raidtui.ui.preview import speed_of
from raidtui.ui.render.cells import wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList


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

    def blocker(self) -> str:
        """Why the next step is blocked, or ""."""
        return ""

    def detail(self) -> tuple[str, str]:
        """Text and look, for the highlighted row."""
        return "", ""

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
        self.show_detail(*self.detail())

    def show_detail(self, text: str, look: str = "") -> None:
        """About the highlighted row, or an error."""
        lines = self.query_one("#detail", Lines)
        lines.show(
            [((f" {line}", look),) for line in wrap(text, max(20, (lines.size.width or self.app.size.width) - 2))]
        )

    def on_screen_resume(self) -> None:
        self._going_on = False
        if self.is_mounted:
            self.refill()

    def fit_window(self) -> None:
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
