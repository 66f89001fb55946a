"""RAID 50 and 60 on real md: built as computed, measured, kept, assembled by udev alone, killed, cleared away."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import ArrayPlan
from raidtui.runs import directory
from raidtui.runs.journal import alive, read_state
from raidtui.runs.kept_arrays import kept_arrays
from raidtui.system import md
from raidtui.system.block import size_bytes, text
from raidtui.system.claims import lock_nodes
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import (
    READ,
    WRITE,
    code,
    ended,
    measured,
    measuring,
    newest,
    raidtui,
    start,
    typed,
    wait_for,
    write_answers,
    write_recipe,
)
from tests.lab.guest.built import leave_blank_members
from tests.lab.guest.disk_states import clear, command, settle, until, whole
from tests.lab.guest.in_place import carried_out

CONF, FSTAB, TOOLS = Path("/etc/mdadm/mdadm.conf"), Path("/etc/fstab"), Path("/usr/local/sbin")
IMAGE = Path("/boot/initrd.img-stands-in")
RACK = dict(disks=8, size_mib=300, mbps=0)
RAID60 = {"level": "6", "groups": 2, "chunk": "64KiB", "filesystem": "xfs"}
DISKS = [f"/dev/sd{letter}" for letter in "abcdefgh"]


def test_groups_with_a_partial_parity_log_are_as_large_as_computed_and_leave_blank_members(tmp_path: Path) -> None:
    setup = Setup(level="5", groups=2, bitmap="ppl", chunk="64K", filesystem="ext4", first_sync="skip")
    leave_blank_members(setup, (64, 6), tmp_path, members=8)


def array_of(run: Path) -> ArrayPlan:
    array = next(stage.array for stage in reversed(slots.filled(directory.read_plan(run)).stages) if stage.array)
    assert array
    return array


def answers_of(config: Path, *jobs: dict[str, object], **others: object) -> Path:
    return write_answers(config, write_recipe(config, *(jobs or (WRITE, READ)), baseline="none"), RAID60, **others)


def names(array: ArrayPlan) -> list[str | None]:
    return [md.find(uuid) for uuid in array.uuids]


def blank() -> bool:
    return {disk.found for disk in disks_of(read_machine())} <= {"blank", "unknown data"} and not list(
        Path("/dev/md").glob("*")
    )


@pytest.mark.usefixtures("nothing_left")
def test_a_kept_raid_60_comes_back_by_udev_alone_and_is_cleared_away(config: Path, tmp_path: Path) -> None:
    answers = answers_of(config, after="keep")
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    state, array = read_state(run / directory.JOURNAL), array_of(run)
    assert (state.outcome, state.kept, state.warnings) == ("finished", True, ())
    outer, *groups = names(array)
    assert outer and size_bytes(outer) == array.capacity.array_bytes
    (made,) = state.filesystems.values()
    assert made.geometry == {"block_bytes": 4096, "stride_blocks": 16, "stripe_width_blocks": 16 * 4}
    assert int(text(f"/sys/block/{outer}/md/chunk_size")) == 2 * 64 * 1024
    offset = md.data_offset_bytes(outer, groups[0] or "")
    assert offset == array.outer.data_offset_bytes and offset % (2 * 64 * 1024) == 0
    (kept,) = kept_arrays({array.uuid.replace(":", "")}).values()
    assert kept.groups == tuple((group.name, group.uuid.replace(":", "")) for group in array.groups)
    for name in names(array):
        command("mdadm", "--stop", f"/dev/{name}")
    settle()
    command("udevadm", "trigger", "--action=add", "--subsystem-match=block")
    settle()
    until(lambda: all(names(array)))
    outer = md.find(array.uuid)
    command("mount", f"/dev/{outer}", str(tmp_path))
    assert (tmp_path / ".raidtui-kept").exists()
    command("umount", str(tmp_path))
    assert "is kept" in raidtui("resume", run.name, status=3)
    page = (run / "commissioning.md").read_text()
    for group in array.groups:
        assert f"mdadm --assemble /dev/md/{group.name} --uuid={group.uuid}" in page
        assert f"ARRAY /dev/md/{group.name} UUID={group.uuid}" in page
    assert "RAID 60, 2 × 4" in page and f"raidtui replace {array.name}-gN OLD NEW" in page
    status = raidtui("status")
    assert status.count(f"of {outer}\n") == 2
    first = array.groups[0].name
    assert "which gets no larger by it" in raidtui("grow", first, "sdz", status=2)
    assert "no redundancy" in raidtui("scrub", array.name, status=2)
    planned = raidtui("scrub", first)
    raidtui("scrub", first, "--confirm", planned.splitlines()[-1])
    command("wipefs", "--all", "--quiet", f"/dev/{outer}")
    settle()
    raidtui("clean", run.name, typed=typed(run))
    assert blank()


@pytest.mark.usefixtures("nothing_left")
def test_a_disk_is_replaced_in_its_group(config: Path) -> None:
    """And the run that built the array leaves it alone from then on: its plan does not name the new disk."""
    known = {disk.path: disk for disk in disks_of(read_machine())}
    ids = [known[node].id for node in DISKS[:6]]
    setup = RAID50 | {"first_sync": "wait"}
    answers = write_answers(config, write_recipe(config, WRITE, baseline="none"), setup, disks=ids, after="keep")
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    array = array_of(run)
    outer, first, second = names(array)
    command("mdadm", f"/dev/{first}", "--fail", DISKS[1])
    command("mdadm", f"/dev/{second}", "--fail", DISKS[4])
    status = carried_out("status")
    assert status.returncode == 3 and status.stdout.count("degraded") >= 2
    swap = (f"{array.name}-g1", known[DISKS[1]].id, known[DISKS[6]].id)
    raidtui("replace", *swap, "--confirm", raidtui("replace", *swap).splitlines()[-1])
    assert first and whole(first) and "sdg" in md.working(first)
    said = raidtui("clean", run.name, typed=typed(run), status=3)
    assert "sdg" in said and "left alone" in said
    for name in (outer, first, second):
        with lock_nodes(DISKS):
            command("wipefs", "--all", "--quiet", f"/dev/{name}") if name == outer else None
            command("mdadm", "--stop", f"/dev/{name}")
    clear(*DISKS)
    (run / directory.PLAN).unlink()


@pytest.mark.usefixtures("nothing_left")
def test_a_lost_group_ends_the_run_and_is_cleared_away(config: Path) -> None:
    endless = {"name": "endless", "fio": READ["fio"] | {"runtime": "1h"}}
    run = start(answers_of(config, endless))
    wait_for(run, measuring("s1-endless-bare"))
    _, first, second = names(array_of(run))
    command("mdadm", f"/dev/{second}", "--fail", DISKS[4])
    for disk in DISKS[:3]:
        subprocess.run(["mdadm", f"/dev/{first}", "--fail", disk], check=False)
    state = wait_for(run, ended)
    assert state.outcome == "failed" and state.left == (), (state.outcome, state.reason, state.left)
    told = "group 1 has lost scsi_debug 2000, scsi_debug 4000" in state.reason and "more than it surv" in state.reason
    assert told or "Input/output error" in state.reason, state.reason
    assert blank()


RAID50 = {"level": "5", "groups": 2, "chunk": "64KiB", "first_sync": "skip"}
# A program's words, of which the first is struck: the worker dies before it does anything, or as soon as it has.
MOMENTS = {
    "first group": "--create /dev/md/[^ ]*-g1",
    "RAID 0": "--create /dev/md/[^ ]* .*--level=0",
    "superblock of the RAID 0": "--zero-superblock /dev/md",
    "superblock of a disk": "--zero-superblock /dev/sd",
}
# All twelve were seen to pass. Two moments with the same arrays on the disks are one row; that in which all arrays are
# there is gone on from below, and cleared away in tests/torture. BARE: nobody has to name the array, no RAID 0 having
# ever been on its groups.
BARE = (("first group", True), ("RAID 0", False))
STRUCK = (*BARE, ("superblock of the RAID 0", False), ("superblock of a disk", True))
_STRUCK = """#!/bin/bash
if [ -e {mark} ] && grep -qE -e '{words}' <<< "$*"; then
  rm {mark}
  [ {after} = False ] || {real} "$@"
  kill -KILL $PPID
  exit 1
