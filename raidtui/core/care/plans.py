"""Plans for the care of a kept array: check, replacement, growth. Pure.

Layers and file systems on a grown array: who grows them, the run or a person. Pure.
"""

import re
from collections.abc import Iterator, Sequence
from shlex import quote

import msgspec

from raidtui.core.arrays.array import WRITE_MOSTLY, Array, ArrayMember
from raidtui.core.care import rules
from raidtui.core.care.rules import Partition
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.machine import partition_prefix
from raidtui.core.plan import estimate
from raidtui.core.plan.answers import Answers, PlanNotSafe, PlanRefused
from raidtui.core.plan.model import SCHEMA, Member, Plan, Stage, machine_digest
from raidtui.core.plan.planner import erase, refuse_maps, sealed
from raidtui.core.plan.selection import chosen_disks, member_of
from raidtui.core.plan.steps import Step, Write
from raidtui.core.plan.target import Care, by_hand_words
from raidtui.core.raid import layers
from raidtui.core.raid.disk_kinds import kind_of, slowest
from raidtui.core.raid.filesystems import FILE_SYSTEMS
from raidtui.core.raid.levels import is_further_copy, level
from raidtui.core.raid.redundancy import MD_LIMIT_BYTES_PER_S
from raidtui.core.units import Units, format_bytes

NESTED = "# a partition, or several layers, lie on it: each gets the room by hand, from the array upwards"
_NODE = re.compile(r"/dev(?![\w-])")  # a device's, whatever is before and after it
_GROW = {row.key: row.grow for row in FILE_SYSTEMS}
_NOT_IN_IT = ("left out", "missing", "gone")  # roles
_OF_32_BITS = {row.key: row.most_bytes_of_32_bits for row in FILE_SYSTEMS}


def ends_before(array: Array, grown_bytes: int) -> str:
    """A note if a file system on it may not grow that far, or ""."""
    for upon in array.upon:
        limit_bytes = _OF_32_BITS.get(upon.kind, 0)
        if limit_bytes and (array.size_bytes or 0) <= limit_bytes < grown_bytes:
            limit = format_bytes(limit_bytes, Units.BINARY)
            return f"{upon.kind} without the feature 64bit ends at {limit} (`tune2fs -l` shows its features)"
    return ""


def command(array: Array) -> tuple[str, ...]:
    """Grows a mounted file system directly on the array; () if a person must."""
    if len(array.upon) != 1:
        return ()
    (upon,) = array.upon
    folder = upon.mounted_at[0] if upon.mounted_at else ""
    if (
        not folder
        or "{" in folder
        or _NODE.search(folder)
        or upon.device != array.name
        or upon.volume
        or upon.container
    ):
        return ()
    return tuple(word.format(node="{array}", folder=folder) for word in _GROW.get(upon.kind, "").split())


def lines(array: Array) -> Iterator[str]:
    """For a person; with several volumes, layers or partitions they decide who gets the space."""
    if any(upon.nested for upon in array.upon):
        yield NESTED
        return
    on_volumes = [upon for upon in array.upon if upon.volume]
    yield from (f"cryptsetup resize {upon.container}" for upon in array.upon if upon.container)
    if on_volumes:
        yield f"pvresize {array.node}"
    for upon in array.upon if len(on_volumes) < 2 else ():
        if upon.volume:
            yield f"lvextend --extents +100%FREE {upon.volume}"
        node = f"/dev/{upon.volume or (f'mapper/{upon.container}' if upon.container else upon.device)}"
        yield from _grown(upon.kind, upon.mounted_at[0] if upon.mounted_at else "", node)


def _grown(kind: str, mounted_at: str, node: str) -> list[str]:
    line = _GROW.get(kind, "")
    where = quote(mounted_at or "/mnt")
    mount = [f"mount {node} {where}"] if "{folder}" in line and not mounted_at else []
    return [*mount, line.format(node=node, folder=where)] if line else []


