"""Real arrays of every level: built by a plan's steps, as large as computed, and cleared away to blank members.

RAIDTUI_BUILDS sets how many builds and teardowns in a row each level gets (20 is what the README reports).
"""

import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import model as plans
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Check, Command
from raidtui.core.script.render import script
from raidtui.runs import checks
from raidtui.runs.context import StageContext
from raidtui.runs.executor import Executor
from raidtui.runs.journal import Journal
from raidtui.runs.local import LocalHost
from raidtui.runs.sampler import Sampler
from raidtui.runs.waiting import Waiter
from raidtui.system import leftovers
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import by_script
from tests.lab.guest.built import built_only, carry_out, leave_blank_members, plan
from tests.lab.guest.disk_states import settle

RACK = dict(disks=6, size_mib=320, mbps=0)
BUILDS = int(os.environ.get("RAIDTUI_BUILDS", "1"))
# With the stripe that the file system must know, in KiB of chunk x data disks: (0, 0) where there is none.
SETUPS = {
    "0": (Setup(level="0", filesystem="xfs"), (512, 4)),
    "1": (Setup(level="1", filesystem="ext4", first_sync="skip"), (0, 0)),
    "4": (Setup(level="4", filesystem="ext4", first_sync="skip"), (512, 3)),
    "5": (Setup(level="5", chunk="64K", filesystem="xfs", first_sync="skip"), (64, 3)),
    "5 ppl": (Setup(level="5", bitmap="ppl", filesystem="ext4", first_sync="skip"), (512, 3)),
    "6": (Setup(level="6", chunk="128K", filesystem="ext4", first_sync="skip"), (128, 2)),
    "10 n2": (Setup(level="10", layout="n2", filesystem="xfs", first_sync="skip"), (512, 2)),
    "10 o2": (Setup(level="10", layout="o2", chunk="64K", filesystem="ext4", first_sync="skip"), (64, 2)),
    "10 f2": (Setup(level="10", layout="f2", first_sync="skip"), None),
}


@pytest.mark.parametrize("name", SETUPS)
def test_builds_and_teardowns_in_a_row_leave_blank_members(name: str, tmp_path: Path) -> None:
    for build in range(BUILDS):
        folder = tmp_path / str(build)
        folder.mkdir()
        leave_blank_members(*SETUPS[name], folder)


def test_the_script_builds_the_same_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = plan(Setup(level="10", layout="f2", chunk="128K", filesystem="ext4", first_sync="wait"), members=3)
    made = replace(made, stages=(built_only(made.stages[-1]),))
    kept = replace(made, answers=replace(made.answers, after="keep"))
    own = by_script(script(kept), kept.code, tmp_path)
    (named,) = Path("/dev/md").glob("raidtui-*")
    node = os.path.realpath(named)
    scripted = details(node)
    subprocess.run(["umount", str(own / "mnt")], check=True)
    subprocess.run(["bash", "-c", "; ".join(teardown(made, node))], check=True)
    for disk in disks_of(read_machine()):
        leftovers.remember(disk.name)  # the script's own data, not somebody's

    folder = tmp_path / "run"
    folder.mkdir()
    built: list[dict[str, str]] = []
    original = checks._BY_QUESTION["array-built"]

    def remember(context: StageContext, check: Check) -> None:
        original(context, check)
        built.append(details(f"/dev/{context.array}"))

    monkeypatch.setitem(checks._BY_QUESTION, "array-built", remember)
    (outcome, reason, _), _ = carry_out(made, made.stages[0], folder)
    assert outcome == "finished", reason
    assert built == [scripted]


def details(node: str) -> dict[str, str]:
    """What an array is: everything but its node, its members' names, and what was drawn for it."""
    said = subprocess.run(["mdadm", "--detail", "--export", node], capture_output=True, text=True, check=True).stdout
    pairs = dict(line.split("=", 1) for line in said.splitlines())
    sizes = {"size": Path(f"/sys/class/block/{Path(node).name}/size").read_text().strip()}
    return {
        key: value
        for key, value in pairs.items()
        if key.startswith("MD_") and "_DEVICE_" not in key and key not in ("MD_UUID", "MD_NAME", "MD_DEVNAME")
    } | sizes


def teardown(made: Plan, node: str) -> list[str]:
    members = [f"/dev/disk/by-id/{member.id}" for member in made.members]
    return [
        f"wipefs -aq {node}",
        "udevadm settle",
        *(f"exec {{fd}}<{member}; flock $fd" for member in members),
        f"mdadm --stop {node}",
        *(f"mdadm --zero-superblock {member}; wipefs -aq {member}" for member in members),
    ]


def test_a_foreign_superblock_is_never_zeroed(tmp_path: Path) -> None:
    """Between create and teardown a member's superblock became another array's: it is left alone, and said."""
    made = plan(Setup(level="1", first_sync="skip"), members=2)
    stage = built_only(made.stages[-1])
    disks = {disk.id: disk.path for disk in disks_of(read_machine())}
    devices = [disks[member.id] for member in made.members]
    other = subprocess.run(
        ["mdadm", "--create", "/dev/md/other", "--level=1", "--raid-devices=2", "--metadata=1.2", "--run",
         "--assume-clean", "--bitmap=none", *devices], capture_output=True, text=True, check=False)  # fmt: skip
    assert other.returncode == 0, other.stderr
    node = os.path.realpath("/dev/md/other")
    settle()
    subprocess.run(["mdadm", "--stop", node], check=True)
    try:
        (outcome, reason, _), _ = carry_out(made, stage, tmp_path)
        assert outcome == "failed"
        assert "must not be touched" in reason or "not free" in reason
        undoing = replace(stage, steps=stage.steps[1:2])
        journal = Journal(tmp_path / "second.jsonl")
        host = LocalHost()
        sampler = Sampler(tmp_path / "second.bin", tuple(member.id for member in made.members), host)
        waiter = Waiter(tmp_path, journal, sampler, os.pipe2(os.O_NONBLOCK)[0])
        executor = Executor(tmp_path, made, journal, sampler, waiter, host)
        executor.begin(0, stage)
        zero = next(s for s in plans.undo(undoing.steps) if isinstance(s, Command) and "--zero-superblock" in s.argv)
        with pytest.raises(Exception, match="superblock of another array"):
            executor.carry_out(zero, undoing=True)
        executor.release()
    finally:
        for device in devices:
            subprocess.run(["mdadm", "--stop", "--scan"], check=False)
            subprocess.run(["mdadm", "--zero-superblock", device], check=True)