fi
exec {real} "$@"
"""


def struck(config: Path, moment: str, after: bool, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose worker was killed there."""
    real, mark = shutil.which("mdadm"), config / "mark"
    fake = config / "bin/mdadm"
    fake.parent.mkdir()
    fake.write_text(_STRUCK.format(mark=mark, words=MOMENTS[moment], after=after, real=real))
    fake.chmod(0o755)
    mark.touch()
    ids = [disk.id for disk in disks_of(read_machine()) if disk.path in DISKS[:6]]
    answers = write_answers(config, write_recipe(config, WRITE, baseline="none"), RAID50, disks=ids)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{fake.parent}:{path}")
    run = start(answers)
    until(lambda: not mark.exists() and not alive(read_state(run / directory.JOURNAL)))
    monkeypatch.setenv("PATH", path)
    settle()
    return run


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("moment, after", STRUCK)
def test_a_worker_killed_at_any_command_leaves_what_is_cleared_away(
    config: Path, moment: str, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = struck(config, moment, after, monkeypatch)
    array = array_of(run)
    named = "" if (moment, after) in BARE else f"{array.name}\n"
    raidtui("clean", run.name, typed=f"{directory.read_plan(run).code}\n{named}")
    assert blank() and not any(names(array))


@pytest.mark.usefixtures("nothing_left")
def test_a_run_whose_worker_was_killed_goes_on(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = struck(config, "RAID 0", True, monkeypatch)
    raidtui("resume", run.name, "--confirm", directory.read_plan(run).code, "--erase", array_of(run).name)
    state = read_state(run / directory.JOURNAL)
    assert (state.outcome, state.left, state.warnings) == ("finished", (), ())
    assert len(measured(run.name)) == 1 and blank() and not any(names(array_of(run)))


@pytest.mark.usefixtures("nothing_left")
def test_arrays_that_were_stopped_after_a_kill_are_cleared_away_and_their_disks_measured_again(config: Path) -> None:
    """As after a reboot without udev: they are assembled to look."""
    endless = {"name": "endless", "fio": READ["fio"] | {"runtime": "1h"}}
    run = start(answers_of(config, endless))
    state = wait_for(run, measuring("s1-endless-bare"))
    assert state.worker
    os.kill(state.worker.pid, signal.SIGKILL)
    until(lambda: subprocess.run(["pgrep", "-x", "fio"], stdout=subprocess.DEVNULL, check=False).returncode)
    array = array_of(run)
    for name in names(array):
        assert name
        with lock_nodes(DISKS):
            command("mdadm", "--stop", f"/dev/{name}")
    settle()
    raidtui("clean", run.name, typed=f"{directory.read_plan(run).code}\n{array.name}\n")
    assert blank() and not any(names(array))
    again = answers_of(config)
    assert "RAID 60, 2 × 4" in raidtui("plan", str(again))
    raidtui("run", str(again), "--confirm", code(again))
    state = read_state(newest() / directory.JOURNAL)
    assert (state.outcome, state.left, state.warnings) == ("finished", (), ())
    assert {trial["status"] for trial in measured(newest().name)} == {"ok"}


@pytest.fixture
def boot_files() -> Iterator[None]:
    """Files of boot, and what stands in for Debian's programs of its initramfs."""
    before = b"HOMEHOST <system>\n", b"proc /proc proc defaults 0 0\n"
    CONF.write_bytes(before[0])
    FSTAB.write_bytes(before[1])
    for name, lines in (("update-initramfs", f"cp {CONF} {IMAGE}"), ("lsinitramfs", f"ls {IMAGE} && echo {CONF}")):
        IMAGE.parent.mkdir(exist_ok=True)
        (TOOLS / name).parent.mkdir(parents=True, exist_ok=True)
        (TOOLS / name).write_text(f"#!/bin/sh -e\n{lines}\n")
        (TOOLS / name).chmod(0o755)
    yield
    assert (CONF.read_bytes(), FSTAB.read_bytes()) == before


@pytest.mark.usefixtures("nothing_left", "boot_files")
def test_groups_are_in_mdadm_conf_before_the_array_share_their_spare_and_are_taken_out_again(config: Path) -> None:
    known = {disk.path: disk.id for disk in disks_of(read_machine())}
    setup = RAID50 | {"first_sync": "wait", "filesystem": "xfs", "spares": 1}
    names_of = {"permanent": True, "mount_point": "/srv/grouped", "array_name": "store"}
    ids = [known[node] for node in DISKS[:7]]
    answers = write_answers(
        config, write_recipe(config, WRITE, baseline="none"), setup, disks=ids, after="keep", **names_of
    )
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    state, array = read_state(run / directory.JOURNAL), array_of(run)
    assert (state.outcome, state.is_at_boot) == ("finished", True)
    assert [words for words in state.warnings if "no spare moves to another group" in words]
    lines = [line for line in CONF.read_text().splitlines() if line.startswith("ARRAY")]
    expected = [(group.name, group.uuid) for group in array.groups] + [("store", array.uuid)]
    shared = " spares=1 spare-group=store", " spare-group=store", ""
    assert lines == [
        f"ARRAY /dev/md/{name} UUID={uuid}{words}" for (name, uuid), words in zip(expected, shared, strict=True)
    ]
    assert Path("/srv/grouped/.raidtui-kept").exists()
    status = raidtui("status")
    assert status.count("ARRAY line") >= 3 or status.count("mdadm.conf") >= 3
    _, first, second = names(array)
    command("mdadm", f"/dev/{second}", "--fail", DISKS[4])
    with subprocess.Popen(["mdadm", "--monitor", "--scan", "--delay=1", "--program=/bin/true"]) as monitor:
        until(lambda: second and whole(second))
        monitor.terminate()
    assert "sdg" in md.working(second or "") and not Path(f"/sys/block/{first}/slaves/sdg").exists()
    raidtui("undo", run.name, typed=typed(run))
    assert not Path("/srv/grouped").exists() and all(names(array))
    command("wipefs", "--all", "--quiet", f"/dev/{md.find(array.uuid)}")
    settle()
    raidtui("clean", run.name, typed=typed(run))
    assert blank()
