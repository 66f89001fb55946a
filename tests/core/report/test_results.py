"""Figures of a run: what the disks moved beside what the user got, with spreads and temperatures."""

import msgspec

from raidtui.core.fio.measurement import DiskRates, Temperature
from raidtui.core.report import markdown, tables
from tests.builders import handmade
from tests.builders.tables import tables_of

PLAN = handmade.plan()


def test_figures_that_are_not_fios_own_are_told() -> None:
    made = handmade.measurement(PLAN.trial("filesystem-seq_read"), 187)  # type: ignore[arg-type]
    assert made.read
    counted = msgspec.structs.replace(made.read, fio_iops=made.read.iops * 0.9)
    text = markdown.markdown(PLAN, handmade.state(PLAN, filesystem_seq_read={"read": counted}))
    assert "IOPS of tests with a ramp are bytes / block size" in text and "up to 10.0 % lower" in text
    assert "fio_iops" not in markdown.markdown(PLAN, handmade.state(PLAN))


def test_what_the_disks_moved_stands_beside_what_the_user_got_with_the_spread_of_each() -> None:
    rates = {m.id: DiskRates(10e6, 90e6 - 20e6 * n, 0.9, spread=0.034) for n, m in enumerate(PLAN.members)}
    text = markdown.markdown(PLAN, handmade.state(PLAN, filesystem_seq_write={"disks": rates}))
    assert "The user's rate was 168.0 MB/s; the disks together moved 1.43 times that." in text
    assert "Busiest over idlest disk: 1.67." in text and "|       3.4 |" in text


def test_temperatures_stand_beside_the_disks_that_told_them() -> None:
    told = {PLAN.members[0].id: Temperature(31, 38), PLAN.members[2].id: Temperature(None, 40, 60)}
    text = markdown.markdown(PLAN, handmade.state(PLAN, filesystem_seq_write={"temperatures": told}))
    (table,) = [one for one in tables_of(text) if "After, °C" in one[0]]
    assert [row[-2:] for row in table[2:]] == [
        ["31", "38"],
        [tables.NO_CELL] * 2,
        [tables.NO_CELL, "40"],
        [tables.NO_CELL] * 2,
    ]
