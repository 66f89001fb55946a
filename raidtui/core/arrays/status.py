"""Status of all arrays, from md and the rest of the machine. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime

import msgspec
from msgspec.structs import replace

from raidtui.core.arrays import monitor as monitor_module
from raidtui.core.arrays.array import GRADES, WRITE_MOSTLY, Array, ArrayMember, Condition, Grade, KnownDisk, Upon, worst
from raidtui.core.arrays.boot_files import AtHand, BootFiles, at_boot, mounted_at_boot
from raidtui.core.arrays.condition_facts import level_name, progress, ranges
from raidtui.core.arrays.conditions import ArraysStatus, conditions_of
from raidtui.core.arrays.monitor import CheckMarks, Monitor, last_check
from raidtui.core.arrays.pools import KeptPool, Pool, judged, not_imported, with_disks
from raidtui.core.arrays.reading import arrays_of, known_members
from raidtui.core.arrays.superblock import Superblock
from raidtui.core.disks.drive import Recovery
from raidtui.core.disks.identity import digits, is_weak
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.units import both, format_bytes, format_duration, format_rate


class KeptArray(msgspec.Struct, frozen=True):
    """Disks by slot (None: unknown), with later replacements. `grown_by`: last run that added slots. `checked_s`:
    end of the last check that a run followed. `groups`: name and UUID digits of each array below it.
    """

    run: str
    disks: tuple[KnownDisk | None, ...] = ()
    grown_by: str = ""
    checked_s: float | None = None
    groups: tuple[tuple[str, str], ...] = ()


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """Facts besides the devices; None: not read. `smart`: kernel name -> counts, `recoveries`:
    as told, `superblocks`: read from members. `kept`: UUID digits -> run. `pools`:
    imported, not judged; `kept_pools`: GUID -> run. `not_read`: in words.
    """

    boot: BootFiles | None = None
    checks: CheckMarks = CheckMarks()
    smart: dict[str, dict[str, float | str]] = {}
    recoveries: dict[str, Recovery] = {}
    superblocks: dict[str, Superblock] = {}
    kept: dict[str, KeptArray] = {}
    pools: tuple[Pool, ...] = ()
    kept_pools: dict[str, KeptPool] = {}
    monitor: Monitor = Monitor()
    not_read: tuple[str, ...] = ()


def status_of(machine: Machine, around: Surroundings, now_s: float) -> ArraysStatus:
    """`now_s`: UTC."""
    names = {device.name: (device.path, f"/dev/{device.name}", *device.links) for device in machine.devices}
    found = arrays_of(machine, around.smart, around.recoveries, around.superblocks)
    here = {digits(array.uuid) for array in found}
    arrays = in_trees(_judged(_in_its_place(array, around, machine.host, names, here), now_s) for array in found)
    pools = tuple(judged(pool, now_s) for pool in _pools(machine, around, names))
    return ArraysStatus(
        host=machine.host,
        at_s=now_s,
        grade=worst((*(array.grade for array in arrays), *(pool.grade for pool in pools))),
        arrays=arrays,
        pools=pools,
        monitor=around.monitor,
        not_read=(*around.not_read, *(around.boot.not_read if around.boot else ())),
    )


def in_trees(arrays: Iterable[Array]) -> tuple[Array, ...]:
    """An array before its groups, whose worst grade it has."""
    arrays = tuple(arrays)
    below = {array.name: [part for part in arrays if part.part_of == array.name] for array in arrays}
    in_order: list[Array] = []
    for array in arrays:
        if array.part_of not in below:
            grade = worst((array.grade, *(part.grade for part in below[array.name])))
            in_order += [replace(array, grade=grade), *below[array.name]]
    # What no kernel of today makes, groups of groups, is listed, too.
    return (*in_order, *(array for array in arrays if array.name not in {one.name for one in in_order}))


def _pools(machine: Machine, around: Surroundings, names: Mapping[str, tuple[str, ...]]) -> Iterator[Pool]:
    if around.pools:
        known = known_members(machine, disks_of(machine), around.smart, around.recoveries)
        by_node = {node: disk for name, disk in known.items() for node in names.get(name, ())}
        for pool in around.pools:
            kept = around.kept_pools.get(pool.guid)
            yield replace(with_disks(pool, by_node), run=kept.run if kept else "")
    here = {pool.guid for pool in around.pools}
    yield from (not_imported(guid, kept) for guid, kept in around.kept_pools.items() if guid not in here)


def _judged(array: Array, now_s: float) -> Array:
    conditions = conditions_of(array, now_s)
    grade = worst(tuple(condition.grade for condition in conditions))
    return replace(array, conditions=conditions, grade=grade)


def _in_its_place(
    array: Array,
    around: Surroundings,
    host: str,
    names: Mapping[str, tuple[str, ...]],
    here: Set[str],
) -> Array:
    """`here`: the UUID digits of all arrays of which a member is."""
    uuid = digits(array.uuid)
    boot, kept = around.boot, around.kept.get(uuid)
    compared = array.mismatches
    checked = compared is not None and compared.final and compared.counted_by in ("check", "repair")
    if boot is not None:
        upon = tuple(
            replace(volume, boot=mounted_at_boot(volume, boot, names.get(volume.device, ()))) for volume in array.upon
        )
        members = tuple(names[member.device] for member in array.members if member.device in names)
        found = AtHand(uuid=uuid, title=array.title, metadata=array.metadata or "1.2", host=host, members=members)
        array = replace(array, upon=upon, at_boot=at_boot(boot, found))
    return replace(
        array,
        members=_named(array, kept.disks) if kept else array.members,
        checked=last_check(around.checks, array.name, uuid, checked, kept.checked_s if kept else None),
        run=kept.run if kept else "",
        groups_missing=tuple(name for name, group in kept.groups if group not in here) if kept else (),
    )


def _named(array: Array, built_of: tuple[KnownDisk | None, ...]) -> tuple[ArrayMember, ...]:
    """An empty slot gets the run's disk. Not if without own identity: another may be in its place."""
    member_ids = {member.disk.id for member in array.members if member.disk and member.slot is not None}

    def was(slot: int | None) -> KnownDisk | None:
        disk = built_of[slot] if slot is not None and slot < len(built_of) else None
        return disk if disk and disk.id not in member_ids and not is_weak(disk.id) else None

    return tuple(
        replace(member, disk=was(member.slot))
        if member.role in ("missing", "gone", "failed") and member.disk is None
        else member
        for member in array.members
    )


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
        deep = "  " if array.part_of else ""
        groups = [part for part in status.arrays if part.part_of == array.name]
        yield from (f"{deep}{line}" for line in _array(array, status.at_s, groups))
        yield ""
    for pool in status.pools:
        yield from _pool(pool, status.at_s)
        yield ""
    yield _counted("array", [array.grade for array in status.arrays]) if status.arrays else "no md arrays"
    if status.pools:
        yield _counted("ZFS pool", [pool.grade for pool in status.pools])
    if watched := monitor_module.words(status.monitor):
        todo = monitor_module.remedy(status.monitor)
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


def _array(array: Array, now_s: float, groups: Sequence[Array]) -> Iterator[str]:
    kind = level_name(array) or "md array"
    of_slots = f" of {array.slots} {'groups' if groups else 'disks'}" if array.slots else ""
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
    yield from _fact("group", f"of {array.part_of}" if array.part_of else "")
    yield from _fact("groups", ", ".join(f"{part.name} {part.health}" for part in groups))
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
