"""What loop devices lie on. The kernel lists no holder for it, claims nothing exclusively and shows no open file.

Reads sysfs, and asks each bound loop device for its backing by an ioctl on a descriptor opened for reading; as an
ordinary user the path in sysfs has to do. What a *file* lies on is its file system's device.
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
    """A bound loop device. `devnum`: of the device that it lies on, itself or by a file; "" where that is not told."""

    name: str
    devnum: str


def read(sysfs: Path = Path("/sys/class/block")) -> tuple[Loop, ...]:
    """All bound loop devices; one that is free costs a look for a folder."""
    bound = sorted(folder.parent for folder in sysfs.glob("loop*/loop"))
    return tuple(Loop(name=folder.name, devnum=_asked_of_kernel(folder) or _by_path(folder)) for folder in bound)


def _asked_of_kernel(folder: Path) -> str:
    """What the loop driver answers, which is right also after the backing file was renamed or deleted."""
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
    """`major:minor` out of a struct loop_info64: of the backing device, else of the file system of the backing file."""
    of_file, _, of_device = struct.unpack_from("=QQQ", info)
    return block.devnum(of_device or of_file)


def _by_path(folder: Path) -> str:
    try:
        return block.devnum_of(os.fsdecode((folder / "loop/backing_file").read_bytes().removesuffix(b"\n")))
    except OSError:
        return ""
