"""What the disks did: all together in the report, each by itself in CSV, with spread, temperature, and the source's."""

import pytest

from raidtui.core.fio.measurement import DiskRates, Temperature
from raidtui.core.report.disks import disks_csv
from raidtui.core.report.markdown import whole
from tests.builders import handmade
from tests.builders.tables import csv_rows, rows_of
from tests.recordings.reports import kept

PLAN = handmade.plan()
RATES = {m.id: DiskRates(10e6, 90e6 - 20e6 * n, 0.9, spread=0.034) for n, m in enumerate(PLAN.members)}


def test_what_the_disks_moved_stands_beside_what_the_user_got() -> None:
    text = whole(PLAN, handmade.state(PLAN, filesystem_seq_write={"disks": RATES}))
    rows = rows_of(text, "## Disk rates (MB/s = 10^6 bytes/s)")
    moved = {name: figures for name, *figures in (row.values() for row in rows)}
    assert moved["Sequential write, the file system"] == ["30.0", "210.0", "1.43", "100.0", "60.0"]


def test_the_csv_has_a_line_a_disk_with_spread_and_temperatures() -> None:
    told = {PLAN.members[0].id: Temperature(31, 38), PLAN.members[2].id: Temperature(None, 40, 60)}
    state = handmade.state(PLAN, filesystem_seq_write={"disks": RATES, "temperatures": told})
    lines = [line for line in csv_rows(disks_csv(PLAN, state)) if line["name"] == "filesystem-seq_write"]
    degrees_c = (("31", "38"), ("", ""), ("", "40"))
    assert [(line["serial"], line["before_c"], line["after_c"]) for line in lines] == [
        (member.serial, *degrees) for member, degrees in zip(PLAN.members, degrees_c, strict=True)
    ]
    assert {(line["read_bytes_per_s"], line["spread"]) for line in lines} == {("10000000.0", "0.034")}


@pytest.mark.parametrize("name", kept.names())
def test_each_disk_of_each_trial_of_a_recorded_run_is_in_the_csv(name: str) -> None:
    plan, state = kept.load(name)
    measured = [one for trial in plan.trials if (one := state.measured(trial.id))]
    fields = ("read_bytes_per_s", "write_bytes_per_s", "util")
    found = {
        (row["name"], row["id"]): [float(row[field]) for field in fields] for row in csv_rows(disks_csv(plan, state))
    }
    assert found == {
        (one.name, disk): [getattr(rates, field) for field in fields]
        for one in measured
        for disk, rates in one.disks.items()
    }
