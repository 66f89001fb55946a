"""A page as one HTML document: self-contained, no script, light and dark, printable. ElementTree escapes names."""

from collections.abc import Iterable
from itertools import groupby
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
from raidtui.core.page.spread import svg
from raidtui.core.text import visible

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
            _figure(parent, title).append(svg(block))


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
    scrolled = xml.SubElement(parent, "div", {"class": "scroll", "tabindex": "0"})
    table = xml.SubElement(scrolled, "table")
    head = xml.SubElement(xml.SubElement(table, "thead"), "tr")
    for column, words in enumerate(block.heads):
        xml.SubElement(head, "th", {"class": "word"} if column < block.words else {}).text = visible(words)
    rows = xml.SubElement(table, "tbody")
    for number, row in enumerate(block.rows):
        line = xml.SubElement(rows, "tr", {"class": "marked"} if number in block.marked else {})
        for column, cell in enumerate(row):
            kinds = [*(["word"] if column < block.words else []), *(["long"] if len(read(cell)) > _LONG else [])]
            _words(xml.SubElement(line, "td", {"class": " ".join(kinds)} if kinds else {}), cell or "\u2013")
