"""Further SCSI disks that the matrix makes itself: tcm_loop on dm-dust on a file in memory.

md's members are whole disks for raidtui, never dm devices: so the dust lies under the disk, where a bad sector is.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.practice.rack import MIB
from tests.torture.stand import DISK_MIB, Stand, command, settle

_TARGET = Path("/sys/kernel/config/target")
_MODULES = ("configfs", "target_core_mod", "target_core_iblock", "tcm_loop", "dm_dust")
_BLOCK = 4096
_BAD = range(3 * MIB // _BLOCK, (DISK_MIB - 8) * MIB // _BLOCK, 2048)  # a block in every 8 MiB of the data


def _load() -> None:
    command("modprobe", "-a", *_MODULES)
    if not Path("/sys/kernel/config").is_mount():
        command("mount", "-t", "configfs", "configfs", "/sys/kernel/config")


@contextmanager
def disk(stand: Stand, name: str) -> Iterator[Disk]:
    """A disk of this name, whose serial and WWN follow from it; gone afterwards."""
    _load()
    file = Path(f"/run/{name}.img")
    with file.open("wb") as image:
        image.truncate(2 * DISK_MIB * MIB)
    loop = command("losetup", "--find", "--show", str(file)).strip()
    sectors = DISK_MIB * MIB // 512
    command("dmsetup", "create", name, "--table", f"0 {sectors} dust {loop} 0 {_BLOCK}")
    for block in _BAD:
        command("dmsetup", "message", name, "0", "addbadblock", str(block))
    settle()
    digits = f"1{int(sha256(name.encode()).hexdigest(), 16) % 10**8:08}"
    store = _TARGET / f"core/iblock_{digits}/{name}"
    loopback = _TARGET / f"loopback/naa.6001405{digits}"
    lun = loopback / "tpgt_1/lun/lun_0"
    store.mkdir(parents=True)
    (store / "control").write_text(f"udev_path=/dev/mapper/{name}")
    (store / "wwn/vpd_unit_serial").write_text(name.upper())
    (store / "enable").write_text("1")
    lun.mkdir(parents=True)
    (loopback / "tpgt_1/nexus").write_text(f"naa.6001406{digits}")
    (lun / "disk").symlink_to(store)
    try:
        yield _appears(stand, name.upper())
    finally:
        settle()
        (lun / "disk").unlink()
        lun.rmdir()
        (loopback / "tpgt_1").rmdir()
        loopback.rmdir()
        store.rmdir()
        store.parent.rmdir()
        settle()
        command("dmsetup", "remove", "--retry", name)
        command("losetup", "--detach", loop)
        file.unlink()


def _appears(stand: Stand, serial: str) -> Disk:
    end_s = time.monotonic() + 20
    while True:
        settle()
        if found := [disk for disk in stand.disks().values() if serial in disk.serial]:
            return found[0]
        if time.monotonic() > end_s:
            raise RuntimeError(f"no disk {serial} appeared: {subprocess.getoutput('lsblk -S')}")
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
