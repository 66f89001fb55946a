"""Help of the screen below: its keys, its words, what it is; all words."""

from collections.abc import Sequence
from typing import Any

from textual.app import ComposeResult

from raidtui.ui.render.cells import Line, fit, wrap, wrapped
from raidtui.ui.render.words import WORDS
from raidtui.ui.screens.base import BaseScreen
from raidtui.ui.widgets.bars import key_name
from raidtui.ui.widgets.bindings import bindings, bound
from raidtui.ui.widgets.lines import Listing
from raidtui.ui.widgets.named_field import SearchField

_COMMON = (
    "MB/s is 10^6 bytes a second and TB 10^12 bytes; MiB/s is 2^20 and TiB 2^40. u switches the whole program.",
    "The mouse works too: click a row, click a key in the bottom line, turn the wheel.",
)
_OF_ALL = ("units", "runs", "picture", "help", "quit", "app.quit", "app.commands")  # their keys come last
_MOVING = ("arrows, page keys", "move", "In a list or a text; home and end too")


class HelpScreen(BaseScreen[None]):
    """Lists unavailable keys of the screen, too."""

    BINDINGS = bindings(
        bound("escape,q,enter,f1,question_mark", "leave", "back", "help.back", key_display="esc"),
        bound("slash", "search", "search", "help.search", "Words of all screens", key_display="/"),
    )

    def __init__(self, about: BaseScreen[Any]) -> None:
        super().__init__()
        self._about = about
        self._keys: dict[tuple[str, str], list[str]] = {}
        active_bindings = sorted(about.active_bindings.items(), key=lambda one: (one[1].binding.id or "") in _OF_ALL)
        for key, active in active_bindings:
            if active.binding.id and active.binding.description:  # Textual's own have no id
                self._keys.setdefault((active.binding.description, active.tooltip), []).append(key_name(key))

    def content(self) -> ComposeResult:
        yield self.header("Help")
        yield Listing(self._lay_out, id="help")
        yield SearchField(id="search")

    def on_mount(self) -> None:
        self.query_one(Listing).focus()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_help(self) -> None:
        """Returns."""
        self.dismiss(None)

    def action_search(self) -> None:
        self.query_one(SearchField).open()

    def on_input_changed(self) -> None:
        self.query_one(Listing).refill()

    def _lay_out(self, width: int) -> list[Line]:
        """Keys of the screen, its words, what it is; then what all have."""
        terms = self._about.TERMS
        others = sorted(set(WORDS) - set(terms), key=str.casefold)
        for search in self.query(SearchField):
            if typed := search.value.casefold().split():
                every = (*terms, *others)
                found = [term for term in every if all(word in f"{term} {WORDS[term]}".casefold() for word in typed)]
                return _explained("Words", found, width) or [((" No word has that.", "dim"),)]
        rows = [*((", ".join(keys), *description_tooltip) for description_tooltip, keys in self._keys.items()), _MOVING]
        lines = [((" Keys", "head"),), *_keys(rows, width), *_explained("Words", terms, width), ()]
        lines += wrapped(self._about.help_text, width - 3, "", " ")
        lines += [()]
        for text in _COMMON:
            lines += wrapped(text, width - 3, "dim", " ")
        return lines + _explained("Other words", others, width)


def _keys(rows: Sequence[tuple[str, str, str]], width: int) -> list[Line]:
    lines: list[Line] = []
    first, second = (max(len(row[column]) for row in rows) + 2 for column in (0, 1))
    for keys, description, tooltip in rows:
        tooltip_lines = wrap(tooltip, max(20, width - first - second - 4))
        lines.append(((f"   {fit(keys, first)}", "accent"), (fit(description, second), ""), (tooltip_lines[0], "dim")))
        lines += [((" " * (3 + first + second), ""), (text, "dim")) for text in tooltip_lines[1:]]
    return lines


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
