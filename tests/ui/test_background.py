"""The terminal's own background: what it says of it, in time, late or not at all."""

import math
import os
import pty
import sys
import threading
import time
from types import SimpleNamespace

import pytest
from textual._xterm_parser import XTermParser
from textual.drivers import linux_driver

from raidtui.ui import background, themes
from raidtui.ui.background import UNKNOWN, Background, BackgroundQuery, of_answer


@pytest.mark.parametrize(
    "told, seen",
    [
        (b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62;c", Background(own=True, light=True)),
        (b"\x1b]11;rgb:1e/1e/2e\x07\x1b[?1;2c", Background(own=True)),
        (b"\x1b]11;rgba:0000/ffff/0000/ffff\x1b\\\x1b[?6c", Background(own=True, light=True)),
        (b"\x1b[?62;22c", UNKNOWN),
        (b"\x1b]11;rgb:zz/00/00\x07\x1b[?1c", UNKNOWN),
    ],
)
def test_what_a_terminal_says(told: bytes, seen: Background) -> None:
    assert of_answer(told) == seen


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> int:
    """Its other end; the program has this one."""
    outside, inside = pty.openpty()
    stream = SimpleNamespace(fileno=lambda: inside, isatty=lambda: True)
    monkeypatch.setattr(sys, "__stdin__", stream)
    monkeypatch.setattr(sys, "__stdout__", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return outside


@pytest.mark.parametrize("no_color, asked", [("", True), ("1", False)])
def test_without_colours_nothing_is_asked(
    terminal: int, monkeypatch: pytest.MonkeyPatch, no_color: str, asked: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    query = BackgroundQuery()
    assert (query._before is not None) == asked
    os.write(terminal, b"\x1b]11;rgb:fafa/fafa/fafa\x1b\\\x1b[?62c")
    assert query.answer().own == asked


def test_an_answer_in_time_is_believed(terminal: int) -> None:
    query = BackgroundQuery()
    assert os.read(terminal, 64) == b"\x1b]11;?\x1b\\\x1b[c"
    threading.Timer(0.02, os.write, (terminal, b"\x1b]11;rgb:fafa/fafa/fafa\x1b\\\x1b[?62c")).start()
    assert query.answer() == Background(own=True, light=True)


def test_an_answer_that_came_while_the_program_was_imported_is_believed(
    terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = BackgroundQuery()
    os.write(terminal, b"\x1b]11;rgb:fafa/fafa/fafa\x1b\\\x1b[?62c")
    monkeypatch.setattr(time, "monotonic", lambda: math.inf)
    assert query.answer() == Background(own=True, light=True)


def test_no_answer_leaves_the_theme_its_ground_and_a_late_one_is_no_key(
    terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linux_driver, "XTermParser", XTermParser)
    assert BackgroundQuery().answer() == UNKNOWN
    parser = vars(linux_driver)["XTermParser"]()
    late = parser.feed("1\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[?62c2")
    assert [getattr(event, "key", "") for event in late] == ["1", "2"]
    assert not list(parser.feed("\x1b[?62c"))  # alone, and what is typed after it is heard
    assert [getattr(event, "key", "") for event in parser.feed("3")] == ["3"]


def test_terminals_that_know_no_question_are_not_asked(terminal: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "linux")
    BackgroundQuery().answer()
    os.set_blocking(terminal, False)
    with pytest.raises(BlockingIOError):
        os.read(terminal, 1)


def test_the_usual_theme_takes_the_terminals_ground_and_keeps_its_colours() -> None:
    theme = next(theme for theme in themes.load(themes.folders()[:1]).themes if theme.name == themes.usual(UNKNOWN))
    own = themes.on_own_ground(theme)
    assert own.ansi and own.background == own.foreground == "ansi_default" and own.success == theme.success


@pytest.mark.parametrize(
    "colours, sixteen, cube", [("standard", True, False), ("256", False, True), (None, False, False)]
)
def test_how_many_colours_a_terminal_has_is_known_whatever_it_says_of_its_ground(
    colours: str | None, sixteen: bool, cube: bool, terminal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "Console", lambda: SimpleNamespace(color_system=colours))
    query = BackgroundQuery()
    os.write(terminal, b"\x1b]11;rgb:fafa/fafa/fafa\x1b\\\x1b[?62c")
    told = Background(own=not sixteen, light=not sixteen, sixteen=sixteen, cube=cube)
    assert query.answer() == told
    monkeypatch.setattr(linux_driver, "XTermParser", XTermParser)
    assert BackgroundQuery().answer() == Background(sixteen=sixteen, cube=cube)
