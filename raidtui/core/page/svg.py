"""Bar charts as SVG in four colours and patterns, also for print. ElementTree escapes names."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as xml

from raidtui.core.page.blocks import MEANS, Bar, Bars, Role
from raidtui.core.page.markdown import plain

_COLOURS: dict[Role, str] = {"one": "#52627a", "all": "#6b3fc4", "array": "#067046", "theory": "#756000"}
_GROUND, _TEXT, _DIM, _LINE = "#fbfaf6", "#22272d", "#59636e", "#c2beb1"
_FONT = "ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif"
_WIDTH, _ROW, _LEFT, _RIGHT, _TOP = 860, 22, 16, 16, 44
_LETTER = 6.6  # of a word's width, 12 px
_SPACE = "http://www.w3.org/2000/svg"


def file_name(title: str, names_taken: Sequence[str]) -> str:
    stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "chart"
    names = (stem, *(f"{stem}-{number}" for number in range(2, len(names_taken) + 3)))
    return next(f"{name}.svg" for name in names if f"{name}.svg" not in names_taken)


def svg(chart: Bars) -> str:
    names = max((_width_of(bar.name) for bar in chart.bars), default=0.0)
    words = max((_width_of(bar.words) for bar in chart.bars), default=0.0)
    bars_left = _LEFT + min(names, _WIDTH * 0.4) + 10
    room = max(80.0, _WIDTH - bars_left - words - _RIGHT - 10)
    roles = [role for role in MEANS if any(bar.role == role for bar in chart.bars)]
    height = _TOP + _ROW * len(chart.bars) + 16 + (_ROW if len(roles) > 1 else 0)
    root = _root(chart.title, height)
    _patterns(root)
    largest = max((bar.value for bar in chart.bars if bar.value), default=0.0)
    for row, bar in enumerate(chart.bars):
        y = _TOP + _ROW * row
        _text(root, bars_left - 8, y + 15, bar.name, anchor="end")
        length = room * (bar.value or 0.0) / largest if largest else 0.0
        _bar(root, bar, bars_left, y + 3, length)
        _text(root, bars_left + length + 6, y + 15, bar.words, weight="600")
    if len(roles) > 1:
        legend_x = float(_LEFT)
        for role in roles:
            y = height - _ROW - 4
            _bar(root, Bar("", 1.0, "", role), legend_x, y + 3, 26)
            _text(root, legend_x + 32, y + 15, MEANS[role], fill=_DIM)
            legend_x += 32 + _width_of(MEANS[role]) + 24
    return _document(root)


def _bar(root: xml.Element, bar: Bar, x: float, y: float, length: float) -> None:
    colour = _COLOURS[bar.role]
    if bar.role == "theory":  # a dashed line with an end, no body: nothing was measured
        _line(root, x, y + 8, x + length, y + 8, colour, "5 3", 2)
        _line(root, x + length, y + 1, x + length, y + 15, colour, "", 2)
        return
    box = coordinates(x=x, y=y, width=length) | {"height": "16", "stroke": colour}
    xml.SubElement(root, "rect", box | {"fill": colour if bar.role == "array" else f"url(#{bar.role})"})


def _patterns(root: xml.Element) -> None:
    defs = xml.SubElement(root, "defs")
    paths: tuple[tuple[Role, str], ...] = (("one", "M0 6 L6 0"), ("all", "M2 0 L2 6"))
    for role, path in paths:
        box = {"id": role, "width": "6", "height": "6", "patternUnits": "userSpaceOnUse"}
        pattern = xml.SubElement(defs, "pattern", box)
        xml.SubElement(pattern, "rect", {"width": "6", "height": "6", "fill": _COLOURS[role], "fill-opacity": "0.25"})
        xml.SubElement(pattern, "path", {"d": path, "stroke": _COLOURS[role], "stroke-width": "2"})


def _root(title: str, height: float) -> xml.Element:
    size = coordinates(width=_WIDTH, height=height)
    box = {"xmlns": _SPACE, "viewBox": f"0 0 {size['width']} {size['height']}"} | size
    root = xml.Element("svg", box | {"role": "img", "font-family": _FONT, "font-size": "12"})
    xml.SubElement(root, "title").text = plain(title)
    xml.SubElement(root, "rect", {"width": "100%", "height": "100%", "fill": _GROUND})
    _text(root, _LEFT, 26, title, weight="700", size="15")
    return root


def _text(
    root: xml.Element,
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    fill: str = _TEXT,
    weight: str = "400",
    size: str = "12",
) -> None:
    look = {"text-anchor": anchor, "fill": fill, "font-weight": weight, "font-size": size}
    xml.SubElement(root, "text", coordinates(x=x, y=y) | look).text = plain(words)


def _line(
    root: xml.Element, x: float, y: float, to_x: float, to_y: float, colour: str, dash: str, stroke_width: int
) -> None:
    look = {"stroke": colour, "stroke-width": str(stroke_width), "stroke-dasharray": dash}
    xml.SubElement(root, "line", coordinates(x1=x, y1=y, x2=to_x, y2=to_y) | look)


def _width_of(words: str) -> float:
    return _LETTER * len(words)


def coordinates(**values: float) -> dict[str, str]:
    return {name: f"{value:.1f}".removesuffix(".0") for name, value in values.items()}


def _document(root: xml.Element) -> str:
    xml.indent(root)
    return xml.tostring(root, encoding="unicode") + "\n"
