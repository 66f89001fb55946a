"""Last check before erasing: each disk is the planned one, and unused. Opens read-only: closing a writable descriptor
makes udev probe, and md assemble. /proc and /sys show what O_EXCL does not: raw openers, loop devices, exports, running
I/O.

Whether disks are free now, by identity; scripts ask before each command that names disks.
"""

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.drive import NOT_READ
from raidtui.core.disks.identity import digits
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.model import Member
from raidtui.core.text import clean
from raidtui.core.units import both
from raidtui.system import block, exports, openers
from raidtui.system.discovery import read_machine

IO_IDLE_S = 0.1  # how long I/O counters are watched, right before a command
WATCHED_S = 1.0  # before a stage: what has no other trace writes now and then
_OPEN_RETRY_S = 6.0  # short looks (udev, lsblk, another raidtui) are over by then; what is still there is in use
_LOCK_S = 30.0


class MemberError(ValueError):
    """One sentence: disk not found or not held, and what to do."""


class MemberGone(MemberError):
    pass


def find(member: Member, disks: Sequence[Disk]) -> Disk:
    """By identity and size; MemberError if missing, doubled or changed."""
    matching = [disk for disk in disks if disk.id == member.id]
    if not matching and len(claim := [disk for disk in disks if _claims_identity(disk, member)]) > 1:
        names = " and ".join(f"{disk.name} ({disk.title})" for disk in claim)
        raise MemberError(
            f"{names} both say that they are {member.id}, the disk {member.model} {member.serial} of the plan:"
            " unplug the one that came since"
        )
    if not matching:
        raise MemberGone(gone(member))
    if len(matching) > 1:
        names = " and ".join(disk.name for disk in matching)
        raise MemberError(f"{names} both say that they are {member.id}: unplug the one that is not meant")
    disk = matching[0]
    if disk.size_bytes != member.size_bytes:
        raise MemberError(
            f"{disk.name} ({disk.title}) has {both(disk.size_bytes)}, the plan was made for {both(member.size_bytes)}:"
            " it may be another disk; plan again"
        )
    return disk


def _claims_identity(disk: Disk, member: Member) -> bool:
    """Of two claimants neither has it (see `unique_identities`)."""
    return member.id == f"wwn-{disk.wwn}" or (member.id.startswith("serial-") and disk.serial == member.serial)


def gone(member: Member) -> str:
    model_serial = " ".join(part for part in (member.model, member.serial, f"({member.id})") if part)
    return f"the disk {model_serial} is no longer there: look at its cable and power, then start again"


def is_gone(path: str) -> bool:
    """The node's device is gone; a removed disk stays in sysfs for a while."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError as error:
        return error.errno in (errno.ENOENT, errno.ENXIO, errno.ENODEV)
    return False


def _claimed(path: str) -> str | None:
    """Kernel's answer to O_EXCL: mounted, swap, or part of something, partitions included."""
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


def _counters(folder: Path) -> tuple[int, ...]:
    """Requests read, written, outstanding; empty if absent (block/stat.rst)."""
    try:
        words = (folder / "stat").read_text().split()
        return int(words[0]), int(words[4]), int(words[8])
    except (OSError, ValueError, IndexError):
        return ()


class Readers(msgspec.Struct, frozen=True):
    """What a check asks the machine. `folder`: of a node's device in sysfs."""

    folder: Callable[[str], Path] = block.folder_of
    nodes: Callable[[Path], frozenset[openers.Node]] = openers.nodes
    opened: Callable[[frozenset[openers.Node]], openers.Openers] = openers.find
    hidden: Callable[[], bool] = openers.hidden
    bound: Callable[[], tuple[openers.Loop, ...]] = openers.loop_devices
    served: Callable[[], exports.Exports] = exports.read
    claimed: Callable[[str], str | None] = _claimed
    counters: Callable[[Path], tuple[int, ...]] = _counters
    patience_s: float = _OPEN_RETRY_S


