"""The lines of Review: first what will stand, and whether it stays."""

import msgspec

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.summary import space_words
from raidtui.core.units import Units
from raidtui.ui.render.review_lines import review_lines
from tests.builders import sweeps
from tests.runs.rig import plan_permanent


def test_review_says_first_what_will_be_built_and_whether_it_stays() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    first = "".join(words for words, _ in review_lines(plan, Units.DECIMAL, 200)[0])
    assert plan.title in first and first.endswith("Afterwards taken apart, the disks blank.")


def test_review_says_where_a_permanent_array_is_mounted_and_what_is_written() -> None:
    plan = plan_permanent(mount_point="/srv/vms")
    shown = ["".join(words for words, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, 200)]
    assert shown[0].endswith("Afterwards kept, and at each boot mounted at /srv/vms.")
    assert "Make it permanent" in shown and any(line.startswith("add_lines /etc/fstab UUID=") for line in shown)
    bare = "".join(words for words, _ in review_lines(plan_permanent("none"), Units.DECIMAL, 200)[0])
    assert bare.endswith("Afterwards kept, and at each boot there under its name.")


def test_what_a_raid_controller_tells_stands_below_its_disk() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    told = msgspec.structs.replace(plan.members[2], volume="RAID6 of 4 disks, strip 256 KiB")
    lines = review_lines(
        msgspec.structs.replace(plan, members=(*plan.members[:2], told, *plan.members[3:])), Units.DECIMAL, 80
    )
    words = ["".join(text for text, _ in line) for line in lines]
    (place,) = [number for number, text in enumerate(words) if "volume:" in text]
    assert words[place].strip() == "volume: RAID6 of 4 disks, strip 256 KiB" and told.name in words[place - 1]


def test_where_the_bytes_of_the_disks_go_is_told_of_one_setup() -> None:
    plan = sweeps.plan("quick", 6, setup=Setup(level="6", filesystem="xfs"))
    for width in (80, 120):
        shown = ["".join(text for text, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, width)]
        at = shown.index("6 x 1.00 TB = 6.00 TB on the labels, which is 5.46 TiB: the same bytes.")
        assert shown[at + 1].split()[0] == "parity" and shown[at + 1].endswith("1.82 TiB")
        assert any(line.startswith("`df -h` will say about 3.7T") for line in shown)
    assert space_words(sweeps.plan("levels-random-4k", 6)) == []
