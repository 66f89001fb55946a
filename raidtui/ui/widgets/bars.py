"""The top line: the way, and at its right end which host and disks.

Key bar, built from the active bindings.
"""

from collections.abc import Sequence
from typing import NamedTuple

from textual import events
from textual.screen import Screen
from textual.widgets import Input

from raidtui.ui.render.cells import Line, Piece
from raidtui.ui.render.parts import join
from raidtui.ui.widgets.lines import Lines

WHOLE_WAY = 112  # columns from which every step is named
_SHORT_BADGE = 10
_GAP: Piece = (" › ", "lost/panel")


def way(steps: tuple[str, ...], step: str, right: str, width: int, badge: str = "") -> Line:
    """Steps done, the one here, steps ahead; where they do not fit its number, the one before and the one after it. The
    last parts of `right` (" · " between) are left out first.
    """
    pieces: list[Piece] = [
        (" raidtui ", "!*accent"),
        *([(f" {badge} ", "!*warn")] if badge else []),
        (" ", "/panel"),
    ]
    at = steps.index(step) if step in steps else -1
    spared = len(badge) if len(badge) > _SHORT_BADGE else 0
    whole = [piece for number, name in enumerate(steps) for piece in (_GAP, *_named(name, number - at))][1:]
    taken = sum(len(text) for text, _ in (*pieces, *whole)) + len(right.partition(" · ")[0]) + 2
    if at < 0:
        pieces.append((step, "*accent/panel"))
    elif width - spared >= WHOLE_WAY and taken <= width:
        pieces += whole
    else:
        pieces.append((f"{at + 1}/{len(steps)} ", "dim/panel"))
        for number in range(max(0, at - 1), min(len(steps), at + 2)):
            pieces += [_GAP] if number > max(0, at - 1) else []
            pieces += _named(steps[number], number - at)
    used = sum(len(text) for text, _ in pieces)
    while used + len(right) + 2 > width and right:
        right = right.rpartition(" · ")[0]
    return join((*pieces, (" " * (width - used - len(right) - 1), "/panel"), (f"{right} ", "dim/panel")))


def _named(name: str, ahead: int) -> list[Piece]:
    if ahead < 0:
        return [("✓", "ok/panel"), (name, "text/panel")]
    return [(f"●{name}", "!*accent")] if ahead == 0 else [(name, "dim/panel")]


class StepHeader(Lines):
    """A click on a step that is done leads back to it."""

    def __init__(self, steps: tuple[str, ...], step: str, right: str = "", badge: str = "") -> None:
        super().__init__()
        self._steps, self._step, self._right = steps, step, right
        self._badge = badge

    def present(self, steps: tuple[str, ...], right: str | None = None) -> None:
        self._steps, self._right = steps, self._right if right is None else right
        self._fill()

    def on_mount(self) -> None:
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    def on_click(self, event: events.Click) -> None:
        cell = 0
        for text, _ in self.lines[0]:
            if cell <= event.x < cell + len(text):
                name = text.strip("✓ ")
                if self._step in self._steps and name in self._steps[: self._steps.index(self._step)]:
                    self.app.simulate_key("escape")  # one step back at a time
                return
            cell += len(text)

    def _fill(self) -> None:
        width = self.size.width or self.app.size.width  # before the first layout
        self.show([way(self._steps, self._step, self._right, width, self._badge)])


_LAST = ("runs", "units", "help", "quit")  # by id: what every screen has stands at the end
_FIRST_LEFT_OUT = (  # where not all fit, in this order: those of every screen, then what a step seldom needs
    *("units", "quit", "question.look", "results.copy", "results.new", "disks.sort", "disks.rescan"),
    *("disks.search", "results.cell", "results.scale", "results.base", "results.export"),
)
_GAP_KEY_BAR = 2
_NAMES = {"question_mark": "?", "slash": "/", "escape": "esc", "right": "→", "left": "←"}
_NAMES |= {"left_square_bracket": "[", "right_square_bracket": "]"}
_TYPED = ("question_mark", "space", "left", "right", "backspace")  # keys of a field besides letters


class _Key(NamedTuple):
    """Name on screen, action, key, binding's id."""

    name: str
    does: str
    pressed: str
    binding: str

    @property
    def width(self) -> int:
        return len(self.name) + 1 + len(self.does) + _GAP_KEY_BAR


def _fitting(keys: Sequence[_Key], width: int) -> list[_Key]:
    """Help and back always stay; all keys are in help."""
    keys_kept = list(keys)
    while len(keys_kept) > 1 and sum(key.width for key in keys_kept) - _GAP_KEY_BAR > width:
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

    def mark(self, badge: str) -> None:
        self._badge = badge
        self.fill()

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
            cells += [(shown_key.name, "*accent/panel"), (f" {shown_key.does}" + " " * _GAP_KEY_BAR, "dim/panel")]
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
