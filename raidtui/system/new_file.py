"""Files at a place that a user names, new or replaced; owned by that user also behind sudo, where they are made with
the user's file-system ids: the kernel then refuses what the user could not write, whatever links are planted. Owned by
root only where nobody else can change the path.
"""

import ctypes
import errno
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from raidtui.system.existing import folders_passed

_libc = ctypes.CDLL(None, use_errno=True)
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def write_new(path: Path, content: bytes) -> None:
    """FileExistsError for any existing name, dangling links too. PermissionError if neither the sudo user may write,
    nor root without following others' links.
    """
    with os.fdopen(_opened(path), "wb") as file:
        file.write(content)


def copy_new(source: Path, path: Path) -> None:
    """As `write_new`, of a plain file of any size. It is read with the caller's rights; NotRead for a link."""
    from raidtui.system.files import trusted

    with trusted.opened(source, sys.maxsize) as content, os.fdopen(_opened(path), "wb") as file:
        while part := content.read(1 << 20):
            file.write(part)


def make_folder(path: Path) -> None:
    """With missing parents: the user's, mode 0700."""
    person = behind_sudo()
    with _file_system_ids(*person) if person else nullcontext():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)


def replace_file(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Atomic. World-readable unless `mode` says otherwise. FileExistsError if not a plain file; else as `write_new`."""
    person = behind_sudo()
    if person is not None and not _roots_alone(path):
        with _file_system_ids(*person):
            _replace(path, content, mode)
    else:
        _replace(path, content, mode)


def _replace(path: Path, content: bytes, mode: int) -> None:
    """In the opened folder, wherever its name leads meanwhile."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(FileNotFoundError):
            if not stat.S_ISREG(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
                raise FileExistsError(errno.EEXIST, "this is no plain file, and is left as it is", str(path))
        name = f".{path.name}.{os.urandom(4).hex()}"  # no suffix that a collector would read
        try:
            descriptor = os.open(name, _FLAGS, mode, dir_fd=folder)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from error  # by the name that was given
        with os.fdopen(descriptor, "wb") as file:
            try:
                os.fchmod(file.fileno(), mode)  # whatever the umask: the collector is another user
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                os.rename(name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(name, dir_fd=folder)
                raise
    finally:
        os.close(folder)


def _opened(path: Path) -> int:
    person = behind_sudo()
    if person is None:
        return os.open(path, _FLAGS, 0o666)
    try:
        with _file_system_ids(*person):
            return os.open(path, _FLAGS, 0o666)
    except PermissionError:
        if not _roots_alone(path):
            raise
        return os.open(path, _FLAGS, 0o666)


def behind_sudo() -> tuple[int, int] | None:
    """The sudo user's uid, gid, or None."""
    uid, gid = os.environ.get("SUDO_UID", ""), os.environ.get("SUDO_GID", "")
    if os.geteuid() != 0 or not (uid.isdecimal() and gid.isdecimal()):
        return None
    return (int(uid), int(gid)) if int(uid) else None


@contextmanager
def _file_system_ids(uid: int, gid: int) -> Iterator[None]:
    """This thread only: opens files as `uid`, without root's override (setfsuid(2))."""
    old_gid, old_uid = _libc.setfsgid(gid), _libc.setfsuid(uid)
    try:
        if _libc.setfsuid(-1) != uid or _libc.setfsgid(-1) != gid:  # it reports no error otherwise
            raise PermissionError(1, "the kernel does not let files be opened as the person behind sudo")
        yield
    finally:
        _libc.setfsuid(old_uid)
        _libc.setfsgid(old_gid)


def _roots_alone(path: Path) -> bool:
    """All folders of `path` are root's and writable by root only: no planted links."""
    statuses = [folder.stat() for folder in folders_passed(path.absolute().parent)]
    return all(status.st_uid == 0 and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) for status in statuses)
