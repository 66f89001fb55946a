"""Disks of the matrix' own on a dm device, whose table a fault exchanges: tcm_loop on dm on a file in memory.

md's members are whole disks for raidtui, never dm devices: so the table lies under the disk.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.practice.rack import MIB
from tests.torture import luns
from tests.torture.dust import appears
from tests.torture.stand import DISK_MIB, Stand, command, settle

SECTORS = DISK_MIB * MIB // 512
Table = Callable[[str], str]  # of a loop device


def kept(loop: str) -> str:
    return f"0 {SECTORS} linear {loop} 0"


def dropping(loop: str) -> str:
    """Writes are dropped, and said to be done."""
    return f"0 {SECTORS} flakey {loop} 0 0 3600 1 drop_writes"


@contextmanager
def disk(stand: Stand, name: str) -> Iterator[tuple[Disk, Callable[[Table], None]]]:
    """A disk whose serial is this name in capitals, and what gives it another table; gone afterwards."""
    command("modprobe", "dm_flakey")
    file = Path(f"/run/{name}.img")
    with file.open("wb") as image:
        image.truncate(DISK_MIB * MIB)
    loop = command("losetup", "--find", "--show", str(file)).strip()
    command("dmsetup", "create", name, "--table", kept(loop))
    settle()

    def reload(table: Table) -> None:
        command("dmsetup", "suspend", name)
        command("dmsetup", "reload", name, "--table", table(loop))
        command("dmsetup", "resume", name)

    try:
        with luns.store("iblock", name, f"udev_path=/dev/mapper/{name}") as store, luns.path(store):
            yield appears(stand, name.upper())[0], reload
    finally:
        command("dmsetup", "remove", "--retry", name)
        command("losetup", "--detach", loop)
        file.unlink()
