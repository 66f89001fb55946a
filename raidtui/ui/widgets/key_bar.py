"""Key bar, built from the active bindings."""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.screen import Screen
from textual.widgets import Input

from raidtui.ui.render.cells import Piece
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.step_header import StepHeader

_LAST = ("runs", "units", "help", "quit")  # by id: what every screen has stands at the end
_FIRST_LEFT_OUT = (  # where not all fit, in this order
    "units", "question.look", "results.picture", "results.copy", "results.new", "results.hand-over", "disks.all",
    "disks.sort", "disks.rescan", "disks.search", "results.cell", "results.scale", "results.base",
)  # fmt: skip
_GAP = 2
_NAMES = {"question_mark": "?", "slash": "/", "escape": "esc", "right": "→", "left": "←"}
_TYPED = ("question_mark", "space", "left", "right", "backspace")  # keys of a field besides letters


class _Key(NamedTuple):
    """Name on screen, action, key, binding's id."""

    name: str
    does: str
    pressed: str
    binding: str

    @property
    def width(self) -> int:
        return len(self.name) + 1 + len(self.does) + _GAP


def _fitting(keys: Sequence[_Key], width: int) -> list[_Key]:
    """Help and back always stay; all keys are in help."""
    keys_kept = list(keys)
    while len(keys_kept) > 1 and sum(key.width for key in keys_kept) - _GAP > width:
        spared = next((key for name in _FIRST_LEFT_OUT for key in keys_kept if key.binding == name), None)
        other_keys = [key for key in keys_kept if key.binding not in _LAST and key.pressed != "escape"]
        keys_kept.remove(spared or (other_keys or keys_kept)[-1])
    return keys_kept


def key_name(key: str) -> str:
    return _NAMES.get(key, key)


class KeyBar(Lines):
    """A click presses the key."""

    def __init__(self, badge: str = "") -> None:
        """`badge`: shown on a screen without a top line of its own."""
        super().__init__()
        self._badge = badge
        self._places: list[tuple[int, int, str]] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)
        self.fill()

    def on_resize(self) -> None:
        self.fill()

    def fill(self) -> None:
        keys: list[_Key] = []
        actions: set[str] = set()
        active_bindings = self.screen.active_bindings.values()
        typing = isinstance(self.screen.focused, Input)
        for active in sorted(active_bindings, key=lambda active: active.binding.id in _LAST):
            binding = active.binding
            if not binding.show or binding.action in actions or not active.enabled:
                continue
            if typing and (len(binding.key) == 1 or binding.key in _TYPED):
                continue  # it would be typed
            actions.add(binding.action)
            key = key_name(binding.key) if typing else binding.key_display or key_name(binding.key)
            keys.append(_Key(key, binding.description, binding.key, binding.id or ""))
        cells: list[Piece] = []
        places: list[tuple[int, int, str]] = []
        cell_at = 0
        if self._badge and not self.screen.query(StepHeader):
            cells, cell_at = [(f" {self._badge} ", "!*warn"), (" ", "/panel")], len(self._badge) + 3
        for shown_key in _fitting(keys, (self.size.width or self.app.size.width) - cell_at):
            cells += [(shown_key.name, "*accent/panel"), (f" {shown_key.does}" + " " * _GAP, "dim/panel")]
            places.append((cell_at, cell_at + shown_key.width, shown_key.pressed))
            cell_at += shown_key.width
        self._places = places
        self.show([tuple(cells)])

    def on_click(self, event: events.Click) -> None:
        for start, end_cell, key in self._places:
            if start <= event.x < end_cell:
                self.app.simulate_key(key)

    def _bindings_changed(self, _screen: Screen[object]) -> None:
        if self.is_attached:
            self.fill()
