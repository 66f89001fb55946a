"""A proof of groups under a RAID 0: a disk of each is out, each check is followed to its end, all are assembled."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from raidtui.core.run.proof import result
from raidtui.runs.care import following
from raidtui.runs.waiting import Refused
from tests.runs.proof.grouped import GroupedRig
from tests.runs.proof.proving import Killed
from tests.runs.rig import FINISHED, Argv

STATES = ["healthy", "1 disk out per group", "rebuilt", "1 other out per group", "assembled again"]
# A command by its first words, which of them, and whether the worker dies once it took effect.
MOMENTS = (
    ("fio", 0, False), ("fio", 0, True), ("mdadm --fail", 1, True), ("mdadm --zero-superblock", 0, True),
    ("mdadm --add", 0, True), ("mdadm --add", 1, False), ("mdadm --action=check", 3, True), ("mdadm --stop", 0, True),
    ("mdadm --stop", 2, True), ("mdadm --assemble", 1, True), ("mdadm --assemble", 2, False),
)  # fmt: skip


@cache
def _commands() -> tuple[Argv, ...]:
    """All of a proof that nothing cuts off."""
    with TemporaryDirectory() as folder:
        whole = GroupedRig(Path(folder))
        whole.go()
        return tuple(whole.commands())


def told(rig: GroupedRig, *words: str) -> list[str]:
    """Members or arrays that these commands of mdadm named, in their order."""
    return [argv[-1].removeprefix("/dev/") for argv in rig.given if argv[0] == "mdadm" and argv[1] in words]


def test_a_proof_takes_a_disk_out_of_each_group_and_assembles_all(tmp_path: Path) -> None:
    rig = GroupedRig(tmp_path)
    assert rig.go() == FINISHED
    proved = result(rig.plan, rig.journal.state)
    assert proved and proved.holds and [state.words for state in proved.verified] == STATES
    assert told(rig, "--fail") == told(rig, "--add") == ["sda", "sdd", "sdb", "sde"]
    assert told(rig, "--action=check") == ["md126", "md125"] * 3
    begun = told(rig, "--stop", "--assemble")
    first, second = (group.name for group in rig.executor.context.groups)
    assert begun[:6] == ["md127", "md126", "md125", f"md/{first}", f"md/{second}", f"md/{first[:-3]}"]
    assert rig.running == {} and rig.superblocks == {}
    counted = [one for one in rig.journal.state.mismatches if one.final]
    assert [one.sectors for one in counted] == [0, 0, 0]


@pytest.mark.parametrize("words, which, late", MOMENTS)
def test_a_proof_cut_off_is_continued_on_its_groups(tmp_path: Path, words: str, which: int, late: bool) -> None:
    found = [at for at, argv in enumerate(_commands()) if " ".join(argv[:2]).startswith(words)]
    rig = GroupedRig(tmp_path)
    rig.to_remove = () if late else rig.to_remove  # this rig journals a command before which it dies as done
    rig.kill_at, rig.late = found[which], late
    with pytest.raises(Killed):
        rig.go()
    rig.after()
    assert rig.go() == FINISHED
    proved = result(rig.plan, rig.journal.state)
    assert proved and proved.holds and rig.running == {} and rig.superblocks == {}


def test_what_the_check_of_one_group_counts_ends_the_run_with_its_group_named(tmp_path: Path) -> None:
    rig = GroupedRig(tmp_path)
    rig.counted = {"md125": "16"}
    outcome, reason, left = rig.go()
    said = "healthy: the check of group 2 counted 16 sectors whose copies or parity disagree"
    assert (outcome, reason) == ("failed", said) and left and set(rig.running.values()) == {"md127", "md126", "md125"}
    assert told(rig, "--fail") == []  # at once


def test_the_checks_of_both_groups_are_summed(tmp_path: Path) -> None:
    rig = GroupedRig(tmp_path)
    rig.counted = {"md126": "8", "md125": "8"}
    assert "the check of group 1, 2 counted 16 sectors" in rig.go()[1]
    assert [event.mismatches for event in rig.journal.state.differed] == [16]


def test_a_check_that_is_ended_in_one_group_is_none(tmp_path: Path) -> None:
    rig = GroupedRig(tmp_path)
    rig.says_of["/sys/block/md125/md/sync_min"] = "4096"
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and "the check of md125 was ended by somebody" in reason
    assert result(rig.plan, rig.journal.state).verified == ()  # type: ignore[union-attr]


def test_a_disk_in_another_slot_of_its_group_is_newer_than_the_journal(tmp_path: Path) -> None:
    rig = GroupedRig(tmp_path)
    rig.to_remove, rig.kill_at, rig.late = (), 60, True
    with pytest.raises(Killed):
        rig.go()
    rig.after()
    assert rig.running
    rig.says_of["/sys/block/md125/md/dev-sde/slot"] = "2"
    outcome, reason, _ = rig.go()
    assert outcome == "failed" and "is newer than the journal: sde has slot 2" in reason


def test_groups_that_came_up_after_a_boot_are_made_writable_and_rebuild_then(tmp_path: Path) -> None:
    rig = GroupedRig(tmp_path)
    rig.kill_at, rig.late = [at for at, argv in enumerate(_commands()) if argv[:2] == ("mdadm", "--add")][1], True
    with pytest.raises(Killed):
        rig.go()
    rig.after()
    rig.read_auto = {"md127", "md126", "md125"}
    assert rig.go() == FINISHED
    assert told(rig, "--readwrite") == ["md126", "md125", "md127"]


def test_a_check_without_one_of_the_groups_is_none(tmp_path: Path) -> None:
    rig = GroupedRig(tmp_path)
    rig.kill_at, rig.late = [at for at, argv in enumerate(_commands()) if argv[1:2] == ("--action=check",)][1], True
    with pytest.raises(Killed):
        rig.go()
    rig.after()
    rig.enter_last()
    rig.running = {uuid: name for uuid, name in rig.running.items() if name != "md125"}
    with pytest.raises(Refused, match="the array /dev/md127 is on md125, which this run's plan does not name"):
        following.follow_check(rig.executor.context)
    assert not [one for one in rig.journal.state.mismatches if one.final]
