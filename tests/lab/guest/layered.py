"""What lies between a kept array and its file system, for the tests of each kind: a RAID 5 of stripes of 192 KiB."""

from pathlib import Path
from typing import Any

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.model import Stage
from raidtui.core.raid.layers import LayerKind
from raidtui.runs import directory
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import WRITE, write_answers, write_recipe
from tests.lab.guest.partitioned import TOOLS

CONF = Path("/etc/mdadm/mdadm.conf")
MEMBERS, BYSTANDER = ["/dev/sda", "/dev/sdb", "/dev/sdc", "/dev/sdd"], "/dev/sde"


def written(config: Path, between: LayerKind, snapshot_room: str = "", **others: Any) -> Path:
    """The answers of an array that stays, with this below its file system; there is an initramfs, of two programs."""
    TOOLS.mkdir(parents=True, exist_ok=True)
    for name in ("update-initramfs", "lsinitramfs"):
        (TOOLS / name).write_text(f"#!/bin/sh\necho {CONF}\n")
        (TOOLS / name).chmod(0o755)
    ids = {disk.path: disk.id for disk in disks_of(read_machine())}
    setup = {"level": "5", "chunk": "64KiB", "filesystem": "ext4", "between": between, "snapshot_room": snapshot_room}
    recipe = write_recipe(config, WRITE, baseline="none")
    return write_answers(config, recipe, setup, after="keep", disks=[ids[node] for node in MEMBERS], **others)


def found() -> set[str]:
    """What a look finds on the members."""
    return {disk.found for disk in disks_of(read_machine()) if disk.path in MEMBERS}


def kept_stage(run: Path) -> Stage:
    """The stage of the run that builds the array, with its own UUIDs."""
    return next(stage for stage in slots.filled(directory.read_plan(run)).stages if stage.array)
