"""Values of a ZFS pool, from zpool-list(8), zpool-status(8) of OpenZFS 2.1; times are UTC (zpool runs with TZ=UTC).

Conditions of a ZFS pool: grade, sentence, remedy per row. Commands are for a person; raidtui runs none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from shlex import quote
from typing import Literal

import msgspec
from msgspec.structs import replace

from raidtui.core.arrays.array import Condition, Grade, KnownDisk, worst
from raidtui.core.text import clean
from raidtui.core.units import format_duration

LIST = ("zpool", "list", "-H", "-p", "-o", "name,guid,health,size,allocated,cachefile")
_FIELDS = 6
_ERRORS = re.compile(r"^errors: (\d+) data errors", re.MULTILINE)
# Of a dRAID there may be two: the scrub that was, and the resilver; a pause is told on a line of its own
_SCAN = re.compile(r"^ *scan: (.*(?:\n(?:\t| {4}).*)*)", re.MULTILINE)
_ENDED = re.compile(r"(scrub repaired|scrub canceled|resilvered)\b.*? on (\w+ +\w+ +\d+ [\d:]+ \d{4})")
_GOES_ON = re.compile(r"^(?:error )?(scrub|resilver)(?: \([^)\n]*\))? (in progress|paused)")
_DONE = re.compile(r"([\d.]+)% done")
_STATES = ("ONLINE", "DEGRADED", "FAULTED", "OFFLINE", "UNAVAIL", "REMOVED", "AVAIL", "INUSE")
_AWAY = ("UNAVAIL", "REMOVED")
_LINKS = "/dev/disk/"
NOT_IMPORTED = "not imported"  # in the place of ZFS' word
ScanKind = Literal["", "scrub", "resilver"]


class PoolDevice(msgspec.Struct, frozen=True, kw_only=True):
    """A disk or part of one; of a missing one ZFS' number. `state`: ZFS' word; errors since the last `zpool clear`."""

    device: str
    state: str
    read_errors: int = 0
    write_errors: int = 0
    checksum_errors: int = 0
    was: str = ""
    disk: KnownDisk | None = None


class PoolScan(msgspec.Struct, frozen=True, kw_only=True):
    """Running scrub or resilver, "": none. `paused`: by a person. `scrubbed_s`: last complete scrub, if known."""

    going_on: ScanKind = ""
    done_percent: float | None = None
    paused: bool = False
    scrubbed_s: float | None = None


class Pool(msgspec.Struct, frozen=True, kw_only=True):
    """`health`: ZFS' word; absent kept pools "not imported". `at_boot`: in boot's cache file. `run`: its keeper."""

    name: str
    guid: str
    health: str
    grade: Grade = Grade.GOOD
    size_bytes: int | None = None
    allocated_bytes: int | None = None
    devices: tuple[PoolDevice, ...] = ()
    scan: PoolScan = PoolScan()
    data_errors: int = 0
    at_boot: bool = False
    run: str = ""
    conditions: tuple[Condition, ...] = ()

    @property
    def used_percent(self) -> float:
        return 100 * self.allocated_bytes / self.size_bytes if self.size_bytes and self.allocated_bytes else 0.0


class KeptPool(msgspec.Struct, frozen=True):
    run: str
    name: str


def status_argv(name: str) -> tuple[str, ...]:
    return ("env", "TZ=UTC", "zpool", "status", "-P", "-p", name)


def listed(printed: str) -> Iterator[Pool]:
    """Imported pools in `LIST`'s output; other lines are skipped."""
    for line in printed.splitlines():
        words = line.split("\t")
        if len(words) == _FIELDS and words[1].isdecimal():
            name, guid, health, size, allocated, cached = map(clean, words)
            yield Pool(
                name=name,
                guid=guid,
                health=health,
                size_bytes=_number(size),
                allocated_bytes=_number(allocated),
                at_boot=cached != "none",
            )


def with_status(pool: Pool, printed: str) -> Pool:
    """Adds devices, scan and errors from `status_argv`'s output."""
    errors = _ERRORS.search(printed)
    return replace(
        pool,
        devices=tuple(_devices(printed)),
        scan=_scan(printed),
        data_errors=int(errors[1]) if errors else 0,
    )


