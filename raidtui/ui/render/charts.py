"""Charts as text: lines over an axis. The only module that imports plotext, and only to draw."""

from collections.abc import Sequence
from math import ceil, floor, log10

import msgspec

from raidtui.ui.render.cells import Line
from raidtui.ui.render.glyphs import ASCII, of_terminal
from raidtui.ui.render.parts import join


class Curve(msgspec.Struct, frozen=True):
    """A line of a chart: its name, and its points by x; an x without a figure is left out. `look`: "" for one of its
    own.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    look: str = ""


_ASCII_AXES = str.maketrans("│┤└┬─", "||++-")
_MARKS = "123456789"  # each line is drawn in its own number: without colours nothing else tells lines apart
_ALONE, _ALONE_ASCII = "hd", "*"
MOST_CURVES = len(_MARKS)
_LOOKS = ("accent", "array", "all", "mirror", "parity", "one", "strong", "data", "dim")
_STEPS = 5  # of an axis, at most
_ROUNDING = 1e-9
_Y_LABELS = 8  # columns that the labels of y take at most


def curves(
    all_curves: Sequence[Curve], ticks: Sequence[tuple[float, str]], width: int, height: int, logarithmic: bool = False
) -> list[Line]:
    """From 0 (logarithmic: the least) up, at most `MOST_CURVES`, a legend below; [] without a point. `ticks`:
    along x. One line where plotext cannot be loaded: a part of it is compiled.
    """
    try:
        import plotext
    except ImportError as error:
        return [((f"no chart: plotext cannot be loaded: {str(error).partition(chr(10))[0]}"[:width], "dim"),)]

    curves_drawn = [curve for curve in all_curves if curve.points][:MOST_CURVES]
    values = [ns for curve in curves_drawn for _, ns in curve.points]
    if not values or max(values) <= 0:
        return []
    plotext.terminal.limit(False, False)
    figure = plotext.figure.clear().theme("colorless").plot_size(width, height)
    # no lines above and at the right: the axes keep their figures apart from lines that are drawn in digits
    figure.axes(False, axis="x", side="upper").axes(False, axis="y", side="right")
    x_ruler, y_ruler = figure.ruler("x"), figure.ruler("y")
    logarithmic = logarithmic and min(values) > 0
    height_of = log10 if logarithmic else float  # plotext 6.1 draws no ticks of ours on a scale of its own
    y_ticks = _log_steps(min(values), max(values)) if logarithmic else _round_steps(0.0, max(values))
    if not logarithmic:
        y_ruler.lim(0, y_ticks[-1])
    y_ruler.ticks([height_of(y) for y in y_ticks], [_label(y) for y in y_ticks])
    alone = _ALONE_ASCII if of_terminal() is ASCII else _ALONE
    marks = _MARKS[: len(curves_drawn)] if len(curves_drawn) > 1 else (alone,)
    for mark, curve in zip(marks, curves_drawn, strict=True):
        xs, ys = zip(*curve.points, strict=True)
        figure.draw(figure.signal(xs, [height_of(y) for y in ys], marker=mark).lines())
    all_xs = [x for curve in curves_drawn for x, _ in curve.points]
    x_ticks = (
        ticks
        if len(ticks) > 1
        else [(x, _label(x)) for x in _round_steps(min(all_xs), max(all_xs)) if x <= max(all_xs)]
    )
    if len(x_ticks) > 1:
        first, last = min(x_ticks[0][0], *all_xs), max(x_ticks[-1][0], *all_xs)
        x_ruler.lim(first, last)
        spaced = _spaced(x_ticks, first, last, width - _Y_LABELS)
        x_ruler.ticks([x for x, _ in spaced], [label for _, label in spaced])
    drawing = plotext.uncolorize(figure.build())
    if of_terminal() is ASCII:
        drawing = drawing.translate(_ASCII_AXES)
    drawn = [line.rstrip() for line in drawing.splitlines()]
    if len(curves_drawn) == 1:
        return [*(((line, ""),) for line in drawn), ((f"  {curves_drawn[0].name}", "dim"),)]
    looks = {mark: f"*{curve.look or look}" for mark, curve, look in zip(marks, curves_drawn, _LOOKS, strict=False)}
    legend: list[Line] = []
    room = 0
    for mark, curve in zip(marks, curves_drawn, strict=True):
        entry = ((f"  {mark} ", looks[mark]), (curve.name, ""))
        wide = len(curve.name) + 4
        legend[-1:] = [join([*legend[-1], *entry])] if wide <= room else [*legend[-1:], join(entry)]
        room = (room if wide <= room else width) - wide
    return [*(_coloured(line, looks) for line in drawn), *legend]


def legend_rows(all_curves: Sequence[Curve], width: int) -> int:
    """Lines that their legend takes, at most."""
    longest = max((len(curve.name) + 4 for curve in all_curves), default=1)
    return -(-min(len(all_curves), MOST_CURVES) // max(1, width // longest))


def _coloured(line: str, looks: dict[str, str]) -> Line:
    """The digits of lines in their colours; those of an axis are none."""
    axis = max(line.find(char) for char in "│┤┴└|+") + 1
    if axis <= 0:
        return ((line, "dim"),)
    return join([(line[:axis], "dim"), *((char, looks.get(char, "dim")) for char in line[axis:])])


def _label(value: float) -> str:
    return f"{value:,.4g}" if value < 1000 else f"{value:,.10g}"


def _round_steps(least: float, most: float) -> list[float]:
    """Multiples of 1, 2, 2.5 or 5 x 10^n, from the last at or below `least` to the first at or above `most`."""
    spread = (most - least) / _STEPS or 1.0
    tens = 10.0 ** floor(log10(spread))
    step = next(tens * factor for factor in (1, 2, 2.5, 5, 10) if tens * factor >= spread * (1 - _ROUNDING))
    first, last = floor(least / step + _ROUNDING), ceil(most / step - _ROUNDING)
    return [round(number * step, 12) for number in range(first, max(last, first + 1) + 1)]


def _log_steps(least: float, most: float) -> list[float]:
    """1, 2 and 5 x 10^n between the two; powers of ten alone where these would be many; the two where none is."""
    powers = range(floor(log10(least)), ceil(log10(most)) + 1)
    factors = (1, 2, 5) if len(powers) <= _STEPS - 1 else (1,)
    steps = [value for power in powers for factor in factors if least <= (value := factor * 10.0**power) <= most]
    return steps if len(steps) > 1 else [least, most]


def _spaced(ticks: Sequence[tuple[float, str]], first: float, last: float, width: int) -> list[tuple[float, str]]:
    """Those whose labels have a blank between them, from the right. Of those that touch plotext keeps any."""
    kept: list[tuple[float, str]] = []
    left = float("inf")
    for x, label in reversed(ticks):
        column = (x - first) / (last - first) * width if last > first else 0.0
        if column + len(label) / 2 + 2 < left:
            kept.append((x, label))
            left = column - len(label) / 2 - 2
    return kept[::-1]
