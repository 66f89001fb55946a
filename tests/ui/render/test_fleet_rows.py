"""A fleet's report as rows: which columns are shown at a width, and that in turn all of them are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from raidtui.core.fleet.sections import ReportPart
from raidtui.core.page.blocks import PageTable
from raidtui.ui.render.cells import Line, Sheet
from raidtui.ui.render.fleet_rows import column_sets, parts_sheet, row_whole, sentences_sheet, table_sheet
from tests.ui.pages import texts

HOSTS = PageTable(
    ("Host", "Date", "", "Disks", "Read, MB/s"), (("n1", "2026", "slow", "6", "545.1"),), 3, frozenset({0})
)


def text_of(sheet: Sheet) -> list[str]:
    lines: list[Line] = [sheet.heading, *(line for row in sheet.rows for line in row.lines)]
    return [line.rstrip() for line in texts(lines)]


def test_a_table_has_its_words_left_and_its_numbers_right() -> None:
    sheet = table_sheet(HOSTS, range(5), 60)
    assert text_of(sheet) == [" Host  Date        Disks  Read, MB/s", " n1    2026  slow      6       545.1"]
    assert {look for _, look in sheet.rows[0].lines[0][1:]} == {"warn"}


@pytest.mark.parametrize("width, sets", [(60, [[0, 1, 2, 3, 4]]), (17, [[0, 1, 2], [0, 3], [0, 4]])])
def test_the_first_column_stays_and_others_follow_as_they_fit(width: int, sets: list[list[int]]) -> None:
    assert column_sets(HOSTS, width) == sets


tables = st.integers(1, 8).flatmap(
    lambda count: st.builds(
        PageTable,
        st.tuples(*[st.text(max_size=30)] * count),
        st.lists(st.tuples(*[st.text(max_size=40)] * count), max_size=3).map(tuple),
        st.integers(1, count),
    )
)


@given(tables, st.integers(20, 200))
def test_in_turn_all_columns_are_shown_and_no_line_is_too_wide(table: PageTable, width: int) -> None:
    sets = column_sets(table, width)
    assert set().union(*sets) == set(range(len(table.heads)))
    for columns in sets:
        assert all(cell_len(line) <= max(width, 80) for line in text_of(table_sheet(table, columns, width)))


def test_a_row_stands_whole_with_its_headings() -> None:
    assert row_whole(HOSTS, 0) == "Host: n1; Date: 2026; slow; Disks: 6; Read, MB/s: 545.1."


def test_parts_stand_below_what_is_said_of_all() -> None:
    parts = (ReportPart(title="2 hosts", sentences=("All 2 runs finished.",)), ReportPart(title="Hosts", table=HOSTS))
    sheet = parts_sheet(parts, 60)
    assert text_of(sheet)[1:] == [" - All 2 runs finished.", "", "   Hosts  1 row"]
    assert [row.is_heading for row in sheet.rows] == [True, True, False]
    assert text_of(sentences_sheet(("Firmware B is slow.",), 14))[1:] == [" Firmware B", " is slow."]
