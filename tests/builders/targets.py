"""Devices and folders that stand on a machine, and the plan that measures one as it stands."""

from raidtui import recipes
from raidtui.core.disks.machine import BlockDevice, Machine, Mount
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import target, target_plan
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan, undo
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.steps import Step
from raidtui.core.plan.target import Seen
from raidtui.core.units import GIB

RECIPE = recipes.load("existing")
SIZE = {"size": str(8 * GIB // 512)}


def machine(*devices: BlockDevice, mounts: tuple[Mount, ...] = ()) -> Machine:
    return Machine(host="here", root=True, devices=devices, mounts=mounts)


def disk(name: str, devnum: str, holders: tuple[str, ...] = ()) -> BlockDevice:
    said = {"ID_WWN": f"0x5000c500a1b2c3d{devnum[-1]}", "ID_MODEL": "IRONDISK", "ID_SERIAL_SHORT": f"SER{devnum[-1]}"}
    return BlockDevice(name=name, devnum=devnum, properties=said, attributes=SIZE, holders=holders)


ARRAY = BlockDevice(name="md0", devnum="9:0", slaves=("sda", "sdb"), properties={"MD_UUID": "a:b:c:d"}, attributes=SIZE)
RACK = (disk("sda", "8:0", ("md0",)), disk("sdb", "8:1", ("md0",)), disk("sdc", "8:2"), ARRAY)
ROOT = Mount(devnum="8:2", source="/dev/sdc", mountpoint="/", fstype="ext4")
DATA = Mount(devnum="9:0", source="/dev/md0", mountpoint="/srv", fstype="xfs")
LOOP = BlockDevice(name="loop0", devnum="7:0", attributes=SIZE | {"loop/backing_file": "/tmp/disk.img"})
ON_LOOP = BlockDevice(name="md1", devnum="9:1", slaves=("loop0",), attributes=SIZE)
TMP = Mount(devnum="0:30", source="tmpfs", mountpoint="/tmp", fstype="tmpfs")
HERE = machine(*RACK, mounts=(ROOT, DATA, TMP))


def folder(path: str, on: Machine = HERE, free: int = 100 * GIB, writable: bool = True) -> Seen:
    return target.folder(on, path, path, disks_of(on), free, "fsid-1", writable)


def device(devnum: str = "9:0", on: Machine = HERE) -> Seen:
    return target.device(on, "/dev/md0", devnum, disks_of(on))


def plan(seen: Seen, recipe: Recipe = RECIPE, **more: object) -> Plan:
    answers = Answers(target=seen.target.path, recipe="existing", **more)  # type: ignore[arg-type]
    return target_plan.make(answers, recipe, seen, "here")


def every_step(made: Plan) -> list[Step]:
    steps = [step for stage in made.stages for step in stage.steps]
    return [*steps, *undo(tuple(steps))]
