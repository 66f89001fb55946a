"""A person's file, opened with that person's rights, not root's: a link in its path must not show root's files."""

import os
import pwd
from pathlib import Path

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
_NOBODY = 65534


def opened(path: Path, uid: int, *, own_folder: bool = False) -> int:
    """Descriptor; no link itself. `own_folder`: nor is its folder. By root for another one in a process that is that
    person. OSError as open(2).
    """
    if os.geteuid() or uid in (0, os.getuid()):
        return _opened(path, own_folder)
    import socket

    gid, groups = _groups(uid)
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups(groups)
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
            socket.send_fds(theirs, [b"0"], [_opened(path, own_folder)])
        except OSError as error:
            theirs.send(str(error.errno).encode())
        finally:
            os._exit(0)
    with ours:
        theirs.close()
        answer, descriptors, _, _ = socket.recv_fds(ours, 16, 1)
    os.waitpid(child, 0)
    if descriptors:
        os.set_inheritable(descriptors[0], False)
        return descriptors[0]
    number = int(answer or b"5")
    raise OSError(number, os.strerror(number), str(path))


def _opened(path: Path, own_folder: bool) -> int:
    if not own_folder:
        return os.open(path, _FLAGS)
    place = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        return os.open(path.name, _FLAGS, dir_fd=place)
    finally:
        os.close(place)


def _groups(uid: int) -> tuple[int, list[int]]:
    try:
        person = pwd.getpwuid(uid)
    except KeyError:
        return _NOBODY, []
    return person.pw_gid, os.getgrouplist(person.pw_name, person.pw_gid)
