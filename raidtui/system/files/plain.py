"""Files that others may have placed: plain ones alone, opened without waiting, within a bound."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from raidtui.core.units import Units, format_bytes


class NotRead(OSError, ValueError):
    """One sentence."""


@contextmanager
def opened(path: Path, most_bytes: int, *, follow: bool = False) -> Iterator[BinaryIO]:
    """`follow`: links, of files that the caller was given by name. FileNotFoundError without it, else NotRead."""
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags | (0 if follow else os.O_NOFOLLOW))
    except FileNotFoundError:
        raise
    except OSError as error:
        is_other = error.errno in (errno.ELOOP, errno.ENXIO)  # a link; a socket
        raise NotRead(f"{path}: {'no plain file' if is_other else error.strerror}") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise NotRead(f"{path}: no plain file")
    with os.fdopen(descriptor, "rb") as file:
        if status.st_size > most_bytes:
            size, most = (format_bytes(count, Units.BINARY) for count in (status.st_size, most_bytes))
            raise NotRead(f"{path}: too large ({size}, at most {most})")
        yield file


def read(path: Path, most_bytes: int, *, follow: bool = False) -> bytes:
    with opened(path, most_bytes, follow=follow) as file:
        return file.read(most_bytes)
