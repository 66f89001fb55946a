"""Scales, and the signs that a terminal can show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.ui.render.cells import ASCII, of_terminal, round_top


@given(st.floats(1, 1e13))
def test_a_round_scale_is_at_or_above_and_not_far(value: float) -> None:
    assert value <= round_top(value) <= value * 10


def test_the_console_of_linux_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    assert of_terminal() is ASCII
    assert all(one.isascii() for one in (ASCII.shades, ASCII.gap))
