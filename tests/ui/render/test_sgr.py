"""The same cells from fewer bytes: both texts are read by a small terminal, cell by cell."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style

from raidtui.ui.render.sgr import fewer

_PART = re.compile(r"\x1b\[([\d;]*)m|(\x1b\[\d+;\d+H)|(.)", re.DOTALL)
_SEEN_ON_BLANKS = {"4", "7", "9"}
Cell = tuple[str, object]


def _read(sent: str) -> tuple[list[Cell], object]:
    """Each cell with its look, of a blank what is seen; and the look at the end."""
    cells: list[Cell] = []
    look: dict[str, str] = {}
    for codes, move, char in _PART.findall(sent):
        if move:
            cells.append((move, ()))
        elif char:
            seen = (
                look if char != " " or _SEEN_ON_BLANKS & set(look) else {k: v for k, v in look.items() if k == "back"}
            )
            cells.append((char, tuple(sorted(seen.items()))))
        else:
            _set(look, codes)
    return cells, tuple(sorted(look.items()))


def _set(look: dict[str, str], codes: str) -> None:
    numbers = [int(code or 0) for code in codes.split(";")]
    while numbers:
        code = numbers.pop(0)
        if code == 0:
            look.clear()
        elif code in (39, 49):
            look.pop({39: "fore", 49: "back"}[code], None)
        elif code in (38, 48):
            count = 2 if numbers[0] == 5 else 4
            look["fore" if code == 38 else "back"] = str((code, *numbers[:count]))
            del numbers[:count]
        elif 30 <= code <= 37 or 90 <= code <= 97:
            look["fore"] = str(code)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            look["back"] = str(code)
        else:
            look[str(code)] = "on"


_COLOURS = st.sampled_from((None, "default", "red", "bright_blue", "color(238)", "#102030"))
_STYLES = st.builds(
    Style,
    color=_COLOURS,
    bgcolor=_COLOURS,
    bold=st.booleans(),
    italic=st.booleans(),
    underline=st.booleans(),
    reverse=st.booleans(),
    strike=st.booleans(),
)
_TEXTS = st.sampled_from((" ", "    ", "a", "a b", "─╮", "\n", "\x1b[3;4H"))


@given(st.lists(st.tuples(_STYLES, _TEXTS)), st.sampled_from((ColorSystem.STANDARD, ColorSystem.TRUECOLOR)))
def test_every_cell_looks_the_same(pieces: list[tuple[Style, str]], system: ColorSystem) -> None:
    sent = "".join(style.render(text, color_system=system) for style, text in pieces)
    assert _read(fewer(sent)) == _read(sent)
    assert len(fewer(sent)) <= len(sent)


@pytest.mark.parametrize(
    "sent, expected",
    [
        ("plain", "plain"),
        ("\x1b[1ma\x1b[0m\x1b[1mb\x1b[0m", "\x1b[1mab\x1b[0m"),
        ("\x1b[38;5;9;48;5;7ma\x1b[0m\x1b[38;5;3;48;5;7mb\x1b[0m", "\x1b[38;5;9;48;5;7ma\x1b[38;5;3mb\x1b[0m"),
        ("\x1b[31ma\x1b[0m  \x1b[31mb\x1b[0m", "\x1b[31ma  b\x1b[0m"),  # a blank has no foreground
        ("\x1b[31ma\x1b[0m\x1b[44m  \x1b[0m", "\x1b[31ma\x1b[44m  \x1b[0m"),
        ("\x1b[4ma\x1b[0m  b", "\x1b[4ma\x1b[0m  b"),  # underlined blanks are seen
        ("\x1b[1;31ma\x1b[0m\x1b[31mb\x1b[0m", "\x1b[1;31ma\x1b[0;31mb\x1b[0m"),
        ("\x1b[1m", "\x1b[1m"),  # left on: it stays on
        ("\x1b[27ma\x1b[0mb", "\x1b[27ma\x1b[0mb"),  # not known here: as it came
    ],
)
def test_what_is_left_out(sent: str, expected: str) -> None:
    assert fewer(sent) == expected
