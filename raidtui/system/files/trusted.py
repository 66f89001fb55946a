"""Opens a folder that only root and its owner can have placed.

Files that others may have placed: plain ones alone, opened without waiting, within a bound.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from raidtui.core.units import Units, format_bytes

_MOST_LINKS = 40  # as the kernel


class Untrusted(OSError):
    """One sentence: the folder that others can change."""


def open_folder(path: Path) -> int:
    """Absolute `path`. Untrusted or OSError otherwise. Links only if they and their folder are root's or the caller's;
    world-writable folders only with the sticky bit.
    """
    rest = list(reversed(path.parts[1:]))
    links = 0
    root = _opened("/", None)
    owners = {0, os.geteuid(), os.fstat(root).st_uid}  # whoever owns the root folder owns the machine
    here, shown = root, Path("/")
    try:
        while rest:
            name = rest.pop()
            status = os.stat(name, dir_fd=here, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                _check(status, shown / name, owners)
                links += 1
                if links > _MOST_LINKS:
                    raise Untrusted(errno.ELOOP, f"{shown / name} is one link too many")
                target = Path(os.readlink(name, dir_fd=here))
                rest += reversed(target.parts[target.is_absolute() :])
                if target.is_absolute():
                    here, shown = _moved(here, _opened("/", None)), Path("/")
                continue
            here, shown = _moved(here, _opened(name, here)), shown / name
            _check(os.fstat(here), shown, owners, is_last=not rest)
    except BaseException:
        os.close(here)
        raise
    return here


def _opened(name: str, folder: int | None) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


def _moved(here: int, there: int) -> int:
    os.close(here)
    return there


def _check(status: os.stat_result, path: Path, owners: set[int], *, is_last: bool = False) -> None:
    if status.st_uid not in owners:
        raise Untrusted(errno.EPERM, f"{path} belongs to user {status.st_uid}, who can replace what is in it")
    writable = stat.S_ISDIR(status.st_mode) and status.st_mode & 0o022
    if writable and (is_last or not status.st_mode & stat.S_ISVTX):
        raise Untrusted(errno.EPERM, f"{path} can be written to by others: chmod go-w {path}")


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
