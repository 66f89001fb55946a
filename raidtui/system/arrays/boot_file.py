"""Atomic replacement of boot files. The temporary file has a recognisable name, and is removed if a writer died."""

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from raidtui.system.files.durable import sync_folder

_NEW = 0o644
_MOST_BYTES = 1 << 20


def read(path: str) -> bytes | None:
    """None if absent. OSError if unreadable, no plain file, or too large."""
    try:
        with Path(path).open("rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "it is no plain file", path)
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        return None
    if len(content) > _MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {_MOST_BYTES} bytes", path)
    return content


def replace(path: str, expected: bytes | None, content: bytes | None, mark: str) -> None:
    """With owner, mode and, if possible, attributes of the old one; None removes it. Synced. Links are followed.
    `mark`: of the writer. OSError, unchanged, unless it is still `expected`: others' lines would be lost.
    """
    target = Path(os.path.realpath(path))
    new_file = target.with_name(f".{target.name}.{mark}")
    with suppress(FileNotFoundError):
        new_file.unlink()
    try:
        if content is not None:
            _write(new_file, content, target)
        with _locked(target.parent):  # against another run of ours
            if read(path) != expected:
                raise OSError(
                    errno.ESTALE, "changed by somebody at this moment: check it, then repeat the command", path
                )
            if content is not None:
                new_file.rename(target)
            elif expected is not None:
                target.unlink()
    except BaseException:
        with suppress(OSError):
            new_file.unlink()
        raise
    sync_folder(target.parent)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def folder_inode(folder: str) -> int | None:
    try:
        status = Path(folder).lstat()
    except OSError:
        return None
    return status.st_ino if stat.S_ISDIR(status.st_mode) else None


def is_empty(folder: str) -> bool:
    with os.scandir(folder) as entries:
        return next(entries, None) is None


def _write(new_file: Path, content: bytes, like: Path) -> None:
    descriptor = os.open(new_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        try:
            old = like.stat()
            os.fchown(file.fileno(), old.st_uid, old.st_gid)
            os.fchmod(file.fileno(), stat.S_IMODE(old.st_mode))
            for name in os.listxattr(like):
                with suppress(OSError):  # not every file system takes every one
                    os.setxattr(file.fileno(), name, os.getxattr(like, name))
        except FileNotFoundError:
            os.fchmod(file.fileno(), _NEW)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
