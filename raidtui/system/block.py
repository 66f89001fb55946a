"""Devices as the kernel shows them now: counters, arrays, partitions, mounts, nodes. Reads alone; starts nothing."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from raidtui.core.disks.machine import sysfs_name
from raidtui.core.run.samples import Counters
from raidtui.core.text import clean

_NOWHERE = Path("/sys/dev/block/none")
_SECTOR_BYTES = 512  # of /proc/diskstats and /sys/block/*/size, whatever the disk's own sectors are


class DiskCounters:
    """The cumulative counters of all block devices: one open /proc/diskstats, read once a tick."""

    def __init__(self) -> None:
        self._file = os.open("/proc/diskstats", os.O_RDONLY | os.O_CLOEXEC)
        self._size = 1 << 14

    def read(self, names: Iterable[str | None]) -> tuple[Counters | None, ...]:
        """The counters of the devices with these kernel names; None where there is no name or no such device."""
        lines = {line.split(None, 3)[2]: line for line in self._read_bytes().splitlines()}
        return tuple(counters_of(lines.get(name.encode())) if name else None for name in names)

    def _read_bytes(self) -> bytes:
        chunks = []
        offset = 0
        while chunk := os.pread(self._file, self._size, offset):
            chunks.append(chunk)
            offset += len(chunk)
        return b"".join(chunks)

    def close(self) -> None:
        os.close(self._file)


def counters_of(line: bytes | None) -> Counters | None:
    """Of a device's line of /proc/diskstats; None where there is none.

    Fields as in the kernel's Documentation/admin-guide/iostats.rst, from "reads completed" on.
    """
    if line is None:
        return None
    numbers = [int(word) for word in line.split()[3:]]
    return Counters(
        read_bytes=numbers[2] * _SECTOR_BYTES,
        write_bytes=numbers[6] * _SECTOR_BYTES,
        reads=numbers[0],
        writes=numbers[4],
        busy_ms=numbers[9],
        read_ms=numbers[3],
        write_ms=numbers[7],
        queue_ms=numbers[10],
        discards=numbers[11] if len(numbers) > 11 else 0,  # from Linux 4.18 on
        flushes=numbers[15] if len(numbers) > 15 else 0,  # from Linux 5.5 on
    )


def text(path: str | Path) -> str:
    """What a file of /sys or /proc says, stripped; "" where it is not there."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def value(path: Path | str) -> str:
    """A file of one value; empty where it is absent or refuses to be read. Asked a thousand times."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return clean(os.read(descriptor, 4096).decode(errors="replace"))
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def node_of(entry: str) -> str:
    """The node of the device whose folder of sysfs has this name."""
    return f"/dev/{entry.replace('!', '/')}"


def folder_of(node: str) -> Path:
    """The folder of sysfs of a block device, by its number; one that is not there where `node` is none."""
    try:
        status = Path(node).stat()
    except OSError:
        return _NOWHERE
    return Path(f"/sys/dev/block/{devnum(status.st_rdev)}").resolve() if stat.S_ISBLK(status.st_mode) else _NOWHERE


def matching(pattern: str) -> list[Path]:
    """The kernel's own files that an absolute pattern with `*` stands for; where a link leads elsewhere it is none."""
    return sorted(
        file
        for file in Path("/").glob(pattern.lstrip("/"))
        if file.resolve().is_relative_to("/sys") or file.resolve().is_relative_to("/proc/sys")
    )


def size_bytes(name: str) -> int:
    """The size of the block device with this kernel name; 0 where there is none."""
    return int(text(f"/sys/class/block/{sysfs_name(name)}/size") or 0) * _SECTOR_BYTES


def partition(disk: str, number: int) -> str | None:
    """The node of a disk's partition by its number."""
    for entry in Path(f"/sys/block/{sysfs_name(disk)}").glob("*/partition"):
        if text(entry) == str(number):
            return node_of(entry.parent.name)
    return None


def stable_link(node: str) -> str:
    """A link to this node that leads to the same one after a boot, one with model and serial number first; the node
    itself where there is none.
    """
    target = os.path.realpath(node)
    links = (str(link) for folder in _STABLE for link in Path(folder).glob("*"))
    return min((link for link in links if os.path.realpath(link) == target), key=_link_rank, default=node)


_STABLE = ("/dev/disk/by-id", "/dev/disk/by-partuuid")
_BY_ID = "/dev/disk/by-id/"
_LESS_TELLING = (*(_BY_ID + words for words in ("wwn-", "nvme-eui.", "nvme-uuid.", "nvme-nvme.", "scsi-3")), _STABLE[1])


def _link_rank(link: str) -> tuple[bool, str]:
    return link.startswith(_LESS_TELLING), link


def partitions(disk: str) -> tuple[str, ...]:
    """The kernel names of the partitions of a disk or an array."""
    entries = Path(f"/sys/block/{sysfs_name(disk)}").glob("*/partition")
    return tuple(sorted(entry.parent.name.replace("!", "/") for entry in entries))


def mapped_on(device: str) -> dict[str, str]:
    """The mapped devices that lie on this one: their names, as the device mapper has them, and the kernel's."""
    holders = Path(f"/sys/block/{sysfs_name(device)}/holders").glob("dm-*")
    return {text(holder / "dm/name"): holder.name for holder in holders}


def is_mounted(folder: Path) -> bool:
    """Is something mounted at `folder`? By the kernel's own list, not by names of devices."""
    return os.path.ismount(folder)


def devnum_of(path: str) -> str:
    """`major:minor` of the block device at `path`, of the file system that a file there lies on; else "".

    `path` must say where it begins: what is relative was so to somebody else's folder.
    """
    try:
        status = Path(path).stat() if path.startswith("/") else None
    except (OSError, ValueError):
        return ""
    if status is None or not (stat.S_ISBLK(status.st_mode) or stat.S_ISREG(status.st_mode)):
        return ""
    return devnum(status.st_rdev if stat.S_ISBLK(status.st_mode) else status.st_dev)


def devnum(number: int) -> str:
    """A device number as sysfs writes it."""
    return f"{os.major(number)}:{os.minor(number)}"


def boot_id() -> str:
    """The kernel's id of this boot."""
    return text("/proc/sys/kernel/random/boot_id")


def start_ticks(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; None where it is gone. With the pid it names one process."""
    words = process_words(f"/proc/{pid}")
    return int(words[19]) if words and words[0] != "Z" else None


def process_words(folder: str | Path) -> list[str]:
    """What a process or thread says of itself after its name: state, parent … (proc(5)); nothing where it is gone."""
    return text(Path(folder) / "stat").rpartition(")")[2].split()
