"""Owner, mode of a mount's root, by descriptor, as names may lead elsewhere; nothing else is changed."""

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
    """One sentence: unknown user or group."""


def owned(folder: str) -> Owned:
    """OSError if no folder, or a link."""
    with _opened(folder) as descriptor:
        return _of(descriptor)


def owned_as(folder: str, owner: str, mode: str) -> Owned:
    """Wanted values; "" keeps. NoSuchOwner, OSError."""
    owned_now = owned(folder)
    uid, gid = ids_of(owner) if owner else (None, None)
    return Owned(
        uid=owned_now.uid if uid is None else uid,
        gid=owned_now.gid if gid is None else gid,
        mode=int(mode, 8) if mode else owned_now.mode,
    )


def own(folder: str, expected: Owned, new: Owned) -> None:
    """Synced. OSError, unchanged, unless it is `expected` and a mount's root."""
    with _opened(folder) as descriptor:
        if not _is_root(descriptor, folder):
            raise OSError(errno.ENODEV, "nothing is mounted there any more", folder)
        if _of(descriptor) != expected:
            raise OSError(errno.ESTALE, "somebody changed its owner or mode at this moment", folder)
        os.fchown(descriptor, new.uid, new.gid)
        os.fchmod(descriptor, new.mode)  # after the owner, whose change may take bits away
        os.fsync(descriptor)


def ids_of(owner: str) -> tuple[int, int | None]:
    """ "user" or "user:group"; None: no group; names before numbers."""
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
    """On another file system than its parent."""
    return os.fstat(descriptor).st_dev != Path(folder).parent.stat().st_dev


def _of(descriptor: int) -> Owned:
    status = os.fstat(descriptor)
    return Owned(uid=status.st_uid, gid=status.st_gid, mode=stat.S_IMODE(status.st_mode))
