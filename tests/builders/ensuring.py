"""A RAID 5 with ext4 that a run has built of three disks and keeps, with a fourth disk beside it; and its answers."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from raidtui import recipes
from raidtui.core.arrays.array import Array
from raidtui.core.arrays.reading import arrays_of
from raidtui.core.disks.machine import BlockDevice, Machine
from raidtui.core.disks.selection import DiskRule
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import planner
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from tests.builders.arrays import DIGITS, in_sync, md, with_members
from tests.builders.journals import started
from tests.builders.machines import device
from tests.builders.plans import DEBIAN
from tests.runs.rig import SEEN, run_in

RUN = "20260102T030405Z-ab12"
FILESYSTEM = "0a0b0c0d-0000-4000-8000-000000000001"  # that `md` has on its array
_UUIDS = (f"{DIGITS[:8]}-{DIGITS[8:12]}-{DIGITS[12:16]}-{DIGITS[16:20]}-{DIGITS[20:]}", FILESYSTEM)
FREE = tuple(device(name) for name in ("sdd", "sde", "sdf"))
BLANK = SEEN
RULE = DiskRule(count=3)
BY_RULE = Answers(disks=RULE, setup=Setup(level="5", filesystem="ext4"), after="keep")
BY_NAME = replace(BY_RULE, disks=tuple(disk.id for disk in disks_of(BLANK)))
WORKER = started(RUN, pid=2**30)
KEPT = (WORKER, events.RunEnded(at_s=9.0, outcome="finished", kept=True))


def plan(given: Answers = BY_RULE, disks: Machine = BLANK) -> Plan:
    """With the UUIDs that the array of `standing` has."""
    made = planner.make(given, recipes.load("quick"), disks_of(disks), "machine", place=DEBIAN)
    return replace(made, uuids=_UUIDS)


def standing(
    *others: BlockDevice, level: str = "raid5", slots: dict[str, tuple[str, str]] | None = None, **files: str
) -> Machine:
    """A machine on which it stands, and `others`. `files`: the array's, where it is otherwise."""
    array = md(level, slots or in_sync("sda", "sdb", "sdc"), **files)
    named = {**array.properties, "MD_NAME": f"any:raidtui-{DIGITS[:8]}"}
    return with_members(replace(array, properties=named), *others)


def the_array(seen: Machine) -> Array:
    return arrays_of(seen)[0]


def kept_run(root: Path, made: Plan | None = None, *told: Any) -> Path:
    return run_in(root, made or plan(), RUN, *(told or KEPT))
