"""Parts of the screens: as wide as asked, the same told with and without coloured grounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from raidtui.ui.render import parts
from raidtui.ui.render.cells import ASCII, MONO, UNICODE, Glyphs, Line
from tests.ui.glyphs import drawn_in

SETS = st.sampled_from((UNICODE, MONO, ASCII))


def text(line: Line) -> str:
    return "".join(piece for piece, _ in line)


@given(st.floats(-1, 2), st.integers(0, 60), SETS)
def test_bars_have_the_width_asked(share: float, width: int, glyphs: Glyphs) -> None:
    split = ((share / 3, "data"), (share / 3, "parity"))
    with drawn_in(glyphs):
        assert cell_len(text(parts.bar(share, width, "ok"))) == width
        assert cell_len(text(parts.split_bar(split, width))) == width
    if width:
        assert cell_len(text(parts.expected_bar(share, width))) == width
        assert cell_len(text(parts.one_disk_bar(share, width))) == width


def test_a_bar_is_half_a_line_high_and_ends_to_half_a_cell() -> None:
    assert parts.bar(0.5, 4, "ok") == (("▄▄", "ok"), ("  ", ""))
    assert text(parts.bar(0.6, 4, "ok", "·")) == "▄▄▖·"
    assert text(parts.bar(0.01, 4, "ok")) == "▖   " and text(parts.bar(0.0, 4, "ok")) == "    "


def test_heat_is_brighter_or_denser_and_nothing_when_idle() -> None:
    assert [parts.heat(share, "r", UNICODE) for share in (None, 0.04, 0.06, 1.0)] == [
        (" ", ""),
        (" ", ""),
        (" ", "/r1"),
        (" ", "/r6"),
    ]
    assert "".join(parts.heat(share / 5, "w", ASCII)[0] for share in range(6)) == " -=+*#"
    assert parts.heat(1.0, "r", MONO)[0] == "█"


@given(st.floats(0, 1e9), st.floats(0, 1e9), st.integers(1, 12), SETS)
def test_a_column_has_its_rows_and_the_faster_is_not_lower(
    read: float, write: float, rows: int, glyphs: Glyphs
) -> None:
    with drawn_in(glyphs):
        column = parts.column((read, write), 2e9, rows)
        twice = parts.column((2 * read, 2 * write), 2e9, rows)
    assert len(column) == rows and all(cell_len(char) == 1 for char, _ in column)

    def filled(pieces: tuple[tuple[str, str], ...]) -> int:
        return sum(char != " " or look != "" for char, look in pieces)

    assert filled(column) <= filled(twice)


def test_both_directions_are_stacked_and_a_small_one_is_not() -> None:
    looks = [look for _, look in parts.column((50.0, 50.0), 100.0, 4)]
    assert looks == ["/r5", "/r5", "/w5", "/w5"]
    assert {look[1] for _, look in parts.column((97.0, 3.0), 100.0, 4)} == {"r"}


@pytest.mark.parametrize("number", ["1.28k", "569", "0", "1,234", "98.5M", "–"])
def test_big_figures_are_three_lines_of_one_width(number: str) -> None:
    lines = parts.big(number, "ok")
    assert len(lines) == 3 and len({len(text(line)) for line in lines}) == 1
    with drawn_in(ASCII):
        assert number in "".join(map(text, parts.big(number, "ok")))


def test_a_title_line_fills_its_width() -> None:
    for low in (True, False):
        assert cell_len(text(parts.title_line((("Level", "*strong"),), 40, low))) == 40


def test_neighbours_of_one_look_are_one_and_a_blank_takes_the_look_before_it() -> None:
    assert parts.join((("a", "x"), ("b", "x"), (" ", ""), ("c", "y"))) == (("ab ", "x"), ("c", "y"))
    assert parts.join((("a", "/x"), (" ", ""), ("c", "y"))) == (("a", "/x"), (" ", ""), ("c", "y"))
