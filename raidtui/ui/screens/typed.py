"""A question that is answered by typing a word. No is the default: Enter on nothing, Escape, anything else."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from raidtui.ui.render.cells import wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines


class TypedScreen(BaseScreen[bool]):
    """Gives True only if `expected` was typed, exactly."""

    HELP = "Type the word that stands there and press Enter. Escape, or Enter alone, means no."
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "no", "no, go back", id="typed.no")]

    def __init__(self, question: str, expected: str) -> None:
        super().__init__()
        self._question = question
        self._expected = expected

    def content(self) -> ComposeResult:
        yield Lines(id="asked")
        yield Lines([((" Type  ", ""), (self._expected, "head"), ("  and Enter; Enter alone means no.", ""))])
        field = Input(id="answer", compact=True)
        field.cursor_blink = False
        yield field

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed right behind is not lost

    def on_resize(self) -> None:
        lines = wrap(self._question, max(20, self.size.width - 3))
        self.query_one("#asked", Lines).show([(), *(((f" {line}", "strong"),) for line in lines)])

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        submitted.stop()
        self.dismiss(submitted.value.strip() == self._expected)

    def action_no(self) -> None:
        self.dismiss(False)
