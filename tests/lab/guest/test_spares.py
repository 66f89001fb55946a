"""Disks that wait in a kept array, on real md: added after the tests, built in by md itself, cleared away with it."""

import json
from pathlib import Path

from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import directory
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import (
    WRITE,
    code,
    newest,
    raidtui,
    remove,
    write_answers,
    write_recipe,
)
from tests.lab.guest.disk_states import command, until, whole, writes_to
from tests.lab.guest.in_place import carried_out
from tests.lab.guest.partitioned import blank, kept_array, roles, standing, state_of

RACK = dict(disks=6, size_mib="128,128,128,128,128,64", mbps=0)
DISKS, SMALL = ["/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd"], "/dev/sdf"


def found() -> dict[str, str]:
    return {disk.path: disk.found for disk in disks_of(read_machine())}


def answers_of(config: Path, *disks: str, members: str = "disks") -> Path:
    """A RAID 5 of all of these disks but the last one, which is its spare."""
    ids = {disk.path: disk.id for disk in disks_of(read_machine())}
    setup = {"level": "5", "filesystem": "ext4", "members": members, "spares": 1}
    recipe = write_recipe(config, WRITE, baseline="none")
    return write_answers(config, recipe, setup, after="keep", disks=[ids[node] for node in disks])


def test_a_spare_waits_takes_over_by_itself_and_is_cleared_away_with_its_array(config: Path) -> None:
    """Of whole disks: test_groups.py."""
    before, part = writes_to([SMALL]), "1"
    answers = answers_of(config, *DISKS, members="partitions")
    shown = raidtui("plan", str(answers))
    assert "RAID 5 of 3 disks and 1 spare" in shown and "1 more disk: spare, no space" in shown
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    state, serial = state_of(run), {disk.path: disk.serial for disk in disks_of(read_machine())}
    assert (state.outcome, state.kept, state.warnings) == ("finished", True, ())
    assert roles() == dict.fromkeys((f"sda{part}", f"sdb{part}", f"sdc{part}"), "in sync") | {f"sdd{part}": "spare"}
    assert f"sdd{part}" in Path("/proc/mdstat").read_text().partition("(S)")[0].split()[-1]
    assert standing().health == "clean"
    ensured = json.loads(raidtui("ensure", str(answers)))
    assert (ensured["changed"], ensured["refused"]) == (False, "")
    page = (run / "commissioning.md").read_text()
    assert "md replaces a failed disk by it" in page and f"| spare | {serial['/dev/sdd']} |" in page

    command("mdadm", f"/dev/md/{kept_array(run).name}", "--fail", f"/dev/sdb{part}")
    until(lambda: whole(Path(f"/dev/md/{kept_array(run).name}").resolve().name))
    assert roles()[f"sdd{part}"] == "in sync"
    status = carried_out("status")
    assert (status.returncode, "a spare has taken its place" in status.stdout) == (1, True), status.stdout
    ensured = json.loads(carried_out("ensure", str(answers)).stdout)
    assert serial["/dev/sdb"] in ensured["refused"], ensured

    remove(run)
    (run / directory.PLAN).unlink()
    left = found()
    blank(*DISKS)
    assert {left[node] for node in DISKS} == {"blank"} and writes_to([SMALL]) == before


def test_a_spare_that_is_too_small_is_refused_before_anything_is_written(config: Path) -> None:
    before = writes_to([*DISKS, SMALL])
    refusal = raidtui("plan", str(answers_of(config, *DISKS, SMALL)), status=2)
    assert "setup.spares: one has 67.1 MB" in refusal and "choose a larger one" in refusal
    assert writes_to([*DISKS, SMALL]) == before
