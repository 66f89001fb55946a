"""Reasons against check, growth, replacement: a sentence, or "", by md's values. Disks: `core.disks.verdicts`."""

from raidtui.core.arrays.array import Array, ArrayMember, Role
from raidtui.core.care.steps import Old
from raidtui.core.disks.disk import Disk
from raidtui.core.units import both

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
