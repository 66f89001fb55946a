"""All arrays and pools of this machine, now. Read-only: opens no disk but members of an inactive or split array;
smartctl leaves sleeping disks asleep.

Disks and md arrays of this machine at work, by sysfs and /proc/diskstats. Opens no disk, needs no root.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from raidtui.core.arrays import monitor
from raidtui.core.arrays.array import Array, sync_of
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.arrays.monitor import CheckMarks
from raidtui.core.arrays.pools import KeptPool
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.arrays.superblock import Superblock
from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import SECTOR_BYTES, Machine
from raidtui.core.run.at_work import Device
from raidtui.core.run.samples import Sample
from raidtui.system import discovery, doctor, health, kmsg, md
from raidtui.system.arrays import boot_files, monitors, pool_units
from raidtui.system.block import DiskCounters, text
from raidtui.system.programs import which

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


def _sync(folder: Path) -> str:
    sync = sync_of(*(text(folder / name) for name in ("sync_action", "sync_completed", "sync_speed")))
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


def look(
    kept_by_uuid: Callable[[set[str]], dict[str, KeptArray]], kept_pools: Callable[[], dict[str, KeptPool]] = dict
) -> ArraysStatus:
    """`kept_by_uuid`: UUID digits -> runs that keep them; `kept_pools`: by GUID."""
    machine = discovery.read_without_opening()
    pools_here, not_read = pool_units.read()
    kept = kept_pools() if pools_here is not None else {}  # else whether these are here is not known
    of_pools = Surroundings(pools=pools_here or (), kept_pools=kept, not_read=not_read)
    plain = status_of(machine, of_pools, time.time())
    if not plain.arrays:
        return plain
    marks, why_not = check_marks()
    boot = boot_files.read()
    names = _names(plain.arrays)
    healths = health.drives(names) if machine.root else {}
    around = msgspec.structs.replace(
        of_pools,
        boot=boot,
        monitor=monitors.look(boot),
        checks=marks,
        smart=_smart(names, health.counts_told(healths)) if machine.root else {},
        recoveries={name: drive.recovery for name, drive in healths.items()},
        superblocks=_superblocks(plain.arrays) if machine.root else {},
        kept=kept_by_uuid({digits(array.uuid) for array in plain.arrays} - {""}),
        not_read=(*not_read, *_not_read(machine, why_not)),
    )
    told = status_of(machine, around, time.time())
    return msgspec.structs.replace(told, not_read=(*told.not_read, *_unknown_recovery(told.arrays, machine)))


def _superblocks(arrays: Iterable[Array]) -> dict[str, Superblock]:
    """Of arrays whose state the kernel does not know, or that run twice. Those of others would wake their disks."""
    unclear = (array for array in arrays if array.health == "inactive" or array.halves)
    devices = {member.device for array in unclear for member in array.members if member.device}
    return {name: block for name in devices if (block := md.superblock_record(f"/dev/{name}"))}


def _names(arrays: Iterable[Array]) -> list[str]:
    return sorted({member.disk.name for array in arrays for member in array.members if member.disk} - {""})


def _unknown_recovery(arrays: Iterable[Array], machine: Machine) -> Iterable[str]:
    disks = {member.disk.name: member.disk.recovery for array in arrays for member in array.members if member.disk}
    names = sorted(name for name, recovery in disks.items() if name and recovery.erc in ("not checked", "supported"))
    if names and machine.root and which("smartctl"):  # else nothing of SMART was read, which is told
        yield f"error recovery (SCT ERC) of {', '.join(names)}"


def _smart(names: Sequence[str], counts: dict[str, dict[str, float | str]]) -> dict[str, dict[str, float | str]]:
    """With temperatures of the others."""
    for name, celsius in health.temperatures(name for name in names if name not in counts).items():
        limit = {} if celsius.limit is None else {"temperature limit, °C": celsius.limit}
        counts[name] = {"temperature, °C": celsius.now, **limit}
    return counts


def _not_read(machine: Machine, why_no_log: str) -> Iterable[str]:
    if not machine.root:
        yield "SMART health, and which runs of root keep an array (not root)"
    elif which("smartctl") is None:
        yield health.why_nothing()
    if why_no_log:
        yield why_no_log


_MDCHECK = "var/lib/mdcheck"
_MOST_FILES = 1000
_MOST_BYTES = 64  # of a file that holds one sector's number


def check_marks(base: Path = Path("/")) -> tuple[CheckMarks, str]:
    """Marks of checks (mdcheck, this boot's log, schedules), and why the log is unreadable, or ""."""
    records, why_not = kmsg.so_far()
    booted_s = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)  # the log's clock stands still in a sleep, too
    marks = CheckMarks(ended_s=monitor.of_kernel_log(records, booted_s), scheduled_by=doctor.scheduled_checks(base))
    return monitor.latest_of((marks, *_of_mdcheck(base / _MDCHECK))), why_not


def _of_mdcheck(folder: Path) -> list[CheckMarks]:
    marks = []
    try:
        for path in sorted(folder.iterdir())[:_MOST_FILES]:
            with path.open("rb") as file:
                marks.append(monitor.of_mdcheck(path.name, file.read(_MOST_BYTES), path.stat().st_mtime))
    except OSError:  # there is none, or a check that has just ended took its file away
        pass
    return marks
