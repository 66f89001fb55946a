"""Opens a folder that only root and its owner can have placed."""

import errno
import os
import stat
from pathlib import Path

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
