"""One lock file per disk identity: two runs cannot have the same disk. The kernel lets go when the worker dies."""

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

LOCKS = Path("/run/raidtui")


class Taken(ValueError):
    """One sentence: which disk another run holds."""


@contextmanager
def held(identities: Iterable[str], folder: Path = LOCKS) -> Iterator[None]:
    """Hold the locks of these disks meanwhile; Taken if another run holds one."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with ExitStack() as stack:
        for identity in sorted(identities):
            name = hashlib.sha256(identity.encode()).hexdigest()[:32]
            descriptor = os.open(folder / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            stack.callback(os.close, descriptor)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                words = f"another run holds the disk {identity}; `raidtui runs` shows which: wait for it or stop it"
                raise Taken(words) from error
        yield
