"""Status of arrays as lines for a person."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from raidtui.core.arrays import monitor
from raidtui.core.arrays.array import GRADES, WRITE_MOSTLY, Array, ArrayMember, Condition, Grade, Upon
from raidtui.core.arrays.condition_facts import level_name, progress, ranges
from raidtui.core.arrays.conditions import ArraysStatus
from raidtui.core.arrays.pools import Pool
from raidtui.core.units import both, format_bytes, format_duration, format_rate

_ACTIONS = {"recover": "rebuild", "resync": "resync", "check": "check", "repair": "repair", "reshape": "reshape"}
_CONSISTENCY = {
    "bitmap": "bitmap: after a crash, resync of regions being written",
    "resync": "no bitmap: after a crash, full resync",
    "journal": "a journal device closes the write hole",
    "ppl": "a partial parity log closes the write hole",
}
_SMART = (
    ("health", "SMART {}"),
    ("temperature, °C", "{} °C"),
    ("used, %", "{} % of its writes used"),
    ("power-on hours", "{} h"),
    ("reallocated sectors", "{} reallocated"),
)
_ASSEMBLIES = {
    "ARRAY line": "as {node}, by an ARRAY line of {file}",
    "by itself": "as {node}, by its superblock; no ARRAY line names it",
    "another name": "by its superblock, perhaps under another name; no ARRAY line names it",
    "ignored": "not: ignored in mdadm.conf",
    "not known": "not known",
}


def lines_of(status: ArraysStatus) -> Iterator[str]:
    """Arrays, counts by grade, what was not read."""
    for array in status.arrays:
        yield from _array(array, status.at_s)
        yield ""
    for pool in status.pools:
        yield from _pool(pool, status.at_s)
        yield ""
    yield _counted("array", [array.grade for array in status.arrays]) if status.arrays else "no md arrays"
    if status.pools:
        yield _counted("ZFS pool", [pool.grade for pool in status.pools])
    if watched := monitor.words(status.monitor):
        todo = monitor.remedy(status.monitor)
        yield f"monitor: {watched}{f' -> {todo}' if todo else ''}"
    yield from (f"not read: {reason}" for reason in status.not_read)


def _counted(noun: str, of_grades: Sequence[Grade]) -> str:
    counts = Counter(of_grades)
    grades = ", ".join(f"{counts[grade]} {grade}" for grade in reversed(GRADES) if counts[grade])
    return f"{len(of_grades)} {noun}{'' if len(of_grades) == 1 else 's'}: {grades}"


def _pool(pool: Pool, now_s: float) -> Iterator[str]:
    size = f", {both(pool.size_bytes)}, {pool.used_percent:.0f} % used" if pool.size_bytes else ""
    health = pool.health if pool.grade is Grade.GOOD else f"{pool.health}, {pool.grade}"
    yield f"{pool.name}  ZFS pool of {len(pool.devices)} disks{size}  {health}"
    yield from _fact("name", f"GUID {pool.guid}")
    for number, device in enumerate(pool.devices):
        words = [
            device.device,
            device.state.ljust(8),
            device.disk.title if device.disk else f"was {device.was}" if device.was else "",
        ]
        yield f"  {'devices' if number == 0 else '':<9} {' '.join(words)}".rstrip()
    if pool.scan.scrubbed_s is not None:
        day = datetime.fromtimestamp(pool.scan.scrubbed_s, UTC)
        ago = format_duration(max(0.0, now_s - pool.scan.scrubbed_s))
        yield from _fact("scrubbed", f"{day:%Y-%m-%d %H:%M} UTC, {ago} ago")
    yield from _fact("boot", "by ZFS' cache file" if pool.at_boot else "")
    yield from _fact("run", f"{pool.run} of raidtui keeps it" if pool.run else "")
    yield from _conditions(pool.conditions)


def _conditions(conditions: Sequence[Condition]) -> Iterator[str]:
    for condition in conditions:
        yield f"  {condition.grade if condition.grade is not Grade.GOOD else 'note':<9} {condition.words}"
        yield from _fact("", f"-> {condition.remedy}" if condition.remedy else "")


def _array(array: Array, now_s: float) -> Iterator[str]:
    kind = level_name(array) or "md array"
    of_slots = f" of {array.slots} disks" if array.slots else ""
    details = [array.layout, f"chunk {both(array.chunk_bytes)}" if array.chunk_bytes else ""]
    size = f", {both(array.size_bytes)}" if array.size_bytes else ""
    yield f"{array.name}  {kind}{of_slots}{size}  {_word(array)}"
    names = (array.title, f"UUID {array.uuid}" if array.uuid else "")
    yield from _fact("name", " ".join(name for name in names if name))
    yield from _fact("layout", ", ".join(part for part in details if part))
    for number, words in enumerate(_members(array)):
        yield f"  {'members' if number == 0 else '':<9} {words}"
    if array.sync:
        yield from _fact(_ACTIONS.get(array.sync.action, array.sync.action), _sync(array))
    yield from _fact("checked", _checked(array, now_s))
    yield from _fact("crash", _CONSISTENCY.get(array.consistency, ""))
    for upon in array.upon:
        yield from _fact("holds", _upon(upon))
    if array.health not in ("stopped", "container"):
        at_boot = array.at_boot
        yield from _fact("boot", _ASSEMBLIES[at_boot.assembly].format(node=at_boot.node, file=at_boot.file))
    yield from _fact("run", f"{array.run} of raidtui keeps it" if array.run else "")
    yield from _conditions(array.conditions)


def _word(array: Array) -> str:
    return array.health if array.grade in (Grade.GOOD, array.health) else f"{array.health}, {array.grade}"


def _fact(title: str, words: str) -> Iterator[str]:
    if words:
        yield f"  {title:<9} {words}"


def _members(array: Array) -> Iterator[str]:
    empty = [member for member in array.of_role("missing") if not member.disk]
    for member in array.members:
        if len(empty) < 2 or member not in empty:
            yield _member(member)
        elif member is empty[0]:
            yield f"{ranges([member.slot for member in empty if member.slot is not None])}: {len(empty)} missing"


def _member(member: ArrayMember) -> str:
    slot = str(member.slot) if member.slot is not None else "-"
    words = [slot.rjust(2), (member.device or "-").ljust(8), member.role.ljust(11)]
    if WRITE_MOSTLY in member.states:
        words.append("write-mostly,")
    if member.disk:
        title = ("was " if member.role == "missing" else "") + member.disk.title
        smart_words = [pattern.format(member.disk.smart[key]) for key, pattern in _SMART if key in member.disk.smart]
        words.append(", ".join(word for word in (title, member.disk.place, *smart_words) if word))
    return " ".join(words).rstrip()


def _sync(array: Array) -> str:
    speed = f", {format_rate(array.sync.bytes_per_s)} a member" if array.sync and array.sync.bytes_per_s else ""
    return progress(array) + speed


def _checked(array: Array, now_s: float) -> str:
    if array.health not in ("clean", "degraded") or array.level in ("0", "linear"):
        return ""
    checked, compared = array.checked, array.mismatches
    words = ["not known when"]
    if checked.at_s is not None:
        day = datetime.fromtimestamp(checked.at_s, UTC)
        words = [f"{day:%Y-%m-%d %H:%M} UTC, {format_duration(max(0.0, now_s - checked.at_s))} ago ({checked.source})"]
        words += [] if checked.complete else ["complete: not known"]
    elif checked.paused_bytes is not None:
        words = [f"partly: continues at {format_bytes(checked.paused_bytes)} of each member (mdcheck)"]
    if compared and compared.counted_by in ("check", "repair"):
        words.append(f"{compared.sectors} sectors differ{'ed' if compared.final else ' so far'}")
    if checked.scheduled_by:
        words.append(f"scheduled by {', '.join(checked.scheduled_by)}")
    return "; ".join(words)


def _upon(upon: Upon) -> str:
    kind = f"{upon.kind or 'unknown'} on {upon.volume or upon.device}" + (f" UUID {upon.uuid}" if upon.uuid else "")
    mount_points = f", at {', '.join(upon.mounted_at)}" if upon.mounted_at else ", not mounted"
    if upon.boot is None:
        return kind + mount_points
    boot = "; ".join(f"{boot_mount.mountpoint} by {boot_mount.by} in {boot_mount.file}" for boot_mount in upon.boot)
    return f"{kind}{mount_points}; at boot: {boot or 'not mounted'}"