def why_not_free(path: str, readers: Readers | None = None) -> str | None:
    """A sentence, or None. For many disks: `not_free`."""
    return not_free((path,), readers).get(path)


def not_free(paths: Sequence[str], readers: Readers | None = None, *, watched_s: float = IO_IDLE_S) -> dict[str, str]:
    """Path -> reason, of those in use. One window for all, at first `watched_s` seconds. Probing programs read for
    moments and are waited for; they write nothing, so a write seen once counts even if a quiet window follows.
    """
    readers = readers or Readers()
    open_questions = list(paths)
    end_s = time.monotonic() + readers.patience_s
    first: dict[str, tuple[int, ...]] = {}
    reasons: dict[str, str] = {}
    while open_questions:
        reasons = _look_over(open_questions, readers, first, watched_s)
        watched_s = IO_IDLE_S
        open_questions = [path for path in open_questions if path in reasons]
        if time.monotonic() > end_s:
            break
    return reasons


def _look_over(
    paths: Sequence[str], readers: Readers, first: dict[str, tuple[int, ...]], watched_s: float
) -> dict[str, str]:
    """`first`: each disk's first counters."""
    reasons: dict[str, str] = {}
    folders = {path: readers.folder(path) for path in paths}
    nodes = {path: readers.nodes(folder) for path, folder in folders.items()}
    counters_before = {path: readers.counters(folder) for path, folder in folders.items()}
    first |= {path: counters for path, counters in counters_before.items() if path not in first}
    legs = {path: _legs(folder, readers) for path, folder in folders.items()}
    uses = _uses(readers)
    opened = readers.opened(frozenset().union(*nodes.values(), *legs.values()))
    time.sleep(watched_s)
    for path in paths:
        users = sorted({user for node in nodes[path] for user in opened.users.get(node, ())})
        # multipath's daemon holds the paths of its maps open, to try whether they work
        of_legs = {user for node in legs[path] for user in opened.users.get(node, ())}
        users += sorted(user for user in of_legs if not user.startswith("multipathd ("))
        numbers = sorted(devnum for kind, devnum in nodes[path] | legs[path] if kind == "block")
        if holder := next(filter(None, (uses.by_devnum.get(devnum, "") for devnum in numbers)), ""):
            reasons[path] = f"{path} is in use: {holder}"
        elif reason := readers.claimed(path):
            reasons[path] = reason
        elif users:
            reasons[path] = f"{path} is open in {', '.join(users)}; end that program first"
        elif (counters_now := readers.counters(folders[path])) != counters_before[path] or any(
            counters_now[2:]
        ):  # a lasting one changes none
            reasons[path] = f"{path} is being read or written by somebody; find and end that first (iostat, fatrace)"
        elif counters_now[1:2] != first[path][1:2]:
            reasons[path] = f"{path} was written by somebody a moment ago; find and end that first (iostat, fatrace)"
        elif not nodes[path] or not counters_before[path]:
            reasons[path] = (
                f"{path} is not checked: the kernel shows neither its users nor its use; choose another disk"
            )
        elif uses.not_seen or opened.unseen:
            missing = "; ".join((*uses.not_seen, *(f"what {user} has open" for user in opened.unseen)))
            reasons[path] = f"{path} is not checked: {missing}; look again on the machine itself, as root"
    return reasons


class _Uses(msgspec.Struct, frozen=True):
    """Uses without claim: device number -> sentence. `not_seen`: what could not be checked."""

    by_devnum: dict[str, str]
    not_seen: tuple[str, ...]


def _uses(readers: Readers) -> _Uses:
    served, bound = readers.served(), readers.bound()
    device_uses = {export.devnum: f"it is {export.use}" for export in served.exports}
    device_uses |= {
        loop.devnum: f"the loop device {loop.name} lies on it; losetup --detach /dev/{loop.name}" for loop in bound
    }
    not_seen = [NOT_READ.get(text, text) for text in served.not_read]
    not_seen += [NOT_READ["loops"]] if not all(loop.devnum for loop in bound) else []
    not_seen += [NOT_READ["openers"]] if readers.hidden() else []
    return _Uses(device_uses, tuple(not_seen))


