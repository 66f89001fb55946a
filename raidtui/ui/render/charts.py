"""Charts as text: bars side by side, lines over an axis. The only module that imports plotext, and only to draw."""

import re
from collections.abc import Sequence

import msgspec

from raidtui.ui.render.glyphs import ASCII, of_terminal

_SECOND_DECIMAL = re.compile(r"(?<=\.\d)\d$")  # plotext prints two; one is as much as was measured


class Group(msgspec.Struct, frozen=True):
    """One thing measured: its name, and a value for each series (None: no figure)."""

    name: str
    values: tuple[float | None, ...]


class Curve(msgspec.Struct, frozen=True):
    """A line of a chart: its name, and its points by x; an x without a figure is left out."""

    name: str
    points: tuple[tuple[float, float], ...]


_ASCII_AXES = str.maketrans("│┤└┬─", "||++-")
_MARKS = "123456789"  # each line is drawn in its own number: without colours nothing else tells lines apart
MOST_CURVES = len(_MARKS)


def curves(
    all_curves: Sequence[Curve], ticks: Sequence[tuple[float, str]], width: int, height: int, logarithmic: bool = False
) -> list[str]:
    """The chart from 0 (or, logarithmic, from the least) up, below it which number is which; [] without any point.

    No more than `MOST_CURVES` are drawn.
    """
    import plotext

    curves_drawn = [curve for curve in all_curves if curve.points][:MOST_CURVES]
    values = [ns for curve in curves_drawn for _, ns in curve.points]
    if not values or max(values) <= 0:
        return []
    plotext.clear_figure()
    plotext.theme("clear")
    plotext.plotsize(width, height)
    plotext.xaxes(True, False)  # the lines of the axes keep their figures apart from lines that are drawn in digits
    plotext.yaxes(True, False)
    logarithmic = logarithmic and min(values) > 0
    if logarithmic:
        plotext.yscale("log")
    else:
        plotext.ylim(0, max(values))
    for mark, curve in zip(_MARKS, curves_drawn, strict=False):
        plotext.plot([x for x, _ in curve.points], [y for _, y in curve.points], marker=mark)
    if len(ticks) > 1:
        plotext.xlim(ticks[0][0], ticks[-1][0])
        plotext.xticks([x for x, _ in ticks], [label for _, label in ticks])
    drawing = plotext.uncolorize(plotext.build())
    if of_terminal() is ASCII:
        drawing = drawing.translate(_ASCII_AXES)
    lines = [line.rstrip() for line in drawing.splitlines()]
    return [*lines, *(f"  {mark} {curve.name}" for mark, curve in zip(_MARKS, curves_drawn, strict=False))]


def bars(groups: Sequence[Group], series: Sequence[str], unit: str, width: int, marker: str) -> list[str]:
    """A line a value: series by series under each group's name, all on one scale. No colours, no axes."""
    import plotext

    lines: list[str] = []
    top = max((value for group in groups for value in group.values if value), default=0.0)
    if not top:
        return lines
    label = max(len(name) for name in series)
    rates_by_group = [
        [(name, value) for name, value in zip(series, group.values, strict=True) if value is not None]
        for group in groups
    ]
    flat = [rate for group_rates in rates_by_group for rate in group_rates]
    plotext.clear_figure()
    plotext.theme("clear")
    # One call for all: plotext takes another scale for each.
    names, values = [f"{name:<{label}}" for name, _ in flat], [round(value, 1) for _, value in flat]
    plotext.simple_bar(names, values, width=width, marker=marker)
    plotted_lines = iter(plotext.uncolorize(plotext.build()).splitlines())
    for group, group_rates in zip(groups, rates_by_group, strict=True):
        if group_rates:
            bodies = [next(plotted_lines).rstrip() for _ in group_rates]
            lines += [group.name, *(f"  {_SECOND_DECIMAL.sub('', body)} {unit}" for body in bodies)]
    return lines
