"""`raidtui status` of real md: whole, degraded, rebuilding, with planted mismatches, inactive. It only looks."""

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from raidtui.core.arrays.array import Grade
from raidtui.core.plan import slots
from raidtui.core.run import events
from raidtui.runs import directory, kept_arrays
from raidtui.runs.journal import Journal
from raidtui.system.arrays import now
from raidtui.system.claims import lock_nodes
from tests.lab.guest.disk_states import clear, command, create_array, mounted, settle, until
from tests.lab.guest.in_place import carried_out
from tests.runs.rig import plan_of

RACK = dict(disks=6, size_mib=96)
NODE = "/dev/md7"
DISKS = [f"/dev/sd{letter}" for letter in "abcdef"]
GOOD, ATTENTION, LOST = 0, 1, 3
CODES = {Grade.GOOD: GOOD, Grade.ATTENTION: ATTENTION, Grade.DEGRADED: LOST, Grade.FAILED: LOST}


def status(expected: int, *options: str) -> str:
    done = carried_out("status", *options)
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout


def the_array(expected: int) -> dict[str, Any]:
    """The only one, as JSON has it; looked at in this process, as a command takes its time to start in here."""
    (array,) = now.look(kept_arrays.kept_arrays).arrays
    assert CODES[array.grade] == expected, array.conditions
    return dict(json.loads(msgspec.json.encode(array)))


def roles(array: dict[str, Any]) -> list[tuple[int | None, str]]:
    return [(member["slot"], member["role"]) for member in array["members"]]


def kinds(array: dict[str, Any]) -> set[str]:
    return {condition["kind"] for condition in array["conditions"]}


def written_and_read() -> list[tuple[str, ...]]:
    """Reads and writes that each disk has carried out."""
    lines = (line.split() for line in Path("/proc/diskstats").read_text().splitlines())
    return [(name, words[0], words[4]) for _, _, name, *words in lines if name.startswith("sd")]


def md(file: str) -> Path:
    return Path("/sys/block/md7/md") / file


@contextmanager
def standing(level: str, *members: str, spares: int = 0, more: tuple[str, ...] = ()) -> Iterator[None]:
    """An array /dev/md7 of these, cleared away again."""
    create_array(
        NODE, "--homehost=elsewhere", "--bitmap=none", "--assume-clean", f"--level={level}",
        f"--raid-devices={len(members) - spares}", f"--spare-devices={spares}", *more, *members,
    )  # fmt: skip
    try:
        yield
    finally:
        with lock_nodes(DISKS):
            subprocess.run(("mdadm", "--stop", NODE), capture_output=True, check=False)
            command("mdadm", "--zero-superblock", "--force", *DISKS[: len(members) + 1])
        settle()


def test_a_whole_raid_6_is_good_and_is_only_looked_at(tmp_path: Path) -> None:
    with standing("6", *DISKS[:5], spares=1):
        command("mkfs.ext4", "-q", NODE)
        settle()
        with mounted(NODE, tmp_path / "data"):
            array = the_array(GOOD)
        command("mdadm", "--readonly", NODE)  # so that md itself writes nothing meanwhile
        settle()  # udev reads the array after each change
        before = written_and_read()
        words = status(ATTENTION)
        printed = json.loads(status(ATTENTION, "--json"))
        assert written_and_read() == before
    assert printed["arrays"][0]["uuid"] == array["uuid"] and printed["grade"] == "attention"
    assert array["health"] == "clean" and (array["level"], array["slots"]) == ("6", 4)
    assert roles(array) == [(0, "in sync"), (1, "in sync"), (2, "in sync"), (3, "in sync"), (None, "spare")]
    assert array["members"][1]["disk"]["serial"] == "4000" and array["title"] == "elsewhere:7"
    assert array["upon"][0]["kind"] == "ext4" and array["upon"][0]["mounted_at"] == [str(tmp_path / "data")]
    assert array["at_boot"]["assembly"] == "another name" and array["mismatches"] is None
    assert "md7  RAID 6 of 4 disks" in words and "1 array: 1 attention" in words


def test_a_failed_member_is_named_and_a_second_one_is_too_many() -> None:
    with standing("5", *DISKS[:3]):
        command("mdadm", "--fail", NODE, "/dev/sdb")
        array = the_array(LOST)
        assert array["health"] == array["grade"] == "degraded"
        assert roles(array) == [(0, "in sync"), (1, "failed"), (2, "in sync")]
        assert array["members"][1]["disk"]["serial"] == "4000"
        assert kinds(array) >= {"degraded", "member-failed", "not-rebuilding"}
        command("mdadm", "--remove", NODE, "/dev/sdb")
        array = the_array(LOST)
        assert roles(array) == [(0, "in sync"), (1, "missing"), (2, "in sync"), (None, "left out")]
        assert "left-out" in kinds(array)
        subprocess.run(("mdadm", "--fail", NODE, "/dev/sdc"), capture_output=True, check=False)  # EBUSY, and it is done
        array = the_array(LOST)
        assert array["health"] == array["grade"] == "failed" and "too few for RAID 5" in status(LOST)


def test_a_raid_10_lives_while_each_pair_has_one() -> None:
    with standing("10", *DISKS[:4]):
        command("mdadm", "--fail", NODE, "/dev/sda", "/dev/sdd")
        array = the_array(LOST)
        assert (array["health"], array["layout"]) == ("degraded", "n2")
        assert sorted(role for _, role in roles(array)) == ["failed"] * 2 + ["in sync"] * 2 + ["missing"] * 2


