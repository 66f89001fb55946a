"""LVM between a kept array and its file system, on real md: aligned, permanent, undone, cleared away, cut off."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from raidtui.core.raid import volumes
from raidtui.runs import kept_arrays
from raidtui.system import block
from raidtui.system.arrays import now
from tests.lab.guest.brief_runs import RAIDTUI, code, forget_runs, newest, raidtui, start, typed
from tests.lab.guest.disk_states import command, mounted, settle, writes_to
from tests.lab.guest.layered import BYSTANDER, CONF, MEMBERS, found, kept_stage, written
from tests.lab.guest.partitioned import TOOLS, blank, hold, kill_there, let_go, state_of

RACK = dict(disks=6, size_mib="128,128,128,127,128,128", mbps=0)
THEIRS = "theirs"
FSTAB, FOLDER = Path("/etc/fstab"), Path("/srv/virtual machines")
LVM = ("pvcreate", "vgcreate", "lvcreate", "vgremove", "lvremove", "pvremove")


@pytest.fixture
def answers(config: Path) -> Iterator[Path]:
    """A RAID 5 of four disks, whose stripe is no power of two; a group of somebody's own on the fifth disk."""
    command("vgcreate", THEIRS, BYSTANDER)
    settle()
    before = writes_to([BYSTANDER]), FSTAB.read_bytes(), CONF.read_bytes()
    yield written(config, "lvm")
    let_go()
    for name in LVM:
        (TOOLS / name).unlink(missing_ok=True)
    forget_runs()
    left = found(), writes_to([BYSTANDER]), FSTAB.read_bytes(), CONF.read_bytes()
    command("vgremove", THEIRS)
    command("pvremove", BYSTANDER)
    blank(*MEMBERS, BYSTANDER)
    assert left == ({"blank"}, *before) and not command("vgs", "--noheadings", "--options", "vg_name").strip()


def told(*options: str) -> list[str]:
    """What LVM says of the one physical volume that is not somebody's."""
    shown = command("pvs", "--noheadings", "--nosuffix", "--units", "b", "--options", ",".join(("vg_name", *options)))
    (words,) = (line.split() for line in shown.splitlines() if THEIRS not in line)
    return words[1:]


def own_sizes() -> tuple[int, int, int]:
    """Bytes of the run's group, free in it, and of its volume."""
    columns = ("--nosuffix", "--units", "b", "--noheadings", "--options", "vg_name,vg_size,vg_free,lv_size")
    (words,) = (line.split() for line in command("vgs", *columns).splitlines() if THEIRS not in line)
    return int(words[1]), int(words[2]), int(words[3])


def test_it_is_aligned_stands_and_is_cleared_away_to_blank_disks(answers: Path) -> None:
    shown = raidtui("plan", str(answers))
    assert "ext4 on LVM" in shown and "--dataalignment 192k" in shown
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    stage, state = kept_stage(run), state_of(run)
    assert stage.array and stage.layer and stage.filesystem and stage.setup
    assert (state.outcome, state.kept, state.left, state.warnings) == ("finished", True, (), ())
    uuid, start_bytes, size_bytes = told("pv_uuid", "pe_start", "lv_size")
    assert uuid == stage.layer.uuid and int(start_bytes) % (3 * 64 * 1024) == 0
    assert state.array and int(size_bytes) <= state.array.size_bytes
    volume = f"/dev/{stage.array.name}/{volumes.NAME}"
    assert command("blkid", "--output", "value", "--match-tag", "UUID", volume).strip() == stage.filesystem.uuid
    assert "RAID stripe width:        48" in command("dumpe2fs", "-h", volume)
    (standing,) = now.look(kept_arrays.kept_arrays).arrays
    assert (standing.run, standing.health) == (run.name, "clean")
    ensured = json.loads(raidtui("ensure", str(answers)))
    assert (ensured["changed"], ensured["refused"], ensured["run"]) == (False, "", run.name)
    page = (run / "commissioning.md").read_text()
    assert stage.layer.uuid in page and "pvresize" in page and "lvextend" in page

    with mounted(volume, run / "somewhere"):
        assert "in use" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("vgchange", "--activate", "n", stage.array.name)
    assert "cannot be looked at" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("vgchange", "--activate", "y", stage.array.name)
    command("lvreduce", "--yes", "--force", "--extents", "-2", f"{stage.array.name}/{volumes.NAME}")
    command("lvcreate", "--yes", "--extents", "1", "--name", "more", stage.array.name)
    assert "-more, which this run did not make" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("lvchange", "--activate", "n", f"{stage.array.name}/more")
    assert "holds more besides" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("lvremove", "--yes", f"{stage.array.name}/more")
    assert "was not checked: ext4 cannot be mounted" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("wipefs", "--all", volume)
    settle()
    hold("vgremove", "before", "")
    with subprocess.Popen((*RAIDTUI, "clean", run.name), stdin=subprocess.PIPE, text=True) as cleaning:
        assert cleaning.stdin
        cleaning.stdin.write(typed(run))
        cleaning.stdin.close()
        kill_there(run)
    (TOOLS / "vgremove").unlink()
    raidtui("clean", run.name, typed=typed(run))  # ends what was killed amid it
    assert found() == {"blank"} and not state_of(run).left and not block.mapped_on("md127")


def test_one_gone_on_with_comes_back_by_what_was_written_and_is_undone(answers: Path, config: Path) -> None:
    """Its worker was killed between the group and its volume."""
    answers = written(config, "lvm", snapshot_room="20 %", permanent=True, mount_point=str(FOLDER))
    hold("vgcreate", "after", "")
    run = start(answers)
    kill_there(run)
    (TOOLS / "vgcreate").unlink()
    confirmed, array = typed(run).split()
    assert f"--erase {array}" in raidtui("resume", run.name, "--confirm", confirmed, status=3)
    raidtui("resume", run.name, "--confirm", confirmed, "--erase", array)
    stage, state = kept_stage(run), state_of(run)
    assert stage.array and stage.filesystem
    assert (state.outcome, state.kept, state.left) == ("finished", True, ())
    assert os.path.ismount(FOLDER) and stage.filesystem.uuid in FSTAB.read_text()
    assert json.loads(raidtui("ensure", str(answers)))["refused"] == ""
    (FOLDER / "file").write_text("here to stay")
    size, free, volume = own_sizes()
    assert stage.layer and volume == stage.layer.volume_bytes == size - free and 0.2 * size <= free < 0.25 * size
    command("lvcreate", "--snapshot", "--extents", "2", "--name", "before", f"{stage.array.name}/{volumes.NAME}")
    command("lvremove", "--yes", f"{stage.array.name}/before")

    command("umount", str(FOLDER))
    command("vgchange", "--activate", "n", stage.array.name)
    command("mdadm", "--stop", "--scan")  # as at boot: by the files alone
    settle()
    subprocess.run(["mdadm", "--assemble", "--scan"], check=False)  # 2, where udev was quicker
    settle()
    command("vgchange", "--activate", "y", "--autoactivation", "event")
    settle()
    command("mount", "--all")
    assert (FOLDER / "file").read_text() == "here to stay"
    raidtui("undo", run.name, typed=typed(run))
    assert not FOLDER.exists() and state_of(run).kept and own_sizes() == (size, free, volume)


def test_what_a_worker_killed_right_after_the_volume_left_is_cleared_away(answers: Path) -> None:
    hold("lvcreate", "after", "")
    run = start(answers)
    kill_there(run)
    (TOOLS / "lvcreate").unlink()
    raidtui("clean", run.name, typed=typed(run))
    assert state_of(run).left == () and found() == {"blank"}
