"""Programs with a disk open, by device number, never by path: jails have nodes outside of /dev, and SCSI and NVMe disks
have character nodes (/dev/sg*, /dev/bsg/*, /dev/ng*, /dev/nvme*). Not seen: mappings and io_uring registrations after
close, threads' own file tables, other pid namespaces (`hidden`).

Backing of loop devices: the kernel shows no holder, claim or open file. From sysfs, and by ioctl on a read-only
descriptor; as a user the path in sysfs. A file counts as its file system's device.
"""

import ctypes
import fcntl
import os
import re
import stat
import struct
from pathlib import Path
from typing import Literal

import msgspec

from raidtui.core.text import clean
from raidtui.system import block

Node = tuple[Literal["block", "character"], str]  # and `major:minor`
_INITIAL = "pid:[4026531836]"  # include/linux/proc_ns.h: PROC_PID_INIT_INO
_NO_NODES = ("socket:", "pipe:", "anon_inode:")  # most of a server's open files: told by the link alone
_CHARACTER = ("device/scsi_generic/*/dev", "device/bsg/*/dev")
# linux/stat.h and fcntl.h; struct statx: stx_mode at 28, stx_rdev_major and stx_rdev_minor at 128
_AT_STATX_DONT_SYNC, _STATX_TYPE, _STATX_BYTES = 0x4000, 1, 256
_statx = ctypes.CDLL(None, use_errno=True).statx


class Openers(msgspec.Struct, frozen=True):
    """`users`: node -> programs. `unseen`: programs that may not be inspected."""

    users: dict[Node, set[str]]
    unseen: tuple[str, ...] = ()


def hidden() -> bool:
    """In a pid namespace that hides other programs."""
    try:
        return str(Path("/proc/self/ns/pid").readlink()) != _INITIAL
    except OSError:
        return not Path("/proc/self/ns/mnt").is_symlink()  # a kernel without pid namespaces has the others


def nodes(folder: Path) -> frozenset[Node]:
    """Of a disk (folder of /sys/class/block): itself, partitions, character nodes."""
    device_nodes: set[Node] = {
        ("block", block.text(file)) for file in (folder / "dev", *folder.glob(f"{folder.name}*/dev"))
    }
    characters = [file for pattern in _CHARACTER for file in folder.glob(pattern)]
    if folder.name.startswith("nvme"):
        # of the disk; of its controller, or with native multipath of several beside it
        characters += [folder / "device" / f"ng{folder.name[4:]}" / "dev", folder / "device/dev"]
        characters += [file for file in folder.glob("device/nvme*/dev") if re.fullmatch(r"nvme\d+", file.parent.name)]
    device_nodes |= {("character", block.text(file)) for file in characters}
    return frozenset(node for node in device_nodes if node[1])


def find(nodes_wanted: frozenset[Node]) -> Openers:
    """Other processes with these nodes open; complete only for root."""
    users: dict[Node, set[str]] = {}
    unseen = []
    own_pid = str(os.getpid())
    for process in os.scandir("/proc"):
        pid = process.name
        if not pid.isdigit() or pid == own_pid:
            continue
        try:
            for node in _open_nodes(f"{process.path}/fd", nodes_wanted):
                users.setdefault(node, set()).add(_title(pid))
        except PermissionError:
            unseen.append(_title(pid))
        except OSError:
            continue  # it ended meanwhile
    return Openers(users, tuple(unseen))


def _open_nodes(folder: str, nodes_wanted: frozenset[Node]) -> set[Node]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with os.scandir(descriptor) as entries:
            opened = {_node(entry.name, descriptor) for entry in entries}
    finally:
        os.close(descriptor)
    return {node for node in opened if node in nodes_wanted}


def _node(name: str, folder: int) -> Node | None:
    """Device of an open file. Skips file servers: a dead one never answers."""
    try:
        if os.readlink(name, dir_fd=folder).startswith(_NO_NODES):
            return None
    except FileNotFoundError:
        return None  # closed meanwhile
    buffer = ctypes.create_string_buffer(_STATX_BYTES)
    if _statx(folder, name.encode(), _AT_STATX_DONT_SYNC, _STATX_TYPE, buffer) != 0:
        return None
    (mode,) = struct.unpack_from("=H", buffer, 28)
    if not (stat.S_ISBLK(mode) or stat.S_ISCHR(mode)):
        return None
    return "block" if stat.S_ISBLK(mode) else "character", "{}:{}".format(*struct.unpack_from("=II", buffer, 128))


def _title(pid: str) -> str:
    try:
        name = clean(Path(f"/proc/{pid}/comm").read_bytes().decode(errors="replace"))
    except OSError:
        name = ""  # it ended meanwhile
    return f"{name} (pid {pid})"


# include/uapi/linux/loop.h: LOOP_GET_STATUS64, struct loop_info64: lo_device, lo_inode, lo_rdevice, …
_GET_STATUS64 = 0x4C05
_INFO_BYTES = 232


class Loop(msgspec.Struct, frozen=True, kw_only=True):
    """`devnum`: of the device beneath; "" if unknown."""

    name: str
    devnum: str


def loop_devices(sysfs: Path = Path("/sys/class/block")) -> tuple[Loop, ...]:
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
