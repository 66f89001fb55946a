"""Members as partitions on real md: built to the byte, cleared away to blank disks, cut off in the middle, replaced."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.care.plans import Limits
from raidtui.core.disks.disk import Standing
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.model import ArrayPlan, Plan
from raidtui.core.raid import partitioning
from raidtui.core.run.state import RunState
from raidtui.core.script.render import script
from raidtui.core.units import MIB
from raidtui.runs import directory, keepers, launch
from raidtui.runs import planning as runs_planning
from raidtui.runs.care import planning
from raidtui.runs.journal import read_state
from raidtui.system import block, leftovers
from raidtui.system.arrays import now
from raidtui.system.discovery import read_machine
from raidtui.system.members import lock_nodes
from tests.lab.guest.brief_runs import (
    RAIDTUI,
    WRITE,
    code,
    ended,
    newest,
    raidtui,
    start,
    wait_for,
    write_answers,
    write_recipe,
)
from tests.lab.guest.disk_states import bytes_of, clear, command, mounted, settle

RACK = dict(disks=5, size_mib="128,128,128,127,128", mbps=0)
MEMBERS, NEW, BYSTANDER = ["/dev/sda", "/dev/sdb", "/dev/sdc"], "/dev/sdd", "/dev/sde"  # the new one is smaller
LINUX_RAID = "A19D880F-05FC-4D3B-A006-743F0F84911E"
TOOLS, HELD, REACHED = Path("/usr/local/sbin"), Path("/tmp/held"), Path("/tmp/reached")
_MOMENT_S = 60.0
# In the place of a program: it waits before or after the call that has these words.
HOLDING = """#!/bin/sh
hold() {{ case "$words" in *"{words}"*) touch {reached}; while [ -e {held} ]; do sleep 0.05; done;; esac; }}
words="$*"
[ {moment} = after ] || hold
{program} "$@"
status=$?
[ {moment} = before ] || hold
exit $status
"""


def found() -> dict[str, str]:
    return {disk.path: disk.found for disk in disks_of(read_machine()) if disk.path in (*MEMBERS, NEW, BYSTANDER)}


def kept_array(run: Path) -> ArrayPlan:
    array = next(stage.array for stage in slots.filled(directory.read_plan(run)).stages if stage.array)
    assert array
    return array


def state_of(run: Path) -> RunState:
    return read_state(run / directory.JOURNAL)


def typed(run: Path) -> str:
    return f"{directory.read_plan(run).code}\n"


def hold(program: str, moment: str, words: str) -> None:
    real = command("sh", "-c", f"PATH=/usr/sbin:/sbin:/usr/bin:/bin command -v {program}").strip()
    HELD.touch()
    TOOLS.mkdir(parents=True, exist_ok=True)
    (TOOLS / program).write_text(HOLDING.format(words=words, reached=REACHED, held=HELD, moment=moment, program=real))
    (TOOLS / program).chmod(0o755)


def kill_there(run: Path) -> None:
    """The worker is killed where the program is held, and what it had begun with it."""
    end_s = time.monotonic() + _MOMENT_S
    while not REACHED.exists():
        assert time.monotonic() < end_s, f"it did not come to that: {state_of(run).steps[-1:]}"
        time.sleep(0.05)
    state = state_of(run)
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    while launch.alive(state):
        time.sleep(0.05)
    let_go()
    settle()


def let_go() -> None:
    for path in (HELD, REACHED, *(TOOLS / program for program in ("mdadm", "sfdisk", "wipefs"))):
        path.unlink(missing_ok=True)


def blank(*nodes: str) -> None:
    clear(*nodes)
    for node in nodes:
        leftovers.remember(node.removeprefix("/dev/"))


@pytest.fixture
def answers(config: Path) -> Iterator[Path]:
    """A RAID 5 with ext4 of partitions on the first three disks, which stays; a fifth disk is nobody's business."""
    command("mkfs.ext4", "-q", "-F", BYSTANDER)
    settle()
    before = bytes_of([BYSTANDER])
    ids = {disk.path: disk.id for disk in disks_of(read_machine())}
    setup = {"level": "5", "filesystem": "ext4", "members": "partitions"}
    recipe = write_recipe(config, WRITE, baseline="none")
    yield write_answers(config, recipe, setup, after="keep", disks=[ids[node] for node in MEMBERS])
    let_go()
    for run in directory.list_runs(directory.runs_root()):
        if state_of(run).kept:
            raidtui("clean", run.name, typed=typed(run))
        (run / directory.PLAN).unlink()
    left, after = found(), bytes_of([BYSTANDER])
    blank(*MEMBERS, NEW, BYSTANDER)
    assert {left[node] for node in (*MEMBERS, NEW)} == {"blank"} and after == before