class Limits(msgspec.Struct, frozen=True):
    """KiB/s per member; 0: unchanged."""

    at_least_kib_s: int = 0
    at_most_kib_s: int = 0

    def as_steps(self) -> list[Step]:
        """Restored at the end."""
        by_setting = {"sync_speed_max": self.at_most_kib_s, "sync_speed_min": self.at_least_kib_s}
        return [
            Write(what=f"Set {name} to {value} KiB/s", path=f"/sys/block/{{array}}/md/{name}", value=str(value))
            for name, value in by_setting.items()
            if value
        ]


class NoSuchDisk(PlanRefused):
    """One sentence: no disk of the array, or several."""


def check_steps(array: Array, disks: Sequence[Disk], limits: Limits) -> tuple[Step, ...]:
    if reason := rules.why_not_check(array):
        raise PlanRefused(reason)
    return rules.check(_estimate_s(array, disks, limits), limits.as_steps())


def check(array: Array, disks: Sequence[Disk], machine_id: str, limits: Limits) -> Plan:
    care = Care(
        kind="check",
        uuid=array.uuid,
        name=array.node,
        run=array.run,
        level=array.level,
        partitioned=is_partitioned(array, disks),
    )
    stage = Stage(title=f"Check {array.node}", steps=check_steps(array, disks, limits), trials=(), care=care)
    notes = "Reads every disk completely, which slows foreground I/O; a stop ends it."
    return _plan(machine_id, care, (), _beneath(array, disks), (stage,), (notes,))


class Replacement(msgspec.Struct, frozen=True):
    """`{member:0}`: new disk; `{beneath:N}`: old one, index in `beneath`. `partition`: of the new disk, if any."""

    member: ArrayMember
    title: str
    new: Disk
    beneath: tuple[Member, ...]
    steps: tuple[Step, ...]
    waits: bool
    partition: Partition | None = None


def replacement(array: Array, old: str, new: str, disks: Sequence[Disk], limits: Limits) -> Replacement:
    """By identity or serial number. NoSuchDisk, PlanRefused; PlanNotSafe: the new disk must not be used."""
    member = _member(array, old)
    title = member.disk.title if member.disk else f"slot {member.slot}"
    if reason := rules.why_not_replace(array, member, title):
        raise PlanRefused(reason)
    (chosen,) = _new_disks(array, (new,), disks)
    beneath = _beneath(array, disks)
    partition = _partition(array, chosen) if is_partitioned(array, disks) else None
    state = rules.OLD_STATES[member.role]
    index = next(
        (number for number, member_disk in enumerate(beneath) if member.disk and member_disk.id == member.disk.id), None
    )
    part = f":{layers.PARTITION_NUMBER}" if partition else ""
    placeholder = "" if index is None else f"{{beneath:{index}{part}}}"
    if state in ("works", "failed") and not placeholder:
        raise PlanRefused(f"{title} is in {array.name} as a partition: replace it by hand, see mdadm(8)")
    waits = state == "works" or array.health == "degraded"
    replace_steps = rules.replace(
        state,
        placeholder,
        _estimate_s(array, disks, limits),
        limits.as_steps(),
        waits=waits,
        partition=partition,
        write_mostly=WRITE_MOSTLY in member.states,
    )
    return Replacement(member, title, chosen, beneath, tuple(replace_steps), waits, partition)


def replace(array: Array, how: Replacement, machine_id: str) -> Plan:
    member = member_of(how.new)
    care = Care(
        kind="replace",
        uuid=array.uuid,
        name=array.node,
        run=array.run,
        level=array.level,
        old=how.member.disk.id if how.member.disk else "",
        old_title=how.title,
        slot=how.member.slot,
        waits=how.waits,
        partitioned=how.partition is not None,
        tables=(how.partition.table,) if how.partition else (),
    )
    stage = Stage(title=f"Replace {how.title} in {array.node}", steps=how.steps, trials=(), care=care)
    return _plan(machine_id, care, (member,), how.beneath, (*_erased((member,)), stage), (_note(how, array),))


