"""Deletion of settled runs' folders. Tears down nothing."""

import os
import shutil
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from raidtui.runs import directory, locks
from raidtui.runs.kept_arrays import kept_with
from raidtui.runs.status import status_of_run
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
    run = status_of_run(path)
    if run.alive or run.word == "starting":
        return f"{run.name} is running; `raidtui stop {run.name}` stops it"
    if run.word == "elsewhere":
        return f"{run.name} may be running in a practice machine; if that has ended, delete {path}"
    if run.kept:
        return f"{run.name} keeps an array, recorded only there; `raidtui clean {run.name}` removes it"
    if run.unsettled:
        how = f"`raidtui clean {run.name}` removes its array and restores settings"
        if run.word == "unreadable" and directory.on_practice_disks(path):  # of which machine, nobody knows
            how = f"if its practice machine has ended, delete {path}"
        return f"{run.name} is needed to undo its changes ({run.sentence}); {how}"
    if keeper := kept_with(path):
        return (
            f"{run.name} added disks to the array that run {keeper} keeps, and only it records their slots;"
            f" `raidtui clean {keeper}` removes the array"
        )
    path_prefix = f"{path.resolve()}/"
    if mounted := [
        mount.mountpoint for mount in mounts_of(_MOUNTS.read_bytes()) if mount.mountpoint.startswith(path_prefix)
    ]:
        return f"something is mounted at {mounted[0]}, in the folder of {run.name}; unmount it first"
    return ""


def _lock(path: Path) -> AbstractContextManager[None]:
    """No worker resumes it meanwhile; only root has workers."""
    return locks.held(path, ()) if os.geteuid() == 0 else nullcontext()
