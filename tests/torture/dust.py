"""Further SCSI disks that the matrix makes itself: tcm_loop on dm-dust on a file in memory.

md's members are whole disks for raidtui, never dm devices: so the dust lies under the disk, where a bad sector is.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.practice.rack import MIB
from tests.torture import luns
from tests.torture.stand import DISK_MIB, Stand, command, settle

_BLOCK = 4096
_BAD = range(3 * MIB // _BLOCK, (DISK_MIB - 8) * MIB // _BLOCK, 2048)  # a block in every 8 MiB of the data


@contextmanager
def disk(stand: Stand, name: str) -> Iterator[Disk]:
    """A disk of this name, whose serial and WWN follow from it; gone afterwards."""
    command("modprobe", "dm_dust")
    file = Path(f"/run/{name}.img")
    with file.open("wb") as image:
        image.truncate(2 * DISK_MIB * MIB)
    loop = command("losetup", "--find", "--show", str(file)).strip()
    sectors = DISK_MIB * MIB // 512
    command("dmsetup", "create", name, "--table", f"0 {sectors} dust {loop} 0 {_BLOCK}")
    for block in _BAD:
        command("dmsetup", "message", name, "0", "addbadblock", str(block))
    settle()
    try:
        with luns.store("iblock", name, f"udev_path=/dev/mapper/{name}") as store, luns.path(store):
            yield appears(stand, name.upper())[0]
    finally:
        command("dmsetup", "remove", "--retry", name)
        command("losetup", "--detach", loop)
        file.unlink()


def appears(stand: Stand, serial: str, count: int = 1) -> list[Disk]:
    """The disks of this serial number, as soon as there are as many."""
    end_s = time.monotonic() + 20
    while True:
        settle()
        found = [disk for disk in stand.disks().values() if serial in disk.serial]
        if len(found) == count:
            return found
        if time.monotonic() > end_s:
            raise RuntimeError(f"{len(found)} disks {serial} appeared, not {count}: {subprocess.getoutput('lsblk -S')}")
        time.sleep(0.1)


def bad_from_now_on(name: str) -> None:
    """Those of its blocks that are to be bad cannot be read until they are written."""
    command("dmsetup", "message", name, "0", "enable")


def grow(name: str, disk: Disk) -> None:
    """It has a quarter more from now on, and the kernel has noticed."""
    table = command("dmsetup", "table", name).split()
    table[1] = str(int(table[1]) * 5 // 4)
    command("dmsetup", "suspend", name)
    command("dmsetup", "reload", name, "--table", " ".join(table[:6]))
    command("dmsetup", "resume", name)
    Path(f"/sys/block/{disk.name}/device/rescan").write_text("1")
    settle()
