"""Compares a kept array with its plan, and with answers, part by part. Pure. What was not read counts as equal."""

from collections.abc import Mapping, Sequence

import msgspec

from raidtui.core.arrays.array import WRITE_MOSTLY, Array, KnownDisk, Role
from raidtui.core.disks.disk import marks
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan import parsed_setup
from raidtui.core.plan.answers import Answers, Setup, given_fields
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.kept.permanence import folder_of, mount_point
from raidtui.core.plan.model import Plan
from raidtui.core.plan.selection import journal_of, spares_of
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.raid.filesystems import BLOCK_BYTES
from raidtui.core.raid.layers import LAYERS
from raidtui.core.units import Units, format_bytes

ArrayParts = Mapping[str, str]


def keeps_array(plan: Plan) -> bool:
    """False for plans that care for an array or measure a target."""
    return plan.kept_stage is not None and plan.stages[plan.kept_stage].array is not None


def same_disks(disks_asked_for: Sequence[str] | DiskRule, plan: Plan) -> bool:
    """By the same rule, or the same identities."""
    if isinstance(disks_asked_for, DiskRule):
        return plan.disk_rule == disks_asked_for
    built_of = {member.id for member in plan.members}
    named = {mark: identity for identity, mark in marks(plan.members).items()}
    named |= {identity: identity for identity in built_of}
    return len(disks_asked_for) == len(built_of) and {named.get(name) for name in disks_asked_for} == built_of


def led_to(given: Answers, plan: Plan) -> bool:
    """Whether the plan was made from these answers, apart from defaults filled in."""
    planned = plan.answers
    repeat = planned.repeat if given.repeat is None else given.repeat
    filled = msgspec.structs.replace(given, disks=planned.disks, repeat=repeat)
    return filled == planned and same_disks(given.disks, plan)


def lacking(plan: Plan, array: Array, built_of: Sequence[KnownDisk | None]) -> tuple[str, ...]:
    """Differences from the filled `plan`, a sentence each. `built_of`: disks by slot, with later replacements."""
    assert plan.kept_stage is not None
    stage = plan.stages[plan.kept_stage]
    planned = stage.array
    assert planned
    if array.health in ("stopped", "inactive", "failed"):
        return (f"it does not run ({array.health}); `raidtui status` says what to do",)
    shape = (
        ("its name", array.title.rpartition(":")[2], planned.name),
        ("its level", array.level, planned.level),
        ("its layout", array.layout, planned.layout),
        ("its chunk", str(array.chunk_bytes or ""), str(planned.chunk_bytes or "")),
        ("its members", str(array.slots or ""), str(len(built_of) or "")),
    )
    reasons = [
        f"{part}: {existing}, built was {planned_words}"
        for part, existing, planned_words in shape
        if existing and planned_words and existing != planned_words
    ]
    if array.consistency and planned.bitmap and array.consistency != (policy := AFTER_CRASH[planned.bitmap].policy):
        reasons.append(f"what it goes by after a crash: {array.consistency}, built was {policy}")
    mostly = sum(WRITE_MOSTLY in member.states for member in array.members)
    if mostly != (built := (stage.setup or Setup()).write_mostly):
        reasons.append(f"its write-mostly disks: {mostly}, built were {built}")
    reasons += _members(array, built_of)
    reasons += _beside(plan, array)
    return (*reasons, *_filesystem(plan, array))


def _members(array: Array, built_of: Sequence[KnownDisk | None]) -> list[str]:
    by_slot = {member.slot: member for member in array.members if member.role == "in sync" and member.slot is not None}
    reasons = []
    for slot, disk in enumerate(built_of):
        member = by_slot.get(slot)
        if member is None:
            reasons.append(f"slot {slot} ({disk.title if disk else 'a disk'}) is not in sync in it")
        elif disk and (member.disk is None or member.disk.id != disk.id):
            reasons.append(f"slot {slot} is not {disk.title}, but {member.disk.title if member.disk else 'another'}")
    return reasons


