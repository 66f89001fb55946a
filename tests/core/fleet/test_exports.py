"""A run for Prometheus: its standing and each test, nothing of what is not known."""

from msgspec.structs import replace

from raidtui.core.fleet.exports import csv_of, metrics_of
from raidtui.core.fleet.fleet import fleet_of
from tests.builders.tables import csv_rows
from tests.core.fleet.rack import host_run_of


def test_standing_and_results_with_host_and_run() -> None:
    run = replace(host_run_of(3, lost=1), host='a"b', run="r")
    lines = metrics_of(run, alive=True, left_s=90.0).splitlines()
    assert 'raidtui_run_going_on{host="a\\"b",run="r"} 1' in lines
    assert 'raidtui_run_left_seconds{host="a\\"b",run="r"} 90' in lines
    assert 'raidtui_run_missing_tests{host="a\\"b",run="r"} 1' in lines
    tests = [line for line in lines if line.startswith("raidtui_run_test_bytes_per_second{")]
    assert len(tests) == 2 and 'test="sequential_write",direction="read"' in tests[0]
    assert "# TYPE raidtui_run_test_bytes_per_second gauge" in lines
    assert not any("operations_per_second" in line or "gain" in line for line in lines)


def test_what_was_not_looked_for_and_is_over_has_no_sample() -> None:
    text = metrics_of(host_run_of(1, measured_disks=False), alive=False, left_s=None)
    assert "slow_disks" not in text and "left_seconds" not in text and "raidtui_run_finished{" in text


def test_a_line_a_test_of_a_host_with_host_run_and_date() -> None:
    runs = [host_run_of(number, speed=0.7 if number == 3 else 1.0, lost=int(number == 2)) for number in range(8)]
    rows = csv_rows(csv_of(fleet_of(runs)))
    assert len(rows) == 24
    assert (rows[0]["host"], rows[0]["run"], rows[0]["date"]) == ("node0", "run-0-1000", "1970-01-01 00:16")
    assert float(rows[0]["value"]) == runs[0].figures[0].value and rows[0]["unit"] == "bytes/s"
    assert {row["host"] for row in rows if row["host_slow"] == "1"} == {"node3"}
    (lost,) = [row for row in rows if not row["value"]]
    assert (lost["host"], lost["standing"], lost["error"]) == ("node2", "failed", "Input/output error")


def test_no_text_is_a_formula_or_a_command_to_a_terminal() -> None:
    hostile = replace(host_run_of(0), host="=cmd()\x1b[2J\n")
    (row, *_) = csv_rows(csv_of(fleet_of([hostile])))
    assert row["host"] == "'=cmd()[2J"
