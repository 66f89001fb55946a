"""A step as panels: a table of proposals on top, what the row under the cursor gives below. Filled by each step."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.widget import Widget

from raidtui.core.advice.preview import LevelPreview
from raidtui.core.advice.proposals import Advice
from raidtui.ui.preview import advice_of, preview
from raidtui.ui.render.cells import Line
from raidtui.ui.render.parts import join
from raidtui.ui.render.walk.level_rows import so_far
from raidtui.ui.screens.step import StepScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.option_list import OptionPick
from raidtui.ui.widgets.pick_list import PickList
from raidtui.ui.widgets.sizes import HIGH, WIDE

SIDE_BY_SIDE = 100  # columns from which the reasons stand beside the drawing


class PanelStep(StepScreen):
    turns: tuple[Widget, ...] = ()
    beside = 54  # columns of the panel at the right
    above = 0  # lines between the top line and the panels at the foot
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "next_list", "next list", id="step.next-list", show=False, tooltip="Next list of this step"),
        Binding("v", "go('Review')", "review", id="step.review", tooltip="Straight to Review, with all proposals"),
    ]

    def content(self) -> ComposeResult:
        self.set_class(self.aside, "-aside")
        yield self.header()
        yield Lines([self.asked()], id="question")
        yield from self.panels()

    def panels(self) -> ComposeResult:
        yield from ()

    def on_mount(self) -> None:
        self.query(PickList).first().focus()

    @property
    def place(self) -> str:
        return f"{self.wizard.host} · {len(self.draft.disks)} of {len(self.wizard.scan.disks)} disks"

    @property
    def low(self) -> bool:
        return self.app.size.height < HIGH

    @property
    def aside(self) -> bool:
        return self.app.size.width >= SIDE_BY_SIDE

    @property
    def wide(self) -> bool:
        return self.app.size.width >= WIDE

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
        advice = advice_of(self.draft, self.members, self.speed)
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
        self.query_one("#question", Lines).show([self.asked()])
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
        lines = self.app.size.height - 2 - self.above - (1 if self.low else 2)
        return self.app.size.width - (self.beside if self.aside else 0) - self.edge, lines

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

    @staticmethod
    def _lists_of(turn: Widget) -> list[Widget]:
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
