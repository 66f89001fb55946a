"""Scrollable details of the screen below.

Asks for a file name. Escape or an empty name writes nothing.

A question answered by typing a word. Enter on nothing and Escape are no; another word is rejected with a message.
"""

from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any

from textual.app import App, ComposeResult
from textual.widgets import Input

from raidtui.ui.confirmation import Prompt
from raidtui.ui.paths import path_text
from raidtui.ui.render.cells import Line
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Lines, Listing


class DetailsScreen(BaseScreen[None]):
    """`lay_out`: lines for a width; called again by `refill`."""

    HELP = "All there is to read here; the arrow and page keys scroll. Nothing is changed."
    BINDINGS = bindings(
        bound("escape,left,q,d,enter", "back", "back", "details.back", "Back", key_display="esc"),
    )

    def __init__(self, lay_out: Callable[[int], Sequence[Line]]) -> None:
        super().__init__()
        self._lay_out = lay_out

    def content(self) -> ComposeResult:
        yield self.header("Details")
        yield Listing(self._indented, id="details")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()

    def refill(self) -> None:
        """Also before the list exists."""
        for listing in self.query(Listing):
            listing.refill()

    def units_changed(self) -> None:
        self.refill()

    def _indented(self, width: int) -> list[Line]:
        return [((" ", ""), *line) for line in self._lay_out(max(20, width - 2))]


class _Name(Input):
    BINDINGS = bindings(bound("enter", "submit", "write", "path.write", "Write the file"))


class PathScreen(BaseScreen[str]):
    """Returns the name or "". A missing suffix is taken from the proposed name."""

    HELP = "Type a file name, or keep the default, and press Enter. Existing files are never overwritten."
    BINDINGS = bindings(bound("escape", "no", "back", "path.no", "Write nothing"))

    def __init__(self, question: str, default: str) -> None:
        super().__init__()
        self._question = question
        self._default = default

    def content(self) -> ComposeResult:
        yield Lines([(), ((f" {self._question}", "strong"),)], id="asked")
        yield Lines(id="folder")
        field = _Name(self._default, id="answer", compact=True)  # selected: typing replaces it
        field.cursor_blink = False
        yield field

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))  # at once: what is typed right behind is not lost

    def fit_window(self) -> None:
        text = f"A name without a folder goes to {path_text(Path.cwd())}."
        self.lines("folder").show(self.paragraph(text, "dim"))

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        submitted.stop()
        name = submitted.value.strip()
        ending = PurePath(self._default).suffix
        self.dismiss(name + ending if name and not PurePath(name).suffix else name)

    def action_no(self) -> None:
        self.dismiss("")


class TypedScreen(BaseScreen[bool]):
    """True only for `expected`; False for nothing; else asked again."""

    HELP = "Type the given word and press Enter. Escape, or Enter alone, means no."
    BINDINGS = bindings(bound("escape", "no", "no", "typed.no"))

    def __init__(self, asked: Prompt) -> None:
        super().__init__()
        self._question, self._expected = asked.question, asked.expected

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
        lines = [line for text in self._question.splitlines() for line in self.paragraph(text, "strong")]
        self.lines("asked").show_whole([(), *lines])

    def on_input_submitted(self, submitted: Input.Submitted) -> None:
        submitted.stop()
        typed = submitted.value.strip()
        if typed in ("", self._expected):
            self.dismiss(bool(typed))
            return
        submitted.input.value = ""
        self.lines("said").show([((f" Nothing was done: type exactly `{self._expected}`", "warn"),)])
        self.app.bell()

    def action_no(self) -> None:
        self.dismiss(False)


def ask_typed(
    app: App[Any], asked: Prompt, then: Callable[[], object], refused: Callable[[], object] = lambda: None
) -> None:
    """`then` is done if the word is typed, `refused` if not."""

    def typed(agreed: bool | None) -> None:
        (then if agreed else refused)()

    app.push_screen(TypedScreen(asked), typed)
