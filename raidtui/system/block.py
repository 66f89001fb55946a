"""Devices as the kernel shows them: counters, arrays, partitions, mounts, nodes. Read-only; starts nothing."""

import mmap
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
    """Of all block devices: one open /proc/diskstats, read once a tick."""

    def __init__(self) -> None:
        self._file = os.open("/proc/diskstats", os.O_RDONLY | os.O_CLOEXEC)
        self._size = 1 << 14

    def read(self, names: Iterable[str | None]) -> tuple[Counters | None, ...]:
        """By kernel name; None without name or device."""
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
    """A line of /proc/diskstats from "reads completed" on (Documentation/admin-guide/iostats.rst)."""
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
    """Stripped; "" if absent."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""


def value(path: Path | str) -> str:
    """A one-value file; "" if absent or unreadable. Called a thousand times, so fast."""
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
    return f"/dev/{entry.replace('!', '/')}"


def folder_of(node: str) -> Path:
    """By number; a nonexistent path if `node` is no device."""
    try:
        status = Path(node).stat()
    except OSError:
        return _NOWHERE
    return Path(f"/sys/dev/block/{devnum(status.st_rdev)}").resolve() if stat.S_ISBLK(status.st_mode) else _NOWHERE


def matching(pattern: str) -> list[Path]:
    """The kernel's own files for an absolute pattern with `*`; links elsewhere are excluded."""
    return sorted(
        file
        for file in Path("/").glob(pattern.lstrip("/"))
        if file.resolve().is_relative_to("/sys") or file.resolve().is_relative_to("/proc/sys")
    )


def size_bytes(name: str) -> int:
    return int(text(f"/sys/class/block/{sysfs_name(name)}/size") or 0) * _SECTOR_BYTES


def partition(disk: str, number: int) -> str | None:
    for entry in Path(f"/sys/block/{sysfs_name(disk)}").glob("*/partition"):
        if text(entry) == str(number):
            return node_of(entry.parent.name)
    return None


def stable_link(node: str) -> str:
    """Persistent link to this node, model and serial first; else the node."""
    target = os.path.realpath(node)
    links = (str(link) for folder in _STABLE for link in Path(folder).glob("*"))
    return min(
        (link for link in links if os.path.realpath(link) == target),
        key=lambda link: (link.startswith(_LESS_SPECIFIC), link),
        default=node,
    )


_STABLE = ("/dev/disk/by-id", "/dev/disk/by-partuuid")
_BY_ID = "/dev/disk/by-id/"
_LESS_SPECIFIC = (
    *(_BY_ID + words for words in ("wwn-", "nvme-eui.", "nvme-uuid.", "nvme-nvme.", "scsi-3")),
    _STABLE[1],
)


def partitions(disk: str) -> tuple[str, ...]:
    entries = Path(f"/sys/block/{sysfs_name(disk)}").glob("*/partition")
    return tuple(sorted(entry.parent.name.replace("!", "/") for entry in entries))


def mapped_on(device: str) -> dict[str, str]:
    """Device-mapper name -> kernel name."""
    holders = Path(f"/sys/block/{sysfs_name(device)}/holders").glob("dm-*")
    return {text(holder / "dm/name"): holder.name for holder in holders}


def is_mounted(folder: Path) -> bool:
    return os.path.ismount(folder)


def devnum_of(path: str) -> str:
    """`major:minor` of device or file system; "". `path` absolute: a relative one was in another folder."""
    try:
        status = Path(path).stat() if path.startswith("/") else None
    except (OSError, ValueError):
        return ""
    if status is None or not (stat.S_ISBLK(status.st_mode) or stat.S_ISREG(status.st_mode)):
        return ""
    return devnum(status.st_rdev if stat.S_ISBLK(status.st_mode) else status.st_dev)


def devnum(number: int) -> str:
    return f"{os.major(number)}:{os.minor(number)}"


def boot_id() -> str:
    return text("/proc/sys/kernel/random/boot_id")


def start_ticks(pid: int) -> int | None:
    """In clock ticks since boot; None if gone. Unique with the pid."""
    words = process_words(f"/proc/{pid}")
    return int(words[19]) if words and words[0] != "Z" else None


def process_words(folder: str | Path) -> list[str]:
    """Fields after the name: state, parent … (proc(5)); empty if gone."""
    return text(Path(folder) / "stat").rpartition(")")[2].split()


def read_bytes(node: str, offset: int, size_bytes: int) -> bytes:
    """From the device, by direct I/O; `offset` and size whole sectors. OSError if unreadable."""
    device = os.open(node, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC)
    try:
        with mmap.mmap(-1, size_bytes) as pages:
            length = os.preadv(device, [pages], offset)
            return pages[:length]
    finally:
        os.close(device)
