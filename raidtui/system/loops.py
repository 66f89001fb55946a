"""Backing of loop devices: the kernel shows no holder, claim or open file. From sysfs, and by ioctl on a read-only
descriptor; as a user the path in sysfs. A file counts as its file system's device.
"""

import fcntl
import os
import struct
from pathlib import Path

import msgspec

from raidtui.system import block

# include/uapi/linux/loop.h: LOOP_GET_STATUS64, struct loop_info64: lo_device, lo_inode, lo_rdevice, …
_GET_STATUS64 = 0x4C05
_INFO_BYTES = 232


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """`devnum`: of the device beneath; "" if unknown."""

    name: str
    devnum: str


def read(sysfs: Path = Path("/sys/class/block")) -> tuple[Loop, ...]:
    """Free ones cost one lookup."""
    bound = sorted(folder.parent for folder in sysfs.glob("loop*/loop"))
    return tuple(Loop(name=folder.name, devnum=_asked_of_kernel(folder) or _by_path(folder)) for folder in bound)


def _asked_of_kernel(folder: Path) -> str:
    """By the driver, also after the file was renamed or deleted."""
    try:
        descriptor = os.open(f"/dev/{folder.name}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        if block.devnum(os.fstat(descriptor).st_rdev) != block.text(folder / "dev"):
            return ""  # another node by that name
        return backing(fcntl.ioctl(descriptor, _GET_STATUS64, bytes(_INFO_BYTES)))
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def backing(info: bytes) -> str:
    """`major:minor` in loop_info64: backing device, else the file's file system."""
    of_file, _, of_device = struct.unpack_from("=QQQ", info)
    return block.devnum(of_device or of_file)


def _by_path(folder: Path) -> str:
    try:
        return block.devnum_of(os.fsdecode((folder / "loop/backing_file").read_bytes().removesuffix(b"\n")))
    except OSError:
        return ""
