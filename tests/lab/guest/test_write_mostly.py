"""Write-mostly disks on real md: they are not read while others can be, and their replacements are as they were."""

import os
from pathlib import Path

from raidtui.core.care.plans import Limits
from raidtui.core.disks.verdicts import disks_of
from raidtui.runs import directory
from raidtui.runs.care import planning
from raidtui.system import md
from raidtui.system.claims import lock_nodes
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import READ, code, newest, raidtui, write_answers, write_recipe
from tests.lab.guest.disk_states import command, until
from tests.lab.guest.partitioned import blank, roles, standing, state_of

RACK = dict(disks=6, size_mib="128,128,128,128,128,64", mbps=0)
DISKS = ["/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd"]


def reads(name: str) -> int:
    return int(Path(f"/sys/block/{name}/stat").read_text().split()[0])


def test_they_are_not_read_and_are_replaced_by_such(config: Path) -> None:
    by_path = {disk.path: disk for disk in disks_of(read_machine())}
    recipe = write_recipe(config, READ, baseline="none")
    setup = {"level": "1", "filesystem": "ext4", "write_mostly": 1}
    answers = write_answers(config, recipe, setup, after="keep", disks=[by_path[node].id for node in DISKS[:3]])
    raidtui("run", str(answers), "--confirm", code(answers))
    run = newest()
    state, array = state_of(run), standing()
    assert (state.outcome, state.kept, state.warnings) == ("finished", True, ())
    assert md.write_mostly(array.name) == {"sdc"} and roles() == dict.fromkeys(("sda", "sdb", "sdc"), "in sync")
    assert "| 2, write-mostly |" in (run / "commissioning.md").read_text()

    before = {name: reads(name) for name in ("sda", "sdb", "sdc")}
    descriptor = os.open(array.node, os.O_RDONLY)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    while os.read(descriptor, 1 << 20):
        pass
    os.close(descriptor)
    after = {name: reads(name) - before[name] for name in before}
    assert after["sda"] + after["sdb"] > 0 and after["sdc"] == 0, after

    words = (array.name, by_path["/dev/sdc"].serial, by_path["/dev/sdd"].serial)
    until(lambda: standing().sync is None)
    plan = planning.replace(planning.find(array.name), *words[1:], Limits())
    raidtui("replace", *words, "--confirm", plan.code)  # type: ignore[union-attr]
    assert roles()["sdd"] == "in sync" and md.write_mostly(array.name) == {"sdd"}
    (run / directory.PLAN).unlink()
    with lock_nodes(DISKS):
        command("mdadm", "--stop", array.node)
        command("mdadm", "--zero-superblock", *DISKS)
    blank(*DISKS)
