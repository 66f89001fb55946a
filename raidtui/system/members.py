"""Is a disk, at this moment, the one that was planned, and nobody else's? The last look before something is erased.

Opens for reading only: closing a writable descriptor makes udev probe and md assemble what was stopped. What
O_EXCL cannot see (programs that opened the disk raw, I/O going on) is looked for in /proc and /sys.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.model import Member
from raidtui.core.text import (
    clean,
)
from raidtui.core.units import both

_WINDOW_S = 0.1  # how long I/O counters are watched
_PATIENCE_S = 6.0  # short looks (udev, lsblk, another raidtui) are over by then; what is still there is in use
_LOCK_S = 30.0


class MemberError(ValueError):
    """One sentence: which disk cannot be found or held, and what to do."""


def find(member: Member, disks: Sequence[Disk]) -> Disk:
    """The disk of its identity and size, whatever its name now; MemberError if it is gone, doubled or changed."""
    found = [disk for disk in disks if disk.id == member.id]
    if not found:
        raise MemberError(gone(member))
    if len(found) > 1:
        names = " and ".join(disk.name for disk in found)
        raise MemberError(f"{names} both say that they are {member.id}: unplug the one that is not meant")
    disk = found[0]
    if disk.size_bytes != member.size_bytes:
        raise MemberError(
            f"{disk.name} ({disk.title}) has {both(disk.size_bytes)}, the plan was made for {both(member.size_bytes)}:"
            " it may be another disk; plan again"
        )
    return disk


def gone(member: Member) -> str:
    """A sentence that a person finds the disk by."""
    known = " ".join(part for part in (member.model, member.serial, f"({member.id})") if part)
    return f"the disk {known} is no longer there: look at its cable and power, then start again"


def why_not_free(path: str) -> str | None:
    """A sentence why the disk at `path` is not free to be erased, or None. For many disks ask `not_free`."""
    return not_free((path,)).get(path)


def not_free(paths: Sequence[str]) -> dict[str, str]:
    """Path -> why it is not free; free ones are left out. One short window for all of them."""
    open_questions = list(paths)
    end_s = time.monotonic() + _PATIENCE_S
    while True:
        reasons = _look(open_questions)
        open_questions = [path for path in open_questions if path in reasons]
        if not open_questions or time.monotonic() > end_s:
            return reasons


def _look(paths: Sequence[str]) -> dict[str, str]:
    reasons: dict[str, str] = {}
    devices = {path: _devnums(path) for path in paths}
    before = {path: _counters(path) for path in paths}
    legs = {path: _numbers(_sysfs(path).glob("slaves/*/dev")) for path in paths if (_sysfs(path) / "dm").exists()}
    openers = _openers(frozenset().union(*devices.values(), *legs.values()))
    time.sleep(_WINDOW_S)
    for path in paths:
        users = sorted({user for number in devices[path] for user in openers.get(number, ())})
        # multipath's daemon holds the paths of its maps open, to try whether they work
        users += sorted(
            user
            for number in legs.get(path, ())
            for user in openers.get(number, ())
            if not user.startswith("multipathd (")
        )
        if reason := _claimed(path):
            reasons[path] = reason
        elif users:
            reasons[path] = f"{path} is open in {', '.join(users)}; end that program first"
        elif (now := _counters(path)) != before[path] or any(now[2:]):  # one that lasts changes no counter
            reasons[path] = f"{path} is being read or written by somebody; find and end that first (iostat, fatrace)"
    return reasons


def _claimed(path: str) -> str | None:
    """What the kernel says to an exclusive opener: mounted, swapped on, or part of something, partitions included."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        if error.errno == errno.EBUSY:
            return f"{path} is in use: it or a part of it is mounted, swapped on, or a member of something"
        return f"{path} cannot be opened: {error.strerror}"
    try:
        is_block = stat.S_ISBLK(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)
    return None if is_block else f"{path} is not a block device"


def _sysfs(path: str) -> Path:
    return Path("/sys/class/block") / Path(path).resolve().name


def _devnums(path: str) -> frozenset[int]:
    """The device numbers of the disk and of its partitions."""
    return _numbers((_sysfs(path) / "dev", *_sysfs(path).glob("*/dev")))


def _numbers(files: Iterable[Path]) -> frozenset[int]:
    numbers = set()
    for file in files:
        try:
            major, _, minor = file.read_text().strip().partition(":")
            numbers.add(os.makedev(int(major), int(minor)))
        except (OSError, ValueError):
            continue
    return frozenset(numbers)


def _openers(numbers: frozenset[int]) -> dict[int, set[str]]:
    """Device number -> programs that hold it open, other than this one. Sees all of them only as root."""
    found: dict[int, set[str]] = {}
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            for link in (process / "fd").iterdir():
                # reading the link is cheap, and spares the stat of sockets and pipes
                if not str(link.readlink()).startswith("/dev/"):
                    continue
                status = link.stat()
                if stat.S_ISBLK(status.st_mode) and status.st_rdev in numbers:
                    name = clean((process / "comm").read_bytes().decode(errors="replace"))
                    found.setdefault(status.st_rdev, set()).add(f"{name} (pid {process.name})")
        except OSError:
            continue  # it ended meanwhile, or is not ours to look at
    return found


def _counters(path: str) -> tuple[int, ...]:
    """Requests read, written and in flight; empty where there are none (kernel's block/stat.rst)."""
    try:
        words = (_sysfs(path) / "stat").read_text().split()
        return int(words[0]), int(words[4]), int(words[8])
    except (OSError, ValueError, IndexError):
        return ()


class NotOpened(MemberError):
    """One sentence: which node cannot be opened, and the kernel's reason."""


@contextmanager
def lock_nodes(paths: Sequence[str]) -> Iterator[None]:
    """Hold these whole-disk nodes against udev, which neither probes nor assembles what is locked (its own protocol).

    For seconds, not for a run. While it is held no `udevadm settle` may be waited for. MemberError where
    somebody else holds a lock.
    """
    with ExitStack() as held:
        for path in sorted(set(paths)):  # always in one order: two who lock cannot wait for each other
            held.enter_context(_locked(path))
        yield


@contextmanager
def _locked(path: str) -> Iterator[None]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise NotOpened(f"{path} cannot be opened: {error.strerror}") from error
    try:
        _wait_for_lock(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, path: str) -> None:
    end_s = time.monotonic() + _LOCK_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end_s:
                raise MemberError(
                    f"{path} is locked by another program for {_LOCK_S:g} s already; find it with lslocks and end it"
                ) from None
            time.sleep(0.02)
