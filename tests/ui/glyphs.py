"""Lines for terminals that can draw less."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from raidtui.ui.render import cells
from raidtui.ui.render.cells import ASCII, MONO, Glyphs


@contextmanager
def drawn_in(glyphs: Glyphs) -> Iterator[None]:
    """The terminal has these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "linux" if glyphs is ASCII else "xterm-256color")
        patch.setattr(cells, "_colours", glyphs is not MONO)
        assert cells.of_terminal() is glyphs
        yield
