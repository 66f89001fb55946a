"""The lines of Review: first what will stand, and whether it stays."""

import re

import pytest
from msgspec.structs import replace

from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.summary import space_words
from raidtui.core.units import Units
from raidtui.ui.render.cells import MONO, Line
from raidtui.ui.render.review_lines import review_of
from tests.builders import sweeps
from tests.runs.rig import plan_permanent
from tests.ui.glyphs import drawn_in
from tests.ui.pages import texts


def review_lines(plan: Plan, units: Units, width: int) -> tuple[Line, ...]:
    """All of it."""
    return review_of(plan, units, (width, False), steps=True, capacity=True).lines


@pytest.mark.parametrize("width, large", [(80, False), (120, True)])
def test_review_begins_with_the_result_then_what_is_erased_then_the_time(width: int, large: bool) -> None:
    plan = sweeps.plan("quick", 6, level="6", filesystem="xfs")
    review = review_of(plan, Units.DECIMAL, (width, large), untouched=("sdx", "sdy"))
    lines = texts(review.lines)
    heads = [line.strip("─ ").split("  ")[0] for line in lines if line.startswith("─")]
    assert heads == [
        "What you get",
        "ALL DATA ON THESE 6 DISKS WILL BE ERASED",
        "Duration and steps",
        "Notes",
        "Disks in order",
    ]
    assert lines[1].strip() == plan.title and any("TB usable = 3.64 TiB of 6.00 TB" in line for line in lines)
    assert " ✓ any 2 disks may fail" in lines and any(line.startswith(" Quick look, 16 tests") for line in lines)
    assert " Array removed, disks left blank" in lines and " Untouched: sdx, sdy" in lines
    assert lines[review.to_see - 1] == " Untouched: sdx, sdy"
    assert not any("# " in line for line in lines)  # commands are behind s
    assert all(len(line) <= width for line in lines)
    with drawn_in(MONO):
        without = texts(review_of(plan, Units.DECIMAL, (width, large), untouched=("sdx", "sdy")).lines)
    words = [re.findall(r"[A-Za-z0-9.]+", " ".join(one)) for one in (lines, without)]
    assert words[0] == words[1]


def test_the_resync_is_told_with_whether_the_array_can_be_used_meanwhile() -> None:
    plan = sweeps.plan("quick", 6, level="6", filesystem="xfs")
    synced = replace(plan, estimated_s={"sync": 3600.0, "trial": 100.0}, estimate_s=4000.0)
    said = " ".join(texts(review_of(synced, Units.DECIMAL, (120, True)).lines))
    assert "initial resync 1 h 00 min" in said and "md allows use of an array during its initial resync" in said
    alone = replace(plan, estimated_s={"trial": 100.0})
    assert "md allows" not in " ".join(texts(review_of(alone, Units.DECIMAL, (120, True)).lines))


def test_the_rule_by_which_disks_were_chosen_stands_above_them() -> None:
    plan = replace(sweeps.plan("levels-random-4k", 6), disk_rule=DiskRule(count=6, size="1TB"))
    lines = texts(review_lines(plan, Units.DECIMAL, 80))
    members = next(n for n, line in enumerate(lines) if "ALL DATA ON THESE 6 DISKS WILL BE ERASED" in line)
    assert lines[members + 1].strip() == "selected by rule: 6 disks, about 1TB, without a warning"


def test_which_disk_is_the_journal_and_which_waits_stands_below_them() -> None:
    setup = Setup(level="5", bitmap="journal", spares=1)
    plan = sweeps.plan("quick", 5, setup=setup, after="keep")
    lines = texts(review_lines(plan, Units.DECIMAL, 100))
    lines = lines[next(n for n, line in enumerate(lines) if "Disks in order" in line) :]
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
    assert not any("usable" in line for line in lines)


def test_review_says_where_a_permanent_array_is_mounted_and_what_is_written() -> None:
    plan = plan_permanent(mount_point="/srv/vms")
    shown = ["".join(words for words, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, 200)]
    mailed = "; mail alerts: nobody, mdadm.conf has no MAILADDR (change: Tests, m)"
    assert f"Array raidtui-… kept, at boot mounted at /srv/vms (m: not at boot){mailed}" in " ".join(shown)
    assert "Add boot entries" in shown and any(line.startswith("add_lines /etc/fstab UUID=") for line in shown)
    owned = plan_permanent(mount_owner="alice:vms", mount_mode="2775", mailaddr="root")
    shown = ["".join(words for words, _ in line).strip() for line in review_lines(owned, Units.DECIMAL, 200)]
    told_whom = " mounted at /srv/array, alice:vms, 2775 (m: not at boot); mail alerts: root"
    assert any(line.endswith(told_whom) for line in shown)
    assert "chown alice:vms /srv/array; chmod 2775 /srv/array" in shown
    bare = texts(review_lines(plan_permanent("none"), Units.DECIMAL, 200))
    assert any(
        line.endswith(f"Array raidtui-… kept, at boot assembled under its name (m: not at boot){mailed}")
        for line in bare
    )


def test_what_a_raid_controller_tells_stands_below_its_disk() -> None:
    plan = sweeps.plan("levels-random-4k", 6)
    told = replace(plan.members[2], volume="RAID6 of 4 disks, strip 256 KiB")
    lines = review_lines(replace(plan, members=(*plan.members[:2], told, *plan.members[3:])), Units.DECIMAL, 80)
    words = texts(lines)
    (place,) = [number for number, text in enumerate(words) if "volume:" in text]
    assert words[place].strip() == "volume: RAID6 of 4 disks, strip 256 KiB" and told.name in words[place - 1]


def test_where_the_bytes_of_the_disks_go_is_told_of_one_setup() -> None:
    plan = sweeps.plan("quick", 6, level="6", filesystem="xfs")
    for width in (80, 120):
        shown = ["".join(text for text, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, width)]
        at = shown.index("6 x 1.00 TB = 6.00 TB = 5.46 TiB raw")
        assert shown[at + 1].split()[0] == "parity" and shown[at + 1].endswith("1.82 TiB")
        assert any(line.startswith("df -h: Size about 3.7T") for line in shown)
    assert space_words(sweeps.plan("levels-random-4k", 6)) == []


def test_an_explanation_says_which_test_it_is_of_what_is_changed_and_on_which_disk() -> None:
    plan = sweeps.plan("quick", 6, level="5", jobs=("rand_write",), explain=("wbt", "bitmap"), repeat=2)
    shown = ["".join(text for text, _ in line).strip() for line in review_lines(plan, Units.DECIMAL, 200)]
    (measured,) = [line for line in shown if "one change at a time" in line]
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
        other = replace(setup, **chosen)
        stages = tuple(replace(stage, setup=stage.setup and other) for stage in usual.stages)
        lines = review_lines(replace(usual, stages=stages), Units.DECIMAL, 200)
        return texts(lines)[1]

    assert build().strip().endswith(usual.title)
    said = build(level="5", layout="left-asymmetric", bitmap="ppl")
    assert said.endswith(", layout left-asymmetric, partial parity log")
