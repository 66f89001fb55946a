"""Status of all arrays, from md and the rest of the machine. Pure."""

from collections.abc import Iterator, Mapping

import msgspec

from raidtui.core.arrays.array import Array, ArrayMember, KnownDisk, worst
from raidtui.core.arrays.boot import AtHand, BootFiles, at_boot, mounted_at_boot
from raidtui.core.arrays.conditions import ArraysStatus, conditions_of
from raidtui.core.arrays.monitor import CheckMarks, Monitor, last_check
from raidtui.core.arrays.pool_conditions import judged
from raidtui.core.arrays.pools import KeptPool, Pool, not_imported, with_disks
from raidtui.core.arrays.reading import arrays_of, known_members
from raidtui.core.arrays.superblock import Superblock
from raidtui.core.disks.identity import is_weak
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.recovery import Recovery
from raidtui.core.disks.uuids import digits
from raidtui.core.disks.verdicts import disks_of


class KeptArray(msgspec.Struct, frozen=True):
    """Disks by slot (None: unknown), with later replacements. `grown_by`: last run that added slots. `checked_s`:
    end of the last check that a run followed.
    """

    run: str
    disks: tuple[KnownDisk | None, ...] = ()
    grown_by: str = ""
    checked_s: float | None = None


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
    arrays = tuple(
        _judged(_in_its_place(array, around, machine.host, names), now_s)
        for array in arrays_of(machine, around.smart, around.recoveries, around.superblocks)
    )
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


def _pools(machine: Machine, around: Surroundings, names: Mapping[str, tuple[str, ...]]) -> Iterator[Pool]:
    if around.pools:
        known = known_members(machine, disks_of(machine), around.smart, around.recoveries)
        by_node = {node: disk for name, disk in known.items() for node in names.get(name, ())}
        for pool in around.pools:
            kept = around.kept_pools.get(pool.guid)
            yield msgspec.structs.replace(with_disks(pool, by_node), run=kept.run if kept else "")
    here = {pool.guid for pool in around.pools}
    yield from (not_imported(guid, kept) for guid, kept in around.kept_pools.items() if guid not in here)


def _judged(array: Array, now_s: float) -> Array:
    conditions = conditions_of(array, now_s)
    grade = worst(tuple(condition.grade for condition in conditions))
    return msgspec.structs.replace(array, conditions=conditions, grade=grade)


def _in_its_place(
    array: Array,
    around: Surroundings,
    host: str,
    names: Mapping[str, tuple[str, ...]],
) -> Array:
    uuid = digits(array.uuid)
    boot, kept = around.boot, around.kept.get(uuid)
    compared = array.mismatches
    checked = compared is not None and compared.final and compared.counted_by in ("check", "repair")
    if boot is not None:
        upon = tuple(
            msgspec.structs.replace(volume, boot=mounted_at_boot(volume, boot, names.get(volume.device, ())))
            for volume in array.upon
        )
        members = tuple(names[member.device] for member in array.members if member.device in names)
        found = AtHand(uuid=uuid, title=array.title, metadata=array.metadata or "1.2", host=host, members=members)
        array = msgspec.structs.replace(array, upon=upon, at_boot=at_boot(boot, found))
    return msgspec.structs.replace(
        array,
        members=_named(array, kept.disks) if kept else array.members,
        checked=last_check(around.checks, array.name, uuid, checked, kept.checked_s if kept else None),
        run=kept.run if kept else "",
    )


def _named(array: Array, built_of: tuple[KnownDisk | None, ...]) -> tuple[ArrayMember, ...]:
    """An empty slot gets the run's disk. Not if without own identity: another may be in its place."""
    member_ids = {member.disk.id for member in array.members if member.disk and member.slot is not None}

    def was(slot: int | None) -> KnownDisk | None:
        disk = built_of[slot] if slot is not None and slot < len(built_of) else None
        return disk if disk and disk.id not in member_ids and not is_weak(disk.id) else None

    return tuple(
        msgspec.structs.replace(member, disk=was(member.slot))
        if member.role in ("missing", "gone", "failed") and member.disk is None
        else member
        for member in array.members
    )
