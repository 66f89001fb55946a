"""Lock files per run and disk; the kernel releases them if a worker dies. A disk's lock names its holder, valid only
while locked. Workers look by `system.discovery` alone, so own locks do not count against their members.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from raidtui.core.digest import sha256
from raidtui.core.disks.machine import Held, Machine
from raidtui.core.text import clean
from raidtui.system import discovery

LOCKS = Path("/run/raidtui")
PATIENCE_S, _POLL_S = 1.0, 0.02  # who only asks whether a disk is taken has its lock for a moment

_HELD_ELSEWHERE = "another run holds the disk {}; `raidtui runs` shows which: wait for it or stop it"


class DiskLocked(ValueError):
    """One sentence: the run in use, or the run that holds a disk."""


@contextmanager
def held(run: Path, identities: Iterable[str], folder: Path = LOCKS) -> Iterator[None]:
    """Of run and disks; DiskLocked if taken. The run's is needed where a target's disks are unknown."""
    busy = f"another worker is at the run {run.name}: wait for it or stop it"
    end_s = time.monotonic() + PATIENCE_S
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        for identity in sorted(identities):
            sentence = _HELD_ELSEWHERE.format(identity)
            descriptor = stack.enter_context(_held(_file(folder, identity), sentence, end_s))
            holder = msgspec.json.encode(Held(disk=identity, run=run.name))
            os.pwrite(descriptor, holder, 0)
            os.ftruncate(descriptor, len(holder))
        stack.enter_context(_held(_file(folder, f"run {run.resolve()}"), busy, end_s))
        yield


@contextmanager
def person_at(run: Path, folder: Path = LOCKS) -> Iterator[None]:
    """For the person at a manual step; DiskLocked if somebody else is."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    sentence = f"somebody types the passphrase of {run.name} in another terminal: wait for it, or end it there"
    with _held(_file(folder, _by_person(run)), sentence, time.monotonic() + PATIENCE_S):
        yield


def is_person_at(run: Path, folder: Path = LOCKS) -> bool:
    return _is_locked(_file(folder, _by_person(run)))


def _by_person(run: Path) -> str:
    return f"by person {run.resolve()}"


@contextmanager
def _held(file: Path, sentence: str, end_s: float) -> Iterator[int]:
    """Its descriptor; DiskLocked with `sentence` if still taken at `end_s`."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while not _locks(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > end_s:
                raise DiskLocked(sentence)
            time.sleep(_POLL_S)
        yield descriptor
    finally:
        os.close(descriptor)


def locked_elsewhere(identities: Iterable[str], folder: Path = LOCKS) -> dict[str, str]:
    """Identity -> sentence, for disks held by a run of root, pauses included."""
    return {
        identity: _HELD_ELSEWHERE.format(identity) for identity in identities if _is_locked(_file(folder, identity))
    }


def held_now(folder: Path = LOCKS) -> tuple[Held, ...]:
    """Pauses included; empty unless root."""
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return ()
    return tuple(holder for file in files if (holder := _holder(file)) and _is_locked(file))


def machine_here() -> Machine:
    """With RAID controllers and runs' disks. Never raises for missing parts, see `not_read`."""
    machine = discovery.with_volumes(discovery.read_machine())
    return msgspec.structs.replace(machine, held=held_now())


def _holder(file: Path) -> Held | None:
    try:
        holder = msgspec.json.decode(file.read_bytes(), type=Held)
    except (OSError, msgspec.MsgspecError):
        return None
    return Held(disk=clean(holder.disk), run=clean(holder.run))


def _file(folder: Path, identity: str) -> Path:
    return folder / f"{sha256(identity.encode()).hexdigest()[:32]}.lock"


def _is_locked(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # no run ever had it, or whoever asks is not root, who is told that nothing was checked
        return False
    try:
        return not _locks(descriptor, fcntl.LOCK_SH)
    finally:
        os.close(descriptor)


def _locks(descriptor: int, how: int) -> bool:
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
