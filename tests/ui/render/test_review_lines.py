"""The lines of Review: first what will stand, and whether it stays."""

import msgspec

from raidtui.core.units import Units
from raidtui.ui.render.review_lines import review_lines
from tests.builders import sweeps


def test_review_says_first_what_will_be_built_and_whether_it_stays() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    first = "".join(words for words, _ in review_lines(plan, Units.DECIMAL, 200)[0])
    assert plan.title in first and first.endswith("Afterwards taken apart, the disks blank.")


def test_what_a_raid_controller_tells_stands_below_its_disk() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    told = msgspec.structs.replace(plan.members[2], volume="RAID6 of 4 disks, strip 256 KiB")
    lines = review_lines(
        msgspec.structs.replace(plan, members=(*plan.members[:2], told, *plan.members[3:])), Units.DECIMAL, 80
    )
    words = ["".join(text for text, _ in line) for line in lines]
    (place,) = [number for number, text in enumerate(words) if "volume:" in text]
    assert words[place].strip() == "volume: RAID6 of 4 disks, strip 256 KiB" and told.name in words[place - 1]
