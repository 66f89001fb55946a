"""What the kernel counted beside what fio's user got."""

from typing import Any

import msgspec
import pytest

from raidtui.core.fio.measurement import DiskRates, Measurement
from raidtui.core.results.analysis import compare
from raidtui.core.results.disk_operations import (
    at_work,
    median_operations,
    operations_of,
    other_way,
    simultaneous,
    with_counted,
)
from raidtui.core.run.samples import ARRAY
from tests.builders import handmade
from tests.builders.compared import row

PLAN = handmade.plan()
DIRECT = {"direct": "1", "bs": "4k"}


def disks(reads: float, writes: float, *, counted: bool = True) -> dict[str, DiskRates]:
    """Each member's 4 KiB operations a second."""
    told = {"reads_per_s": reads, "writes_per_s": writes} if counted else {}
    return {one.id: DiskRates(reads * 4096, writes * 4096, 0.9, **told) for one in PLAN.members}  # type: ignore[arg-type]


def measured(trial: str, iops: float, **changes: Any) -> Measurement:
    asked = PLAN.trial(trial)
    assert asked
    return handmade.measurement(asked, iops, **changes)


@pytest.mark.parametrize("counted", [True, False])
def test_the_measured_write_penalty_is_reads_and_writes_for_one_of_the_users(counted: bool) -> None:
    found = operations_of(measured("filesystem-rand_write", 96, disks=disks(32, 64, counted=counted)))
    assert found and (found.reads, found.writes, found.total) == pytest.approx((1, 2, 3))


def test_what_the_disks_did_is_the_median_of_the_repetitions_as_the_figures_are() -> None:
    """The first repetition was an odd one: neither its operations nor its disk at rest speak for the test."""
    odd, *usual = (measured("filesystem-rand_write", 96, disks=disks(reads, 64)) for reads in (320, 32, 33))
    found = median_operations([odd, *usual])
    assert found and (found.reads, found.writes) == pytest.approx((33 / 32, 2))
    resting = msgspec.structs.replace(odd, disks=odd.disks | {PLAN.members[0].id: DiskRates(0.0, 0.0, 0.0)})
    assert [work.disks for work in (at_work([resting]), at_work([resting, *usual])) if work] == [2, 3]
    reading = [measured("filesystem-rand_read", 96, disks=disks(100, writes)) for writes in (40, 2, 3)]
    assert other_way(reading[:1]) == pytest.approx(0.4) and other_way(reading) is None
    assert median_operations([]) is None and at_work([]) is None


def test_it_stands_in_the_row_beside_the_models() -> None:
    odd = {"disks": disks(32, 64)}
    found = row(compare(PLAN, handmade.state(PLAN, filesystem_rand_write=odd)), "rand_write")
    assert found.operations and found.operations.total == pytest.approx(3)
    assert found.expected.operations and found.expected.operations.reads == pytest.approx(1)
    assert found.expected.operations.writes == pytest.approx(2)


@pytest.mark.parametrize(
    "trial, reads, writes, share",
    [
        ("filesystem-rand_read", 100, 2, None),
        ("filesystem-rand_read", 100, 10, 0.1),
        ("filesystem-seq_write", 10, 100, 0.1),
        ("filesystem-mix", 100, 100, None),
    ],
)
def test_operations_that_are_not_the_tests_own(trial: str, reads: float, writes: float, share: float | None) -> None:
    assert other_way([measured(trial, 96, disks=disks(reads, writes))]) == (share and pytest.approx(share))


def test_a_read_test_whose_disks_write_is_flagged_and_parity_that_is_read_is_not() -> None:
    odd = {"filesystem_rand_read": {"disks": disks(100, 10)}, "filesystem_rand_write": {"disks": disks(60, 64)}}
    comparison = compare(PLAN, handmade.state(PLAN, **odd))
    assert any("disks also wrote 10 %" in flag for flag in row(comparison, "rand_read").flags)
    assert not any("also read" in flag for flag in row(comparison, "rand_write").flags)


def test_disks_that_moved_less_than_the_user_got_are_of_other_seconds_and_feed_nothing() -> None:
    assert simultaneous(measured("filesystem-rand_read", 300, disks=disks(95, 0)))
    assert not simultaneous(measured("filesystem-rand_read", 300, disks=disks(21, 0)))
    assert simultaneous(measured("filesystem-rand_read", 300))  # nobody counted
    odd = {"filesystem_rand_read": {"disks": disks(21, 10)}}
    found = row(compare(PLAN, handmade.state(PLAN, **odd)), "rand_read")
    assert found.operations is None and not any("also wrote" in flag for flag in found.flags)


@pytest.mark.parametrize(
    "trial, options, rates, expected",
    [
        ("filesystem-rand_read", DIRECT, disks(36, 0) | {ARRAY: DiskRates(108 * 4096, 0, 1.0)}, 108),
        ("member0-rand_read", DIRECT, disks(108, 0), 108),
        ("members-rand_read", DIRECT, disks(36, 0), 108),
        ("member0-rand_read", DIRECT, disks(200, 0), None),  # somebody else's are in it
        ("members-rand_read", DIRECT, disks(60, 0), 180),  # the slowest one's last requests are waited for
        ("member0-rand_read", {"direct": "0"}, disks(108, 0), None),
        ("member0-rand_read", DIRECT | {"bssplit": "4k/50:8k/50"}, disks(108, 0), None),
        ("member0-seq_read", DIRECT, disks(108, 0), None),
    ],
)
def test_whole_seconds_are_counted_on_what_was_measured(
    trial: str, options: dict[str, str], rates: dict[str, DiskRates], expected: float | None
) -> None:
    asked = PLAN.trial(trial)
    assert asked
    found = with_counted(measured(trial, 100, disks=rates), asked, PLAN.members, options).read
    assert found and found.counted_iops == (expected and pytest.approx(expected))
    assert found.steady_iops == pytest.approx(expected or found.iops) and found.iops != 108
