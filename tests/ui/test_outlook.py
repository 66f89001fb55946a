"""What the draft would become, before anything is measured: capacity, or one sentence why it cannot be."""

from raidtui.ui.draft import Draft
from raidtui.ui.outlook import outlook
from tests.ui.machines import rack


def test_capacity_and_speed_are_the_models() -> None:
    disks = rack(4)
    found = outlook(Draft(disks=tuple(disk.id for disk in disks), level="5"), disks)
    assert found.problem == "" and found.capacity and found.prediction
    assert found.raw_bytes == 4 * disks[0].size_bytes
    assert 0.74 < found.capacity.array_bytes / found.raw_bytes < 0.75
    assert found.capacity.survives == 1
