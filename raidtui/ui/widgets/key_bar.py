"""The bottom line: which keys do what here. Built from the bindings in force, so that it cannot lie."""

from textual import events
from textual.screen import Screen

from raidtui.ui.cells import Cell
from raidtui.ui.widgets.lines import Lines

_LAST = ("units", "help", "quit")  # by id: what every screen has stands at the end
_NAMES = {"question_mark": "?", "slash": "/", "escape": "esc", "right": "→", "left": "←"}


class KeyBar(Lines):
    """One line of keys and what they do; a click presses the key."""

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int, str]] = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)
        self.fill()

    def on_resize(self) -> None:
        self.fill()

    def fill(self) -> None:
        """Shows the keys of the screen as they are now."""
        cells: list[Cell] = []
        places: list[tuple[int, int, str]] = []
        x = 0
        shown: set[str] = set()
        found = self.screen.active_bindings.values()
        for active in sorted(found, key=lambda active: active.binding.id in _LAST):
            binding = active.binding
            if not binding.show or binding.action in shown or not active.enabled:
                continue
            shown.add(binding.action)
            key = binding.key_display or _NAMES.get(binding.key, binding.key)
            width = len(key) + 1 + len(binding.description) + 2
            if self.size.width and x + width - 2 > self.size.width:
                break
            cells += [(key, "accent"), (f" {binding.description}  ", "dim")]
            places.append((x, x + width, binding.key))
            x += width
        self._places = places
        self.show([tuple(cells)])

    def on_click(self, event: events.Click) -> None:
        for start, end, key in self._places:
            if start <= event.x < end:
                self.app.simulate_key(key)

    def _bindings_changed(self, _screen: Screen[object]) -> None:
        if self.is_attached:
            self.fill()
