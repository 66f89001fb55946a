"""How long looking at a machine takes: of 24 real practice disks beside `lsblk -J -O`, of 1,000 recorded beside 24."""

import sys
import time
from multiprocessing import get_context
from pathlib import Path

from msgspec.structs import replace

from raidtui.core.disks.machine import BlockDevice, Machine, decode, encode
from raidtui.core.disks.verdicts import disks_of
from tests.bench import practice
from tests.bench.process import used
from tests.bench.starts import pairs
from tests.bench.table import Row, beside
from tests.bench.wizard import MACHINE

_DISKS, _DISK_MIB, _MANY = 24, 64, 1000
_PAIRS, _LOOKS = 5, 15
_BESIDE_LSBLK, _BESIDE_24 = 4.0, 45.0


def discovery() -> tuple[Row, ...]:
    """Of real disks, then of a recording."""
    return _real(), _recorded()


def _real() -> Row:
    rack = ("-n", str(_DISKS), "-s", str(_DISK_MIB))
    figure = f"raidtui disks, {_DISKS} practice disks"
    return practice.row(figure, "lsblk -J -O", "tests.bench.discovery", rack, _BESIDE_LSBLK, "ms")


def _recorded() -> Row:
    few = decode(MACHINE.read_bytes())
    disks_of(few)  # what is loaded at the first look
    recordings = {count: encode(_with_disks(few, count)) for count in (_MANY, _DISKS)}
    ours, theirs = pairs(lambda: _look_s(recordings[_MANY]), lambda: _look_s(recordings[_DISKS]), _LOOKS)
    return beside(f"verdicts on {_MANY:,} disks", ours, f"a dump of {_DISKS} disks", theirs, _BESIDE_24, digits=1)


def _look_s(recording: bytes) -> float:
    """Of one look in a process of its own, as a command's is: in a loop a small look finds its memory still at hand."""
    with get_context("fork").Pool(1) as processes:
        return processes.apply(_looked_s, (recording,))


def _looked_s(recording: bytes) -> float:
    began_s = time.process_time()
    disks_of(decode(recording))
    return time.process_time() - began_s


def _with_disks(machine: Machine, count: int) -> Machine:
    """So many of its kind in place of its own whole disks of SCSI, each with a name and an identity of its own."""
    disks = [device for device in machine.devices if device.name.startswith("sd")]
    others = tuple(device for device in machine.devices if not device.name.startswith("sd"))
    made = [_as_number(disks[number % len(disks)], number) for number in range(count)]
    return replace(machine, devices=(*others, *made))


def _as_number(disk: BlockDevice, number: int) -> BlockDevice:
    """The disk with all that names it ending in a number, so that no two are the same."""
    name = f"sd{number}"
    told = {
        key: f"{value}{number:04}" if "WWN" in key or "SERIAL" in key or key == "ID_PATH" else value
        for key, value in disk.properties.items()
    }
    told["DEVNAME"] = f"/dev/{name}"
    told["DEVLINKS"] = " ".join(f"{link}{number:04}" for link in disk.properties.get("DEVLINKS", "").split())
    attributes = disk.attributes | {"diskseq": str(number + 1)}
    return replace(disk, name=name, devnum=f"8:{number}", properties=told, attributes=attributes)


def main() -> None:
    """In the practice kernel."""
    disks = (Path(sys.executable).with_name("raidtui"), "disks", "--json")
    practice.tell(*pairs(lambda: used(disks).wall_s, lambda: used(("lsblk", "-J", "-O")).wall_s, _PAIRS))


if __name__ == "__main__":
    main()