def _new_disks(array: Array, names: Sequence[str], disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """PlanNotSafe if one must not be used or does not fit."""
    for array_member in array.members:
        member_disk = array_member.disk if array_member.role not in _NOT_IN_IT else None
        if member_disk and (taken := {member_disk.id, member_disk.serial} & {*names} - {""}):
            raise PlanNotSafe(
                f"{min(taken)} is a disk of {array.name} ({array_member.role}): name one that is not in use as the new"
            )
    chosen = chosen_disks(names, disks)
    by_name = {disk.name: disk for disk in disks}
    sectors = max((by_name[member.name].logical_sector_bytes for member in _beneath(array, disks)), default=512)
    for disk in chosen:
        if reason := rules.why_not_new(array, disk, sectors):
            raise PlanNotSafe(reason)
    return chosen


def grown_over(array: Array, new: Sequence[str], disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """By identity or serial number. PlanRefused, PlanNotSafe as `grow`."""
    if reason := rules.why_not_grow(array):
        raise PlanRefused(reason)
    return _new_disks(array, new, disks)


def grow(array: Array, new: Sequence[str], disks: Sequence[Disk], machine_id: str, limits: Limits) -> Plan:
    """Disks by identity or serial number. PlanRefused if it cannot be grown, PlanNotSafe for an unusable disk."""
    chosen = grown_over(array, new, disks)
    beneath, partitioned = _beneath(array, disks), is_partitioned(array, disks)
    if len(beneath) != len(_devices(array)):
        raise PlanRefused(f"{array.name} uses partitions or devices that no run made: grow it by hand, see mdadm(8)")
    assert array.slots and array.size_bytes
    slots = array.slots + len(chosen)
    partitions = [_partition(array, disk, index) for index, disk in enumerate(chosen)] if partitioned else []
    has_room = not is_further_copy(array.level)
    grows_then = command(array) if has_room else ()
    care = Care(
        kind="grow",
        uuid=array.uuid,
        name=array.node,
        run=array.run,
        level=array.level,
        partitioned=partitioned,
        tables=tuple(partition.table for partition in partitions),
        slots=slots,
        bytes_before=array.size_bytes,
        by_hand=tuple(lines(array)) if has_room and not grows_then else (),
    )
    estimate_s = _growth_s(array, slots, disks, limits)
    stage = Stage(
        title=f"Grow {array.node} from {array.slots} to {slots} disks",
        steps=tuple(rules.grow(slots, len(chosen), estimate_s, limits.as_steps(), partitions, grows_then)),
        trials=(),
        care=care,
    )
    members = tuple(member_of(disk) for disk in chosen)
    parity = level(array.level).parity_disks
    ends = ends_before(array, array.size_bytes // (array.slots - parity) * (slots - parity)) if has_room else ""
    notes = (*_grow_notes(care), *((f"{ends}.",) if ends else ()))
    return _plan(machine_id, care, members, beneath, (*_erased(members), stage), notes)


def _grow_notes(care: Care) -> tuple[str, ...]:
    moved = "A copy is made on the new disks" if is_further_copy(care.level) else "All data of the array are moved"
    notes = (
        f"{moved}. This cannot be undone: have a backup.",
        "A stop or an interruption ends only the watching: md continues, and `raidtui resume` watches it to its end.",
    )
    words = by_hand_words(care)
    return (*notes, f"{words}.") if words else notes


def _erased(members: tuple[Member, ...]) -> list[Stage]:
    return [
        msgspec.structs.replace(erased_stage, steps=(rules.array_kept(), *erased_stage.steps))
        for erased_stage in erase(members)
    ]


def _note(how: Replacement, array: Array) -> str:
    if how.member.role == "in sync":
        return "The old disk works: it is copied, and removed when the new one is in sync. The array is never degraded."
    if not how.waits:
        return f"A spare has replaced {how.title}: the new disk becomes the next spare."
    last = "another failure loses data" if array.level != "6" else "redundancy is reduced"
    return f"Until the rebuild has ended, {last}. A stop ends only the watching: md continues to rebuild."


def _member(array: Array, name: str) -> ArrayMember:
    """By identity, serial number or node; a disk in a slot first."""
    device_name = name.removeprefix("/dev/")
    matching = [
        array_member
        for array_member in array.members
        if name
        and (
            (array_member.disk and name in (array_member.disk.id, array_member.disk.serial))
            or (array_member.device and array_member.device == device_name)
        )
    ]
    matching = [array_member for array_member in matching if array_member.slot is not None] or matching
    if len(matching) == 1:
        return matching[0]
    members_known = ", ".join(
        array_member.disk.serial or array_member.disk.id for array_member in array.members if array_member.disk
    )
    how_many = "no disk" if not matching else "more than one disk"
    raise NoSuchDisk(
        f"{name!r} is {how_many} of {array.name}; name one of them by serial or identity:"
        f" {members_known or 'none known'}"
    )


def _beneath(array: Array, disks: Sequence[Disk]) -> tuple[Member, ...]:
    """Whole disks, or those with the partitions that a run made."""
    devices, partitioned = _devices(array), is_partitioned(array, disks)
    return tuple(
        msgspec.structs.replace(member_of(disk), warning="")
        for disk in disks
        if (_partition_name(disk) if partitioned else disk.name) in devices
    )


def _devices(array: Array) -> set[str]:
    return {member.device for member in array.members if member.role not in _NOT_IN_IT}


def is_partitioned(array: Array, disks: Sequence[Disk]) -> bool:
    """On partitions as a run makes them; others are left to a person."""
    devices = _devices(array)
    return bool(array.run) and bool(devices) and devices <= {_partition_name(disk) for disk in disks}


def _partition_name(disk: Disk) -> str:
    return f"{partition_prefix(disk.name)}{layers.PARTITION_NUMBER}"


def _partition(array: Array, new: Disk, index: int = 0) -> Partition:
    """With the usual reserve, or less. PlanNotSafe if none fits."""
    refuse_maps((new,))
    try:
        return Partition(layers.replacing_bytes(new.size_bytes, rules.least_bytes(array)), f"{{uuid:{index}}}")
    except ValueError as error:
        raise PlanNotSafe(f"{new.name} ({new.title}) is too small for {array.name}: {error}") from error


def _estimate_s(array: Array, disks: Sequence[Disk], limits: Limits) -> float:
    return (array.member_bytes or 0) / min(_disk_bytes_per_s(array, disks), _md_bytes_per_s(limits))


def _growth_s(array: Array, slots: int, disks: Sequence[Disk], limits: Limits) -> float:
    """A reshape reads and rewrites all; a new copy is a rebuild. md limits a member's sectors, RAID 10's array's."""
    if is_further_copy(array.level):
        return _estimate_s(array, disks, limits)
    assert array.slots
    parity = level(array.level).parity_disks
    written_share = (array.slots - parity) / (slots - parity)
    moved_bytes = (array.member_bytes or 0) * (1 + written_share)
    limited_bytes = (array.size_bytes if array.level == "10" else array.member_bytes) or 0
    return max(moved_bytes / _disk_bytes_per_s(array, disks), limited_bytes / _md_bytes_per_s(limits))


def _disk_bytes_per_s(array: Array, disks: Sequence[Disk]) -> float:
    ids = {array_member.disk.id for array_member in array.members if array_member.disk}
    return slowest(kind_of(disk.rotational, disk.transport == "nvme") for disk in disks if disk.id in ids).bytes_per_s


def _md_bytes_per_s(limits: Limits) -> float:
    return limits.at_most_kib_s * 1024 or MD_LIMIT_BYTES_PER_S


def _plan(
    machine_id: str, care: Care, members: tuple[Member, ...], beneath: tuple[Member, ...], stages: tuple[Stage, ...],
    notes: tuple[str, ...],
) -> Plan:  # fmt: skip
    titles = {
        "check": f"Check of {care.name}",
        "replace": f"{care.old_title} replaced in {care.name}",
        "grow": f"{care.name} grown to {care.slots} disks",
    }
    plan = Plan(
        schema=SCHEMA,
        machine=machine_digest(machine_id),
        members=members,
        beneath=beneath,
        answers=Answers(disks=tuple(member.id for member in members)),
        recipe_title=titles[care.kind],
        stages=stages,
        notes=notes,
    )
    return sealed(msgspec.structs.replace(plan, estimate_s=sum(estimate.whole(plan).values())))
