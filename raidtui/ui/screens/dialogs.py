"""Scrollable details of the screen below.

Asks for a file name. Escape or an empty name writes nothing.

A question answered by typing a word. Enter on nothing and Escape are no; another word is rejected with a message.
"""

from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from raidtui.ui.paths import path_text
from raidtui.ui.render.cells import Line, wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines, Listing


class DetailsScreen(BaseScreen[None]):
    """`lay_out`: lines for a width; called again by `refill`."""

    HELP = "All there is to read here; the arrow and page keys scroll. Nothing is changed."
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,left,q,d,enter", "back", "back", id="details.back", key_display="esc", tooltip="Back"),
    ]

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

    def action_back(self) -> None:
        self.dismiss(None)

    def _indented(self, width: int) -> list[Line]:
        return [((" ", ""), *line) for line in self._lay_out(max(20, width - 2))]


class _Name(Input):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "write", id="path.write", tooltip="Write the file")
    ]


class PathScreen(BaseScreen[str]):
    """Returns the name or "". A missing suffix is taken from the proposed name."""

    HELP = "Type a file name, or keep the default, and press Enter. Existing files are never overwritten."
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "no", "back", id="path.no", tooltip="Write nothing")]

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
        lines = wrap(text, max(20, self.app.size.width - 3))
        self.query_one("#folder", Lines).show([((f" {line}", "dim"),) for line in lines])

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
        width = max(20, self.app.size.width - 3)
        lines = [line for paragraph in self._question.splitlines() for line in wrap(paragraph, width)]
        self.query_one("#asked", Lines).show_whole([(), *(((f" {line}", "strong"),) for line in lines)])

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
