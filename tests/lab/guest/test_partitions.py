"""Members as partitions on real md: built to the byte, cleared away to blank disks, cut off in the middle."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.raid import layers
from raidtui.core.units import MIB
from raidtui.runs import directory, kept_arrays, launch
from raidtui.runs import planning as runs_planning
from raidtui.system import block
from raidtui.system.arrays import now
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import RAIDTUI, code, ended, newest, raidtui, start, typed, wait_for
from tests.lab.guest.disk_states import command, mounted, settle, writes_to
from tests.lab.guest.partitioned import (
    LINUX_RAID,
    MEMBERS,
    blank,
    found,
    hold,
    kept_array,
    kill_there,
    partitioned,
    state_of,
)

RACK = dict(disks=6, size_mib="128,128,128,127,128,128", mbps=0)


@pytest.fixture
def answers(config: Path) -> Iterator[Path]:
    with partitioned(config) as path:
        yield path


def test_it_is_built_to_the_byte_stands_and_is_cleared_away_to_blank_disks(answers: Path) -> None:
    """At the second attempt: the first is killed amid the tables."""
    shown = raidtui("plan", str(answers))
    assert "members as partitions" in shown and "partition tables, reserve at the end" in shown
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    array, state = kept_array(run), state_of(run)
    assert (state.outcome, state.kept, state.left, state.warnings) == ("finished", True, (), ())
    assert state.array and state.array.size_bytes == array.capacity.array_bytes
    lost, size = array.capacity.lost, layers.partition_bytes(128 * MIB)
    assert array.capacity.array_bytes + lost.total_bytes == array.capacity.raw_bytes == 3 * 128 * MIB
    assert lost.outside_bytes == 3 * (128 * MIB - size)
    for node, uuid in zip(MEMBERS, array.tables, strict=True):
        table = json.loads(command("sfdisk", "--json", node))["partitiontable"]
        (partition,) = table["partitions"]
        assert (table["label"], table["id"].lower(), partition["node"]) == ("gpt", uuid, f"{node}1")
        assert (partition["start"], partition["size"], partition["type"]) == (2048, size // 512, LINUX_RAID)
    refused = {disk.path: disk.verdict for disk in disks_of(read_machine()) if disk.path in MEMBERS}
    assert {verdict.standing for verdict in refused.values()} == {Usability.REFUSE}, refused
    (standing,) = now.look(kept_arrays.kept_arrays).arrays
    assert (standing.run, standing.health) == (run.name, "clean")
    assert [member.device for member in standing.members] == ["sda1", "sdb1", "sdc1"]
    ensured = json.loads(raidtui("ensure", str(answers)))
    assert (ensured["changed"], ensured["refused"], ensured["run"]) == (False, "", run.name)
    page = (run / "commissioning.md").read_text()
    assert "a partition of each disk" in page and "/dev/NEW1" in page and f"MiB, type={LINUX_RAID}" in page

    with mounted(f"/dev/md/{array.name}", run / "somewhere"):
        assert "in use" in raidtui("clean", run.name, typed=typed(run), status=3)
    said = raidtui("clean", run.name, typed=typed(run), status=3)
    assert "was mounted 2 times, by this run 1" in said and f"`wipefs --all /dev/{state.array.node[5:]}`" in said
    command("wipefs", "--all", "--quiet", state.array.node)
    settle()
    hold("wipefs", "before", "--all /dev/sdb")
    with subprocess.Popen((*RAIDTUI, "clean", run.name), stdin=subprocess.PIPE, text=True) as cleaning:
        assert cleaning.stdin
        cleaning.stdin.write(typed(run))
        cleaning.stdin.close()
        kill_there(run)
    assert cleaning.returncode
    assert {found()[node] for node in MEMBERS} != {"blank"}
    raidtui("clean", run.name, typed=typed(run))
    assert {found()[node] for node in MEMBERS} == {"blank"} and block.partitions("sda") == ()
    assert not state_of(run).left and not command("wipefs", "--no-act", *MEMBERS)


@pytest.mark.parametrize(
    "program, moment, words, way",
    [
        ("mdadm", "before", "--create", "resume"),  # the tables are there, the array is not
        ("sfdisk", "before", "/dev/sdb", "clean"),  # between two tables
    ],
)
def test_a_worker_killed_between_tables_and_array_is_gone_on_with_or_cleared_away(
    answers: Path, program: str, moment: str, words: str, way: str
) -> None:
    hold(program, moment, words)
    run = start(answers)
    kill_there(run)
    assert "gpt" in found()["/dev/sda"]
    if way == "resume":
        named = (word for member in directory.read_plan(run).members for word in ("--erase", member.serial))
        raidtui("resume", run.name, "--confirm", typed(run).split()[0], *named)  # as of any disk with something on it
        state = state_of(run)
        assert (state.outcome, state.kept, state.left) == ("finished", True, ())
    else:
        raidtui("clean", run.name, typed=typed(run))
        assert state_of(run).left == () and {found()[node] for node in MEMBERS} == {"blank"}


def test_a_partition_that_came_since_the_plan_is_refused_and_stays(answers: Path) -> None:
    plan = runs_planning.plan_here(runs_planning.read_answers(answers))
    command("sfdisk", "--quiet", "--label=gpt", "/dev/sdb", stdin="size=10MiB\n")
    settle()
    before = writes_to(MEMBERS)
    state = wait_for(launch.start(plan, directory.runs_root()), ended)
    assert (state.outcome, state.refused, state.left) == ("failed", True, ())
    assert "sdb" in state.reason and "holds gpt, partition on sdb1, the plan was made for blank" in state.reason
    assert writes_to(MEMBERS) == before
    blank("/dev/sdb")


def test_a_partition_beside_the_runs_own_is_left_alone_with_its_table(answers: Path) -> None:
    hold("mdadm", "before", "--create")
    run = start(answers)
    kill_there(run)
    command("sfdisk", "--quiet", "--delete", "/dev/sdb", "1")
    size = layers.partition_bytes(128 * MIB) // MIB
    lines = f"start=1MiB, size={size // 2}MiB\nsize=10MiB\n"
    command("sfdisk", "--quiet", "--append", "/dev/sdb", stdin=lines)
    settle()
    before = writes_to(["/dev/sdb"])
    said = raidtui("clean", run.name, typed=typed(run), status=3)
    assert "holds the partition sdb2, which this run has not made" in said and writes_to(["/dev/sdb"]) == before
    assert not command("wipefs", "--no-act", "/dev/sda", "/dev/sdc")
    blank("/dev/sdb")
    raidtui("clean", run.name, typed=typed(run))
    assert state_of(run).left == ()
