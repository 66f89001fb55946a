"""Hosts as rows: each way a host can stand, the worst first, and what one row and one host tell."""

import pytest

from raidtui.core.fleet.fleet import fleet_of
from raidtui.core.fleet.host_run import HostRun
from raidtui.ui.render.fleet_rows import FleetHost, counts_line, host_lines, hosts_of, hosts_sheet, strip_lines
from tests.core.fleet.rack import host_run_of
from tests.ui.pages import texts

RACK = [
    *(host_run_of(number) for number in range(8)),
    host_run_of(8, lost=1),
    host_run_of(9, speed=0.6),
    host_run_of(10, slow={1: 0.6}),
]


def hosts(runs: list[HostRun]) -> list[FleetHost]:
    return hosts_of(fleet_of(runs))[0]


def test_those_that_stand_out_come_first() -> None:
    assert [(host.run.host, host.standing) for host in hosts(RACK)[:4]] == [
        ("node8", "failed"), ("node9", "slow host"), ("node10", "slow disk"), ("node0", "alike"),
    ]  # fmt: skip
    assert [line.rstrip() for line in texts([counts_line(hosts(RACK))])] == [
        "✗ 1 failed   ▼ 1 slow host   ▼ 1 slow disk   ✓ 8 alike"
    ]


def test_two_hosts_are_not_said_to_be_alike() -> None:
    assert [host.standing for host in hosts(RACK[:2])] == ["not compared"] * 2
    assert "GB/s" in texts(hosts_sheet([hosts(RACK[:2])], 100)[0].rows[0].lines)[0]


def test_each_host_is_one_sign_of_the_picture() -> None:
    assert texts(strip_lines(hosts(RACK), 6, 4)) == ["✗▼▼✓✓✓", "✓✓✓✓✓"]


@pytest.mark.parametrize("width", [80, 120])
def test_a_row_has_the_difference_and_marks_what_is_slow(width: int) -> None:
    sheet, of_rows = hosts_sheet([hosts(RACK)], width)
    assert len(sheet.rows) == len(of_rows) == len(RACK)
    assert "seq read" in texts([sheet.heading])[0]
    slow = sheet.rows[1].lines[0]
    assert any(look == "*warn" and "−4" in text for text, look in slow), "node9 reads 40 % less"
    assert all(look != "*warn" for _, look in sheet.rows[3].lines[0])
    assert "■▼■■■■" in texts(sheet.rows[2].lines)[0]


def test_experiments_have_headings_that_are_no_rows() -> None:
    two = [hosts(RACK), hosts(RACK[:2])]
    sheet, of_rows = hosts_sheet(two, 100)
    assert [at for at, host in enumerate(of_rows) if host is None] == [0, 1, 13, 14]
    assert all(row.is_heading == (host is None) for row, host in zip(sheet.rows, of_rows, strict=True))


@pytest.mark.parametrize("width", [80, 120])
def test_one_host_has_its_tests_and_its_slow_disk(width: int) -> None:
    text = texts(host_lines(hosts(RACK)[2], width))
    assert text[0].startswith(" ▼ slow disk   run-10")
    assert sum("▼ S10-1" in line for line in text) == 1
    assert max(map(len, text)) <= width
    assert any("failed" in line for line in texts(host_lines(hosts(RACK)[0], width))[4:])