def with_disks(pool: Pool, disks: Mapping[str, KnownDisk]) -> Pool:
    """`disks`: by any node or link of disks and partitions."""
    devices = (replace(one, disk=_disk_of(one, disks)) for one in pool.devices)
    return replace(pool, devices=tuple(devices))


def _disk_of(one: PoolDevice, disks: Mapping[str, KnownDisk]) -> KnownDisk | None:
    """Of a missing device only by link: the kernel may have reused its name, and the wrong disk would be pulled."""
    names = [one.device] if one.state not in _AWAY or one.device.startswith(_LINKS) else []
    names += [one.was] if one.was.startswith(_LINKS) else []
    return next((disk for name in names if (disk := disks.get(name))), None)


def not_imported(guid: str, kept: KeptPool) -> Pool:
    return Pool(name=kept.name, guid=guid, health=NOT_IMPORTED, run=kept.run)


def _devices(printed: str) -> Iterator[PoolDevice]:
    for line in printed.splitlines():
        words = [clean(word) for word in line.split()]
        if len(words) < 2 or words[1] not in _STATES or not (words[0].startswith("/") or words[0].isdecimal()):
            continue
        counts = [int(word) if word.isdecimal() else 0 for word in (*words[2:5], *"000")]
        yield PoolDevice(
            device=words[0],
            state=words[1],
            read_errors=counts[0],
            write_errors=counts[1],
            checksum_errors=counts[2],
            was=words[words.index("was") + 1] if "was" in words[2:-1] else "",
        )


def _scan(printed: str) -> PoolScan:
    scans = [match[1] for match in _SCAN.finditer(printed)]
    running = sorted(
        (goes_on[2] == "paused", float(done[1]) if (done := _DONE.search(scan)) else 0.0, goes_on[1], bool(done))
        for scan in scans
        if (goes_on := _GOES_ON.match(scan))
    )
    ends = [ended[2] for scan in scans if (ended := _ENDED.match(scan)) and ended[1] == "scrub repaired"]
    scrubbed_s = _time_s(ends[-1]) if ends else None
    if not running:
        return PoolScan(scrubbed_s=scrubbed_s)
    paused, percent, kind, is_known = running[0]  # of several the one that has most to do
    kinds: dict[str, ScanKind] = {"scrub": "scrub", "resilver": "resilver"}
    return PoolScan(
        going_on=kinds[kind], done_percent=percent if is_known else None, paused=paused, scrubbed_s=scrubbed_s
    )


