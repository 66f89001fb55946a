"""Asks for a file name. Escape or an empty name writes nothing."""

from pathlib import Path, PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input

from raidtui.ui.paths import path_text
from raidtui.ui.render.cells import wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines


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
