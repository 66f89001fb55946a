"""The write penalty, counted at the disks."""

from raidtui.core.plan.model import Stage, Trial
from tests.builders.answers import answered


def test_what_the_disks_moved_for_each_write_stands_beside_the_model() -> None:
    def rate(stage: Stage, trial: Trial) -> float:
        return 100.0

    found = answered("levels-random-4k", 6, rate)  # handmade disks move what the user wrote, once
    penalties = {one.subject: (round(one.figure or 0.0, 2), one.base_figure) for one in found.conclusions
                 if one.kind == "penalty"}  # fmt: skip
    assert penalties == {"RAID 0": (1.0, 1), "RAID 10 n2": (1.0, 2), "RAID 5": (1.0, 4), "RAID 6": (1.0, 6)}
    assert any("RAID 0 1.0, RAID 10 n2 1.0 (model 2)" in one for one in found.sentences)
