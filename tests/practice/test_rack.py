"""Racks that can be, and those that cannot, each with its sentence."""

import pytest

from raidtui.practice import Rack, RackError
from raidtui.practice.rack import MIB


def test_memory_grows_with_the_disks_content_unless_it_lies_in_files() -> None:
    rack = Rack(disks=6, disk_size_bytes=256 * MIB)
    assert rack.needed_bytes(with_content=True) == (6 * 256 + 1024) * MIB
    assert rack.needed_bytes(with_content=False) < 1024 * MIB


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (dict(disks=-1), "0 to 128"),
        (dict(disks=129), "0 to 128"),
        (dict(disk_size_bytes=1_000_000_000), "whole number of MiB"),
        (dict(disk_size_bytes=MIB), "8 at least"),
        (dict(bytes_per_s=-1), "negative"),
        (dict(iops=-5), "negative"),
        (dict(memory_bytes=16 * MIB), "256 MiB"),
    ],
)
def test_a_rack_that_cannot_be_says_why(wrong: dict[str, int], says: str) -> None:
    with pytest.raises(RackError, match=says):
        Rack(**wrong)


def test_no_disks_at_all_are_a_rack() -> None:
    assert Rack(disks=0, disk_size_bytes=0).needed_bytes(with_content=True) == 1024 * MIB
