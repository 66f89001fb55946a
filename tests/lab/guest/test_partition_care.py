"""Members as partitions on real md: a disk is replaced, also where that was cut off; the script builds the same."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.care.plans import Limits
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.model import ArrayPlan, Plan
from raidtui.runs import directory, kept_arrays
from raidtui.runs.care import planning
from raidtui.system.arrays import now
from raidtui.system.claims import lock_nodes
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import code, newest, raidtui, typed
from tests.lab.guest.disk_states import command, mounted
from tests.lab.guest.partitioned import MEMBERS, NEW, blank, found, hold, kept_array, kill_there, partitioned

RACK = dict(disks=6, size_mib="128,128,128,127,128,128", mbps=0)
NEXT = "/dev/sdf"


@pytest.fixture
def answers(config: Path) -> Iterator[Path]:
    with partitioned(config) as path:
        yield path


def test_a_disk_is_replaced_by_one_that_gets_its_partition_first_and_a_cut_between_is_gone_on_with(
    answers: Path,
) -> None:
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    array = kept_array(run)
    serial = {disk.path: disk.serial for disk in disks_of(read_machine())}
    with mounted(f"/dev/md/{array.name}", run / "somewhere"):
        (run / "somewhere" / "file").write_bytes(content := os.urandom(4 << 20))
        plan = planning.replace(planning.find(run.name), serial["/dev/sdb"], serial[NEW], Limits())
        assert isinstance(plan, Plan)
        words = (run.name, serial["/dev/sdb"], serial[NEW], "--confirm", plan.code)
        hold("mdadm", "before", "--add")  # the new disk has its partition, the array has not got it
        replacing = directory.runs_root() / raidtui("replace", *words, "--detach").strip()
        kill_there(replacing)
        assert found()[NEW] == "gpt, partition on sdd1"
        report = raidtui("resume", replacing.name, "--confirm", plan.code, "--erase", serial[NEW])
        assert f"{serial[NEW]} is in sync" in report
        (standing,) = now.look(kept_arrays.kept_arrays).arrays
        roles = {member.device: member.role for member in standing.members}
        assert roles == {"sda1": "in sync", "sdd1": "in sync", "sdc1": "in sync", "sdb1": "left out"}
        raidtui("scrub", run.name, "--confirm", scrub_code(run))
        command("mdadm", f"/dev/md/{array.name}", "--fail", "/dev/sdc1")
        assert (run / "somewhere" / "file").read_bytes() == content
    assert "does not name" in raidtui("clean", run.name, typed=typed(run), status=3)
    take_apart(array, *MEMBERS, NEW)


def take_apart(array: ArrayPlan, *nodes: str) -> None:
    with lock_nodes(nodes):
        command("mdadm", "--stop", f"/dev/md/{array.name}")
        command("mdadm", "--zero-superblock", "--force", *(f"{node}1" for node in nodes))
    blank(*nodes)
    for path in directory.list_runs(directory.runs_root()):
        (path / directory.PLAN).unlink()


def test_an_array_grows_over_disks_that_get_their_partitions_first_and_a_cut_between_two_is_gone_on_with(
    answers: Path,
) -> None:
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    array = kept_array(run)
    serial = {disk.path: disk.serial for disk in disks_of(read_machine())}
    new = (serial[NEW], serial[NEXT])
    with mounted(f"/dev/md/{array.name}", run / "somewhere"):
        (run / "somewhere" / "file").write_bytes(content := os.urandom(4 << 20))
        plan = planning.grow(planning.find(run.name), new, Limits())
        assert isinstance(plan, Plan)
        hold("mdadm", "before", f"{NEXT}1")  # the array has the first new disk, the second one its partition
        growing = directory.runs_root() / raidtui("grow", run.name, *new, "--confirm", plan.code, "--detach").strip()
        kill_there(growing)
        roles = {member.device: member.role for member in now.look(kept_arrays.kept_arrays).arrays[0].members}
        assert roles == {"sda1": "in sync", "sdb1": "in sync", "sdc1": "in sync", "sdd1": "spare"}
        erase = [word for one in new for word in ("--erase", one)]
        assert "has 5 disks" in raidtui("resume", growing.name, "--confirm", plan.code, *erase)
        (standing,) = now.look(kept_arrays.kept_arrays).arrays
        assert {member.role for member in standing.members} == {"in sync"} and standing.slots == 5
        assert (run / "somewhere" / "file").read_bytes() == content
    assert "does not name" in raidtui("clean", run.name, typed=typed(run), status=3)
    take_apart(array, *MEMBERS, NEW, NEXT)


def scrub_code(run: Path) -> str:
    plan = planning.check(planning.find(run.name), Limits())
    assert isinstance(plan, Plan)
    return plan.code