def test_it_is_built_to_the_byte_stands_and_is_cleared_away_to_blank_disks(answers: Path) -> None:
    shown = raidtui("plan", str(answers))
    assert "members as partitions" in shown and "partition tables, room at the end" in shown
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    array, state = kept_array(run), state_of(run)
    assert (state.outcome, state.kept, state.left, state.warnings) == ("finished", True, (), ())
    assert state.array and state.array.size_bytes == array.capacity.array_bytes
    lost, size = array.capacity.lost, partitioning.partition_bytes(128 * MIB)
    assert array.capacity.array_bytes + lost.total_bytes == array.capacity.raw_bytes == 3 * 128 * MIB
    assert lost.outside_bytes == 3 * (128 * MIB - size)
    for node, uuid in zip(MEMBERS, array.tables, strict=True):
        table = json.loads(command("sfdisk", "--json", node))["partitiontable"]
        (partition,) = table["partitions"]
        assert (table["label"], table["id"].lower(), partition["node"]) == ("gpt", uuid, f"{node}1")
        assert (partition["start"], partition["size"], partition["type"]) == (2048, size // 512, LINUX_RAID)
    refused = {disk.path: disk.verdict for disk in disks_of(read_machine()) if disk.path in MEMBERS}
    assert {verdict.standing for verdict in refused.values()} == {Standing.REFUSE}, refused
    (standing,) = now.look(keepers.kept_arrays).arrays
    assert (standing.run, standing.health) == (run.name, "clean")
    assert [member.device for member in standing.members] == ["sda1", "sdb1", "sdc1"]
    ensured = json.loads(raidtui("ensure", str(answers)))
    assert (ensured["changed"], ensured["refused"], ensured["run"]) == (False, "", run.name)
    page = (run / "commissioning.md").read_text()
    assert "a partition of each disk" in page and "/dev/NEW1" in page and f"MiB, type={LINUX_RAID}" in page

    with mounted(f"/dev/md/{array.name}", run / "somewhere"):
        assert "in use" in raidtui("clean", run.name, typed=typed(run), status=3)
    raidtui("clean", run.name, typed=typed(run))
    assert {found()[node] for node in MEMBERS} == {"blank"} and block.partitions("sda") == ()
    assert not state_of(run).left and not command("wipefs", "--no-act", *MEMBERS)


@pytest.mark.parametrize(
    ("program", "moment", "words", "way"),
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
        raidtui("resume", run.name, "--confirm", typed(run).strip(), *named)  # as of any disk with something on it
        state = state_of(run)
        assert (state.outcome, state.kept, state.left) == ("finished", True, ())
    else:
        raidtui("clean", run.name, typed=typed(run))
        assert state_of(run).left == () and {found()[node] for node in MEMBERS} == {"blank"}


def test_a_clean_that_was_killed_amid_the_tables_ends_another_time(answers: Path) -> None:
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    hold("wipefs", "before", "--all /dev/sdb")
    cleaning = subprocess.Popen((*RAIDTUI, "clean", run.name), stdin=subprocess.PIPE, text=True)
    assert cleaning.stdin
    cleaning.stdin.write(typed(run))
    cleaning.stdin.close()
    kill_there(run)
    assert cleaning.wait() != 0
    raidtui("clean", run.name, typed=typed(run))
    assert state_of(run).left == () and {found()[node] for node in MEMBERS} == {"blank"}


def test_a_partition_that_came_since_the_plan_is_refused_and_stays(answers: Path) -> None:
    plan = runs_planning.plan_here(runs_planning.read_answers(answers))
    command("sfdisk", "--quiet", "--label=gpt", "/dev/sdb", stdin="size=10MiB\n")
    settle()
    before = bytes_of(MEMBERS)
    state = wait_for(launch.start(plan, directory.runs_root()), ended)
    assert (state.outcome, state.refused, state.left) == ("failed", True, ())
    assert "sdb" in state.reason and "holds gpt, partition on sdb1, the plan was made for blank" in state.reason
    assert bytes_of(MEMBERS) == before
    blank("/dev/sdb")


def test_a_partition_beside_the_runs_own_is_left_alone_with_its_table(answers: Path) -> None:
    hold("mdadm", "before", "--create")
    run = start(answers)
    kill_there(run)
    command("sfdisk", "--quiet", "--delete", "/dev/sdb", "1")
    size = partitioning.partition_bytes(128 * MIB) // MIB
    lines = f"start=1MiB, size={size // 2}MiB\nsize=10MiB\n"
    command("sfdisk", "--quiet", "--append", "/dev/sdb", stdin=lines)
    settle()
    before = bytes_of(["/dev/sdb"])
    said = raidtui("clean", run.name, typed=typed(run), status=3)
    assert "holds the partition sdb2, which this run has not made" in said and bytes_of(["/dev/sdb"]) == before
    assert not command("wipefs", "--no-act", "/dev/sda", "/dev/sdc")
    blank("/dev/sdb")
    raidtui("clean", run.name, typed=typed(run))
    assert state_of(run).left == ()


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
        (standing,) = now.look(keepers.kept_arrays).arrays
        roles = {member.device: member.role for member in standing.members}
        assert roles == {"sda1": "in sync", "sdd1": "in sync", "sdc1": "in sync", "sdb1": "left out"}
        raidtui("scrub", run.name, "--confirm", scrub_code(run))
        command("mdadm", f"/dev/md/{array.name}", "--fail", "/dev/sdc1")
        assert (run / "somewhere" / "file").read_bytes() == content
    assert "does not name" in raidtui("clean", run.name, typed=typed(run), status=3)
    with lock_nodes([*MEMBERS, NEW]):
        command("mdadm", "--stop", f"/dev/md/{array.name}")
        command("mdadm", "--zero-superblock", "--force", *(f"{node}1" for node in (*MEMBERS, NEW)))
    blank(*MEMBERS, NEW)
    for path in directory.list_runs(directory.runs_root()):
        (path / directory.PLAN).unlink()


def scrub_code(run: Path) -> str:
    plan = planning.check(planning.find(run.name), Limits())
    assert isinstance(plan, Plan)
    return plan.code


def test_the_script_builds_the_same(answers: Path, tmp_path: Path) -> None:
    plan = directory.drawn(runs_planning.plan_here(runs_planning.read_answers(answers)))
    (tmp_path / "own").mkdir(mode=0o700)
    (tmp_path / "own" / "build.sh").write_text(script(plan))
    done = subprocess.run(
        ["bash", "build.sh"], cwd=tmp_path / "own", input=f"{plan.code}\n", text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (array,) = now.look(keepers.kept_arrays).arrays
    planned = next(stage.array for stage in plan.stages if stage.array)
    assert planned and array.size_bytes == planned.capacity.array_bytes
    assert [member.device for member in array.members] == ["sda1", "sdb1", "sdc1"]
    with lock_nodes(MEMBERS):
        command("mdadm", "--stop", array.node)
        command("mdadm", "--zero-superblock", *(f"{node}1" for node in MEMBERS))
    blank(*MEMBERS)
