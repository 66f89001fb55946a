"""`scrub` and `replace` of real md: on an array that a run keeps a run of their own, on others lines and no more."""

import hashlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui import recipes
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner, slots
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.run import events
from raidtui.runs import directory, keepers
from raidtui.runs.journal import Journal, read_state
from raidtui.system.arrays import now
from raidtui.system.discovery import machine_id, read_machine
from raidtui.system.members import lock_nodes
from tests.lab.guest.brief_runs import ended, newest, raidtui, wait_for
from tests.lab.guest.disk_states import command, mounted, settle

RACK = dict(disks=6, size_mib=96)
NODE = "/dev/md7"
DISKS = [f"/dev/sd{letter}" for letter in "abcdef"]


def serial(node: str) -> str:
    return next(disk.serial for disk in disks_of(read_machine()) if disk.path == node)


def roles() -> dict[str, str]:
    (array,) = now.look(keepers.kept_arrays).arrays
    return {member.device: member.role for member in array.members}


def code(*words: str) -> str:
    return raidtui(*words).split()[-1]


def digest(file: Path) -> str:
    subprocess.run(("sh", "-c", "echo 3 > /proc/sys/vm/drop_caches"), check=True)
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def kept() -> Iterator[str]:
    """A RAID 5 of the first three disks, which a run keeps: its id."""
    disks = disks_of(read_machine())
    answers = Answers(disks=tuple(disk.id for disk in disks[:3]), setup=Setup(level="5"), after="keep")
    plan = planner.make(answers, recipes.load("quick"), disks, machine_id())
    path = directory.create(plan, directory.runs_root())
    journal = Journal(path / directory.JOURNAL)
    journal.add(events.WorkerStarted(at_s=1.0, schema=1, run=path.name, boot_id="b", pid=1, start_ticks=1))
    journal.add(events.RunEnded(at_s=9.0, outcome="finished", kept=True))
    journal.close()
    array = next(stage.array for stage in slots.filled(directory.read_plan(path)).stages if stage.array)
    command("mdadm", "--create", NODE, "--run", "--quiet", "--level=5", "--raid-devices=3", "--bitmap=internal",
            f"--uuid={array.uuid}", *DISKS[:3])  # fmt: skip
    subprocess.run(("mdadm", "--wait", NODE), check=False)  # 1 where it is done already
    settle()
    try:
        yield path.name
    finally:
        with lock_nodes(DISKS):
            subprocess.run(("mdadm", "--stop", NODE), capture_output=True, check=False)
            subprocess.run(("mdadm", "--zero-superblock", "--force", *DISKS), capture_output=True, check=False)
        settle()
        for run in directory.list_runs(directory.runs_root()):
            (run / directory.PLAN).unlink()


def test_a_check_and_two_replacements_leave_the_file_as_it_was(kept: str, tmp_path: Path) -> None:
    command("mkfs.ext4", "-q", NODE)
    with mounted(NODE, tmp_path / "data"):
        file = tmp_path / "data" / "file"
        file.write_bytes(os.urandom(8 << 20))
        before = digest(file)

        report = raidtui("scrub", "md7", "--confirm", code("scrub", NODE))
        assert "/dev/md7 was read whole, and nothing differs" in report
        assert read_state(newest() / directory.JOURNAL).mismatches[-1].final

        assert "is a disk of md7" in raidtui("replace", "md7", serial("/dev/sdb"), serial("/dev/sdc"), status=3)
        assert "is no disk of md7" in raidtui("replace", "md7", "nobody", serial("/dev/sdd"), status=2)
        assert "is not this plan's" in raidtui("scrub", "md7", "--confirm", "00000000", status=3)

        command("mdadm", "--fail", NODE, "/dev/sdb")
        words = ("replace", kept, serial("/dev/sdb"), serial("/dev/sdd"))
        assert f"{serial('/dev/sdd')} is in sync in /dev/md7" in raidtui(*words, "--confirm", code(*words))
        assert roles() == {"sda": "in sync", "sdd": "in sync", "sdc": "in sync", "sdb": "left out"}
        assert digest(file) == before

        command("mkfs.ext4", "-q", "/dev/sde")  # erased, once it is named
        settle()
        words = ("replace", "md7", serial("/dev/sdc"), serial("/dev/sde"))
        raidtui(*words, "--confirm", code(*words), "--erase", serial("/dev/sde"))
        lines = [step.line for step in read_state(newest() / directory.JOURNAL).steps]
        assert "mdadm --replace /dev/md7 /dev/sdc --with /dev/sde" in lines
        assert roles() == {"sda": "in sync", "sdd": "in sync", "sde": "in sync", "sdb": "left out", "sdc": "left out"}
        assert digest(file) == before
    run = keepers.kept_arrays({next(iter(now.look(keepers.kept_arrays).arrays)).uuid.replace(":", "")})
    ids = {disk.path: disk.id for disk in disks_of(read_machine())}
    assert [one.disks for one in run.values()] == [(ids["/dev/sda"], ids["/dev/sdd"], ids["/dev/sde"])]


def test_a_stop_ends_the_check_and_a_killed_rebuild_is_followed_again(kept: str) -> None:
    words = ("scrub", "md7", "--at-most", "4MB/s")
    raidtui(*words, "--confirm", code(*words), "--detach")
    scrub = newest()
    wait_for(scrub, lambda state: state.sync and state.sync.done_bytes)
    raidtui("stop", scrub.name)
    state = wait_for(scrub, ended)
    assert (state.outcome, state.left, state.settings) == ("stopped", (), {})
    md = Path("/sys/block/md7/md")
    assert (md / "sync_action").read_text() == "idle\n" and "(system)" in (md / "sync_speed_max").read_text()

    command("mdadm", "--fail", NODE, "/dev/sda", "--remove", "/dev/sda")
    again = ("replace", "md7", serial("/dev/sda"), serial("/dev/sdf"), "--at-most", "8MB/s")
    raidtui(*again, "--confirm", code(*again), "--detach")
    rebuild = newest()
    state = wait_for(rebuild, lambda state: state.sync and state.sync.done_bytes)
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    assert "cut off" in raidtui("runs")
    plan = directory.read_plan(rebuild)
    report = raidtui("resume", rebuild.name, typed=f"{plan.code}\n")
    assert "is in sync in /dev/md7" in report and roles()["sdf"] == "in sync"
    state = read_state(rebuild / directory.JOURNAL)
    assert [step.role for step in state.steps].count("add") == 1 and state.settings == {}


def test_of_an_array_that_no_run_keeps_there_are_lines_alone() -> None:
    command(
        "mdadm", "--create", NODE, "--run", "--quiet", "--assume-clean", "--level=1", "--raid-devices=2", *DISKS[:2]
    )
    settle()
    try:
        before = len(directory.list_runs(directory.runs_root()))
        printed = raidtui("scrub", "md7").splitlines()
        assert printed[0].startswith("# no run of raidtui keeps md7") and "mdadm --action=check /dev/md7" in printed
        printed = raidtui("replace", "md7", serial("/dev/sda"), serial("/dev/sdc")).splitlines()
        assert "mdadm --replace /dev/md7 /dev/sda --with /dev/sdc" in printed
        assert "nothing is carried out" in raidtui("scrub", "md7", "--confirm", "00000000", status=3)
        assert roles() == {"sda": "in sync", "sdb": "in sync"}
        assert len(directory.list_runs(directory.runs_root())) == before
    finally:
        with lock_nodes(DISKS):
            command("mdadm", "--stop", NODE)
            command("mdadm", "--zero-superblock", *DISKS[:2])
        settle()
