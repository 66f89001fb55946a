"""Lookup of a target (device or folder) on this machine. Opens and writes nothing."""

import os
import stat
from pathlib import Path

from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import target
from raidtui.core.plan.target import NotMeasurable, Seen


def look(path: str, machine: Machine) -> Seen:
    """`machine`: this one, now. NotMeasurable with one sentence."""
    disks = disks_of(machine)
    try:
        real = Path(path).resolve(strict=True)
        status = real.stat()
        if stat.S_ISBLK(status.st_mode):
            _refuse_split(path, str(real))
            devnum = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
            return target.device(machine, path, devnum, disks)
        if not stat.S_ISDIR(status.st_mode):
            raise NotMeasurable(f"{path} is neither a device nor a folder; name one, as /dev/md0 or /srv/data")
        _refuse_split(path, path)
        _refuse_others(path)
        space = os.statvfs(real)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        words = error.strerror if isinstance(error, OSError) else "its links lead in a circle"
        raise NotMeasurable(f"target {path}: {words}; name a device or a folder that is there") from error
    return target.folder(
        machine,
        path,
        str(real),
        disks,
        free_bytes=space.f_bavail * space.f_frsize,
        fsid=f"fsid-{space.f_fsid:x}",
        writable=os.access(real, os.W_OK) and not space.f_flag & os.ST_RDONLY,
    )


def _refuse_split(path: str, handed: str) -> None:
    r"""fio splits names at `:` and interprets `\`."""
    if separator := next((sign for sign in ":\\" if sign in handed), ""):
        raise NotMeasurable(
            f"target {path}: fio would not read {handed} as one name, as it has a {separator}; rename it"
        )


def _refuse_others(path: str) -> None:
    """Whoever can replace our file or a folder above by a link redirects root's fio."""
    asking = os.environ.get("SUDO_UID", "")
    users = {0, os.geteuid(), int(asking) if asking.isdecimal() else 0}
    for folder in folders_passed(Path(path)):
        status = folder.stat()
        others = status.st_mode & (stat.S_IWOTH | stat.S_IWGRP) if not status.st_mode & stat.S_ISVTX else 0
        if others or status.st_uid not in users:
            writers = "everybody" if others & stat.S_IWOTH else f"group {status.st_gid}"
            whose = f"can be written to by {writers}" if others else f"belongs to user {status.st_uid}"
            raise NotMeasurable(
                f"target {path}: {folder} {whose}, who could put a link to another file there; make a folder of your"
                " own where only you and root may write"
            )


def folders_passed(path: Path) -> list[Path]:
    """All folders up to `path`, including those of links."""
    passed: dict[Path, None] = {}
    folders = [path]
    while folders:
        current = folders.pop()
        for folder in (current, *current.parents):
            if folder not in passed and folder.is_symlink():
                folders.append(folder.parent / folder.readlink())
            passed[folder] = None
    return list(passed)
