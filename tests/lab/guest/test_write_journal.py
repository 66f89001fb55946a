"""A kept array with a write journal on real md: stopped, put together again, its journal lost, cleared away with it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.raid import volumes
from raidtui.core.script.render import script
from raidtui.runs import directory, planning
from raidtui.system.claims import lock_nodes
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import (
    WRITE,
    by_script,
    code,
    newest,
    raidtui,
    remove,
    typed,
    write_answers,
    write_recipe,
)
from tests.lab.guest.disk_states import command, settle, stop, writes_to
from tests.lab.guest.in_place import carried_out
from tests.lab.guest.partitioned import blank, kept_array, roles, standing, state_of

RACK = dict(disks=6, size_mib="128,128,128,128,128,64", mbps=0)
DISKS, JOURNAL, SPARE, OTHER = ["/dev/sda", "/dev/sdb", "/dev/sdc"], "/dev/sdd", "/dev/sde", "/dev/sdf"
ALL = [*DISKS, JOURNAL, SPARE]


def answers_of(
    config: Path, *disks: str, level: str = "5", spares: int = 0, members: str = "disks", **others: str
) -> Path:
    ids = {disk.path: disk.id for disk in disks_of(read_machine())}
    setup = {"level": level, "filesystem": "ext4", "bitmap": "journal", "members": members, "spares": spares, **others}
    recipe = write_recipe(config, WRITE, baseline="none")
    return write_answers(config, recipe, setup, after="keep", disks=[ids[node] for node in disks])


def test_a_journal_is_written_first_comes_back_with_its_array_and_is_cleared_away(config: Path, tmp_path: Path) -> None:
    """Of partitions, beside a spare; the next one is of whole disks."""
    before = writes_to([OTHER])
    answers = answers_of(config, *ALL, spares=1, members="partitions")
    shown = raidtui("plan", str(answers))
    assert "1 more disk: journal, no space" in shown and "--write-journal=" in shown
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    state, serial = state_of(run), {disk.path: disk.serial for disk in disks_of(read_machine())}
    assert (state.outcome, state.kept, state.warnings) == ("finished", True, ())  # as large as computed, too
    stood = dict.fromkeys(("sda1", "sdb1", "sdc1"), "in sync") | {"sdd1": "journal", "sde1": "spare"}
    assert roles() == stood and (standing().consistency, standing().health) == ("journal", "clean")
    ensured = json.loads(raidtui("ensure", str(answers)))
    assert (ensured["changed"], ensured["refused"]) == (False, "")
    assert f"| journal | {serial[JOURNAL]} |" in (run / "commissioning.md").read_text()

    node, uuid, folder = f"/dev/md/{kept_array(run).name}", standing().uuid, tmp_path / "mounted"
    folder.mkdir()
    command("mount", node, str(folder))
    content = os.urandom(4 << 20)
    (folder / "file").write_bytes(content)
    command("umount", str(folder))
    command("mdadm", "--stop", node)
    settle()
    command("mdadm", "--assemble", node, f"--uuid={uuid}")
    assert roles() == stood and standing().consistency == "journal"
    command("mount", node, str(folder))
    assert (folder / "file").read_bytes() == content

    command("mdadm", node, "--fail", f"{JOURNAL}1")
    with pytest.raises(OSError, match="rror"), (folder / "more").open("wb") as file:
        file.write(content)
        os.fsync(file.fileno())
    status = carried_out("status")
    assert (status.returncode, "every write to it fails" in status.stdout) == (3, True), status.stdout
    assert "a spare has taken its place" not in status.stdout
    refused = json.loads(carried_out("ensure", str(answers)).stdout)["refused"]
    assert f"the journal {serial[JOURNAL]} is not in it" in refused, refused
    command("umount", str(folder))

    assert "holds 'file'" in raidtui("clean", run.name, typed=typed(run), status=3)
    command("mdadm", "--stop", node)  # it takes no writes any more: its signature cannot be wiped
    command("mdadm", "--zero-superblock", *(f"{disk}1" for disk in ALL))
    settle()
    raidtui("clean", run.name, typed=typed(run))
    left = {disk.path: disk.found for disk in disks_of(read_machine())}
    (run / directory.PLAN).unlink()
    blank(*ALL)
    assert {left[one] for one in ALL} == {"blank"} and writes_to([OTHER]) == before


def test_the_lines_of_the_page_give_an_array_that_lost_its_journal_another(config: Path) -> None:
    answers = answers_of(config, *DISKS, JOURNAL)
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    node = f"/dev/md/{kept_array(run).name}"
    command("mdadm", node, "--fail", JOURNAL)
    page = (run / "commissioning.md").read_text().partition("## When the journal fails")[2]
    lines = page.split("```")[1].replace("/dev/NEW", SPARE).split("\n")[1:-1]  # between the fences
    assert [line.split()[0] for line in lines] == ["wipefs", "umount", "mdadm", "mdadm", "mdadm"]
    for line in lines:
        if not line.startswith("umount"):  # nothing is mounted
            subprocess.run(["bash", "-c", line], check=True)
    assert roles()["sde"] == "journal" and standing().array_state in ("clean", "active")
    assert carried_out("status").stdout.count("journal") == 2  # the member, and what it goes by after a crash
    stop(node, *ALL)
    command("mdadm", "--zero-superblock", SPARE)
    settle()
    refused = subprocess.run(["mdadm", "--assemble", node, *DISKS], capture_output=True, text=True, check=False)
    assert refused.returncode != 0 and "journal" in refused.stderr
    forced = page.partition("mdadm --assemble --force")[2].partition("\n")[0].split()
    settle()
    with lock_nodes(DISKS):  # udev would begin to put it together, too
        subprocess.run(["mdadm", "--stop", node], check=False)
        command("mdadm", "--assemble", "--force", *forced)
    settle()
    assert "its journal is lost" in carried_out("status").stdout  # and read-only: nothing can be cleared away there
    command("mdadm", "--zero-superblock", JOURNAL)
    command("mdadm", node, "--add-journal", JOURNAL)
    remove(run)
    (run / directory.PLAN).unlink()
    blank(*DISKS, JOURNAL, SPARE)


def test_the_script_builds_one_of_partitions_with_a_spare_a_journal_and_lvm(config: Path, tmp_path: Path) -> None:
    answers = answers_of(config, *ALL, spares=1, members="partitions", between="lvm", chunk="64KiB")
    plan = directory.drawn(planning.plan_here(planning.read_answers(answers)))
    by_script(script(plan), plan.code, tmp_path)
    array, planned = standing(), next(stage.array for stage in plan.stages if stage.array)
    assert planned and array.size_bytes == planned.capacity.array_bytes
    assert roles() == dict.fromkeys(("sda1", "sdb1", "sdc1"), "in sync") | {"sde1": "spare", "sdd1": "journal"}
    columns = ("--noheadings", "--nosuffix", "--units", "b", "--options", "vg_name,lv_name,pe_start")
    group, volume, start_bytes = command("pvs", *columns).split()
    assert (volume, int(start_bytes) % (2 * 64 * 1024)) == (volumes.NAME, 0)
    command("vgremove", "--yes", "--force", group)
    with lock_nodes(ALL):
        command("mdadm", "--stop", array.node)
        command("mdadm", "--zero-superblock", *(f"{node}1" for node in ALL))
    blank(*ALL)
