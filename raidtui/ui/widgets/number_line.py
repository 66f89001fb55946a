"""Selection of a small number by key or click."""

from textual import events
from textual.message import Message

from raidtui.ui.render.cells import Piece
from raidtui.ui.widgets.lines import Lines


class NumberLine(Lines):
    """`before`, `after` the numbers 0 to `most`; the current one is in brackets."""

    class Taken(Message):
        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, before: str, most: int, after: str, *, id: str) -> None:
        super().__init__(id=id)
        self._before, self._most, self._after = before, most, after

    def present(self, taken: int | None) -> None:
        """None: not asked."""
        if taken is None:
            self.show([])
            return
        cells: list[Piece] = [(f" {self._before} ", "dim")]
        for number in range(self._most + 1):
            cells.append((f"[{number}]", "head") if number == taken else (f" {number} ", "accent"))
        self.show([(*cells, (f" {self._after}", "dim"))])

    def on_click(self, event: events.Click) -> None:
        number = (event.x - len(self._before) - 2) // 3
        if self.lines and event.y == 0 and event.x > len(self._before) + 1 and number <= self._most:
            self.post_message(self.Taken(number))
