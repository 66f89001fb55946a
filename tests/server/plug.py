"""In a lab server: its plug is pulled when something happens to a file. `python3 plug.py MOMENT`, which is JSON.

The kernel restarts the machine at once, and QEMU, told not to restart, ends: what was not handed to the disks is lost.
Pulled from outside it would be late by a second, and what is struck at takes milliseconds. Says when it watches.
"""

import ctypes
import os
import struct
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import msgspec

_COMMAND_LINE = Path("/proc/cmdline")
_TRIGGER = "/proc/sysrq-trigger"
_RESTART = b"b"  # Documentation/admin-guide/sysrq.rst: without syncing or unmounting
WATCHING = "watching"
LAB_SERVER = "raidtui.lab-server"  # on the kernel's command line: of no machine with somebody's data
_LOOK_S = 0.1
_FIRST = 50  # of the real-time priorities 1 to 99
_EVENT = struct.Struct("iIII")  # inotify(7); the name follows, as long as the last number
_MODIFY, _MOVED_TO, _CREATE = 0x2, 0x80, 0x100
_libc = ctypes.CDLL(None, use_errno=True)


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A file `name` in `folder` (patterns both) is made, written to or put in place, and what has come to it is so long
    and has `text` in it; `delay_s` after that. The folder may come later; where several fit it is the first.
    """

    folder: str
    name: str
    text: str = ""
    least_bytes: int = 0
    delay_s: float = 0.0


def await_moment(moment: Moment, tell: Callable[[str], None]) -> None:
    """Return at this moment; `tell` is called once it cannot be missed any more."""
    descriptor = _libc.inotify_init1(os.O_CLOEXEC)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), "inotify_init1")
    try:
        folder = _watched(descriptor, moment.folder)
        old_bytes = {path.name: path.stat().st_size for path in folder.iterdir()} if folder else {}
        tell(WATCHING)
        names: list[str] = []
        while folder is None:
            time.sleep(_LOOK_S)
            if folder := _watched(descriptor, moment.folder):
                names = [path.name for path in folder.iterdir()]
        while not any(_has_come(folder / name, moment, old_bytes.get(name, 0)) for name in names):
            names = _next_names(descriptor)
    finally:
        os.close(descriptor)
    time.sleep(moment.delay_s)


def _watched(descriptor: int, pattern: str) -> Path | None:
    """The first folder that fits the pattern, watched from now on; None where there is none."""
    folder = next(iter(sorted(Path("/").glob(pattern.removeprefix("/")))), None)
    if folder is not None:
        wanted = _MODIFY | _MOVED_TO | _CREATE
        if _libc.inotify_add_watch(descriptor, os.fsencode(folder), wanted) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))
    return folder


def _next_names(descriptor: int) -> list[str]:
    """The files to which something happened; waits for it."""
    data, names, at = os.read(descriptor, 65536), [], 0
    while at < len(data):
        length = _EVENT.unpack_from(data, at)[3]
        at += _EVENT.size
        names.append(os.fsdecode(data[at : at + length].rstrip(b"\0")))
        at += length
    return names


def _has_come(path: Path, moment: Moment, from_byte: int) -> bool:
    if not fnmatch(path.name, moment.name):
        return False
    if not moment.text and not moment.least_bytes:
        return True  # it may be gone again by now
    try:
        content = path.read_bytes()[from_byte:]
    except FileNotFoundError:
        return False
    return len(content) >= moment.least_bytes and moment.text.encode() in content


def main() -> None:
    if LAB_SERVER not in _COMMAND_LINE.read_text().split():
        sys.exit("this is no lab server: its plug is not pulled")
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_FIRST))
    trigger = os.open(_TRIGGER, os.O_WRONLY)  # open by then: nothing is looked up at the last moment
    await_moment(msgspec.json.decode(sys.argv[1], type=Moment), lambda word: print(word, flush=True))
    os.write(trigger, _RESTART)


if __name__ == "__main__":
    main()
