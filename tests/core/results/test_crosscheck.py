"""What fio says beside what the kernel counted: a gap over 5 % is told, where both are of the same seconds."""

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.results.analysis import compare
from raidtui.core.results.outliers import Gap, gap, gap_words
from tests.builders import handmade

PLAN = handmade.plan()
TRIAL = PLAN.trial("filesystem-seq_read")
assert TRIAL


def measured(by_kernel: float, key: str = "array", **changes: object) -> Gap | None:
    made = handmade.measurement(TRIAL, 187, disks={key: DiskRates(by_kernel * 1e6, 0.0, 1.0)}, **changes)  # type: ignore[arg-type]
    return gap(PLAN, PLAN.stages[1], made, 6.0)


@pytest.mark.parametrize("by_kernel, told", [(187, False), (180, False), (196, False), (170, True), (210, True)])
def test_a_gap_over_5_percent_is_told(by_kernel: float, told: bool) -> None:
    found = measured(by_kernel)
    assert bool(found) is told and (not found or found.ratio == pytest.approx(by_kernel / 187))
    off = f"{100 * (by_kernel / 187 - 1):+.0f} %"
    figures = f"fio moved 187 MB/s, the kernel counted {by_kernel} MB/s on the array ({off})"
    assert not told or gap_words(PLAN, PLAN.stages[1], found) == f"{figures}: rate: fio, possibly off by as much"


def test_what_others_read_during_a_write_test_is_no_gap() -> None:
    trial = PLAN.trial("filesystem-seq_write")
    assert trial
    made = handmade.measurement(trial, 168, disks={"array": DiskRates(120e6, 168e6, 1.0)})
    assert gap(PLAN, PLAN.stages[1], made, 6.0) is None


def test_small_rates_have_digits_that_tell_them_apart_and_the_kernels_count_is_the_figure() -> None:
    made = handmade.measurement(TRIAL, 0.31, disks={"array": DiskRates(0.34e6, 0.0, 1.0)}, bs_bytes=4096)  # type: ignore[arg-type]
    assert made.read
    counted = replace(made, read=replace(made.read, counted_iops=83.0))
    assert gap_words(PLAN, PLAN.stages[1], gap(PLAN, PLAN.stages[1], counted, 6.0)) == (
        "fio moved 0.31 MB/s, the kernel counted 0.34 MB/s on the array (+10 %): rate: kernel, latency: fio"
    )


@pytest.mark.parametrize("queue, told", [(16, True), (64, False)])
def test_what_is_in_flight_at_either_end_is_no_gap(queue: int, told: bool) -> None:
    """64 requests of 4 KiB in 5 s are 0.05 MB/s."""
    rates = {"array": DiskRates(0.35e6, 0.0, 1.0)}
    made = handmade.measurement(TRIAL, 0.31, disks=rates, bs_bytes=4096, iodepth=queue, numjobs=1)  # type: ignore[arg-type]
    assert made.runtime_ms == 5001 and bool(gap(PLAN, PLAN.stages[1], made, 6.0)) is told


def test_nothing_is_said_where_the_kernel_was_not_asked_or_fio_ended_late() -> None:
    assert measured(10, key="wwn-0x50000") is None
    assert measured(10, status="failed") is None
    made = handmade.measurement(TRIAL, 187, disks={"array": DiskRates(1e6, 0.0, 1.0)})  # type: ignore[arg-type]
    assert gap(PLAN, PLAN.stages[1], made, 20.0) is None


def test_it_is_among_the_warnings_of_a_run() -> None:
    rates = {"array": DiskRates(100e6, 0.0, 1.0)}
    found = compare(PLAN, handmade.state(PLAN, filesystem_seq_read={"disks": rates})).warnings
    said = "fio moved 187 MB/s, the kernel counted 100 MB/s on the array (-47 %)"
    assert found == (f"Sequential read (filesystem): {said}: rate: fio, possibly off by as much",)
    assert msgspec.json.encode(found)


@pytest.mark.parametrize(
    "fio, kernel, chance, ratio",
    [(150, 190, True, 1.27), (150, 165, False, 1.1), (150, 150, False, None), (150, 100, False, 0.67)],
)
def test_what_is_off_by_one_of_both_rates_alone_is_not_decided(
    fio: float, kernel: float, chance: bool, ratio: float | None
) -> None:
    """Expected are 189 MB/s: the 150 of fio's are below it unless the kernel counted about as many."""
    rates = {"array": DiskRates(kernel * 1e6, 0.0, 1.0)}
    trial = PLAN.trial("filesystem-seq_read")
    assert trial
    read = handmade.measurement(trial, fio).read
    found = compare(PLAN, handmade.state(PLAN, filesystem_seq_read={"read": read, "disks": rates}))
    (row,) = (row for row in found.rows if row.job == "seq_read")
    assert row.causes.chance is chance and row.causes.deviation == pytest.approx(fio * 1e6 / (row.predicted or 1) - 1)
    assert row.counted == (pytest.approx(ratio, abs=0.01) if ratio else None)
