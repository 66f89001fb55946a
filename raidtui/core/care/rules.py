"""Reasons against check, growth, replacement: a sentence, or "", by md's values. Disks: `core.disks.verdicts`."""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from raidtui.core.arrays.array import Array, ArrayMember, Role
from raidtui.core.disks.disk import Disk
from raidtui.core.plan.member_steps import added, carrier, copies_check, free_check, partitions_check, table, writable
from raidtui.core.plan.steps import Check, Command, Step, Wait, settle
from raidtui.core.raid import layers
from raidtui.core.units import both

# How the disk that is replaced stands: it works; md has failed it; it is pulled and md holds its place; no trace of it.
Old = Literal["works", "failed", "gone", "missing"]


class Partition(msgspec.Struct, frozen=True):
    """`table`: UUID ("": drawn by sfdisk)."""

    size_bytes: int
    table: str = ""


def check(estimate_s: float, limits: list[Step]) -> tuple[Step, ...]:
    """A stop ends it."""
    return (array_kept(), *limits, *copies_check("Begin the check", estimate_s))


def replace(
    state: Old,
    old: str,
    estimate_s: float,
    limits: list[Step],
    *,
    waits: bool,
    partition: Partition | None = None,
    write_mostly: bool = False,
) -> Iterator[Step]:
    """`old`: placeholder or "". Working disks are copied: never degraded. `partition`: first, on the new disk.
    `write_mostly`: as the old one was.
    """
    take_out = Command(what=f"Remove {old} from the array", role="take-out", argv=("mdadm", "--remove", "{array}", old))
    detached = ("mdadm", "--fail", "{array}", "detached", "--remove", "detached")
    new, number = carrier(0, partitioned=partition is not None), layers.PARTITION_NUMBER if partition else 0
    copy = ("mdadm", "--replace", "{array}", old, "--with", new)
    steps_before: dict[Old, list[Step]] = {
        "failed": [take_out],
        "gone": [Command(what="Remove the missing disk", role="fail", argv=detached)],
    }
    yield from (array_kept(), free_check())
    if partition:
        yield from (table(0, partition.size_bytes, partition.table), settle(), partitions_check([partition.size_bytes]))
    yield from (*limits, *steps_before.get(state, []))
    yield added(0, partitioned=partition is not None, write_mostly=write_mostly)
    if state == "works":
        yield Command(what=f"Replace {old} with {new}", role="replace", argv=copy, members=(0,), partition=number)
    if waits:
        yield writable()
        yield Wait(what="Wait for the end of the rebuild", condition="rebuild-ended", estimate_s=estimate_s)
    if state == "works":
        yield take_out


def grow(
    slots: int,
    new: int,
    estimate_s: float,
    limits: list[Step],
    partitions: Sequence[Partition],
    grows_then: Sequence[str],
) -> Iterator[Step]:
    """`slots`: in all. `partitions`: of new disks. `grows_then`: grows the file system, if known and mounted."""
    yield from (array_kept(), free_check())
    if partitions:
        yield from (table(index, made.size_bytes, made.table) for index, made in enumerate(partitions))
        yield from (settle(), partitions_check([made.size_bytes for made in partitions]))
    yield from (*limits, *(added(index, partitioned=bool(partitions)) for index in range(new)), writable())
    reshape = ("mdadm", "--grow", "{array}", f"--raid-devices={slots}")
    yield Command(what=f"Grow the array to {slots} disks", role="reshape", argv=reshape)
    yield Wait(what="Wait for the end of the growth", condition="growth-ended", estimate_s=estimate_s)
    if grows_then:
        yield Command(what="Grow the file system", role="grow-filesystem", argv=tuple(grows_then))


def array_kept() -> Check:
    """Before anything else, erasing a new disk included."""
    return Check(what="Check that it is the planned array, and idle", question="array-kept")


REDUNDANT = frozenset({"1", "4", "5", "6", "10"})
OLD_STATES: dict[Role, Old] = {"in sync": "works", "failed": "failed", "gone": "gone", "missing": "missing"}
_NOT_REPLACED: dict[Role, str] = {
    "rebuilding": "is being rebuilt: wait for its end (`raidtui status`)",
    "replacement": "is being rebuilt as a replacement: wait for its end (`raidtui status`)",
    "spare": "is a spare without data: `mdadm {node} --remove /dev/{device}`, and `--add` another",
    "journal": "is the array's journal, which a person replaces: with nothing mounted on it `mdadm --readonly {node}`,"
    " then `mdadm {node} --add-journal` the new one",
    "left out": "is not in the array any more: name the disk whose slot is empty",
    "gathered": "belongs to an array that does not run: start that first",
}
_NOT_RESHAPED = {  # by what md goes by after a crash
    "ppl": "a partial parity log: `mdadm --grow --consistency-policy=resync {node}` takes it away",
    "journal": "a journal: only a person should change that, see mdadm(8)",
}


