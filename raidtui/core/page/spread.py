"""Distribution of hosts or disks as an SVG histogram, slow ones named. CSS classes; readable at 400 px."""

from statistics import median
from xml.etree import ElementTree as xml

from raidtui.core.page.blocks import Spread
from raidtui.core.text import clean

_WIDTH, _HEIGHT, _TOP, _BOTTOM = 360, 150, 18, 112
_COLUMNS = 36
_MOST_NAMED = 3
_ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def svg(spread: Spread) -> xml.Element:
    """From 0, so that differences keep their proportion."""
    named = spread.slow[:_MOST_NAMED]
    height = _HEIGHT + 16 * len(named)
    root = xml.Element("svg", {"viewBox": f"0 0 {_WIDTH} {height}", "role": "img", "class": "chart", "font-size": "12"})
    slow = {value for _, value in spread.slow}
    xml.SubElement(root, "title").text = clean(_title(spread))
    top = _rounded(max(spread.values))
    columns = [[0, 0] for _ in range(_COLUMNS)]  # how many, and of these how many slow
    for value in spread.values:
        column = columns[min(_COLUMNS - 1, int(value / top * _COLUMNS))]
        column[0] += 1
        column[1] += value in slow
    highest = max(count for count, _ in columns)
    wide = _WIDTH / _COLUMNS
    for number, (count, of_slow) in enumerate(columns):
        for members, kind in ((count, "all"), (of_slow, "slow")):
            if members:
                high = max(3.0, (_BOTTOM - _TOP) * members / highest)
                _box(root, number * wide + 0.5, _BOTTOM - high, wide - 1, high, kind)
    middle = median(spread.values) / top * _WIDTH
    _line(root, middle, _TOP - 4, middle, _BOTTOM, "median")
    _line(root, 0, _BOTTOM, _WIDTH, _BOTTOM, "axis")
    anchor = "end" if middle > _WIDTH / 2 else "start"
    _text(root, middle + (-4 if anchor == "end" else 4), 12, f"median {_number(median(spread.values))}", anchor)
    for share, side in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        unit = f" {spread.unit}" if share == 1.0 else ""
        _text(root, share * _WIDTH, _BOTTOM + 16, f"{_number(share * top)}{unit}", side)
    _text(
        root, 0, _BOTTOM + 34, f"{len(spread.values):,} {spread.what}; the highest column {highest:,}", "start", "dim"
    )
    for row, (name, value) in enumerate(named):
        and_more = f" and {len(spread.slow) - len(named)} more" if len(spread.slow) > len(named) == row + 1 else ""
        y = _HEIGHT + 16 * row + 12
        _box(root, 0, y - 9, 9, 9, "slow")
        _text(root, 14, y, f"{clean(name)[:34]}: {_number(value)}{and_more}", "start")
    return root


def _title(spread: Spread) -> str:
    slow = f"; slow: {', '.join(name for name, _ in spread.slow)}" if spread.slow else ""
    low, middle, high = min(spread.values), median(spread.values), max(spread.values)
    return (
        f"{spread.title}: {len(spread.values)} {spread.what} from {_number(low)} to {_number(high)} {spread.unit},"
        f" the median {_number(middle)}{slow}"
    )


def _rounded(value: float) -> float:
    power = 1.0
    while value > 10 * power:
        power *= 10
    while value < power:
        power /= 10
    return next(step * power for step in _ROUND if step * power >= value * (1 - 1e-9))


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _box(root: xml.Element, x: float, y: float, width: float, height: float, kind: str) -> None:
    box = {
        "x": _coordinate(x),
        "y": _coordinate(y),
        "width": _coordinate(width),
        "height": _coordinate(height),
        "class": kind,
    }
    xml.SubElement(root, "rect", box)


def _line(root: xml.Element, x: float, y: float, to_x: float, to_y: float, kind: str) -> None:
    xml.SubElement(
        root,
        "line",
        {"x1": _coordinate(x), "y1": _coordinate(y), "x2": _coordinate(to_x), "y2": _coordinate(to_y), "class": kind},
    )


def _text(root: xml.Element, x: float, y: float, words: str, anchor: str, kind: str = "text") -> None:
    place = {"x": _coordinate(x), "y": _coordinate(y), "text-anchor": anchor, "class": kind}
    xml.SubElement(root, "text", place).text = words


def _coordinate(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
