"""md arrays of a machine (running, inactive, stopped), from kernel and superblocks, by udev without opening disks.
Boot, checks and runs are added in `status`. Unknown: None or "".
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set

import msgspec
from msgspec.structs import replace

from raidtui.core.arrays import superblock
from raidtui.core.arrays.array import (
    READ_ONLY,
    Array,
    ArrayMember,
    Half,
    Health,
    KnownDisk,
    Mismatches,
    Role,
    Sync,
    Upon,
    container_of,
    is_number,
    sync_of,
)
from raidtui.core.arrays.superblock import Superblock
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.drive import Recovery, of_device
from raidtui.core.disks.identity import as_md, digits, natural
from raidtui.core.disks.machine import BlockDevice, Machine
from raidtui.core.disks.usage import MEMBER_KINDS, Stack
from raidtui.core.disks.verdicts import TABLES, disks_of
from raidtui.core.raid.levels import LEVELS, MOST_MD_DISKS

SIGNATURE = "linux_raid_member"
_LEVELS = {row.md_name: row.key for row in LEVELS if row.md_name}
# include/uapi and drivers/md/raid5.h: ALGORITHM_*
_ROTATIONS = (
    "left-asymmetric", "right-asymmetric", "left-symmetric", "right-symmetric", "parity-first", "parity-last",
    "", "", "ddf-zero-restart", "ddf-N-restart", "ddf-N-continue", "", "", "", "", "",
    "left-asymmetric-6", "right-asymmetric-6", "left-symmetric-6", "right-symmetric-6", "parity-first-6",
)  # fmt: skip
# The kernel's names of what counted last; before 6.12 the log's words
_COUNTED_BY = {
    "check": "check", "data-check": "check", "repair": "repair", "requested-resync": "repair", "resync": "resync",
}  # fmt: skip
_NO_ARRAY = ("", "clear")
_SECTOR_BYTES = 512
_STARTED = (*READ_ONLY, "clean", "active", "write-pending", "active-idle", "suspended", "broken")


class _Md(msgspec.Struct, frozen=True):
    device: BlockDevice

    def text(self, file: str) -> str:
        return self.device.attributes.get(f"md/{file}", "")

    def number(self, file: str) -> int | None:
        """Of "4 (3)", during a reshape, the new value (md.c: raid_disks_show)."""
        text = self.text(file).partition(" (")[0]
        return int(text) if is_number(text) else None

    def members(self) -> tuple[str, ...]:
        parts = (path.split("/") for path in self.device.attributes)
        names = {part[1] for part in parts if len(part) == 3 and part[0] == "md" and part[1].startswith("dev-")}
        return tuple(sorted((name.removeprefix("dev-") for name in names), key=natural))


def arrays_of(
    machine: Machine,
    smart: Mapping[str, Mapping[str, float | str]] | None = None,
    recoveries: Mapping[str, Recovery] | None = None,
    read: Mapping[str, Superblock] | None = None,
) -> tuple[Array, ...]:
    """By name, stopped ones last. By a disk's kernel name: `smart` counts, `recoveries` as told, `read` superblocks."""
    stack = Stack(machine)
    all_disks = disks_of(machine)
    disks = known_members(machine, all_disks, smart or {}, recoveries or {})
    running = [
        _Md(device)
        for device in machine.devices
        if device.kind != "partition" and device.attributes.get("md/array_state", "") not in _NO_ARRAY
    ]
    in_use = _in_use(running, all_disks, stack)
    superblocks = _superblocks(machine)
    loose = {
        uuid: [device for device in devices if device.name not in in_use and not stack.stacked_on(device.name)]
        for uuid, devices in superblocks.items()
    }
    arrays = [_gathered(_array(md, machine, stack, disks, superblocks, loose), read or {}) for md in running]
    arrays = _halved(arrays, read or {})
    uuids_running = {digits(array.uuid) for array in arrays}
    stopped = [
        _stopped(uuid, devices, disks, machine.kernel)
        for uuid, devices in loose.items()
        if devices and uuid not in uuids_running
    ]
    return tuple(sorted(arrays, key=lambda array: natural(array.name)) + sorted(stopped, key=lambda array: array.uuid))


def _gathered(array: Array, read: Mapping[str, Superblock]) -> Array:
    """An inactive array by its members' superblocks: the kernel knows no more than their names."""
    found = [read[member.device] for member in array.of_role("gathered") if member.device in read]
    if not found:
        return array
    newest = max(found, key=lambda block: block.events)
    working = {block.slot for block in found if block.slot is not None and block.events + 1 >= newest.events}
    near, copies = _copies(newest.layout) if newest.level == "10" else (1, 1)
    dirty = not newest.clean and newest.level in _PARITY and len(working) < newest.slots
    return replace(
        array,
        level=newest.level,
        layout=_layout(newest.level, newest.layout),
        slots=newest.slots,
        reshape_at_bytes=newest.reshape_at_bytes,
        consistency="journal" if newest.with_journal else "",
        startable=enough(newest.level, newest.slots, working, near, copies) and not dirty,
    )


