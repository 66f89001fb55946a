"""From answers to a plan: given these disks, this is done in this order, or refused because."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.plan.answers import Answers, PlanRefused, Setup
from raidtui.core.plan.model import confirmation_code, shown_steps, undo
from raidtui.core.plan.planner import make
from raidtui.core.plan.steps import Command, shell
from raidtui.core.raid.block_size import MD_BLOCK_SIZE, NOTE
from raidtui.core.raid.levels import LEVELS
from raidtui.core.report.markdown import whole
from raidtui.core.run.state import RunState
from raidtui.core.script.render import script
from tests.builders.racks import QUICK, RACK, answers, plan


def test_too_many_blocks_are_refused() -> None:
    with pytest.raises(PlanRefused, match="repeat: 9999 blocks are"):
        plan(answers(repeat=9999))


@given(
    level=st.sampled_from([row.key for row in LEVELS]),
    members=st.integers(1, 6),
    chunk=st.sampled_from(["", "4K", "512K", "1MiB"]),
    filesystem=st.sampled_from(["none", "ext4", "xfs"]),
    keep=st.booleans(),
)
def test_any_answers_give_a_plan_that_tears_down_what_it_builds_or_one_sentence(
    level: str, members: int, chunk: str, filesystem: str, keep: bool
) -> None:
    given = answers(members, level, chunk=chunk, filesystem=filesystem)
    try:
        made = plan(replace(given, after="keep" if keep else "teardown"))
    except PlanRefused as refused:
        assert str(refused) and "\n" not in str(refused)
        return
    assert len({trial.id for trial in made.trials}) == len(made.trials)
    measured = [step.trial for step in shown_steps(made) if isinstance(step, Command) and step.trial]
    assert measured == [trial.id for trial in made.trials]
    for stage in made.stages:
        mounts = sum(shell(step).startswith("mount ") for step in stage.steps)
        assert sum(shell(step).startswith("umount ") for step in undo(stage.steps)) == mounts
        if stage.array:
            assert sum("--zero-superblock" in shell(step) for step in undo(stage.steps)) == members
    assert script(made).count("check_members_free\n") >= len(made.stages)


def test_what_a_raid_controller_tells_stands_in_the_plan_and_not_in_its_code() -> None:
    told = tuple(replace(disk, volume="RAID6 of 4 disks, strip 256 KiB") for disk in RACK)
    made, without = plan(disks=told), plan()
    assert {member.volume for member in made.members} == {"RAID6 of 4 disks, strip 256 KiB"}
    assert confirmation_code(made) == confirmation_code(without)  # a battery that is charged is no other disk
    assert "SER0000: RAID6 of 4 disks, strip 256 KiB" in whole(made, RunState(run="r"))
    assert "RAID controllers" not in whole(without, RunState(run="r"))


def test_a_journal_is_a_member_of_the_plan_and_decides_the_sectors_that_a_spare_may_have() -> None:
    given = replace(answers(5), setup=Setup(level="5", bitmap="journal", spares=1), after="keep")
    made = plan(given)
    assert (len(made.members), made.stages[-1].journals, made.stages[-1].spares) == (5, 1, 1)
    journal = made.members[3]
    assert [note for note in made.notes if journal.serial in note and "journal is on a hard disk" in note]
    flash = tuple(replace(disk, rotational=disk.id != journal.id) for disk in RACK)
    assert not [note for note in plan(given, flash).notes if "write journal" in note]
    large = [replace(disk, logical_sector_bytes=4096) for disk in RACK]
    with pytest.raises(PlanRefused, match=r"setup.spares: sde .* has sectors of 4096 bytes"):
        plan(given, disks=(*RACK[:4], large[4], *RACK[5:]))
    assert plan(given, disks=(*RACK[:3], large[3], large[4], *RACK[5:])).code


def test_a_spare_of_larger_sectors_is_refused_for_what_is_on_the_array_would_be_lost() -> None:
    given = replace(answers(4), setup=Setup(level="5", spares=1), after="keep")
    assert plan(given).stages[-1].spares == 1
    large = (*RACK[:3], replace(RACK[3], logical_sector_bytes=4096), *RACK[4:])
    with pytest.raises(PlanRefused, match=r"setup.spares: sdd .* has sectors of 4096 bytes, the array's disks of 512"):
        plan(given, disks=large)
    small = (*(replace(disk, logical_sector_bytes=4096) for disk in RACK[:3]), *RACK[3:])
    assert plan(given, disks=small).stages[-1].spares == 1


@pytest.mark.parametrize(
    "level, after, told", [("5", "keep", True), ("5", "teardown", False), ("jbod", "teardown", False)]
)
def test_what_older_kernels_refuse_is_told_of_a_kept_array(level: str, after: str, told: bool) -> None:
    made = answers(4, level)
    given = Answers(disks=made.disks, setup=made.setup, after="keep" if after == "keep" else "teardown")
    old, new = (
        make(given, QUICK, RACK, "here", programs=programs) for programs in (("mdadm",), ("mdadm", MD_BLOCK_SIZE))
    )
    assert (NOTE in new.notes, NOTE in old.notes) == (told, False)
