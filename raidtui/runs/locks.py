"""A lock file for each run and disk: two workers cannot have the same. The kernel lets go when the worker dies."""

import fcntl
import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

LOCKS = Path("/run/raidtui")
PATIENCE_S, _POLL_S = 1.0, 0.02  # who only asks whether a disk is taken has its lock for a moment

_HELD_ELSEWHERE = "another run holds the disk {}; `raidtui runs` shows which: wait for it or stop it"


class DiskLocked(ValueError):
    """One sentence: which run another worker is at, or which disk another run holds."""


@contextmanager
def held(run: Path, identities: Iterable[str], folder: Path = LOCKS) -> Iterator[None]:
    """Hold the locks of the run in this directory and of these disks meanwhile; Taken if another holds one.

    The run's own is needed where nobody knows which disks lie beneath what it measures.
    """
    sentences_by_disk = {identity: _HELD_ELSEWHERE.format(identity) for identity in sorted(identities)}
    sentences_by_disk[f"run {run.resolve()}"] = f"another worker is at the run {run.name}: wait for it or stop it"
    end_s = time.monotonic() + PATIENCE_S
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        for identity, sentence in sentences_by_disk.items():
            stack.enter_context(_held(_file(folder, identity), sentence, end_s))
        yield


@contextmanager
def person_at(run: Path, folder: Path = LOCKS) -> Iterator[None]:
    """Somebody types what the run in this directory waits for; DiskLocked if another does so already."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    sentence = f"somebody types the passphrase of {run.name} in another terminal: wait for it, or end it there"
    with _held(_file(folder, _by_person(run)), sentence, time.monotonic() + PATIENCE_S):
        yield


def is_person_at(run: Path, folder: Path = LOCKS) -> bool:
    """Does anybody type what the run in this directory waits for?"""
    return _is_locked(_file(folder, _by_person(run)))


def _by_person(run: Path) -> str:
    return f"by person {run.resolve()}"


@contextmanager
def _held(file: Path, sentence: str, end_s: float) -> Iterator[None]:
    """Hold one lock; DiskLocked with this sentence where somebody has it until then."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while not _locks(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > end_s:
                raise DiskLocked(sentence)
            time.sleep(_POLL_S)
        yield
    finally:
        os.close(descriptor)


def locked_elsewhere(identities: Iterable[str], folder: Path = LOCKS) -> dict[str, str]:
    """Identity -> a sentence, of those of these disks that a run holds now, while it pauses too. Of root's runs."""
    return {
        identity: _HELD_ELSEWHERE.format(identity) for identity in identities if _is_locked(_file(folder, identity))
    }


def _file(folder: Path, identity: str) -> Path:
    return folder / f"{hashlib.sha256(identity.encode()).hexdigest()[:32]}.lock"


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
