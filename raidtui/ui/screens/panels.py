"""A step as panels: a table of proposals on top, what the row under the cursor gives below. Filled by each step.

A step of the selection: what it asks, and the way on. Filled by each step.
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from raidtui.core.advice.preview import LevelPreview, PreviewSpeed
from raidtui.core.advice.proposals import Advice
from raidtui.core.disks.disk import Disk
from raidtui.ui.draft import Draft, chosen
from raidtui.ui.preview import advice_of, offered, preview, speed_of
from raidtui.ui.render.cells import Line, wrapped
from raidtui.ui.render.parts import join
from raidtui.ui.render.walk.level_rows import so_far
from raidtui.ui.screens.base import QUIT_KEY, BaseScreen
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import OptionPick, PickList
from raidtui.ui.widgets.sizes import WIDE


class StepScreen(BaseScreen[None]):
    class WayOn(Message):
        """Forward, after all choices made before: to this step, or the next one."""

        def __init__(self, step: str = "") -> None:
            super().__init__()
            self.step = step

    QUESTION: ClassVar[str] = ""
    _going_on = False  # from Enter until the next step is there, or is refused
    _fitted_to: Sequence[Size] = ()  # of the window and the widgets, when they were fitted last
    BINDINGS = bindings(
        bound("enter,right", "next", "next", "step.next", "Next step"),
        bound("escape,left,backspace", "back", "back", "step.back", "Previous step"),
        bound("tab", "next_list", "next list", "step.next-list", "Next list of this step"),
        QUIT_KEY,
    )

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
    def offered(self) -> tuple[Disk, ...]:
        return offered(self.draft, self.all_chosen)

    @property
    def all_chosen(self) -> tuple[Disk, ...]:
        return chosen(self.draft, self.wizard.scan.disks)

    @property
    def speed(self) -> PreviewSpeed:
        """Of one of them."""
        return speed_of(self.members, self.wizard.scan.measured_speeds)

    def change(self, **answers: Any) -> None:
        self.take(self.draft.having(**answers))

    def take(self, draft: Draft) -> None:
        self.wizard.draft = draft
        self.refill()

    def refill(self) -> None:
        for pick_list in self.query(PickList):
            pick_list.refill()
        self.show_detail(*self.detail())

    def show_detail(self, text: str, look: str = "") -> None:
        """About the highlighted row, or an error."""
        lines = self.lines("detail")
        lines.show(wrapped(text, max(20, (lines.size.width or self.window_width) - 2), look, " "))

    def on_screen_resume(self) -> None:
        self._going_on = False
        if self.is_mounted and self._fitted_to:  # the first time it is filled to fit the window
            self.refill()

    def fit_window(self) -> None:
        self._fit_widgets()
        self.call_after_refresh(self._fit_widgets)  # by then the widgets have their new sizes, too

    def _fit_widgets(self) -> None:
        """Unless all are as large as when they were filled for it last."""
        sizes = [self.app.size, *(widget.size for widget in self.query(Widget))]
        if sizes != self._fitted_to:
            self._fitted_to = sizes
            self.refill()

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
            self.to_blocker()
        elif way.step and self.leads_to(way.step):
            self.wizard.go_to_step(way.step)
        else:
            self.wizard.go_on(self.STEP)

    def to_blocker(self) -> None:
        """To where it can be mended."""

    def leads_to(self, step: str) -> bool:
        """Can this step be opened from here?"""
        return True

    def action_back(self) -> None:
        self.wizard.go_back()


SIDE_BY_SIDE = 100  # columns from which the reasons stand beside the drawing


class PanelStep(StepScreen):
    turns: tuple[Widget, ...] = ()
    _rooms: Sequence[Size] = ()  # of the panels at the foot, when they were filled last
    beside = 54  # columns of the panel at the right
    above = 0  # lines between the top line and the panels at the foot
    BINDINGS = bindings(
        bound("tab", "next_list", "next list", "step.next-list", "Next list of this step", show=False),
        bound("v", "go('Review')", "review", "step.review", "Straight to Review, with all proposals"),
    )

    def content(self) -> ComposeResult:
        self.set_class(self.aside, "-aside")
        yield self.header()
        yield Lines([self.asked()], id="question")
        yield from self.panels()

    def panels(self) -> ComposeResult:
        yield from ()

    def on_mount(self) -> None:
        self.query(PickList).first().focus()
        self.screen_layout_refresh_signal.subscribe(self, self._laid_out)

    def _laid_out(self, _: object) -> None:
        """The foot may have another room."""
        rooms = [panel.size for panel in self.query("#below > .panel")]
        if rooms != self._rooms:
            self._rooms = rooms
            self.fill()

    @property
    def place(self) -> str:
        selected = f"{self.wizard.host} · {len(self.draft.disks)} of {len(self.wizard.scan.disks)} disks"
        return self.wizard.removing or selected

    @property
    def aside(self) -> bool:
        return self.window_width >= SIDE_BY_SIDE

    @property
    def wide(self) -> bool:
        return self.window_width >= WIDE

    @property
    def detail_lines(self) -> int:
        return 1 if self.wide else 2

    @property
    def edge(self) -> int:
        """Columns that the sides of a panel take."""
        return 2 if self.low else 4

    @property
    def view(self) -> LevelPreview:
        return preview(self.draft, self.members, self.speed)

    @property
    def advice(self) -> Advice | None:
        """None without a purpose or proposal."""
        advice = advice_of(self.draft, self.offered, self.speed)
        return advice if isinstance(advice, Advice) else None

    def on_pick_list_moved(self, moved: PickList.Moved) -> None:
        if moved.pick_list is self.turns[0] and not isinstance(moved.pick_list, OptionPick):
            self.choose(moved.index)

    on_pick_list_clicked = on_pick_list_moved

    def choose(self, index: int) -> None:
        """The row of the table is what is taken."""

    def asked(self) -> Line:
        """The question, and the array as it is chosen so far."""
        return join(((f" {self.QUESTION}", "strong"), (f"   {self.so_far()}", "dim")))

    def so_far(self) -> str:
        return so_far(self.view)

    def tall(self, rows: int) -> int:
        """Lines of a table in its panel."""
        return rows + (2 if self.low else 3)

    def foot(self, name: str, left: Sequence[Line], title: str, right: Sequence[Line]) -> Horizontal:
        """The panels below the table: `name` is the left one's id, `title` the right one's."""
        beside = Lines(right, id="why", classes="panel")
        beside.styles.width = self.beside
        beside.entitle(title)
        return Horizontal(Lines(left, id=name, classes="panel"), beside, id="below")

    def refill(self) -> None:
        for pick in self.query(OptionPick):
            pick.fit_height()
        for panel in self.query("#why"):
            panel.styles.width = self.beside
        self.lines("question").show([self.asked()])
        for pick_list in self.query(PickList):
            pick_list.refill()
        table = self.turns[0]
        if isinstance(table, PickList) and not isinstance(table, OptionPick) and table.rows:
            table.styles.height = self.tall(len(table.rows))
        self.set_class(self.aside, "-aside")
        self.show_detail(*self.detail())
        self.fill()

    def fill(self) -> None:
        """What stands below the table."""

    def room(self, selector: str) -> tuple[int, int]:
        """Columns and lines inside the panel at the foot, known before it is laid out."""
        laid = [panel.size for panel in self.query(selector) if panel.size.width]
        if laid:
            return laid[0]
        lines = self.window_height - 2 - self.above - (1 if self.low else 2)
        return self.window_width - (self.beside if self.aside else 0) - self.edge, lines

    # --- what takes the table's place -----------------------------------------------------------------------------

    def turning(self, *widgets: Widget) -> tuple[Widget, ...]:
        """One of them is shown at a time, the first at the beginning."""
        for number, widget in enumerate(widgets):
            widget.display = not number
        self.turns = widgets
        return widgets

    @property
    def turned_to(self) -> Widget:
        return next(widget for widget in self.turns if widget.display)

    def action_turn_to(self, name: str) -> None:
        """This list or form in place of the one before; the same key leads back."""
        target = next((one for one in self.turns if one.id == name and not one.display), self.turns[0])
        for one in self.turns:
            one.display = one is target
        self.set_focus(self._lists_of(target)[0])
        self.refresh_bindings()

    def action_next_list(self) -> None:
        lists = self._lists_of(self.turned_to)
        at = next((number for number, one in enumerate(lists) if one is self.focused), 0) + 1
        if at < len(lists):
            self.set_focus(lists[at])
        else:
            following = (self.turns.index(self.turned_to) + 1) % len(self.turns)
            self.action_turn_to(self.turns[following].id or "")

    def _lists_of(self, turn: Widget) -> list[Widget]:
        within = [one for one in turn.query("PickList, TypedLine").results(Widget) if one.focusable]
        return [turn] if isinstance(turn, PickList) else within

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "turn_to":
            return any(one.id == parameters[0] for one in self.turns[1:])
        if action == "next_list":
            return len(self.turns) > 1
        return super().check_action(action, parameters)

    def action_next(self) -> None:
        """From what came in place of the table back to it."""
        if self.turned_to is self.turns[0]:
            super().action_next()
        else:
            self.action_turn_to("")

    def action_back(self) -> None:
        if self.turned_to is self.turns[0]:
            super().action_back()
        else:
            self.action_turn_to("")
