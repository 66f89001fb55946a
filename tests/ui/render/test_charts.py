"""Charts in letters: one scale, each line in its own number."""

import pytest

from raidtui.ui.render import charts
from raidtui.ui.render.charts import Curve, Group


def test_bars_have_one_scale() -> None:
    groups = [Group("a", (194.7, 258.4)), Group("b", (189.0, 258.4)), Group("c", (None, 516.8))]
    drawn = charts.bars(groups, ("array", "theory"), "IOPS", 68, "#")
    theories = [line.count("#") for line in drawn if "theory" in line]
    assert theories[0] == theories[1] == pytest.approx(theories[2] / 2, abs=1)


def test_a_chart_draws_each_line_in_its_own_number_and_nothing_without_points() -> None:
    drawn = charts.curves([Curve("a", ((0, 1), (1, 9))), Curve("b", ((0, 5), (1, 5)))], [(0, "x"), (1, "y")], 60, 10)
    assert drawn[-2:] == ["  1 a", "  2 b"]
    assert "1" in "".join(drawn[:-3]) and "2" in "".join(drawn[:-3])
    assert charts.curves([Curve("a", ())], [], 60, 10) == []
    assert charts.curves([Curve("a", ((0, 0.0), (1, 0.0)))], [], 60, 10) == []


@pytest.mark.parametrize(("terminal", "axis"), [("xterm-256color", "┤│"), ("linux", "|")])
def test_no_line_of_a_chart_runs_into_the_figures_of_its_axis(
    monkeypatch: pytest.MonkeyPatch, terminal: str, axis: str
) -> None:
    monkeypatch.setenv("TERM", terminal)
    drawn = charts.curves([Curve("a", tuple((float(x), 100.0 + x) for x in range(60)))], (), 60, 10)
    beside = [line for line in drawn[:-3] if "1" in line.rpartition(axis[0])[2]]
    assert beside and all(line[5] in axis for line in drawn[:-3])
    assert terminal != "linux" or "".join(drawn).isascii()
