"""Deletion of settled runs' folders. Tears down nothing."""

import os
import shutil
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from raidtui.runs import directory, locks
from raidtui.runs.kept_arrays import kept_with
from raidtui.runs.status import standing
from raidtui.system.discovery import mounts_of

_MOUNTS = Path("/proc/self/mountinfo")


class NotForgotten(ValueError):
    """One sentence: why the folder is needed, what to do first."""


def forget(path: Path) -> None:
    with _lock(path):
        if reason := why_not(path):
            raise NotForgotten(reason)
        (path / directory.PLAN).unlink()  # first: what is left of a folder that could not be deleted is no run
        shutil.rmtree(path)


def why_not(path: Path) -> str:
    run = standing(path)
    if run.alive or run.word == "starting":
        return f"the run {run.name} is going on; `raidtui stop {run.name}` stops it"
    if run.word == "elsewhere":
        return f"the run {run.name} may be going on in a practice machine; if that has ended, delete {path}"
    if run.kept:
        return (
            f"the run {run.name} keeps an array, which is known by it alone; `raidtui clean {run.name}` clears it away"
        )
    if run.unsettled:
        how = f"`raidtui clean {run.name}` clears away and puts back"
        if run.word == "unreadable" and directory.on_practice_disks(path):  # of which machine, nobody knows
            how = f"if its practice machine has ended, delete {path}"
        return f"the run {run.name} is needed to undo what it did ({run.sentence}); {how}"
    if keeper := kept_with(path):
        return (
            f"the run {run.name} put disks into the array that the run {keeper} keeps, and which is in which slot is"
            f" known by it alone; `raidtui clean {keeper}` clears the array away"
        )
    path_prefix = f"{path.resolve()}/"
    if mounted := [
        mount.mountpoint for mount in mounts_of(_MOUNTS.read_bytes()) if mount.mountpoint.startswith(path_prefix)
    ]:
        return f"something is mounted at {mounted[0]}, in the folder of the run {run.name}; unmount it first"
    return ""


def _lock(path: Path) -> AbstractContextManager[None]:
    """No worker resumes it meanwhile; only root has workers."""
    return locks.held(path, ()) if os.geteuid() == 0 else nullcontext()
