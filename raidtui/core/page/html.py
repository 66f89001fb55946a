"""A page as one HTML document: self-contained, no script, light and dark, printable. ElementTree escapes names."""

from collections.abc import Iterable
from itertools import groupby
from statistics import median
from xml.etree import ElementTree as xml

from raidtui.core.page.blocks import (
    Bars,
    Block,
    Bullets,
    Code,
    Fenced,
    FileLink,
    Heading,
    PageTable,
    Spread,
    Text,
    Words,
    read,
    spans,
)
from raidtui.core.page.characters import bar_lines
from raidtui.core.page.svg import coordinates
from raidtui.core.text import clean, visible

_STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf6; --text: #22272d; --dim: #59636e; --line: #d8d4c8; --row: #f3f1ea;
  --bar: #52627a; --slow: #b3202f; --mark: #fbe9e9; }
@media (prefers-color-scheme: dark) { :root { --ground: #16191d; --text: #e4e6e9; --dim: #9aa4af; --line: #363c44;
  --row: #1d2126; --bar: #7f93b2; --slow: #ff7b84; --mark: #3a2225; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; background: var(--ground); color: var(--text);
  font: 16px/1.5 ui-sans-serif, system-ui, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { margin-top: 2.2rem; font-size: 1.25rem; }
h3, figcaption { font-size: 1rem; font-weight: 600; }
ul.lead { padding-left: 1.2rem; } ul.lead li { margin: .25rem 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
th { font-weight: 600; vertical-align: bottom; min-width: 4.5rem; } th.word, td.word { text-align: left; }
td:not(.long) { white-space: nowrap; } td.long { min-width: 16rem; }
tr:nth-child(even) td { background: var(--row); } tr:last-child td { border-bottom: 0; }
th:first-child, td:first-child { position: sticky; left: 0; background: var(--ground); }
tr.marked td, tr.marked td:first-child { background: var(--mark); }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1.5rem;
  margin: 1.2rem 0; }
figure { margin: 0; } figcaption { margin-bottom: .3rem; } .chart { display: block; width: 100%; max-width: 30rem; }
.chart .all { fill: var(--bar); } .chart .slow { fill: var(--slow); stroke: var(--slow); stroke-width: 1; }
.chart .median { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 4 3; } .chart .axis { stroke: var(--dim); }
.chart .text { fill: var(--text); } .chart .dim { fill: var(--dim); }
@media print { body { max-width: none; font-size: 11px; } .scroll { overflow: visible; border: 0; }
  figure, tr { break-inside: avoid; } td:not(.long) { white-space: normal; } }
"""
_LONG = 40  # characters of a cell that may be broken into lines


def html(title: str, blocks: Iterable[Block]) -> str:
    root = xml.Element("html", {"lang": "en"})
    head = xml.SubElement(root, "head")
    xml.SubElement(head, "meta", {"charset": "utf-8"})
    xml.SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    xml.SubElement(head, "title").text = visible(title)
    xml.SubElement(head, "style").text = _STYLE
    body = xml.SubElement(root, "body")
    for are_charts, group in groupby(blocks, key=lambda block: isinstance(block, Spread)):
        parent = xml.SubElement(body, "div", {"class": "charts"}) if are_charts else body
        for block in group:
            _block(parent, block)
    return "<!DOCTYPE html>\n" + xml.tostring(root, encoding="unicode", method="html") + "\n"


def _block(parent: xml.Element, block: Block) -> None:
    match block:
        case Heading(text, level):
            xml.SubElement(parent, f"h{level}").text = visible(text)
        case Text(words):
            _words(xml.SubElement(parent, "p"), words)
        case Bullets(lines):
            lead = xml.SubElement(parent, "ul", {"class": "lead"}) if lines else parent
            for words in lines:
                _words(xml.SubElement(lead, "li"), words)
        case PageTable(_, rows):
            if rows:
                _table(parent, block)
        case Fenced(lines):
            xml.SubElement(parent, "pre").text = "\n".join(map(visible, lines))
        case Bars(title, bars):
            xml.SubElement(_figure(parent, title), "pre").text = "\n".join(map(visible, bar_lines(bars)))
        case Spread(title):
            _figure(parent, title).append(histogram(block))


def _figure(parent: xml.Element, title: str) -> xml.Element:
    figure = xml.SubElement(parent, "figure")
    xml.SubElement(figure, "figcaption").text = visible(title)
    return figure


def _words(element: xml.Element, words: Words) -> None:
    last: xml.Element | None = None
    for span in spans(words):
        if not isinstance(span, str):
            if isinstance(span, FileLink):
                last = xml.SubElement(element, "a", {"href": span.target})
            else:
                last = xml.SubElement(element, "code" if isinstance(span, Code) else "strong")
            last.text = visible(span.text)
        elif last is None:
            element.text = (element.text or "") + visible(span)
        else:
            last.tail = (last.tail or "") + visible(span)


def _table(parent: xml.Element, block: PageTable) -> None:
    table = xml.SubElement(xml.SubElement(parent, "div", {"class": "scroll", "tabindex": "0"}), "table")
    head = xml.SubElement(xml.SubElement(table, "thead"), "tr")
    for column, words in enumerate(block.heads):
        xml.SubElement(head, "th", {"class": "word"} if column < block.words else {}).text = visible(words)
    rows = xml.SubElement(table, "tbody")
    for number, row in enumerate(block.rows):
        line = xml.SubElement(rows, "tr", {"class": "marked"} if number in block.marked else {})
        for column, cell in enumerate(row):
            kinds = [*(["word"] if column < block.words else []), *(["long"] if len(read(cell)) > _LONG else [])]
            _words(xml.SubElement(line, "td", {"class": " ".join(kinds)} if kinds else {}), cell or "\u2013")


_WIDTH, _HEIGHT, _TOP, _BOTTOM = 360, 150, 18, 112
_COLUMNS = 36
_MOST_NAMED = 3
_ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)


def histogram(spread: Spread) -> xml.Element:
    """Distribution of hosts or disks, slow ones named; from 0, so that differences keep their proportion. CSS classes;
    readable at 400 px.
    """
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
    xml.SubElement(root, "rect", coordinates(x=x, y=y, width=width, height=height) | {"class": kind})


def _line(root: xml.Element, x: float, y: float, to_x: float, to_y: float, kind: str) -> None:
    xml.SubElement(root, "line", coordinates(x1=x, y1=y, x2=to_x, y2=to_y) | {"class": kind})


def _text(root: xml.Element, x: float, y: float, words: str, anchor: str, kind: str = "text") -> None:
    xml.SubElement(root, "text", coordinates(x=x, y=y) | {"text-anchor": anchor, "class": kind}).text = words