def why_not_check(array: Array) -> str:
    """Needs redundancy, all members, no running sync."""
    if array.level not in REDUNDANT:
        return f"{array.name} has no redundancy (level {array.level or 'not known'}): there is nothing to compare"
    if array.health != "clean":
        return f"{array.name} is {array.health}: see to that first (`raidtui status`), then check"
    return _busy(array)


def why_not_replace(array: Array, member: ArrayMember, title: str) -> str:
    if array.level not in REDUNDANT:
        return (
            f"{array.name} has no redundancy (level {array.level or 'not known'}): what is on the disk is nowhere else"
        )
    if reason := _of_firmware(array):
        return reason
    if array.health not in ("clean", "degraded"):
        return f"{array.name} is {array.health}: a new disk cannot be added; see `raidtui status`"
    if reason := _NOT_REPLACED.get("journal" if member.is_journal else member.role, ""):
        return f"{title} {reason.format(node=array.node, device=member.device)}"
    if busy := _busy(array):
        return busy
    other_disks = [
        array_member
        for array_member in array.of_role("missing", "failed", "gone")
        if array_member is not member and array_member.slot is not None
    ]
    if member.role == "in sync" and other_disks:
        slots = ", ".join(str(array_member.slot) for array_member in other_disks)
        return f"{title} still works, and slot {slots} is empty: a new disk would go there first; replace that slot"
    return ""


def why_not_grow(array: Array) -> str:
    """Needs redundancy, all members, no running sync, and a level that md reshapes."""
    if array.part_of:
        return (
            f"{array.name} is a group of {array.part_of}, which gets no larger by it: build a new array, and copy the"
            " data; ZFS can add a vdev to a pool"
        )
    if array.level not in REDUNDANT:
        return (
            f"{array.name} has no redundancy (level {array.level or 'not known'}), and md grows that by way of another"
            " level at most: only a person should do that, see mdadm(8)"
        )
    if reason := _of_firmware(array):
        return reason
    if array.level == "10" and array.layout.startswith("f"):
        return f"{array.name} has its copies far apart ({array.layout}), and md does not reshape that"
    if array.health != "clean":
        return f"{array.name} is {array.health}: see to that first (`raidtui status`), then grow"
    if not array.slots or not array.size_bytes:
        return f"how many disks {array.name} has, and how large it is, is not told here: see `raidtui status`"
    if reason := _NOT_RESHAPED.get(array.consistency, ""):
        return f"{array.name} is not reshaped while it has {reason.format(node=array.node)}"
    if spares := array.of_role("spare"):
        return (
            f"{array.name} has a spare, {spares[0].device}, and md might take that one instead:"
            f" `mdadm --remove {array.node} /dev/{spares[0].device}` first"
        )
    return _busy(array)


def _of_firmware(array: Array) -> str:
    """mdadm refuses changes of a volume's members: they are its container's."""
    if not array.container:
        return ""
    return (
        f"{array.name} is a volume of firmware RAID: disks are added to its container by hand,"
        f" `mdadm {array.container} --add`"
    )


def _busy(array: Array) -> str:
    if array.frozen:
        return f"the syncs of {array.name} are frozen by some program: see `raidtui status`"
    if array.array_state in ("readonly", "suspended"):
        return f"{array.name} is {array.array_state}: nothing is synced; see `raidtui status`"
    if array.reshape_at_bytes is not None and array.sync is None:
        return f"a reshape of {array.name} was interrupted: continue it first (`raidtui status`)"
    if array.sync or array.resync_waits:
        return f"{array.name} is busy ({array.sync.description if array.sync else 'a resync waits'}): wait for its end"
    return ""


def least_bytes(array: Array) -> int:
    """Used of each disk or partition; 0 if unknown."""
    offsets = [
        array_member.data_offset_bytes for array_member in array.members if array_member.data_offset_bytes is not None
    ]
    return array.member_bytes + max(offsets) if array.member_bytes is not None and offsets else 0


def why_not_new(array: Array, new: Disk, sector_bytes: int) -> str:
    """Too small, or larger sectors. `sector_bytes`: largest logical ones of the array."""
    if not (needed_bytes := least_bytes(array)):
        return f"how much of each disk {array.name} takes is not told here, so that no disk is known to be large enough"
    if new.size_bytes < needed_bytes:
        return (
            f"{new.name} ({new.title}) is too small: {both(new.size_bytes)}, and {array.name} takes"
            f" {both(needed_bytes)} of each disk ({needed_bytes - new.size_bytes} bytes are missing)"
        )
    if new.logical_sector_bytes > sector_bytes:
        return (
            f"{new.name} ({new.title}) has sectors of {new.logical_sector_bytes} bytes, the disks of {array.name} of"
            f" {sector_bytes}: what is on the array could not be read in such sectors"
        )
    return ""