def test_a_rebuild_that_goes_on_has_progress_and_time_left(tmp_path: Path) -> None:
    with standing("1", *DISKS[:2]):
        command("mdadm", "--fail", NODE, "/dev/sdb", "--remove", "/dev/sdb")
        command("mdadm", "--zero-superblock", "/dev/sdb")
        md("sync_speed_max").write_text("2000\n")
        md("sync_speed_min").write_text("1000\n")
        command("mdadm", "--add", NODE, "/dev/sdc")
        until(lambda: md("sync_completed").read_text().partition(" / ")[0].strip().isdigit())
        until(lambda: md("sync_speed").read_text().strip() not in ("", "0", "none"))
        file = tmp_path / "raidtui.prom"
        array = the_array(LOST)
        assert (0, "in sync") in roles(array) and (1, "rebuilding") in roles(array)
        assert array["sync"]["action"] == "recover" and array["sync_left_s"] > 0 and "rebuilding" in kinds(array)
        assert status(LOST, "--prometheus", str(file)) == ""
        text = file.read_text()
        assert 'raidtui_array_sync_progress_ratio{device="md7",' in text and file.stat().st_mode & 0o777 == 0o644
        assert [entry.name for entry in tmp_path.iterdir()] == ["raidtui.prom"]
        md("sync_speed_max").write_text("system\n")


@pytest.mark.parametrize("level, members, kind", [("1", 2, "copies"), ("6", 4, "parity")])
def test_planted_mismatches_are_counted_and_explained(level: str, members: int, kind: str) -> None:
    clear(*DISKS[:members])  # so that what stands there before is equal
    with standing(level, *DISKS[:members]):
        offset = int(md("dev-sdb/offset").read_text()) * 512
        with lock_nodes(DISKS):
            command("mdadm", "--stop", NODE)
            command("dd", "if=/dev/urandom", "of=/dev/sdb", "bs=64K", "count=1", "oflag=direct",
                    f"seek={(offset + 4 * 2**20) >> 16}")  # fmt: skip
            command("mdadm", "--assemble", NODE, *DISKS[:members])
        settle()
        command("mdadm", "--readwrite", NODE)
        array = the_array(GOOD)  # nothing has been compared since: 0 would mean nothing
        assert array["mismatches"] is None and array["checked"]["at_s"] is None
        began_s = time.time()
        md("sync_action").write_text("check\n")
        until(lambda: md("sync_action").read_text().strip() == "idle")
        array = the_array(ATTENTION)
        assert f"mismatches-of-{kind}" in kinds(array)
        assert array["mismatches"] == {"sectors": 128, "counted_by": "check", "final": True}
        assert array["checked"]["source"] == "the kernel's log"
        assert began_s - 5 < array["checked"]["at_s"] < time.time() + 5


def test_an_array_that_is_not_started_and_one_that_is_stopped() -> None:
    with standing("5", *DISKS[:3]):
        with lock_nodes(DISKS):
            command("mdadm", "--stop", NODE)
        settle()
        stopped = the_array(ATTENTION)
        assert (stopped["health"], len(stopped["members"])) == ("stopped", 3)
        assert kinds(stopped) == {"stopped", "another-name"}
        subprocess.run(("mdadm", "--incremental", "/dev/sda"), capture_output=True, check=False)
        try:
            inactive = the_array(LOST)
            assert inactive["health"] == "inactive" and inactive["uuid"] == stopped["uuid"]
            assert roles(inactive)[0] == (None, "gathered") and "inactive" in kinds(inactive)
        finally:
            with lock_nodes(DISKS):
                command("mdadm", "--stop", inactive["node"])


def test_a_run_that_keeps_the_array_is_named_and_knows_who_was_in_an_empty_slot() -> None:
    path = directory.create(plan_of("5"), directory.runs_root())
    journal = Journal(path / directory.JOURNAL)
    journal.add(events.WorkerStarted(at_s=1.0, schema=1, run=path.name, boot_id="b", pid=1, start_ticks=1))
    journal.add(events.RunEnded(at_s=9.0, outcome="finished", kept=True))
    journal.close()
    plan = slots.filled(directory.read_plan(path))
    uuid = next(stage.array.uuid for stage in plan.stages if stage.array)
    with standing("5", *DISKS[:3], more=(f"--uuid={uuid}",)):
        array = the_array(GOOD)
        assert array["run"] == path.name and array["uuid"] == uuid
        command("mdadm", "--fail", NODE, "/dev/sdb", "--remove", "/dev/sdb")
        command("mdadm", "--zero-superblock", "/dev/sdb")
        array = the_array(LOST)
        missing = next(member for member in array["members"] if member["role"] == "missing")
        assert missing["slot"] == 1 and missing["disk"]["id"] == plan.members[1].id


def test_without_arrays_all_is_good() -> None:
    assert status(GOOD) == "no md arrays\n"


def test_a_raid_0_whose_disk_is_pulled_is_gone_and_its_other_disk_tells_of_it() -> None:
    """udev stops what a pulled disk has ended. The last test: the disk may come back under another name."""
    create_array(NODE, "--level=0", "--raid-devices=2", "/dev/sde", "/dev/sdf")
    Path("/sys/block/sdf/device/delete").write_text("1\n")
    settle()
    try:
        array = the_array(ATTENTION)
        assert array["health"] == "stopped" and [one["device"] for one in array["members"]] == ["sde"]
    finally:
        subprocess.run(("mdadm", "--stop", NODE), capture_output=True, check=False)
        for host in Path("/sys/class/scsi_host").iterdir():
            (host / "scan").write_text("- - -\n")
        settle()