def _beside(plan: Plan, array: Array) -> list[str]:
    assert plan.kept_stage is not None
    setup = plan.stages[plan.kept_stage].setup or Setup()
    reasons = []
    for name, members, roles in (
        ("journal", journal_of(setup, plan.members), _JOURNAL),
        ("spare", spares_of(setup, plan.members), _SPARES),
    ):
        in_array = {member.disk.id for member in array.of_role(*roles) if member.disk}
        missing = [member for member in members if member.id not in in_array]
        reasons += [f"the {name} {member.serial or member.id} is not in it" for member in missing]
    return reasons


_JOURNAL: tuple[Role, ...] = ("journal",)
_SPARES: tuple[Role, ...] = ("spare", "in sync", "rebuilding")


def _filesystem(plan: Plan, array: Array) -> list[str]:
    assert plan.kept_stage is not None
    planned = plan.stages[plan.kept_stage].filesystem
    upon = next((volume for volume in array.upon if planned and volume.uuid == planned.uuid), None)
    reasons = [f"its {planned.kind} ({planned.uuid}) is not there"] if planned and upon is None else []
    if plan.permanence is None:
        return reasons
    if array.at_boot.assembly != "ARRAY line":
        reasons.append("mdadm.conf has no line for it")
    folder = mount_point(plan)
    if upon and folder and folder not in upon.mounted_at:
        reasons.append(f"it is not mounted at {folder}")
    if upon and folder and not any(line.mountpoint == folder for line in upon.boot or ()):
        reasons.append(f"it is not mounted at {folder} at boot")
    return reasons


def parts(setup: Setup, answers: Answers, chosen: int) -> dict[str, str]:
    """Part -> state in words, over so many `chosen` disks; kernel settings if they last."""
    row, disks = parsed_setup.level_of(setup), setup.disks or chosen
    chunk, member, unit = (
        parsed_setup.chunk_bytes(setup),
        parsed_setup.member_bytes(setup),
        parsed_setup.unit_bytes(setup),
    )
    described = {
        "array": f"{row.name} of {disks} disks",
        "spares": str(setup.spares or ""),
        "write-mostly": str(setup.write_mostly or ""),
        "layout": (setup.layout or row.default_layout or "") if row.layouts else "",
        "chunk": format_bytes(chunk, Units.BINARY) if chunk else "",
        "bitmap": setup.bitmap if row.has_bitmap else "",
        "members": setup.members,
        "of each disk": f"{member} bytes" if member else "",
        "on the array": LAYERS[setup.between].words if setup.between else "",
        "file system": setup.filesystem if setup.filesystem != "none" else "",
        "allocation unit": f"{unit} bytes" if unit != BLOCK_BYTES else "",
        "name": answers.array_name,
        "label": answers.label,
        **(_tuned(setup) if answers.permanent else {}),
        **_of_boot(answers, setup.filesystem != "none"),
    }
    return {part: words for part, words in described.items() if words}


def _tuned(setup: Setup) -> dict[str, str]:
    """Kernel settings that its udev rules keep."""
    given = given_fields(setup)
    return {name: str(getattr(setup, name)) for name, row in FIELDS.items() if row.setting and name in given}


def _of_boot(answers: Answers, mounted: bool) -> dict[str, str]:
    if not answers.permanent:
        return {}
    return {
        "at boot": "put together by mdadm.conf",
        "mounted at": folder_of(answers) if mounted else "",
        "mounted by": (answers.mount or "fstab") if mounted else "",
        "mount options": answers.mount_options if mounted else "",
        "owner": answers.mount_owner,
        "mode": f"{int(answers.mount_mode, 8):04o}" if answers.mount_mode else "",
        "mdadm writes to": answers.mailaddr,
    }


def differing(existing: ArrayParts, wanted: ArrayParts) -> tuple[str, ...]:
    return tuple(
        f"{part}: {existing.get(part, 'none')}, asked for is {wanted.get(part, 'none')}"
        for part in dict.fromkeys((*existing, *wanted))
        if existing.get(part) != wanted.get(part)
    )
