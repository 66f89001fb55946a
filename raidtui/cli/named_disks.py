"""Disks as a person calls them on the command line: by name, path, identity or serial number."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from raidtui.cli.machine import machine_of

if TYPE_CHECKING:
    from raidtui.core.disks.disk import Disk


def free_or_named(names: list[str], machine: Path | None) -> "tuple[Disk, ...]":
    """The disks of a machine by what a person calls them; without names all that are free and hold nothing."""
    from raidtui.core.disks.disk import Usability
    from raidtui.core.disks.verdicts import disks_of

    disks = disks_of(machine_of(machine))
    if not names:
        return tuple(disk for disk in disks if disk.verdict.standing is Usability.OK)
    members = [named(name, disks) for name in names]
    refused = next((disk for disk in members if disk.verdict.standing is Usability.REFUSE), None)
    if refused:
        raise ValueError(f"{refused.name} cannot be a member: {refused.verdict.reason}; {refused.verdict.remedy}")
    if len(set(members)) < len(members):
        raise ValueError("a disk is named more than once; name each once")
    return tuple(members)


def named(name: str, disks: "Sequence[Disk]") -> "Disk":
    """The one disk of that name, used or not."""
    from raidtui.core.text import brief

    fitting = [disk for disk in disks if name in (disk.name, disk.path, disk.id, disk.serial)]
    if len(fitting) != 1:
        names_here = ", ".join(disk.name for disk in disks) or "none"
        problem = "several disks are" if fitting else "no disk"
        raise ValueError(f"{problem} named {brief(repr(name))}; available: {names_here}")
    return fitting[0]
