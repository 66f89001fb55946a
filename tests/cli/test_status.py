"""`status`: its exit codes, its three forms, and what it refuses."""

import json
from pathlib import Path

import pytest

from raidtui.cli import output, status
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.arrays.status import Surroundings, status_of
from raidtui.system.arrays import now
from tests.builders.arrays import NOW_S, in_sync, md, with_members
from tests.cli.conftest import RECORDED, Command

STOPPED = str(RECORDED / "machines" / "stopped-array.json")
TWO = in_sync("sda", "sdb")


def of(slots: dict[str, tuple[str, str]], **files: str) -> ArraysStatus:
    return status_of(with_members(md("raid1", slots, **files)), Surroundings(), NOW_S)


@pytest.mark.parametrize(
    "seen, code",
    [
        (ArraysStatus(), status.GOOD),
        (of(TWO), status.GOOD),
        (of(TWO, sync_action="resync"), status.ATTENTION),
        (of(TWO | {"sdb": ("1", "faulty")}), status.LOST),
        (of(TWO, array_state="broken"), status.LOST),
    ],
)
def test_the_exit_code_is_the_worst_grades(
    command: Command, monkeypatch: pytest.MonkeyPatch, seen: ArraysStatus, code: int
) -> None:
    monkeypatch.setattr(now, "look", lambda kept, pools: seen)
    assert command("status")[0] == code
    told, printed, err = command("status", "--json")
    assert (told, err) == (code, "") and json.loads(printed)["grade"] == seen.grade


def test_the_file_for_the_collector_is_written_and_nothing_printed(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(now, "look", lambda kept, pools: of(TWO))
    file = tmp_path / "raidtui.prom"
    assert command("status", "--prometheus", str(file)) == (status.GOOD, "", "")
    assert file.read_text().startswith("# HELP raidtui_array_info ")
    assert command("status", "--prometheus", str(file), "--json")[1].startswith("{")


@pytest.mark.parametrize(
    "options, code, sentence",
    [
        (("--prometheus", "metrics.txt"), output.BAD_INPUT, "file name must end in .prom"),
        (("--prometheus", "/nowhere/at/all.prom"), output.BAD_INPUT, "No such file or directory"),
        (("--machine", str(RECORDED / "machines" / "in-use.lsblk.json")), output.BAD_INPUT, "lacks md's state"),
        (("--machine", "/nowhere"), output.BAD_INPUT, "No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    command: Command, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], code: int, sentence: str
) -> None:
    monkeypatch.setattr(now, "look", lambda kept, pools: ArraysStatus())
    told, out, err = command("status", *options)
    assert (told, out) == (code, "") and sentence in err and err.count("\n") == 1


def test_a_recording_is_shown_with_what_it_does_not_hold(command: Command) -> None:
    code, words, _ = command("status", "--machine", STOPPED)
    assert code == status.ATTENTION and "not running: 3 members here" in words and "\nnot read: " in words


@pytest.mark.parametrize(
    "case, status, says, unsaid",
    [
        ("m09b_reshape_stands_idle.json", 1, "`mdadm --grow --continue /dev/md0`", "1 good"),
        ("m14_states.json", 1, "/dev/sda (Ssda) had write errors", "1 good"),
        ("m08_reshape_layout18.json", 3, "which fills /dev/sde (Ssde)", "look again in a minute"),
        ("t80_split_brain.json", 3, "two halves run apart", "--add"),
        ("t80_split_brain.json", 3, "md127 (/dev/sdb; events and last update: `mdadm --examine /dev/sdb`)", "--run"),
        ("t81_raid0_inactive_3of4.json", 3, "inactive: 3 of 4 members gathered", "journal"),
        ("t81_raid0_inactive_3of4.json", 3, "connect the missing disks (cable, power, slot): a RAID 0 needs all", "--"),
        ("t88_replace_running.json", 0, "/dev/sdd (Ssdd) takes the place of /dev/sdb (Ssdb): ", "--replace"),
        ("m01_qnap_sparse.json", 3, "28 slots are empty (4 to 31)", "slot 4 is empty"),
    ],
)
def test_machines_of_bug_reports(command: Command, case: str, status: int, says: str, unsaid: str) -> None:
    found, words, _ = command("status", "--machine", str(RECORDED / "cases" / case))
    assert found == status and says in words and unsaid not in words
