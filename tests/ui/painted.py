"""What a terminal shows of all that was sent to it, to be held against what the screen is."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot

from raidtui.ui.render.sgr import fewer
from tests.ui.pilots import on_screen

_PART = re.compile(r"\x1b\[(\d+);(\d+)H|\x1b\[[\d;?]*[a-zA-Z]|\r?(\n)|(.)", re.DOTALL)


class Painted:
    """Characters by line and column, as they were sent last."""

    def __init__(self) -> None:
        self.bytes = 0  # sent since it was set to 0, as the driver sends them
        self._cells: dict[tuple[int, int], str] = {}

    def clear(self) -> None:
        self._cells.clear()

    def take(self, sent: str) -> None:
        self.bytes += len(fewer(sent).encode())
        line = column = 0
        for to_line, to_column, newline, char in _PART.findall(sent):
            if to_line:
                line, column = int(to_line) - 1, int(to_column) - 1
            elif newline:
                line, column = line + 1, 0
            elif char:
                self._cells[line, column] = char
                column += cell_len(char)

    def text(self, width: int, height: int) -> str:
        rows = ("".join(self._cells.get((line, column), " ") for column in range(width)) for line in range(height))
        return "\n".join(row.rstrip() for row in rows)


@contextmanager
def painted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Painted]:
    """What each app sends while the block lasts; nothing is sent to the terminal of the tests."""
    terminal, display = Painted(), App._display

    def displayed(self: App[Any], screen: Any, renderable: Any) -> None:
        if renderable is not None and self._running and not self._closed:
            terminal.take(renderable.render_segments(self.console))
        display(self, screen, renderable)

    monkeypatch.setattr(App, "_display", displayed)
    yield terminal


async def shown(pilot: Pilot[int]) -> str:
    """What the screen is, once nothing is due any more."""
    await pilot.pause()
    return await on_screen(pilot)
