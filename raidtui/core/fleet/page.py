"""A fleet's report as one HTML page: everything in it, no script, light and dark as the reader's system, printable.

Built with the standard library's XML, which escapes every name.
"""

from xml.etree import ElementTree as xml

from raidtui.core.fleet.chart import charts
from raidtui.core.fleet.fleet import Fleet
from raidtui.core.fleet.sections import ReportPart, TextTable, sections
from raidtui.core.text import clean

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


def page(fleet: Fleet) -> str:
    """The whole document."""
    parts = sections(fleet)
    html = xml.Element("html", {"lang": "en"})
    head = xml.SubElement(html, "head")
    xml.SubElement(head, "meta", {"charset": "utf-8"})
    xml.SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    xml.SubElement(head, "title").text = clean(f"raidtui fleet: {parts[0].title}")
    xml.SubElement(head, "style").text = _STYLE
    body = xml.SubElement(html, "body")
    for section in parts:
        _section(body, section)
    return "<!DOCTYPE html>\n" + xml.tostring(html, encoding="unicode", method="html") + "\n"


def _section(body: xml.Element, section: ReportPart) -> None:
    xml.SubElement(body, f"h{section.level}").text = clean(section.title)
    if section.sentences:
        sentences = xml.SubElement(body, "ul", {"class": "lead"})
        for sentence in section.sentences:
            xml.SubElement(sentences, "li").text = clean(sentence)
    if section.table:
        _table(body, section.table)
    if section.spreads:
        grid = xml.SubElement(body, "div", {"class": "charts"})
        for title, picture in charts(section.spreads):
            figure = xml.SubElement(grid, "figure")
            xml.SubElement(figure, "figcaption").text = title
            figure.append(picture)


def _table(body: xml.Element, text_table: TextTable) -> None:
    scrolled = xml.SubElement(body, "div", {"class": "scroll", "tabindex": "0"})
    table = xml.SubElement(scrolled, "table")
    head = xml.SubElement(xml.SubElement(table, "thead"), "tr")
    for column, header in enumerate(text_table.headers):
        xml.SubElement(head, "th", {"class": "word"} if column < text_table.left else {}).text = clean(header)
    rows = xml.SubElement(table, "tbody")
    for number, row in enumerate(text_table.rows):
        line = xml.SubElement(rows, "tr", {"class": "marked"} if number in text_table.marked else {})
        for column, cell in enumerate(row):
            kinds = [*(["word"] if column < text_table.left else []), *(["long"] if len(cell) > _LONG else [])]
            xml.SubElement(line, "td", {"class": " ".join(kinds)} if kinds else {}).text = clean(cell) or "\u2013"