def _halved(arrays: list[Array], read: Mapping[str, Superblock]) -> list[Array]:
    """With what else runs under the same UUID."""
    by_uuid: dict[str, list[Half]] = defaultdict(list)
    for array in arrays:
        if array.uuid and array.health not in ("inactive", "container"):
            by_uuid[array.uuid].append(_half(array, read))
    return [
        replace(array, halves=tuple(by_uuid[array.uuid]))
        if {half.name for half in by_uuid[array.uuid]} - {array.name}
        else array
        for array in arrays
    ]


def _half(array: Array, read: Mapping[str, Superblock]) -> Half:
    devices = tuple(member.device for member in array.of_role("in sync"))
    newest = max([read[device] for device in devices if device in read], key=lambda block: block.events, default=None)
    return Half(
        name=array.name,
        devices=devices,
        events=newest.events if newest else None,
        updated_s=newest.updated_s if newest else None,
    )


def _in_use(arrays: list[_Md], disks: tuple[Disk, ...], stack: Stack) -> set[str]:
    """Devices of arrays in every view: a superblock at the end shows on disk and partition."""
    names = {name.replace("!", "/") for array in arrays for name in array.members()}
    names |= {device.parent for name in names if (device := stack.devices.get(name)) and device.parent}
    names |= {part for name in names for part in stack.partitions.get(name, ())}
    other_nodes = {node for disk in disks if disk.name in names for node in disk.nodes}
    return names | {device.name for device in stack.devices.values() if device.path in other_nodes}


def _superblocks(machine: Machine) -> dict[str, list[BlockDevice]]:
    by_uuid: dict[str, list[BlockDevice]] = defaultdict(list)
    for device in machine.devices:
        for signature in device.signatures or ():
            if signature.kind == SIGNATURE and (uuid := digits(signature.uuid)):
                by_uuid[uuid].append(device)
    return dict(by_uuid)


def known_members(
    machine: Machine,
    disks: tuple[Disk, ...],
    smart: Mapping[str, Mapping[str, float | str]],
    recoveries: Mapping[str, Recovery],
) -> dict[str, KnownDisk]:
    """Kernel name of a disk or partition -> disk."""
    by_name = {device.name: device for device in machine.devices}
    known_disks = {
        disk.name: KnownDisk(
            id=disk.id,
            name=disk.name,
            model=disk.model,
            serial=disk.serial,
            place=disk.slot,
            smart=dict(smart.get(disk.name, {})),
            recovery=of_device(by_name[disk.name], recoveries.get(disk.name)),
        )
        for disk in disks
    }
    parts = {
        device.name: known_disks[device.parent]
        for device in machine.devices
        if device.kind == "partition" and device.parent in known_disks
    }
    return known_disks | parts


def _array(
    md: _Md,
    machine: Machine,
    stack: Stack,
    disks: Mapping[str, KnownDisk],
    superblocks: Mapping[str, list[BlockDevice]],
    loose: Mapping[str, list[BlockDevice]],
) -> Array:
    device, state = md.device, md.text("array_state")
    level = _LEVELS.get(md.text("level"), md.text("level"))
    slots = md.number("raid_disks")
    placed_in = slots if state in _STARTED else None
    members = _placed([_member(md, name, machine, disks) for name in md.members()], placed_in)
    uuid = _uuid(md, machine, members)
    members += [
        ArrayMember(role="left out", device=other.name, disk=disks.get(other.name)) for other in loose.get(uuid, ())
    ]
    sync = sync_of(md.text("sync_action"), md.text("sync_completed"), md.text("sync_speed"))
    redundant = level in ("1", "4", "5", "6", "10")
    return Array(
        name=device.name,
        node=device.path,
        uuid=as_md(uuid),
        title=device.properties.get("MD_NAME", "") or _label(uuid, superblocks),
        health=_health(md, level, slots or 0, members),
        level=level,
        layout=_layout(level, md.number("layout")),
        chunk_bytes=md.number("chunk_size") or None,
        size_bytes=(device.size_bytes or None) if state in _STARTED else None,
        member_bytes=_bytes(md.number("component_size"), 1024),
        slots=slots or None,
        array_state=state,
        metadata=md.text("metadata_version"),
        members=tuple(members),
        sync=sync,
        sync_left_s=sync.left_s if sync else None,
        resync_waits=redundant and state in _STARTED and _resync_waits(md, sync),
        reshape_at_bytes=_bytes(md.number("reshape_position"), _SECTOR_BYTES),
        frozen=md.text("sync_action") == "frozen",
        mismatches=_mismatches(md, sync is not None),
        consistency=md.text("consistency_policy") if redundant else "",
        upon=tuple(_upon(stack, device.name)),
        part_of=next(
            (
                above.name
                for above in machine.devices
                if device.name in above.slaves and "md/array_state" in above.attributes
            ),
            "",
        ),
        older_kernels=superblock.of_running(md.text("logical_block_size")),
    )


