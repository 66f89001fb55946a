"""Owner and mode of the folder at which a file system is mounted: read, and changed by a descriptor of that very one.

A name may lead elsewhere by the next call: what is not the root of something mounted is not changed.
"""

import errno
import grp
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from raidtui.core.boot import ownership
from raidtui.core.boot.ownership import Owned


class NoSuchOwner(ValueError):
    """One sentence: which user or group is not known here."""


def owned(folder: str) -> Owned:
    """Whose it is. OSError where it is no folder, or a link."""
    with _opened(folder) as descriptor:
        return _of(descriptor)


def owned_as(folder: str, owner: str, mode: str) -> Owned:
    """Whose it shall be: `owner` and `mode` as an answers file has them, "" as they are. NoSuchOwner, OSError."""
    owned_now = owned(folder)
    uid, gid = ids_of(owner) if owner else (None, None)
    return Owned(
        uid=owned_now.uid if uid is None else uid,
        gid=owned_now.gid if gid is None else gid,
        mode=int(mode, 8) if mode else owned_now.mode,
    )


def own(folder: str, expected: Owned, new: Owned) -> None:
    """Change them, on the disk when this returns. OSError, and nothing done, where it is not as `expected` any more, or
    nothing is mounted there.
    """
    with _opened(folder) as descriptor:
        if not _is_root(descriptor, folder):
            raise OSError(errno.ENODEV, "nothing is mounted there any more", folder)
        if _of(descriptor) != expected:
            raise OSError(errno.ESTALE, "somebody changed its owner or mode at this moment", folder)
        os.fchown(descriptor, new.uid, new.gid)
        os.fchmod(descriptor, new.mode)  # after the owner, whose change may take bits away
        os.fsync(descriptor)


def ids_of(owner: str) -> tuple[int, int | None]:
    """The numbers of "user" or "user:group", None for a group that is not named; a name is tried before a number."""
    user, group = ownership.split(owner)
    try:
        uid = pwd.getpwnam(user).pw_uid
    except KeyError:
        uid = _number(user, f"no user {user!r} is known on this machine")
    if not group:
        return uid, None
    try:
        return uid, grp.getgrnam(group).gr_gid
    except KeyError:
        return uid, _number(group, f"no group {group!r} is known on this machine")


def _number(text: str, why_not: str) -> int:
    if not text.isdecimal() or int(text) >= 2**32 - 1:  # which chown(2) takes for "as it is"
        raise NoSuchOwner(why_not)
    return int(text)


@contextmanager
def _opened(folder: str) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _is_root(descriptor: int, folder: str) -> bool:
    """Is it of another file system than the folder above it?"""
    return os.fstat(descriptor).st_dev != Path(folder).parent.stat().st_dev


def _of(descriptor: int) -> Owned:
    status = os.fstat(descriptor)
    return Owned(uid=status.st_uid, gid=status.st_gid, mode=stat.S_IMODE(status.st_mode))
