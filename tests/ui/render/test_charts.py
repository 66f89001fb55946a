"""Charts in letters: each line in its own number, axes in round steps."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.ui.render import chart_lines
from raidtui.ui.render.chart_lines import Curve
from tests.ui.pages import texts


def drawn_of(*args: Any, **options: Any) -> list[str]:
    return texts(chart_lines.curves(*args, **options))


def test_a_chart_draws_each_line_in_its_own_number_and_nothing_without_points() -> None:
    drawn = drawn_of([Curve("a", ((0, 1), (1, 9))), Curve("b", ((0, 5), (1, 5)))], [(0, "x"), (1, "y")], 60, 10)
    assert drawn[-1] == "  1 a  2 b"
    assert "1" in "".join(drawn[:-2]) and "2" in "".join(drawn[:-2])
    assert chart_lines.curves([Curve("a", ())], [], 60, 10) == []
    assert chart_lines.curves([Curve("a", ((0, 0.0), (1, 0.0)))], [], 60, 10) == []


@pytest.mark.parametrize("terminal, axis", [("xterm-256color", "┤│"), ("linux", "|")])
def test_no_line_of_a_chart_runs_into_the_figures_of_its_axis(
    monkeypatch: pytest.MonkeyPatch, terminal: str, axis: str
) -> None:
    monkeypatch.setenv("TERM", terminal)
    drawn = drawn_of([Curve(name, tuple((float(x), 100.0 + x) for x in range(60))) for name in "ab"], (), 60, 10)
    beside = [line for line in drawn[:-3] if "2" in line.rpartition(axis[0])[2]]
    assert beside and all(line[3] in axis for line in drawn[:-3])
    assert terminal != "linux" or "".join(drawn).isascii()


def test_digits_of_lines_have_their_colours_and_those_of_the_axis_none() -> None:
    curves = [Curve("a", ((0, 1), (1, 12)), "read"), Curve("b", ((0, 2), (1, 11)))]
    looks = {
        char: {look for line in chart_lines.curves(curves, [], 60, 10) for text, look in line[1:] if char in text}
        for char in "12"
    }
    assert looks == {"1": {"*read"}, "2": {"*array"}}
    axis = [line[0] for line in chart_lines.curves(curves, [], 60, 10)[:-1]]
    assert any("12" in text or "10" in text for text, _ in axis) and {look for _, look in axis} == {"dim"}


@pytest.mark.parametrize("width, rows", [(60, 1), (20, 2)])
def test_a_legend_takes_as_many_lines_as_needed(width: int, rows: int) -> None:
    curves = [Curve(name * 6, ((0, 1), (1, 9))) for name in "abc"]
    assert chart_lines.legend_rows(curves, width) == rows
    shown = texts(chart_lines.curves(curves, [], width, 10))[-rows:]
    assert all(name * 6 in "".join(shown) for name in "abc") and max(map(len, shown)) <= width


@pytest.mark.parametrize("terminal", ["xterm-256color", "linux"])
def test_a_line_alone_is_drawn_as_a_line(monkeypatch: pytest.MonkeyPatch, terminal: str) -> None:
    monkeypatch.setenv("TERM", terminal)
    drawn = drawn_of([Curve("a", ((0, 1), (1, 9)))], (), 60, 10)
    assert drawn[-1] == "  a" and "11" not in "".join(drawn)
    assert ("*" in "".join(drawn)) is (terminal == "linux") is "".join(drawn).isascii()


def test_axes_are_marked_in_round_steps() -> None:
    drawn = drawn_of([Curve("a", ((0.3, 80), (9.1, 97.8)))], (), 60, 14)
    assert [line.partition("┤")[0].strip() for line in drawn if "┤" in line] == ["100", "80", "60", "40", "20", "0"]
    assert drawn[-2].split() == ["0", "2", "4", "6", "8"]
    drawn = drawn_of([Curve("a", ((0, 0.13), (1, 94)))], (), 60, 14, logarithmic=True)
    marked = [line.partition("┤")[0].strip() for line in drawn if "┤" in line]
    drawn_in_millions = drawn_of([Curve("a", ((0, 1.2e6), (1, 8e5)))], (), 60, 14)
    assert drawn_in_millions[0].startswith("1,250,000┤")
    assert marked == ["50", "20", "10", "5", "2", "1", "0.5", "0.2"]


@given(st.floats(0, 1e9), st.floats(1e-3, 1e9))
def test_round_steps_hold_what_they_are_for(least: float, spread: float) -> None:
    steps = chart_lines._round_steps(least, least + spread)
    assert 2 <= len(steps) <= chart_lines._STEPS + 3
    assert steps[0] <= least + 1e-6 * steps[-1] and least + spread <= steps[-1] * (1 + 1e-6)
    assert steps == sorted(set(steps))


@given(st.floats(1e-3, 1e6), st.floats(1, 1e6))
def test_logarithmic_steps_lie_between_the_least_and_the_most(least: float, factor: float) -> None:
    steps = chart_lines._log_steps(least, least * factor)
    assert 2 <= len(steps) <= 3 * chart_lines._STEPS and all(least <= step <= least * factor for step in steps)


def test_without_plotext_one_line_has_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plotext", None)
    (line,) = drawn_of([Curve("a", ((0, 1), (1, 2)))], (), 60, 14)
    assert line.startswith("no chart: plotext cannot be loaded: ") and len(line) <= 60
