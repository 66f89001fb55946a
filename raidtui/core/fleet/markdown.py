"""A fleet's report as markdown that reads well raw and rendered."""

from raidtui.core.fleet.fleet import Fleet
from raidtui.core.fleet.sections import ReportPart, TextTable, sections
from raidtui.core.report.tables import bullets, escape, table


def markdown(fleet: Fleet) -> str:
    """The whole document."""
    return "\n\n".join(block for section in sections(fleet) for block in _blocks(section)) + "\n"


def _blocks(section: ReportPart) -> list[str]:
    blocks = [f"{'#' * section.level} {escape(section.title)}"]
    if section.sentences:
        blocks.append(bullets(map(escape, section.sentences)))
    if section.table:
        blocks.append(_table(section.table))
    return blocks


def _table(text_table: TextTable) -> str:
    rows = [[escape(cell) for cell in row] for row in text_table.rows]
    return table([escape(header) for header in text_table.headers], rows, text_table.left)
