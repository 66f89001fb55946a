"""What a mean small write asks of each disk, by md's rules, and the rate of a full queue that follows."""

import pytest

from raidtui.core.raid.placement import RequestShape, demands, full_queue_iops


@pytest.mark.parametrize(
    "key, disks, layout, reads, writes",
    [
        ("0", 4, None, 0, 1),
        ("1", 3, None, 0, 3),
        ("10", 6, "n2", 0, 2),
        ("5", 3, None, 1, 2),  # reconstruct: the other data block
        ("5", 6, None, 2, 2),  # read-modify-write: the old data and the old parity
        ("6", 6, None, 3, 3),  # a tie is reconstructed
        ("6", 8, None, 3, 3),
    ],
)
def test_operations_for_a_small_write(key: str, disks: int, layout: str | None, reads: int, writes: int) -> None:
    asked = demands(RequestShape(key, disks, layout), True)
    assert sum(one.reads for one in asked) == pytest.approx(reads)
    assert sum(one.writes for one in asked) == pytest.approx(writes)


def test_a_read_is_one_operation_and_raid4_spares_its_parity_disk() -> None:
    asked = demands(RequestShape("4", 5), False)
    assert sum(one.reads for one in asked) == pytest.approx(1) and min(one.reads for one in asked) == 0


def test_the_busiest_disk_is_the_limit() -> None:
    assert full_queue_iops(RequestShape("4", 6), 100, 100, 0) == pytest.approx(50)  # its parity disk: read and written
    assert full_queue_iops(RequestShape("0", 6), 100, 200, 0.5) == pytest.approx(800)
