"""Settings by plan path: a kernel file, an NVMe disk's write cache, a disk's ERC, or a folder's attribute."""

import errno
import fcntl
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from raidtui.core.plan.steps import erc_disk, immutable_folder, nvme_disk
from raidtui.system import block
from raidtui.system.hardware.nvme import NvmeCache
from raidtui.system.hardware.smartctl import DiskErc


class Setting(Protocol):
    """OSError if inaccessible. `teller`: source of its value."""

    teller: str

    def read(self) -> str: ...
    def write(self, value: str) -> None: ...
    def shared_with(self) -> tuple[str, ...]: ...


class KernelFile:
    """Below /sys or /proc/sys."""

    teller = "the kernel"

    def __init__(self, path: Path) -> None:
        self._path = path

    def __str__(self) -> str:
        return str(self._path)

    def read(self) -> str:
        return block.text(self._path)

    def write(self, value: str) -> None:
        """OSError if the kernel refuses."""
        self._path.write_text(value)

    def shared_with(self) -> tuple[str, ...]:
        return ()


def settings_at(path: str) -> list[Setting]:
    """`*` matches any name; placeholders must be filled."""
    if disk := nvme_disk(path):
        return [NvmeCache(disk)]
    if disk := erc_disk(path):
        return [DiskErc(disk)]
    if folder := immutable_folder(path):
        return [ImmutableFolder(folder)]
    return [KernelFile(file) for file in block.matching(path)]


# include/uapi/linux/fs.h: _IOR('f', 1, long), _IOW('f', 2, long), FS_IMMUTABLE_FL
_LONG_BYTES = struct.calcsize("l")
_GET, _SET = 2 << 30 | _LONG_BYTES << 16 | 0x6601, 1 << 30 | _LONG_BYTES << 16 | 0x6602
_IMMUTABLE = 0x10


class ImmutableFolder:
    """Of an empty folder, as chattr(1) sets it: without its mount nothing can be written there. Methods raise OSError:
    something is mounted there, it is not empty, or its file system has no such attribute.
    """

    teller = "the file system"

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __str__(self) -> str:
        return f"the immutable attribute of {self._folder}"

    def shared_with(self) -> tuple[str, ...]:
        return ()

    def read(self) -> str:
        with self._opened() as folder:
            return "on" if _flags(folder) & _IMMUTABLE else "off"

    def write(self, value: str) -> None:
        with self._opened() as folder:
            with os.scandir(folder) as entries:
                if value == "on" and next(entries, None) is not None:
                    raise OSError(errno.ENOTEMPTY, "it is not empty", self._folder)
            flags = _flags(folder)
            flags = flags | _IMMUTABLE if value == "on" else flags & ~_IMMUTABLE
            fcntl.ioctl(folder, _SET, struct.pack("i", flags))

    @contextmanager
    def _opened(self) -> Iterator[int]:
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            if os.path.ismount(self._folder):
                raise OSError(errno.EBUSY, "something is mounted there", self._folder)
            yield folder
        finally:
            os.close(folder)


def _flags(folder: int) -> int:
    flags: int = struct.unpack("i", fcntl.ioctl(folder, _GET, struct.pack("i", 0)))[0]
    return flags
