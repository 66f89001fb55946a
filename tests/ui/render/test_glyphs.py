"""Strips and bars, and the signs that a terminal can show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.ui.render.glyphs import ASCII, UNICODE, bar, history_rows, history_strip, of_terminal, round_top


def test_a_strip_shows_the_newest_at_the_right_and_nothing_where_nothing_was() -> None:
    assert history_strip([None, 0.0, 50.0, 100.0], 6, 100.0, UNICODE) == "    ▄█"
    assert history_strip([1.0, 100.0], 1, 100.0, ASCII) == "#"
    assert history_strip([0.001], 1, 100.0, UNICODE) == "▁"


@given(st.floats(1, 1e13))
def test_a_round_scale_is_at_or_above_and_not_far(value: float) -> None:
    assert value <= round_top(value) <= value * 10


def test_the_console_of_linux_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    assert of_terminal() is ASCII
    assert all(one.isascii() for one in (ASCII.levels, ASCII.full, ASCII.empty, *ASCII.shares.values()))
    assert bar(0.5, 4, ASCII) == "##.."


def test_a_strip_of_several_lines_stands_on_its_lowest() -> None:
    assert history_rows([None, 25.0, 50.0, 75.0, 100.0], 5, 100.0, 2, UNICODE) == ("   ▄█", " ▄███")
    assert history_rows([0.001, 200.0], 3, 100.0, 3, ASCII) == ("  #", "  #", " .#")
    assert history_rows([1.0], 0, 1.0, 2, UNICODE) == ("", "")
