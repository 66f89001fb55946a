"""A lock file for each run and disk: two workers cannot have the same. The kernel lets go when the worker dies."""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

LOCKS = Path("/run/raidtui")


class Taken(ValueError):
    """One sentence: which run another worker is at, or which disk another run holds."""


@contextmanager
def held(run: Path, identities: Iterable[str], folder: Path = LOCKS) -> Iterator[None]:
    """Hold the locks of the run in this directory and of these disks meanwhile; Taken if another holds one.

    The run's own is needed where nobody knows which disks lie beneath what it measures.
    """
    words = "another run holds the disk {}; `raidtui runs` shows which: wait for it or stop it"
    wanted = {identity: words.format(identity) for identity in sorted(identities)}
    wanted[f"run {run.resolve()}"] = f"another worker is at the run {run.name}: wait for it or stop it"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        for identity, taken in wanted.items():
            name = hashlib.sha256(identity.encode()).hexdigest()[:32]
            descriptor = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            stack.callback(os.close, descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise Taken(taken) from error
        yield
