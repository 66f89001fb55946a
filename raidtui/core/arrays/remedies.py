"""Remedies that depend on an array's state: tables of ways, of which the first that fits is printed.

md refuses much in some states; docs/status.md has the outcome of each command in real md.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from raidtui.core.arrays.array import READ_ONLY, Array, ArrayMember

Fits = Callable[[Array, ArrayMember], bool]
REDUNDANT = ("1", "4", "5", "6", "10")
_NOBODY = ArrayMember(role="missing")
_NAME = re.compile(r"[A-Za-z0-9._-]+")  # what mdadm lets a node be named (4.3: is_name_posix_compatible)


class Way(NamedTuple):
    fits: Fits
    words: str


_HALTED = "readonly"  # even a write does not end it


def has_lost_journal(array: Array) -> bool:
    return array.consistency == "journal" and not array.of_role("journal")


def is_reshaping(array: Array) -> bool:
    return array.reshape_at_bytes is not None or (array.sync is not None and array.sync.action == "reshape")


def replaced_by(array: Array, member: ArrayMember) -> ArrayMember | None:
    """The disk that is being filled to take its place."""
    return next((other for other in array.of_role("replacement") if other.slot == member.slot), None)


def idle(array: Array) -> bool:
    """A check could begin now."""
    waits = array.sync or array.frozen or array.resync_waits or array.reshape_at_bytes is not None
    return array.health == "clean" and not waits and array.array_state not in (_HALTED, "suspended")


def _was_tried(array: Array) -> bool:
    """md failed to start it, and adds nothing to it since."""
    return any("in_sync" in member.states for member in array.of_role("gathered"))


def _otherwise(array: Array, member: ArrayMember) -> bool:
    return True


INACTIVE = (
    Way(lambda array, _: bool(array.halves),
        "do not start it: `mdadm --stop {node}` releases its disks; then look again"),
    Way(lambda array, _: bool(array.of_role("left out")) and (_was_tried(array) or array.at_boot.assembly == "ignored"),
        "`mdadm --stop {node}`, then `mdadm --assemble {node} --uuid={uuid}`"),
    Way(lambda array, _: bool(array.of_role("left out")), "{gather}; md starts it once no disk is missing"),
    Way(lambda array, _: array.startable is True and len(array.of_role("gathered")) == array.slots,
        "`mdadm --run {node}` starts it: all of its members are here"),
    Way(lambda array, _: array.startable is False and len(array.of_role("gathered")) == array.slots,
        "no disk is missing, and not all were in the array to the last: compare their Events and Update Time"
        " (mdadm(8), --examine), and copy disks that fail (ddrescue), before anything is forced (--force)"),
    Way(lambda array, _: array.level in ("0", "linear"),
        "connect the missing disks (cable, power, slot): a {level} needs all of them"),
    Way(lambda array, _: array.reshape_at_bytes is not None,
        "connect the missing disks (each is added by udev, or by `mdadm -I` it); a reshape with a backup file needs"
        " that file: mdadm(8), --backup-file"),
    Way(lambda array, _: array.startable is None,
        "connect the missing disks (each is added by udev, or by `mdadm -I` it); last, if enough are here,"
        " `mdadm --run {node}`: it starts degraded, and a disk that comes later may be rebuilt completely"),
    Way(lambda array, _: array.startable is True,
        "connect the missing disks (each is added by udev, or by `mdadm -I` it); last `mdadm --run {node}`: it starts"
        " degraded (read-only if only its journal is missing), and a disk that comes later may be rebuilt completely"),
    Way(_otherwise,
        "connect the missing disks: with these alone md does not start it; copy disks that fail (ddrescue) before"
        " anything is forced"),
)  # fmt: skip
LEFT_OUT = (
    Way(lambda array, _: array.health == "failed", "add nothing now: it may be needed to assemble the array"),
    Way(lambda array, _: has_lost_journal(array), "first replace the journal of the array"),
    Way(lambda array, _: not array.of_role("missing", "gone", "failed"), "not needed: no slot is empty"),
    Way(lambda array, _: is_reshaping(array), "wait until the reshape has ended"),
    Way(lambda array, _: array.consistency == "bitmap",
        "if it works and was written nowhere else, {writable}`mdadm {parent} --re-add /dev/{device}` copies what"
        " changed; where md refuses that, the same with --add is a full rebuild; if it failed, add another disk"),
    Way(_otherwise,
        "if it works, {writable}`mdadm {parent} --add /dev/{device}`: no bitmap, so a full rebuild; if it failed, add"
        " another disk"),
)  # fmt: skip
FAILED_MEMBER = (
    Way(lambda array, _: array.health == "failed", "leave it connected: it may be needed to assemble the array"),
    Way(_otherwise,
        "{writable}remove it (`mdadm {parent} --remove /dev/{device}`), check its SMART and cable, and replace it"),
)  # fmt: skip
REPLACED = (
    Way(lambda array, member: replaced_by(array, member) is not None, "wait: {new} takes its place"),
    Way(lambda array, _: bool(array.container),
        "`mdadm {parent} --add` a disk, then `mdadm {node} --fail /dev/{device}`"),
    Way(lambda array, _: array.level not in REDUNDANT,
        "back up first: a {level} has no second copy; then stop it and copy the disk (ddrescue)"),
    Way(lambda array, member: member.is_journal,
        "unmount what is on the array, then replace the journal (mdadm(8): --add-journal)"),
    Way(lambda array, member: member.role == "spare",
        "{writable}`mdadm {node} --remove /dev/{device}`, then `mdadm {node} --add` another disk"),
    Way(lambda array, member: member.role != "in sync", "wait until it is rebuilt"),
    Way(lambda array, member: "want_replacement" in member.states and bool(array.of_role("spare")),
        "md copies it to a spare: {begin}"),
    Way(lambda array, member: "want_replacement" in member.states,
        "{writable}`mdadm {node} --add` a disk; md then copies it"),
    Way(lambda array, _: bool(array.of_role("spare")),
        "{writable}`mdadm {node} --replace /dev/{device}` copies it to a spare"),
    Way(_otherwise, "{writable}`mdadm {node} --add` a disk, then `mdadm {node} --replace /dev/{device}`"),
)  # fmt: skip
NO_SPARE = (
    Way(lambda array, _: bool(array.of_role("left out")) and not array.container, "first see to {left_out}, below"),
    Way(_otherwise, "add a disk at least as large: {writable}`mdadm {parent} --add` it"),
)
BEGIN = (
    Way(lambda array, _: has_lost_journal(array), "first replace its journal"),
    Way(lambda array, _: array.array_state in READ_ONLY, "`mdadm --readwrite {node}` lets it begin"),
    Way(lambda array, _: array.frozen, "`echo idle > /sys/block/{name}/md/sync_action` lets it begin"),
    Way(_otherwise, "look again in a minute"),
)
RESHAPE_WAITS = (
    Way(lambda array, _: array.array_state in READ_ONLY, "`mdadm --readwrite {node}` continues it"),
    Way(lambda array, _: array.frozen, "`echo idle > /sys/block/{name}/md/sync_action` continues it"),
    Way(_otherwise, "`mdadm --grow --continue {node}` (with --backup-file=FILE if it had one)"),
)
READ_ONLY_ARRAY = (
    Way(lambda array, _: has_lost_journal(array), "first replace its journal"),
    Way(_otherwise, "`mdadm --readwrite {node}` makes it writable"),
)


def chosen(ways: Sequence[Way], array: Array, member: ArrayMember = _NOBODY, **names: str) -> str:
    """The first that fits, with its nodes; `names`: further ones."""
    words = next(way.words for way in ways if way.fits(array, member))
    return words.format(**names_of(array), device=member.device, **names)


def names_of(array: Array) -> dict[str, str]:
    node = node_of(array)
    halted = array.array_state == _HALTED and not has_lost_journal(array)
    return {
        "node": node,
        "name": array.name,
        "uuid": array.uuid or "UUID",
        "parent": array.container or node,
        "writable": f"`mdadm --readwrite {node}`, then " if halted else "",
        "gather": ", ".join(f"`mdadm -I /dev/{member.device}`" for member in array.of_role("left out")),
    }


def node_of(array: Array) -> str:
    """A stopped one's by an ARRAY line, else by the name in its superblock."""
    name = array.title.partition(":")[2] or array.title
    usable = name if _NAME.fullmatch(name) else array.uuid[:8] or "NAME"
    return array.node or array.at_boot.node or f"/dev/md/{usable}"
