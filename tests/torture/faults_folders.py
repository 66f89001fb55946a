"""The run's folder: the disk under it is full, or somebody deletes it."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from raidtui.runs import directory, launch
from tests.torture.attempt import Answer, Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand, command, confirmed, raidtui


def small_disk(stand: Stand) -> Path:
    """A file system of its own for runs; it stays until the row has been looked at."""
    root = stand.root
    root.mkdir(exist_ok=True)
    command("mount", "-t", "tmpfs", "small", str(root), "-o", "size=32m,mode=700")
    stand.afterwards.callback(command, "umount", "--lazy", str(root))
    return root


def _fill(root: Path) -> Path:
    """At once: nothing is left but the rest of a page at each file's end."""
    hog = root / "hog"
    with hog.open("ab") as file:
        while room := os.statvfs(root).f_bavail * os.statvfs(root).f_frsize:
            with suppress(OSError):  # somebody else was quicker
                os.posix_fallocate(file.fileno(), file.seek(0, os.SEEK_END), room)
    return hog


@contextmanager
def full_before(stand: Stand) -> Iterator[Answer]:
    """By the command, with root's own folder of runs on a full disk."""
    answers = Path("/run/answers.toml")
    disks = ", ".join(f'"{identity}"' for identity in stand.members[:3])
    answers.write_text(f'disks = [{disks}]\n[setup]\nlevel = "5"\n')
    run = confirmed(str(answers))
    stand.root.mkdir(exist_ok=True)
    command("mount", "-t", "tmpfs", "small", str(stand.root), "-o", "size=64k,mode=700")
    try:
        _fill(stand.root)
        done = subprocess.run(run, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)  # fmt: skip
        [line] = done.stderr.strip().splitlines()
        yield Answer(line, done.returncode)
    finally:
        command("umount", str(stand.root))


@contextmanager
def full_at(moment: str, stand: Stand) -> Iterator[Attempt]:
    """Room again only after the worker has gone."""
    root = small_disk(stand)
    wait = moment != "initial resync"
    attempt = stand.start(stand.plan("5", "ext4", jobs=("write", "read", "randread"), skip_sync=wait), root=root)
    attempt.reach(moment)
    hog = _fill(root)
    attempt.end()
    hog.unlink()
    yield attempt


@contextmanager
def deleted(stand: Stand) -> Iterator[Attempt]:
    """Somebody tidies up. What the run had written until then is kept aside, to be looked at."""
    attempt = stand.begin("measuring", stand.plan("5", jobs=("write", "read", "randread")))
    aside = Path("/run/aside")
    shutil.copytree(attempt.path, aside)
    shutil.rmtree(attempt.path)
    while Path(f"/proc/{attempt.pid}/exe").exists():
        time.sleep(0.05)
    shutil.rmtree(attempt.path, ignore_errors=True)
    shutil.copytree(aside, attempt.path)
    shutil.rmtree(aside)
    yield attempt


@contextmanager
def parent_open(way: str, stand: Stand) -> Iterator[Answer]:
    """The folder above all runs may be written to by anybody, who could put another folder of runs in its place."""
    answers, parent = Path("/run/answers.toml"), stand.root.parent
    disks = ", ".join(f'"{identity}"' for identity in stand.members[:3])
    answers.write_text(f'disks = [{disks}]\n[setup]\nlevel = "5"\n')
    attempt = stand.begin("measuring", stand.plan("5", jobs=("write", "read", "randread"), seconds=5))
    attempt.signal(signal.SIGKILL)
    attempt.end()
    argv = raidtui(way, attempt.path.name, "--confirm", attempt.plan.code)
    mode = parent.stat().st_mode
    if way == "run":
        launch.clean(attempt.path)
        argv = confirmed(str(answers))
    if way == "clean":
        argv = raidtui(way, attempt.path.name)
    parent.chmod(0o777)
    try:
        done = subprocess.run(argv, input=f"{attempt.plan.code}\n", capture_output=True, text=True, check=False)
    finally:
        parent.chmod(mode)
    if done.returncode == 0:
        raise AssertionError(f"{way} ended with 0: {done.stdout[-300:]}{done.stderr}")
    yield Answer(done.stderr.strip().splitlines()[-1], done.returncode)
    if way != "run":
        launch.clean(attempt.path)


@contextmanager
def report_planted(stand: Stand) -> Iterator[Attempt]:
    """Where the report goes there is a link to a file of the system's."""
    victim = Path("/run/victim")
    victim.write_text("the system's")
    attempt = stand.begin("measuring", stand.plan("5", jobs=("write", "read")))
    (attempt.path / directory.REPORT).symlink_to(victim)
    attempt.end()
    if victim.read_text() != "the system's" or (attempt.path / directory.REPORT).is_symlink():
        stand.lost.append("the report was written through a link")
    yield attempt


ROWS = (
    *(
        Row(
            name=f"parent-open-{way}",
            fault="the folder above all runs may be written to by anybody",
            when=f"`{way}`",
            outcome="refused",
            says=("can be written to by others",),
            act=partial(parent_open, way),
        )
        for way in ("run", "resume", "clean")
    ),
    Row(
        name="report-planted",
        fault="a link to a file of the system's in place of the report",
        when="measuring",
        outcome="finished",
        act=report_planted,
    ),
    Row(
        name="full-before",
        fault="the disk under the run's folder is full",
        when="start",
        outcome="refused",
        says=("No space left on device",),
        act=full_before,
    ),
    *(
        Row(
            name=f"full-{moment.replace(' ', '-')}",
            fault="the disk under the run's folder is full",
            when=moment,
            outcome=outcome,
            says=says,
            act=partial(full_at, moment),
        )
        for moment, outcome, says in (
            ("initial resync", "failed", ("make room there",)),
            ("measuring", "failed", ("make room there",)),
            ("teardown", "finished", ()),
        )
    ),
    Row(
        name="run-deleted",
        fault="the run's folder is deleted",
        when="measuring",
        outcome="interrupted",
        act=deleted,
    ),
)
