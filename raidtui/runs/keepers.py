"""Which disks are members of an array that a run keeps: by the UUID in their superblocks, not by the run's word."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from raidtui.core.disks.disk import Disk, Standing, Verdict
from raidtui.core.plan import slots
from raidtui.runs import directory
from raidtui.runs.journal import read_state

_SIGNATURE = "linux_raid_member"


def keepers(disks: Sequence[Disk], root: Path) -> dict[str, Path]:
    """Identity of a disk -> the run below `root` that keeps the array it is of; nothing of a run that is unreadable."""
    arrays = {disk.id: slots.digits(one.uuid) for disk in disks for one in disk.contents if one.kind == _SIGNATURE}
    if not arrays:
        return {}
    kept: dict[str, Path] = {}
    for path in directory.list_runs(root):
        try:
            uuids = {slots.digits(uuid) for uuid in slots.made_by(slots.filled(directory.read_plan(path)))}
            if uuids & set(arrays.values()) and read_state(path / directory.JOURNAL).kept:
                kept |= {identity: path for identity, uuid in arrays.items() if uuid in uuids}
        except (ValueError, OSError):
            continue
    return kept


def told(disks: Sequence[Disk], kept: dict[str, Path]) -> tuple[Disk, ...]:
    """The disks, those that are refused for an array that a run keeps with that as the reason."""
    return tuple(_told(disk, kept[disk.id]) if disk.id in kept else disk for disk in disks)


def _told(disk: Disk, run: Path) -> Disk:
    if disk.verdict.standing is not Standing.REFUSE:
        return disk
    verdict = Verdict(
        disk.verdict.standing,
        f"{disk.verdict.reason}; that is the array which raidtui's run {run.name} keeps",
        f"`raidtui attach {run.name}` shows that run, `raidtui clean {run.name}` takes its array down",
    )
    return msgspec.structs.replace(disk, verdict=verdict)
