"""A fleet's CSV: a line a test of a host, safe for terminals and spreadsheets."""

import msgspec

from raidtui.core.fleet.fleet import fleet_of
from raidtui.core.fleet.lines import lines
from tests.builders.tables import csv_rows
from tests.core.fleet.rack import host_run_of


def test_a_line_a_test_of_a_host_with_host_run_and_date() -> None:
    runs = [host_run_of(number, speed=0.7 if number == 3 else 1.0, lost=int(number == 2)) for number in range(8)]
    rows = csv_rows(lines(fleet_of(runs)))
    assert len(rows) == 24
    assert (rows[0]["host"], rows[0]["run"], rows[0]["date"]) == ("node0", "run-0-1000", "1970-01-01 00:16")
    assert float(rows[0]["value"]) == runs[0].figures[0].value and rows[0]["unit"] == "bytes/s"
    assert {row["host"] for row in rows if row["host_slow"] == "1"} == {"node3"}
    (lost,) = [row for row in rows if not row["value"]]
    assert (lost["host"], lost["standing"], lost["error"]) == ("node2", "failed", "Input/output error")


def test_no_text_is_a_formula_or_a_command_to_a_terminal() -> None:
    hostile = msgspec.structs.replace(host_run_of(0), host="=cmd()\x1b[2J\n")
    (row, *_) = csv_rows(lines(fleet_of([hostile])))
    assert row["host"] == "'=cmd()[2J"
