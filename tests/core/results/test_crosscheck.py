"""What fio says beside what the kernel counted: a gap over 5 % is told, where both are of the same seconds."""

import msgspec
import pytest

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.results.analysis import compare
from raidtui.core.results.crosscheck import gap
from tests.builders import handmade

PLAN = handmade.plan()
TRIAL = PLAN.trial("filesystem-seq_read")
assert TRIAL


def measured(by_kernel: float, key: str = "array", **changes: object) -> str:
    made = handmade.measurement(TRIAL, 187, disks={key: DiskRates(by_kernel * 1e6, 0.0, 1.0)}, **changes)  # type: ignore[arg-type]
    return gap(PLAN, PLAN.stages[1], made, 6.0)


@pytest.mark.parametrize(("by_kernel", "told"), [(187, False), (180, False), (196, False), (170, True), (210, True)])
def test_a_gap_over_5_percent_is_told(by_kernel: float, told: bool) -> None:
    assert bool(measured(by_kernel)) is told
    assert not told or f"fio moved 187.0 MB/s, the kernel counted {by_kernel}.0 MB/s on the array" == measured(
        by_kernel
    )


def test_nothing_is_said_where_the_kernel_was_not_asked_or_fio_ended_late() -> None:
    assert measured(10, key="wwn-0x50000") == ""
    assert measured(10, status="failed") == ""
    made = handmade.measurement(TRIAL, 187, disks={"array": DiskRates(1e6, 0.0, 1.0)})  # type: ignore[arg-type]
    assert gap(PLAN, PLAN.stages[1], made, 20.0) == ""


def test_it_is_among_the_warnings_of_a_run() -> None:
    rates = {"array": DiskRates(100e6, 0.0, 1.0)}
    found = compare(PLAN, handmade.state(PLAN, filesystem_seq_read={"disks": rates})).warnings
    assert found == ("Sequential read (filesystem): fio moved 187.0 MB/s, the kernel counted 100.0 MB/s on the array",)
    assert msgspec.json.encode(found)