def _resync_waits(md: _Md, sync: Sync | None) -> bool:
    if sync is None:
        return md.number("resync_start") is not None
    return sync.action == "resync" and sync.is_pending and md.text("array_state") in READ_ONLY


def _bad_sectors(md: _Md, entry: str) -> int | None:
    """From both lists (first sector, length per line); None if neither exists."""
    files = [md.text(f"dev-{entry}/{file}") for file in ("bad_blocks", "unacknowledged_bad_blocks")]
    lengths = [word for file in files for word in file.split()[1::2]]
    return sum(int(word) for word in lengths if is_number(word)) if any(files) else None


def _bytes(count: int | None, unit: int) -> int | None:
    return None if count is None else count * unit


def _member(md: _Md, entry: str, machine: Machine, disks: Mapping[str, KnownDisk]) -> ArrayMember:
    name = entry.replace("!", "/")
    states = tuple(word for word in md.text(f"dev-{entry}/state").split(",") if word)
    slot = md.number(f"dev-{entry}/slot")
    return ArrayMember(
        role=_role(states, slot, present=machine.device(name) is not None, started=md.text("array_state") in _STARTED),
        device=name,
        slot=slot if slot is not None and slot < MOST_MD_DISKS else None,
        states=states,
        corrected_sectors=md.number(f"dev-{entry}/errors"),
        bad_sectors=_bad_sectors(md, entry),
        data_offset_bytes=_bytes(md.number(f"dev-{entry}/offset"), _SECTOR_BYTES),
        disk=disks.get(name),
    )


def _role(states: tuple[str, ...], slot: int | None, *, present: bool, started: bool) -> Role:
    """From the kernel's words (Documentation/admin-guide/md.rst, `dev-XXX/state`)."""
    if "faulty" in states:
        return "failed"
    if not present:
        return "gone"
    if not started:
        return "gathered"
    if "journal" in states:
        return "journal"
    if "replacement" in states:
        return "replacement"
    if "in_sync" in states:
        return "in sync"
    return "spare" if slot is None else "rebuilding"


def _placed(members: list[ArrayMember], slots: int | None) -> list[ArrayMember]:
    """By slot, empty ones included; a failed member gets its slot if only one is possible."""
    if slots is None or slots > MOST_MD_DISKS:
        return sorted(members, key=_by_slot)
    slots_taken = {member.slot for member in members if member.role != "replacement"}
    empty = [slot for slot in range(slots) if slot not in slots_taken]
    lost = [
        member
        for member in members
        if member.slot is None and member.role in ("failed", "gone") and not member.is_journal
    ]
    if len(empty) == len(lost) == 1:
        members = [
            replace(array_member, slot=empty[0]) if array_member is lost[0] else array_member
            for array_member in members
        ]
        empty = []
    return sorted((*members, *(ArrayMember(role="missing", slot=slot) for slot in empty)), key=_by_slot)


def _by_slot(member: ArrayMember) -> tuple[bool, int, tuple[object, ...]]:
    return member.slot is None, member.slot or 0, natural(member.device)


def _uuid(md: _Md, machine: Machine, members: list[ArrayMember]) -> str:
    """From udev, the kernel (6.0 on), or superblocks; "" if unknown or they differ."""
    for uuid in (md.device.properties.get("MD_UUID", ""), md.text("uuid")):
        if digits(uuid).strip("0"):
            return digits(uuid)
    devices = (machine.device(member.device) for member in members)
    signatures = (signature for device in devices if device for signature in device.signatures or ())
    uuids = {digits(signature.uuid) for signature in signatures if signature.kind == SIGNATURE}
    return uuids.pop() if len(uuids) == 1 else ""


def _label(uuid: str, superblocks: Mapping[str, list[BlockDevice]]) -> str:
    labels = {
        signature.label
        for device in superblocks.get(uuid, ())
        for signature in device.signatures or ()
        if signature.kind == SIGNATURE
    } - {""}
    return labels.pop() if len(labels) == 1 else ""


