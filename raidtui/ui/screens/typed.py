"""A question answered by typing a word. Enter on nothing and Escape are no; another word is rejected with a message."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from raidtui.ui.render.cells import wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines


class TypedScreen(BaseScreen[bool]):
    """True only for `expected`; False for nothing; else asked again."""

    HELP = "Type the given word and press Enter. Escape, or Enter alone, means no."
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "no", "no", id="typed.no")]

    def __init__(self, question: str, expected: str) -> None:
        super().__init__()
        self._question = question
        self._expected = expected

    def content(self) -> ComposeResult:
        yield Lines(id="asked")
        yield Lines([((" Type  ", ""), (self._expected, "head"), ("  and Enter; Enter alone means no.", ""))])
        field = Input(placeholder="type it here", id="answer", compact=True)
        field.cursor_blink = False
        yield field
        yield Lines(id="said")

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed right behind is not lost

    def fit_window(self) -> None:
        lines = wrap(self._question, max(20, self.app.size.width - 3))
        self.query_one("#asked", Lines).show([(), *(((f" {line}", "strong"),) for line in lines)])

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        submitted.stop()
        typed = submitted.value.strip()
        if typed in ("", self._expected):
            self.dismiss(bool(typed))
            return
        submitted.input.value = ""
        self.query_one("#said", Lines).show([((f" Nothing was done: type exactly `{self._expected}`", "warn"),)])
        self.app.bell()

    def action_no(self) -> None:
        self.dismiss(False)
