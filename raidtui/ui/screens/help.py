"""Help of the screen below: text, terms, all its keys, glossary."""

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from raidtui.ui.render.cells import Line, fit, wrap
from raidtui.ui.render.words import WORDS
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.bars import key_name
from raidtui.ui.widgets.lines import Lines, Listing

_COMMON = (
    "MB/s is 10^6 bytes a second and TB 10^12 bytes; MiB/s is 2^20 and TiB 2^40. u switches the whole program.",
    "The mouse works too: click a row, click a key in the bottom line, turn the wheel.",
)
_MOVING = ("arrows, page keys", "move", "In a list or a text; home and end too")


class HelpScreen(BaseScreen[None]):
    """Lists unavailable keys of the screen, too."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,f1,question_mark", "leave", "back", id="help.back", key_display="esc")
    ]

    def __init__(self, about: BaseScreen[Any]) -> None:
        super().__init__()
        self._about = about
        self._keys: dict[tuple[str, str], list[str]] = {}
        for key, active in about.active_bindings.items():
            if active.binding.id and active.binding.description:  # Textual's own have no id
                self._keys.setdefault((active.binding.description, active.tooltip), []).append(key_name(key))

    def content(self) -> ComposeResult:
        yield Lines([((" Help", "strong"),)], id="question")
        yield Listing(self._lay_out, id="help")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        """Returns."""
        self.dismiss(None)

    def _lay_out(self, width: int) -> list[Line]:
        lines: list[Line] = [((f" {text}", ""),) for text in wrap(self._about.help_text, width - 3)]
        terms = self._about.TERMS
        lines += _explained("Words", terms, width)
        lines += [(), ((" Keys", "head"),)]
        rows = [*((", ".join(keys), *description_tooltip) for description_tooltip, keys in self._keys.items()), _MOVING]
        rows.sort(key=lambda row: row[0].startswith("ctrl"))  # those of the whole program last
        first, second = (max(len(row[column]) for row in rows) + 2 for column in (0, 1))
        for keys, description, tooltip in rows:
            tooltip_lines = wrap(tooltip, max(20, width - first - second - 4))
            lines.append(
                ((f"   {fit(keys, first)}", "accent"), (fit(description, second), ""), (tooltip_lines[0], "dim"))
            )
            lines += [((" " * (3 + first + second), ""), (text, "dim")) for text in tooltip_lines[1:]]
        lines += [()]
        for text in _COMMON:
            lines += [((f" {line}", "dim"),) for line in wrap(text, width - 3)]
        return lines + _explained("Other words", sorted(set(WORDS) - set(terms), key=str.casefold), width)


def _explained(heading: str, terms: Sequence[str], width: int) -> list[Line]:
    if not terms:
        return []
    lines: list[Line] = [(), ((f" {heading}", "head"),)]
    longest = max(map(len, terms)) + 2
    for term in terms:
        first, *others = wrap(WORDS[term], max(20, width - longest - 4))
        lines.append(((f"   {fit(term, longest)}", "accent"), (first, "dim")))
        lines += [((" " * (3 + longest), ""), (text, "dim")) for text in others]
    return lines