def _health(md: _Md, level: str, slots: int, members: list[ArrayMember]) -> Health:
    metadata, state = md.text("metadata_version"), md.text("array_state")
    if metadata.startswith("external:") and not container_of(metadata):
        return "container"  # of firmware RAID: its arrays stand beside it
    if state not in _STARTED:
        return "inactive"
    if not slots:
        return "not known"
    working = {member.slot for member in members if member.role == "in sync" and member.slot is not None}
    near, copies = _copies(md.number("layout") or 0) if level == "10" else (1, 1)
    if state == "broken" or not enough(level, slots, working, near, copies):
        return "failed"
    return "degraded" if len(working) < slots or (md.number("degraded") or 0) > 0 else "clean"


def _copies(layout: int) -> tuple[int, int]:
    """RAID 10's near copies, all copies (drivers/md/raid10.c: setup_geo)."""
    near, far = layout & 0xFF, (layout >> 8) & 0xFF
    return near, near * far


def _layout(level: str, number: int | None) -> str:
    if number is None:
        return ""
    if level == "10":
        near, copies = _copies(number)
        far = copies // near if near else 0
        return f"n{near}" if far == 1 else f"{'o' if number & 0x10000 else 'f'}{far}"
    return _ROTATIONS[number] if level in ("5", "6") and number < len(_ROTATIONS) else ""


def _mismatches(md: _Md, busy: bool) -> Mismatches | None:
    """None if nothing was compared since assembly: 0 has no meaning then."""
    sectors = md.number("mismatch_cnt")
    counted_by = _COUNTED_BY.get(md.text("sync_action") if busy else md.text("last_sync_action"), "")
    if sectors is None or not (counted_by or sectors):
        return None
    return Mismatches(sectors=sectors, counted_by=counted_by, final=not (busy and counted_by))


def _upon(stack: Stack, array: str) -> Iterator[Upon]:
    for name in stack.reach(array):
        device = stack.devices.get(name)
        kinds = [
            signature
            for signature in (device.signatures if device else None) or ()
            if signature.kind not in MEMBER_KINDS
        ]
        filesystem = next((signature for signature in kinds if signature.kind not in TABLES), None)
        mounted = tuple(stack.mounted.get(name, ()))
        # udev tells late of one that was made a moment ago; the kernel knows what it has mounted
        kind, uuid = (filesystem.kind, filesystem.uuid) if filesystem else (stack.mounted_as(name), "")
        if name in stack.swapped:
            kind, mounted = "swap", ("swap",)
        if filesystem or mounted:
            volume, container = _volume(device), _container(device)
            direct = name == array or (bool(volume or container) and device is not None and device.slaves == (array,))
            yield Upon(device=name, kind=kind, uuid=uuid, mounted_at=mounted, volume=volume, container=container,
                       nested=not direct)  # fmt: skip


def _volume(device: BlockDevice | None) -> str:
    names = [device.properties.get(key, "") for key in ("DM_VG_NAME", "DM_LV_NAME")] if device else []
    return "/".join(names) if all(names) else ""


def _container(device: BlockDevice | None) -> str:
    properties = device.properties if device else {}
    return properties.get("DM_NAME", "") if properties.get("DM_UUID", "").startswith("CRYPT-LUKS") else ""


def _stopped(uuid: str, devices: list[BlockDevice], disks: Mapping[str, KnownDisk], kernel: str) -> Array:
    """Known by superblocks only, which do not show the number of members unless read."""
    title = _label(uuid, {uuid: devices})
    return Array(
        name=title or uuid[:8],
        node="",
        uuid=as_md(uuid),
        title=title,
        health="stopped",
        older_kernels=superblock.of_stopped((device.told.get(superblock.TOLD, "") for device in devices), kernel),
        members=tuple(
            ArrayMember(role="left out", device=device.name, disk=disks.get(device.name))
            for device in sorted(devices, key=lambda member_device: natural(member_device.name))
        ),
    )


# Kernel drivers/md/raid5.c (has_failed): so many slots may be empty.
_PARITY = {"4": 1, "5": 1, "6": 2}


def enough(level: str, slots: int, working: Set[int], near: int = 1, copies: int = 1) -> bool:
    """All data available from the slots in sync? `near`, `copies`: RAID 10. Unknown levels need all members."""
    if level == "1":
        return bool(working)
    if level == "10" and slots and 0 < near <= copies <= slots:
        return _enough10(slots, working, near, copies)
    return slots - len(working) <= _PARITY.get(level, 0)


def _enough10(slots: int, working: Set[int], near: int, copies: int) -> bool:
    """drivers/md/raid10.c (_enough): of each `copies` consecutive slots, starting every `near`, one must work."""
    first = 0
    while True:
        if not any((first + place) % slots in working for place in range(copies)):
            return False
        first = (first + near) % slots
        if first == 0:
            return True
