"""What the draft would become, before anything is measured: capacity, or one sentence why it cannot be."""

import pytest

from raidtui.core.advice.preview import PreviewSpeed, assumed
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.results.disk_speeds import MeasuredSpeed
from raidtui.ui.draft import Draft
from raidtui.ui.preview import preview, speed_of, with_measured_speed
from raidtui.ui.services import Scan
from tests.ui.machines import rack

DISKS = rack(4)
IDS = tuple(disk.id for disk in DISKS)


def test_capacity_and_speed_are_the_models() -> None:
    found = preview(Draft(disks=IDS, level="5"), DISKS, assumed(DISKS))
    assert found.problem == "" and found.capacity and found.prediction
    assert found.raw_bytes == 4 * DISKS[0].size_bytes
    assert 0.74 < found.capacity.array_bytes / found.raw_bytes < 0.75
    assert found.capacity.survives == 1


@pytest.mark.parametrize(
    "measured, speed, disk_speed, disk_iops",
    [
        (MeasuredSpeed(95.4e6, 2960.5), PreviewSpeed(95.4e6, 2960.5), "95.4MB/s", 2960.0),
        (MeasuredSpeed(95.4e6), PreviewSpeed(95.4e6, assumed(DISKS).iops), "95.4MB/s", 0.0),
        (MeasuredSpeed(0.0, 2960), assumed(DISKS), "", 0.0),
        (MeasuredSpeed(), assumed(DISKS), "", 0.0),
    ],
)
def test_what_disks_did_before_is_what_the_next_estimate_rests_on(
    measured: MeasuredSpeed, speed: PreviewSpeed, disk_speed: str, disk_iops: float
) -> None:
    known = dict.fromkeys(IDS, measured)
    assert speed_of(DISKS, known) == speed
    answers = with_measured_speed(Answers(disks=IDS, setup=Setup()), Scan(DISKS, measured_speeds=known))
    assert (answers.disk_speed, answers.disk_iops) == (disk_speed, disk_iops)


def test_what_a_person_says_of_a_disk_stands() -> None:
    said = Answers(disks=IDS, setup=Setup(), disk_speed="1MB/s")
    assert with_measured_speed(said, Scan(DISKS, measured_speeds=dict.fromkeys(IDS, MeasuredSpeed(9e6)))) == said
