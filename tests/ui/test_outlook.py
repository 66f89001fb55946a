"""What the draft would become, before anything is measured: capacity, or one sentence why it cannot be."""

import pytest
from msgspec.structs import replace

from raidtui.ui.draft import Draft
from raidtui.ui.outlook import assumed, may_fail, outlook, outlook_of
from tests.ui.machines import rack


def test_capacity_and_speed_are_the_models() -> None:
    disks = rack(4)
    found = outlook(Draft(disks=tuple(disk.id for disk in disks), level="5"), disks)
    assert found.problem == "" and found.capacity and found.prediction
    assert found.raw_bytes == 4 * disks[0].size_bytes
    assert 0.74 < found.capacity.array_bytes / found.raw_bytes < 0.75
    assert found.capacity.survives == 1


def test_what_cannot_be_built_has_a_sentence_and_no_capacity() -> None:
    found = outlook_of("6", "left-symmetric", 65536, rack(2))
    assert found.problem and found.capacity is None and found.prediction is None


def test_the_slowest_kind_decides_and_an_unknown_one_rotates() -> None:
    flash = tuple(replace(disk, rotational=False) for disk in rack(3))
    assert assumed(flash).iops > 100 * assumed(rack(3)).iops
    unknown = replace(flash[0], rotational=None)
    assert assumed((*flash, unknown)) == assumed(rack(1))


@pytest.mark.parametrize(
    ("count", "words"), [(0, "no disk may fail"), (1, "any 1 disk may fail"), (2, "any 2 disks may fail")]
)
def test_how_many_may_fail(count: int, words: str) -> None:
    assert may_fail(count) == words
