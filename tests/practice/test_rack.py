"""Racks that can be, and those that cannot, each with its sentence."""

from typing import Any

import pytest

from raidtui.practice import Rack, RackError
from raidtui.practice.rack import MIB


def test_memory_grows_with_the_disks_content_unless_it_lies_in_files() -> None:
    rack = Rack(disks=6, disk_size_bytes=256 * MIB)
    assert rack.needed_bytes(with_content=True) == (6 * 256 + 1024) * MIB
    assert rack.needed_bytes(with_content=False) < 1024 * MIB


def test_sizes_are_one_for_all_or_one_for_each() -> None:
    unequal = Rack(3, (512 * MIB, 400 * MIB, 640 * MIB))
    assert unequal.sizes_bytes == (512 * MIB, 400 * MIB, 640 * MIB)
    assert unequal.unequal
    assert unequal.needed_bytes(with_content=True) == (1552 + 1024) * MIB
    equal = Rack(2, 64 * MIB)
    assert (equal.sizes_bytes, equal.unequal) == ((64 * MIB, 64 * MIB), False)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (dict(disks=-1), "0 to 128"),
        (dict(disks=129), "0 to 128"),
        (dict(disk_size_bytes=1_000_000_000), "multiple of 1 MiB"),
        (dict(disk_size_bytes=MIB), "at least 8MiB"),
        (dict(disks=2, disk_size_bytes=(64 * MIB, MIB)), "at least 8MiB"),
        (dict(disks=3, disk_size_bytes=(64 * MIB, 32 * MIB)), "2 sizes for 3 practice disks"),
        (dict(disks=2, disk_size_bytes=(64 * MIB, 32 * MIB), iops=100), "must have equal sizes"),
        (dict(bytes_per_s=-1), "negative"),
        (dict(iops=-5), "negative"),
        (dict(memory_bytes=16 * MIB), "256 MiB"),
    ],
)
def test_a_rack_that_cannot_be_says_why(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(RackError, match=says):
        Rack(**wrong)


def test_no_disks_at_all_are_a_rack() -> None:
    assert Rack(disks=0, disk_size_bytes=0).needed_bytes(with_content=True) == 1024 * MIB
    assert Rack(disks=12, disk_size_bytes=256 * MIB).needed_bytes(with_content=True) == (12 * 256 + 1024 + 288) * MIB
