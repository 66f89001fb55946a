"""Measurements as CSV and as a table: the same figures, every percentile, every choice of a setup, no formula."""

import json

import msgspec

from raidtui.core.fio.measurement import Measurement
from raidtui.core.page import markdown as page
from raidtui.core.plan.answers import Setup
from raidtui.core.report.provenance import measurements, measurements_csv, of_measurements
from tests.builders import handmade
from tests.builders.tables import csv_rows, tables_of
from tests.recordings.reports import kept

PLAN = handmade.plan()


def test_measurements_carry_their_setup() -> None:
    found = measurements(PLAN, handmade.state(PLAN))
    assert len(found) == 15
    assert found[0].setup is None and found[-1].setup and found[-1].setup["level"] == "5"
    assert json.loads(msgspec.json.encode(found))[-1]["disks"]["wwn-0x50000"].keys() == {
        "read_bytes_per_s", "write_bytes_per_s", "util", "spread", "stalls", "reads_per_s", "writes_per_s", "step",
    }  # fmt: skip


def test_csv_holds_the_same_figures() -> None:
    found = measurements(PLAN, handmade.state(PLAN))
    rows = csv_rows(measurements_csv(found))
    assert [float(row["read_iops"]) for row in rows if row["read_iops"]] == [m.read.iops for m in found if m.read]
    assert rows[0]["read_iops"] == "" and rows[0]["write_lat_p99_ns"]
    assert (rows[0]["level"], rows[-1]["level"], rows[-1]["filesystem"]) == ("", "5", "xfs")


def test_csv_has_every_percentile_that_was_recorded() -> None:
    points: set[str] = set()
    for name in kept.names():
        found = measurements(*kept.load(name))
        for one, row in zip(found, csv_rows(measurements_csv(found)), strict=True):
            for way, rates in (("read", one.read), ("write", one.write)):
                recorded_ns = (rates.lat_percentiles_ns or {}) if rates else {}
                assert {point: float(row[f"{way}_lat_p{point}_ns"]) for point in recorded_ns} == recorded_ns
                points |= recorded_ns.keys()
    assert {"50", "99"} <= points


def test_csv_tells_every_choice_that_a_setup_has() -> None:
    """Those of its fields that a row of a sweep can differ in."""
    found = measurements(PLAN, handmade.state(PLAN))
    (row,) = csv_rows(measurements_csv(found[-1:]))
    assert set(Setup.__struct_fields__) <= set(row)
    assert all(row[field] == str(found[-1].setup[field]) for field in ("bitmap", "chunk", "partition_start_sectors"))  # type: ignore[index]


def test_csv_starts_no_formula() -> None:
    text = measurements_csv([Measurement(name="=1+1", status="failed", error='-x,"y"\n')])
    (row,) = csv_rows(text)
    assert (row["name"], row["error"]) == ("'=1+1", '\'-x,"y"')


def test_results_of_fio_from_anywhere() -> None:
    found = measurements(PLAN, handmade.full_state(PLAN))
    hostile = [msgspec.structs.replace(one, name=handmade.HOSTILE) for one in found]
    text = page.markdown(of_measurements(hostile))
    (one_table,) = tables_of(text)
    assert len(one_table) == 2 + len(found) + 3  # a mix has a line for each direction
    assert {row[6] for row in one_table if "FAILED" in row} == {page.NO_CELL}
    assert "throttled" in text
