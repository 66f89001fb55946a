"""Disks and md arrays of this machine at work, by sysfs and /proc/diskstats. Opens no disk, needs no root."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from raidtui.core.arrays.array import sync_of
from raidtui.core.disks.machine import SECTOR_BYTES
from raidtui.core.run.at_work import Device
from raidtui.core.run.samples import Sample
from raidtui.system.block import DiskCounters, text

_NO_DISKS = ("sr", "fd", "ram", "zram", "nbd", "loop")


def devices(sysfs: Path = Path("/sys")) -> tuple[Device, ...]:
    """In the kernel's order of names, sdb before sdaa."""
    folders = sorted((sysfs / "block").glob("*"), key=lambda folder: (len(folder.name), folder.name))
    return tuple(device for folder in folders for device in _device(folder))


def _device(folder: Path) -> Iterator[Device]:
    if (folder / "md").is_dir() and (level := text(folder / "md/level")) not in ("", "container"):
        slots = int(text(folder / "md/raid_disks") or 0)
        missing = int(text(folder / "md/degraded") or 0)
        yield Device(folder.name, level, tuple(_members(folder)), slots, missing, _sync(folder / "md"))
    elif not folder.name.startswith(_NO_DISKS) and (folder / "device").exists() and _size_bytes(folder):
        yield Device(folder.name, model=text(folder / "device/model"), size_bytes=_size_bytes(folder))


def _size_bytes(folder: Path) -> int:
    return int(text(folder / "size") or 0) * SECTOR_BYTES


def _members(folder: Path) -> Iterator[str]:
    """Disks, also of its partitions; by name."""
    names = set()
    for link in (folder / "slaves").glob("*"):
        place = link.resolve()
        names.add(place.parent.name if (place / "partition").exists() else place.name)
    yield from sorted(names, key=lambda name: (len(name), name))


def _sync(md: Path) -> str:
    sync = sync_of(*(text(md / name) for name in ("sync_action", "sync_completed", "sync_speed")))
    if sync is None:
        return ""
    return f"{sync.action} {100 * sync.done_bytes / sync.total_bytes:.0f} %" if sync.total_bytes else sync.action


class MachineAtWork:
    """Of this machine."""

    def __init__(self) -> None:
        self._counters = DiskCounters()

    devices = staticmethod(devices)

    def read(self, names: Sequence[str]) -> Sample:
        """By place in `names`."""
        return Sample(time.time_ns(), time.monotonic_ns(), self._counters.read(names))
