"""A disk of the plan has a second path and no map: what stands on that path no look at the first one shows."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.practice.rack import MIB
from tests.torture import invariants, luns
from tests.torture.attempt import Answer, Attempt
from tests.torture.dust import appears
from tests.torture.matrix import Row
from tests.torture.stand import DISK_MIB, Stand, command, confirmed, mounted, raidtui, settle

_NAME = "twopaths"
_FILE = Path("/run/twopaths.img")
_FOLDER = Path("/run/theirs")
_REFUSED = 3


@contextmanager
def lun() -> Iterator[Path]:
    """The store of a disk that can have several paths, without any."""
    with _FILE.open("wb") as image:
        image.truncate(DISK_MIB * MIB)
    try:
        with luns.store("fileio", _NAME, f"fd_dev_name={_FILE},fd_dev_size={DISK_MIB * MIB}") as store:
            yield store
    finally:
        _FILE.unlink()


def nodes_of(stand: Stand, count: int) -> list[Disk]:
    """By name: the kernel names them in the order in which they come."""
    return appears(stand, _NAME.upper(), count)


@contextmanager
def _used(use: str, node: str) -> Iterator[None]:
    """Somebody works with the disk, by this path."""
    if use == "unused":
        yield
        return
    if use == "partition":
        command("sfdisk", "--quiet", "--label", "gpt", node, stdin="size=+\n")
        settle()
        node += "1"
    command("mkfs.ext4", "-q", "-F", "-L", "theirs", node)
    settle()
    try:
        with mounted(node, _FOLDER):
            command("touch", str(_FOLDER / "theirs"))
            command("mount", "-o", "remount,ro", str(_FOLDER))
            yield
    finally:
        settle()


@contextmanager
def untouched(stand: Stand, disk: Disk) -> Iterator[None]:
    """All that lies on the disk is what lay there before, byte for byte, and no sector was written."""
    command("sync")
    before = sha256(_FILE.read_bytes()).hexdigest()
    with stand.guarding(disk):
        yield
    command("sync")
    if sha256(_FILE.read_bytes()).hexdigest() != before:
        stand.lost.append("what was on the disk with two paths was changed")


def answers_with(stand: Stand, disk: Disk) -> str:
    file = Path("/run/two-paths.toml")
    file.write_text(f'disks = ["{stand.members[0]}", "{stand.members[1]}", "{disk.id}"]\n[setup]\nlevel = "5"\n')
    return str(file)


def answer_of(*argv: str) -> Answer:
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != _REFUSED:
        raise AssertionError(f"exit status {done.returncode}, not {_REFUSED}: {done.stdout[-300:]}{done.stderr}")
    return Answer(" ".join(done.stderr.split()), done.returncode)


@contextmanager
def there_before(use: str, stand: Stand) -> Iterator[Answer]:
    """Both paths are there, one of them in use, when somebody plans with the other."""
    with lun() as store, luns.path(store), luns.path(store, 2):
        first, second = nodes_of(stand, 2)
        with _used(use, second.path), untouched(stand, first):
            yield answer_of(*raidtui("plan", answers_with(stand, first)))


@contextmanager
def before_the_command(use: str, stand: Stand) -> Iterator[Answer]:
    """The second path comes after the plan was read, and before its run is asked for."""
    with lun() as store, luns.path(store):
        run = confirmed(answers_with(stand, nodes_of(stand, 1)[0]))
        with luns.path(store, 2):
            first, second = nodes_of(stand, 2)
            with _used(use, second.path), untouched(stand, first):
                yield answer_of(*run)


@contextmanager
def before_the_worker(use: str, stand: Stand) -> Iterator[Attempt]:
    """The second path comes after the last plan was made: the worker is the one who sees it."""
    with lun() as store, luns.path(store):
        plan = stand.plan("5", disks=(0, 1), further=(nodes_of(stand, 1)[0].id,))
        with luns.path(store, 2):
            first, second = nodes_of(stand, 2)
            with _used(use, second.path), untouched(stand, first):
                attempt = stand.start(plan, first)
                attempt.end()
                yield attempt


@contextmanager
def during_the_run(stand: Stand) -> Iterator[Attempt]:
    """It comes after the last thing was erased: the run takes back its own, by the node that it was made by."""
    with lun() as store, luns.path(store):
        disk = nodes_of(stand, 1)[0]
        attempt = stand.begin("measuring", stand.plan("5", disks=(0, 1), further=(disk.id,), seconds=3), disk)
        with luns.path(store, 2):
            nodes_of(stand, 2)
            attempt.end()
            stand.lost += invariants.members_blank([disk.path])
            yield attempt


_SAYS = {
    "unused": "seen by a second path",
    "mounted": "the same disk by another path) is mounted at",
    "partition": "the same disk by another path) is mounted at",
}
_STATES = {
    "unused": "a disk is seen by two paths",
    "mounted": "a disk is mounted by its second path",
    "partition": "a partition of a disk's second path is mounted",
}
_USES = ("unused", "mounted", "partition")

ROWS = (
    *(
        Row(
            name=f"two-paths-{use}",
            fault=_STATES[use],
            when="before the plan",
            outcome="refused",
            says=(_SAYS[use],),
            act=partial(there_before, use),
        )
        for use in _USES
    ),
    *(
        Row(
            name=f"second-path-{use}",
            fault=_STATES[use],
            when="between plan and run",
            outcome="refused",
            says=(_SAYS[use],),
            act=partial(before_the_command, use),
        )
        for use in _USES
    ),
    *(
        Row(
            name=f"second-path-{use}-worker",
            fault=_STATES[use],
            when="between run and worker",
            outcome="failed",
            says=("{disk}", _SAYS[use]),
            act=partial(before_the_worker, use),
        )
        for use in _USES
    ),
    Row(
        name="second-path-measuring",
        fault=_STATES["unused"],
        when="measuring",
        outcome="finished",
        act=during_the_run,
    ),
)
