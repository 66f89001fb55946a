"""`held.py COMMAND…`: starts it under a filter of system calls as containers have it, x86-64: no new namespace and no
mount, in this process and in all that it starts. Standard library alone: it is copied into fresh roots.

First it proves the filter: each of the calls has to fail.
"""

import ctypes
import errno
import os
import struct
import sys

_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06  # BPF: ld [k], jeq, jset, ret, of 32 bits
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16  # of struct seccomp_data
_X86_64 = 0xC000003E
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NEWUSER = 0x10000000
_CLONE, _MOUNT, _UNSHARE, _CLONE3 = 56, 165, 272, 435
_REFUSED = (_MOUNT, 166, 155, 308, _UNSHARE, 428, 429, 430, 432, 442)  # umount, pivot_root, setns, fsopen's family
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2  # prctl

_LIBC = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    """struct sock_fprog"""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _instructions() -> list[tuple[int, int, int, int]]:
    """(code, to skip if true, to skip if false, value)."""
    lines = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_EQUAL, 1, 0, _X86_64), (_RETURN, 0, 0, _KILL)]
    lines.append((_LOAD, 0, 0, _NUMBER_AT))
    for number in _REFUSED:
        lines += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    # its flags are in memory, where no filter can look: callers fall back to clone
    lines += [(_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    lines += [(_EQUAL, 0, 3, _CLONE), (_LOAD, 0, 0, _FIRST_ARGUMENT_AT)]
    lines += [(_ANY_BIT, 0, 1, _NEWUSER), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    return [*lines, (_RETURN, 0, 0, _ALLOW)]


def hold() -> None:
    """From here on, with no way back."""
    code = b"".join(struct.pack("HBBI", *line) for line in _instructions())
    program = _Program(len(code) // 8, code)
    zero = ctypes.c_ulong(0)
    for words in ((_NO_NEW_PRIVILEGES, 1, zero), (_SECCOMP, _FILTER, ctypes.byref(program))):
        if _LIBC.prctl(*words, zero, zero):
            raise OSError(ctypes.get_errno(), "prctl")


def refusals() -> dict[str, int]:
    """What each of the calls ends with now: an errno, or 0 if it was carried out."""
    zero = ctypes.c_ulong(0)
    calls = {
        "clone": (_CLONE, ctypes.c_ulong(_NEWUSER), zero, zero, zero, zero),
        "clone3": (_CLONE3, zero, zero),
        "mount": (_MOUNT, b"none", b"/mnt", b"tmpfs", zero, zero),
        "unshare": (_UNSHARE, ctypes.c_ulong(_NEWUSER)),
    }
    ended = {}
    for name, words in calls.items():
        ctypes.set_errno(0)
        answer = _LIBC.syscall(*(ctypes.c_long(word) if isinstance(word, int) else word for word in words))
        if name.startswith("clone") and answer == 0:
            os._exit(0)  # the child of a clone that was carried out
        ended[name] = ctypes.get_errno() if answer == -1 else 0
    return ended


def main(argv: list[str]) -> None:
    hold()
    wanted = {"unshare": errno.EPERM, "clone": errno.EPERM, "clone3": errno.ENOSYS, "mount": errno.EPERM}
    if (seen := refusals()) != wanted:
        sys.exit(f"held.py: the filter does not hold: {seen}")
    os.execvp(argv[0], argv)


if __name__ == "__main__":
    main(sys.argv[1:])
