"""The lines of Review: first what will stand, and whether it stays."""

import msgspec
import pytest

from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.summary import space_words
from raidtui.core.units import Units
from raidtui.ui.render.review_lines import review_lines
from tests.builders import sweeps
from tests.runs.rig import plan_permanent
from tests.ui.pages import texts


@pytest.mark.parametrize("width", [80, 120])
def test_review_begins_with_what_will_happen_a_verb_a_line_and_then_the_disks(width: int) -> None:
    plan = sweeps.plan("quick", 6, setup=Setup(level="6", filesystem="xfs"))
    lines = texts(review_lines(plan, Units.DECIMAL, width))
    verbs = [line.split()[0] for line in lines[: lines.index("")] if line[1] != " "]
    assert verbs == ["Create", "Usable", "Test", "Time", "Writes", "Result"]
    assert plan.title in lines[0] and "4.00 TB = 3.64 TiB of 6.00 TB" in lines[1] and "12 tests" in lines[2]
    assert lines[lines.index("") - 1].endswith("Array removed, disks left blank")
    assert lines[lines.index("") + 1] == " ALL DATA ON THESE 6 DISKS WILL BE ERASED"


def test_the_rule_by_which_disks_were_chosen_stands_above_them() -> None:
    plan = msgspec.structs.replace(sweeps.plan("levels-random-4k", 6), disk_rule=DiskRule(count=6, size="1TB"))
    lines = texts(review_lines(plan, Units.DECIMAL, 80))
    members = lines.index(" ALL DATA ON THESE 6 DISKS WILL BE ERASED")
    assert lines[members + 1].strip() == "selected by rule: 6 disks, about 1TB, without a warning"


def test_which_disk_is_the_journal_and_which_waits_stands_below_them() -> None:
    setup = Setup(level="5", bitmap="journal", spares=1)
    plan = sweeps.plan("quick", 5, setup=setup, after="keep")
    lines = texts(review_lines(plan, Units.DECIMAL, 100))
    below = {
        lines[number - 1].split()[1]: line.strip() for number, line in enumerate(lines) if line.startswith("     ")
    }
    assert below["disk3"] == "the array's journal" and below["disk4"] == "spare"
    assert space_words(plan)[-2:] == [
        "1 more disk: journal, no space",
        "1 more disk: spare, no space",
    ]


def test_several_arrays_have_no_one_size() -> None:
    lines = [
        "".join(words for words, _ in line)
        for line in review_lines(sweeps.plan("levels-random-4k", 6), Units.DECIMAL, 80)
    ]
    assert not any(line.startswith(" Usable ") for line in lines)


def test_review_says_where_a_permanent_array_is_mounted_and_what_is_written() -> None:
    plan = plan_permanent(mount_point="/srv/vms")
    shown = ["".join(words for words, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, 200)]
    mailed = "; mail alerts: as in mdadm.conf (change: Measure > Mail alerts to)"
    assert f"Array kept, at boot mounted at /srv/vms{mailed}" in " ".join(shown)
    assert "Add boot entries" in shown and any(line.startswith("add_lines /etc/fstab UUID=") for line in shown)
    owned = plan_permanent(mount_owner="alice:vms", mount_mode="2775", mailaddr="root")
    shown = ["".join(words for words, _ in line).strip() for line in review_lines(owned, Units.DECIMAL, 200)]
    told_whom = " mounted at /srv/array, alice:vms, 2775; mail alerts: root"
    assert any(line.endswith(told_whom) for line in shown)
    assert "chown alice:vms /srv/array; chmod 2775 /srv/array" in shown
    bare = texts(review_lines(plan_permanent("none"), Units.DECIMAL, 200))
    assert any(line.endswith(f"Array kept, at boot assembled under its name{mailed}") for line in bare)


def test_what_a_raid_controller_tells_stands_below_its_disk() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    told = msgspec.structs.replace(plan.members[2], volume="RAID6 of 4 disks, strip 256 KiB")
    lines = review_lines(
        msgspec.structs.replace(plan, members=(*plan.members[:2], told, *plan.members[3:])), Units.DECIMAL, 80
    )
    words = texts(lines)
    (place,) = [number for number, text in enumerate(words) if "volume:" in text]
    assert words[place].strip() == "volume: RAID6 of 4 disks, strip 256 KiB" and told.name in words[place - 1]


def test_where_the_bytes_of_the_disks_go_is_told_of_one_setup() -> None:
    plan = sweeps.plan("quick", 6, setup=Setup(level="6", filesystem="xfs"))
    for width in (80, 120):
        shown = ["".join(text for text, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, width)]
        at = shown.index("6 x 1.00 TB = 6.00 TB = 5.46 TiB raw")
        assert shown[at + 1].split()[0] == "parity" and shown[at + 1].endswith("1.82 TiB")
        assert any(line.startswith("df -h: Size about 3.7T") for line in shown)
    assert space_words(sweeps.plan("levels-random-4k", 6)) == []


def test_an_explanation_says_which_test_it_is_of_what_is_changed_and_on_which_disk() -> None:
    plan = sweeps.plan("quick", 6, setup=Setup(level="5"), jobs=("rand_write",), explain=("wbt", "bitmap"), repeat=2)
    shown = ["".join(text for text, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, 200)]
    (measured,) = [line for line in shown if line.startswith("Test ")]
    title = next(trial.title for trial in plan.stages[-1].trials if not trial.suspect)
    tests = len(plan.trials)
    assert measured.endswith(
        f"Bottleneck of {title}, {tests} tests, unchanged and with one change at a"
        " time: without wbt; without the bitmap"
    )
    name = plan.members[3].name
    assert f"# Set wbt_lat_usec of {name} to 0" in shown and f"# Restore wbt_lat_usec of {name}" in shown
    assert f"# Wipe {name}" in shown and not any("{" in line for line in shown if line.startswith("#"))


def test_review_names_what_was_chosen_and_the_title_does_not_say() -> None:
    usual = plan_permanent()
    setup = usual.stages[usual.kept_stage or 0].setup
    assert setup is not None

    def build(**chosen: str) -> str:
        other = msgspec.structs.replace(setup, **chosen)
        stages = tuple(msgspec.structs.replace(stage, setup=stage.setup and other) for stage in usual.stages)
        lines = review_lines(msgspec.structs.replace(usual, stages=stages), Units.DECIMAL, 200)
        return next(text for text in texts(lines) if text.startswith(" Create"))

    assert build().strip().endswith(usual.title)
    said = build(level="5", layout="left-asymmetric", bitmap="ppl")
    assert said.endswith(", layout left-asymmetric, partial parity log")
