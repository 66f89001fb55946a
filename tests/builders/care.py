"""Arrays that are cared for: of three disks, with a fourth beside them, as discovery records them."""

from typing import Any

from msgspec.structs import replace

from raidtui.core.arrays.array import Array, KnownDisk
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import BlockDevice, Machine
from raidtui.core.disks.verdicts import disks_of
from tests.builders.arrays import DIGITS, NOW_S, in_sync, md, with_members
from tests.builders.machines import device, part

THREE = in_sync("sda", "sdb", "sdc")
FREE = device("sdd")
OFFSET_SECTORS, MEMBER_KIB = 2048, 1_000_000  # of disks of 1,024,000 KiB
RUN = "20260102T030405Z-ab12"


def seen(
    level: str = "raid5", slots: dict[str, tuple[str, str]] = THREE, new: BlockDevice = FREE, **files: Any
) -> Machine:
    """A machine with that array and a further disk."""
    offsets = {f"dev-{name}/offset": str(OFFSET_SECTORS) for name in slots}
    array = md(level, slots, component_size=str(MEMBER_KIB), **offsets, **files)
    return with_members(array, new)


def on_partitions(
    slots: dict[str, tuple[str, str]], new: BlockDevice = FREE, number: int = 1, /, **files: Any
) -> Machine:
    """The same array of the first partition of each of its disks, or another one."""
    machine = seen(slots={f"{name}{number}": slot for name, slot in slots.items()}, new=new, **files)
    others = tuple(one for one in machine.devices if not one.name.startswith("sd") or one.name == new.name)
    parts = tuple(made for name in slots for made in (device(name), part(f"{name}{number}", name)))
    return replace(machine, devices=(*parts, *others))


def cared_for(machine: Machine, *, kept: bool = True) -> tuple[Array, tuple[Disk, ...]]:
    """Its array, which a run keeps or not, and its disks."""
    disks = disks_of(machine)
    before = disks_of(with_members(md("raid5", THREE)))
    built_of = tuple(KnownDisk(id=disk.id, model=disk.model, serial=disk.serial) for disk in before)
    around = Surroundings(kept={DIGITS: KeptArray(RUN, built_of)} if kept else {})
    return status_of(machine, around, NOW_S).arrays[0], disks


def serial(disks: tuple[Disk, ...], name: str) -> str:
    return next(disk.serial for disk in disks if disk.name == name)


def sized(disk: BlockDevice, kib: int) -> BlockDevice:
    return replace(disk, attributes={**disk.attributes, "size": str(2 * kib)})
