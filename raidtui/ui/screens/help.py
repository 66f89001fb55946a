"""Help: what the screen underneath is about, and every key that works there."""

from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.ui.cells import Line, fit, wrap
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing

_COMMON = (
    "MB/s is 10^6 bytes a second and TB 10^12 bytes; MiB/s is 2^20 and TiB 2^40. u switches the whole program.",
    "The mouse works too: click a row, click a key in the bottom line, turn the wheel.",
)


class HelpScreen(BaseScreen[None]):
    """Any of the leaving keys goes back."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,f1,question_mark", "leave", "back", id="help.back")
    ]

    def __init__(self, about: BaseScreen[Any]) -> None:
        super().__init__()
        self._about = about
        self._keys = [
            (active.binding.key_display or key, active.binding.description, active.tooltip)
            for key, active in about.active_bindings.items()
            if active.binding.description and active.enabled and not key.startswith("ctrl")
        ]

    def content(self) -> ComposeResult:
        yield Lines([((" Help", "strong"),)], id="question")
        yield Listing(self._lay_out, id="help")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        """Help on help is the way back."""
        self.dismiss(None)

    def _lay_out(self, width: int) -> list[Line]:
        lines: list[Line] = [((f" {text}", ""),) for text in wrap(self._about.help_text, width - 3)]
        lines += [(), ((" Keys", "head"),)]
        for key, description, tooltip in self._keys:
            lines.append(((fit(f"   {key}", 16), "accent"), (fit(description, 16), ""), (tooltip, "dim")))
        lines += [()]
        for text in _COMMON:
            lines += [((f" {line}", "dim"),) for line in wrap(text, width - 3)]
        return lines