def _legs(folder: Path, readers: Readers) -> frozenset[openers.Node]:
    is_map = block.text(folder / "dm/uuid").startswith("mpath-")
    return frozenset().union(*(readers.nodes(leg) for leg in folder.glob("slaves/*"))) if is_map else frozenset()


class NotOpened(MemberError):
    """One sentence with the kernel's reason."""


@contextmanager
def claimed(paths: Sequence[str]) -> Iterator[tuple[int, ...]]:
    """Read-only O_EXCL descriptors: nobody else gets a claim until the last process closes them. Plain opens (fio)
    work; mount, mkfs, mdadm, LVM and swapon fail (`block/bdev.c`: `bd_may_claim`). MemberError if claimed by others.
    """
    descriptors: list[int] = []
    try:
        for path in dict.fromkeys(paths):
            descriptors.append(_claim(path))
        yield tuple(descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _claim(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise MemberError(f"{path} was taken by somebody since the last look: {error.strerror}") from error


@contextmanager
def lock_nodes(paths: Sequence[str], patience_s: float = _LOCK_S) -> Iterator[None]:
    """Whole-disk locks against udev (its protocol): no probing, no assembly. For seconds only; no `udevadm settle`
    meanwhile. MemberError if locked by others.
    """
    with ExitStack() as open_members:
        for path in sorted(set(paths)):  # always in one order: two who lock cannot wait for each other
            open_members.enter_context(_locked(path, patience_s))
        yield


@contextmanager
def _locked(path: str, patience_s: float) -> Iterator[None]:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise NotOpened(f"{path} cannot be opened: {error.strerror}") from error
    try:
        _wait_for_lock(descriptor, path, patience_s)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, path: str, patience_s: float) -> None:
    end_s = time.monotonic() + patience_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end_s:
                raise MemberError(
                    f"{path} is locked by another program for {patience_s:g} s already; find it with lslocks and end it"
                ) from None
            time.sleep(0.02)


def disks_not_free(identities: Sequence[str], *, blank: bool = False, own: Sequence[str] = ()) -> list[str]:
    """One sentence per disk that is absent, refused, unchecked or in use. Warnings (unused data) do not count. `blank`:
    any contents are a reason, unknown data too. `own`: UUIDs of the caller's partition tables.
    """
    disks: dict[str, list[Disk]] = {}
    for disk in disks_of(read_machine(), frozenset(map(digits, own))):
        disks.setdefault(disk.id, []).append(disk)
    reasons = {identity: _judged(identity, disks.get(identity, []), blank) for identity in identities}
    free = {identity: disks[identity][0] for identity, reason in reasons.items() if not reason}
    nodes = {node: identity for identity, disk in free.items() for node in (disk.path, *disk.nodes)}
    for node, reason in not_free(tuple(nodes), watched_s=WATCHED_S).items() if nodes else ():
        reasons[nodes[node]] = reason
    return [clean(reason) for reason in reasons.values() if reason]


def _judged(identity: str, matching: Sequence[Disk], blank: bool) -> str:
    if not matching:
        return f"no disk {identity} on this machine; `raidtui disks` lists those that are here"
    disk = matching[0]
    if len(matching) > 1:
        return f"{' and '.join(disk.name for disk in matching)} both say that they are {identity}"
    if disk.verdict.standing is Usability.REFUSE:
        return f"{disk.name} ({disk.title}) must not be touched: {disk.verdict.reason}"
    if not disk.checked:
        return f"{disk.name} ({disk.title}) was not checked: {disk.verdict.reason or 'run it as root'}"
    if blank and disk.contents:
        return f"{disk.name} ({disk.title}) is not blank, it holds {disk.found}: look at it, then plan again"
    return ""
