"""Conditions of a ZFS pool: grade, sentence, remedy per row. Commands are for a person; raidtui runs none."""

from collections.abc import Callable, Iterable, Iterator
from shlex import quote

import msgspec

from raidtui.core.arrays.array import Condition, Grade, worst
from raidtui.core.arrays.pools import NOT_IMPORTED, Pool, PoolDevice
from raidtui.core.units import format_duration

_SCRUB_EVERY_S = 45 * 86400  # Debian scrubs monthly; half a month of grace
_FULL_PERCENT = 80.0  # from where ZFS looks longer for room (OpenZFS, Workload Tuning)
_WORKS = ("ONLINE", "AVAIL", "INUSE")
_LOST = ("FAULTED", "UNAVAIL", "SUSPENDED")
_GOOD, _ATTENTION, _DEGRADED, _FAILED = Grade.GOOD, Grade.ATTENTION, Grade.DEGRADED, Grade.FAILED
Facts = dict[str, str]


class PoolRow(msgspec.Struct, frozen=True):
    kind: str
    grade: Grade
    facts: Callable[[Pool, float], Iterable[Facts]]
    words: str
    remedy: str


def when(holds: Callable[[Pool], bool]) -> Callable[[Pool, float], Iterable[Facts]]:
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


def _going_on(kind: str) -> Callable[[Pool, float], Iterable[Facts]]:
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
    return msgspec.structs.replace(pool, conditions=ordered, grade=worst(tuple(item.grade for item in ordered)))
