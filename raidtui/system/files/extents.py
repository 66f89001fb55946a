"""Extents of a file by FS_IOC_FIEMAP (linux/fiemap.h)."""

import fcntl
import os
import struct
from pathlib import Path

from raidtui.core.disks.extents import Extent

_FS_IOC_FIEMAP = 0xC020660B
_SYNC = 0x1  # what waits to be written gets its place before
_NO_ADDRESS = 0x2 | 0x4 | 0x8 | 0x80 | 0x200  # unknown, delayed, encoded, encrypted, inline
_REQUEST = struct.Struct("=QQIIII")  # start, length, flags, mapped, how many fit, reserved
_EXTENT = struct.Struct("=QQQ16xI12x")  # in the file, on the device, length, flags
_MOST_EXTENTS = 256


def extents(path: Path) -> tuple[Extent, ...]:
    """In bytes, at most 256, only those with an address; () if unsupported. btrfs: its own addresses, not the device's.
    OSError if it cannot be opened.
    """
    buffer = bytearray(_REQUEST.size + _MOST_EXTENTS * _EXTENT.size)
    _REQUEST.pack_into(buffer, 0, 0, 2**64 - 1, _SYNC, 0, _MOST_EXTENTS, 0)
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.ioctl(file, _FS_IOC_FIEMAP, buffer)
    except OSError:  # it has no such call
        return ()
    finally:
        os.close(file)
    mapped = _REQUEST.unpack_from(buffer)[3]
    raw_extents = [
        _EXTENT.unpack_from(buffer, _REQUEST.size + index * _EXTENT.size) for index in range(min(mapped, _MOST_EXTENTS))
    ]
    return tuple(Extent(*fields) for *fields, flags in raw_extents if not flags & _NO_ADDRESS)