def _time_s(words: str) -> float | None:
    try:
        return datetime.strptime(words, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _number(word: str) -> int | None:
    return int(word) if word.isdecimal() else None


_SCRUB_EVERY_S = 45 * 86400  # Debian scrubs monthly; half a month of grace
_FULL_PERCENT = 80.0  # from where ZFS looks longer for room (OpenZFS, Workload Tuning)
_WORKS = ("ONLINE", "AVAIL", "INUSE")
_LOST = ("FAULTED", "UNAVAIL", "SUSPENDED")
_GOOD, _ATTENTION, _DEGRADED, _FAILED = Grade
Facts = dict[str, str]
_FactsOf = Callable[[Pool, float], Iterable[Facts]]


class PoolRow(msgspec.Struct, frozen=True):
    kind: str
    grade: Grade
    facts: _FactsOf
    words: str
    remedy: str


def when(holds: Callable[[Pool], bool]) -> _FactsOf:
    return lambda pool, now_s: [{}] if holds(pool) else []


def _device(device: PoolDevice) -> Facts:
    title = f" ({device.disk.title})" if device.disk else f" (was {device.was})" if device.was else ""
    counted = f"{device.read_errors} read, {device.write_errors} write and {device.checksum_errors} checksum errors"
    return {"device": device.device, "disk": title, "state": device.state, "counted": counted}


def _lost(pool: Pool, now_s: float) -> Iterator[Facts]:
    yield from (_device(device) for device in pool.devices if device.state not in _WORKS)


def _erring(pool: Pool, now_s: float) -> Iterator[Facts]:
    for device in pool.devices:
        if device.state in _WORKS and (device.read_errors or device.write_errors or device.checksum_errors):
            yield _device(device)


def progress(pool: Pool) -> str:
    done = pool.scan.done_percent
    return f"{done:.1f} % done" if done is not None else "just begun"


def _going_on(kind: str) -> _FactsOf:
    return lambda pool, now_s: (
        [{"progress": progress(pool)}] if pool.scan.going_on == kind and not pool.scan.paused else []
    )


def _paused(pool: Pool, now_s: float) -> Iterator[Facts]:
    if pool.scan.paused:
        yield {"kind": pool.scan.going_on, "progress": progress(pool)}


def _scrubbed_long_ago(pool: Pool, now_s: float) -> Iterator[Facts]:
    at_s = pool.scan.scrubbed_s
    if at_s is not None and now_s - at_s > _SCRUB_EVERY_S:
        yield {"ago": format_duration(now_s - at_s)}


ROWS: tuple[PoolRow, ...] = (
    PoolRow("pool-not-imported", _FAILED, when(lambda pool: pool.health == NOT_IMPORTED),
        "not imported, though raidtui's run {run} keeps it",
        "`zpool import` tells what of it is here; reconnect missing disks, then `zpool import -N {guid}` and `zfs"
        " mount {name}`"),
    PoolRow("pool-lost", _FAILED, when(lambda pool: pool.health in _LOST),
        "{health}: too few of its disks answer, what is on it cannot be reached",
        "create nothing new on its disks: reconnect the missing ones (cable, power, slot), then `zpool clear"
        " {name}`"),
    PoolRow("pool-data-lost", _DEGRADED, when(lambda pool: pool.data_errors > 0),
        "{errors} of its files or blocks could not be read from any copy",
        "`zpool status -v {name}` lists them: restore them from a backup, then scrub"),
    PoolRow("pool-device-lost", _DEGRADED, _lost,
        "{device}{disk} is {state}",
        "check its cable, power and slot, then `zpool online {name} {device}`; if it failed, `zpool replace {name}"
        " {device} NEW`"),
    PoolRow("pool-device-errors", _ATTENTION, _erring,
        "{device}{disk} had {counted}, which the others made good",
        "check its SMART and cable, `zpool clear {name}`, `zpool scrub {name}`; if the count grows, `zpool replace"
        " {name} {device} NEW`"),
    PoolRow("pool-resilver", _GOOD, _going_on("resilver"),
        "being rebuilt: {progress}", "wait, and spare the other disks"),
    PoolRow("pool-scrub", _GOOD, _going_on("scrub"), "being scrubbed: {progress}", ""),
    PoolRow("pool-scrub-paused", _ATTENTION, _paused,
        "its {kind} is paused: {progress}", "`zpool scrub {name}` continues it"),
    PoolRow("pool-full", _ATTENTION, when(lambda pool: pool.used_percent >= _FULL_PERCENT),
        "{used} % of it is full; from 80 % on ZFS writes more slowly",
        "make room, or give it more disks (`zpool add`)"),
    PoolRow("pool-scrub-long-ago", _ATTENTION, _scrubbed_long_ago,
        "last scrubbed {ago} ago", "`zpool scrub {name}`, in a quiet hour"),
    PoolRow("pool-never-scrubbed", _GOOD,
        when(lambda pool: pool.scan.scrubbed_s is None and not pool.scan.going_on and bool(pool.devices)),
        "when it was last scrubbed is not known", "`zpool scrub {name}`, in a quiet hour"),
    PoolRow("pool-not-at-boot", _GOOD, when(lambda pool: not pool.at_boot and bool(pool.devices)),
        "it is in no cache file, by which boot imports pools",
        "`zpool set cachefile= {name}`, if it is to come back"),
)  # fmt: skip


def judged(pool: Pool, now_s: float) -> Pool:
    """Most urgent condition first. `now_s`: UTC."""
    of_pool = {
        "name": pool.name,
        "guid": pool.guid,
        "run": pool.run,
        "health": pool.health,
        "errors": str(pool.data_errors),
        "used": f"{pool.used_percent:.0f}",
    }
    conditions = [
        Condition(
            kind=row.kind,
            grade=row.grade,
            words=row.words.format(**of_pool, **facts),
            remedy=row.remedy.format(**{key: quote(word) for key, word in (of_pool | facts).items()}),
        )
        for row in ROWS
        for facts in row.facts(pool, now_s)
    ]
    ordered = tuple(sorted(conditions, key=lambda condition: -list(Grade).index(condition.grade)))
    return replace(pool, conditions=ordered, grade=worst(tuple(item.grade for item in ordered)))
