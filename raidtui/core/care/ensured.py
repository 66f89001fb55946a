"""Outcome of `ensure`: nothing to do, plan to confirm, built, refused. Pure; see `raidtui.runs.ensuring`.

Compares a kept array with its plan, and with answers, part by part. Pure. What was not read counts as equal.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from raidtui.core.arrays.array import WRITE_MOSTLY, Array, KnownDisk, Role
from raidtui.core.disks.disk import marks
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan import parsed_setup, slots
from raidtui.core.plan.answers import Answers, PlanRefused, Setup, given_fields
from raidtui.core.plan.confirmation import ToErase, to_erase
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.kept.permanence import folder_of, mount_point
from raidtui.core.plan.model import Plan, Shape, Stage
from raidtui.core.plan.selection import journal_of, spares_of
from raidtui.core.plan.steps import Edit
from raidtui.core.raid.after_crash import AFTER_CRASH
from raidtui.core.raid.filesystems import BLOCK_BYTES
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.levels import POOLS, of_disks
from raidtui.core.units import Units, format_bytes

ArrayParts = Mapping[str, str]


def keeps_array(plan: Plan) -> bool:
    """False for plans that care for an array or measure a target."""
    return plan.kept_stage is not None and plan.stages[plan.kept_stage].array is not None


def _kept_stage(plan: Plan) -> Stage:
    assert plan.kept_stage is not None
    return plan.stages[plan.kept_stage]


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
    filled = replace(given, disks=planned.disks, repeat=repeat)
    return filled == planned and same_disks(given.disks, plan)


class AsBuilt(NamedTuple):
    """An array of a plan's as it is now, None: not there; beside the disks by slot, with later replacements."""

    array: Array | None
    built_of: Sequence[KnownDisk | None]


def lacking(plan: Plan, whole: AsBuilt, groups: Sequence[AsBuilt] = ()) -> tuple[str, ...]:
    """Differences from the filled `plan`, a sentence each. `groups`: below the array, all that the plan has."""
    planned = _kept_stage(plan).array
    assert planned
    reasons = []
    for shape, part in zip(planned.shapes, (*groups, whole), strict=True):
        named = "" if part is whole else f"{shape.name}: "
        if part.array is None or part.array.health in ("stopped", "inactive", "failed"):
            health = part.array.health if part.array else "not there"
            return (f"{named}it does not run ({health}); `raidtui status` says what to do",)
        reasons += [named + reason for reason in _otherwise(shape, part.array, part.built_of)]
        if plan.permanence is not None and named and part.array.at_boot.assembly != _LINE:
            reasons.append(f"{named}{_NO_LINE}")
    assert whole.array
    mostly = sum(WRITE_MOSTLY in member.states for member in whole.array.members)
    if mostly != (built := (_kept_stage(plan).setup or Setup()).write_mostly):
        reasons.append(f"its write-mostly disks: {mostly}, built were {built}")
    reasons += _beside(plan, [part.array for part in (*groups, whole) if part.array])
    return (*reasons, *_filesystem(plan, whole.array))


def _otherwise(planned: Shape, array: Array, built_of: Sequence[KnownDisk | None]) -> list[str]:
    compared = (
        ("its name", array.title.rpartition(":")[2], planned.name),
        ("its level", array.level, planned.level),
        ("its layout", array.layout, planned.layout),
        ("its chunk", str(array.chunk_bytes or ""), str(planned.chunk_bytes or "")),
        ("its members", str(array.slots or ""), str(planned.groups or len(built_of) or "")),
    )
    reasons = [
        f"{part}: {existing}, built was {planned_words}"
        for part, existing, planned_words in compared
        if existing and planned_words and existing != planned_words
    ]
    if array.consistency and planned.bitmap and array.consistency != (policy := AFTER_CRASH[planned.bitmap].policy):
        reasons.append(f"what it goes by after a crash: {array.consistency}, built was {policy}")
    return [*reasons, *_members(array, built_of)]


def _members(array: Array, built_of: Sequence[KnownDisk | None]) -> Iterator[str]:
    by_slot = {member.slot: member for member in array.members if member.role == "in sync" and member.slot is not None}
    for slot, disk in enumerate(built_of):
        member = by_slot.get(slot)
        if member is None:
            yield f"slot {slot} ({disk.title if disk else 'a disk'}) is not in sync in it"
        elif disk and (member.disk is None or member.disk.id != disk.id):
            yield f"slot {slot} is not {disk.title}, but {member.disk.title if member.disk else 'another'}"


def _beside(plan: Plan, arrays: Sequence[Array]) -> Iterator[str]:
    """A spare may be in any of them."""
    setup = _kept_stage(plan).setup or Setup()
    for name, members, roles in (
        ("journal", journal_of(setup, plan.members), _JOURNAL),
        ("spare", spares_of(setup, plan.members), _SPARES),
    ):
        in_array = {member.disk.id for array in arrays for member in array.of_role(*roles) if member.disk}
        missing = [member for member in members if member.id not in in_array]
        yield from (f"the {name} {member.serial or member.id} is not in it" for member in missing)


_LINE, _NO_LINE = "ARRAY line", "mdadm.conf has no line for it"
_JOURNAL: tuple[Role, ...] = ("journal",)
_SPARES: tuple[Role, ...] = ("spare", "in sync", "rebuilding")


def _filesystem(plan: Plan, array: Array) -> Iterator[str]:
    planned = _kept_stage(plan).filesystem
    upon = next((volume for volume in array.upon if planned and volume.uuid == planned.uuid), None)
    if planned and upon is None:
        yield f"its {planned.kind} ({planned.uuid}) is not there"
    if plan.permanence is None:
        return
    if array.at_boot.assembly != _LINE:
        yield _NO_LINE
    folder = mount_point(plan)
    if upon and folder and folder not in upon.mounted_at:
        yield f"it is not mounted at {folder}"
    if upon and folder and not any(line.mountpoint == folder for line in upon.boot or ()):
        yield f"it is not mounted at {folder} at boot"


def parts_of(setup: Setup, answers: Answers, chosen: int) -> dict[str, str]:
    """Part -> state in words, over so many `chosen` disks; kernel settings if they last."""
    row, disks = parsed_setup.level_of(setup), setup.disks or chosen
    chunk, member, unit = (
        parsed_setup.chunk_bytes(setup),
        parsed_setup.member_bytes(setup),
        parsed_setup.unit_bytes(setup),
    )
    described = {
        "array": of_disks(row, setup.groups, disks),
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
        **_boot_parts(answers, setup.filesystem != "none"),
    }
    return {part: words for part, words in described.items() if words}


def _tuned(setup: Setup) -> dict[str, str]:
    """Kernel settings that its udev rules keep."""
    given = given_fields(setup)
    return {name: str(getattr(setup, name)) for name, row in FIELDS.items() if row.setting and name in given}


def _boot_parts(answers: Answers, mounted: bool) -> dict[str, str]:
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


NO_ARRAY = "array: none\n"
_NO_POOLS = "ensure knows arrays of md, and no pools: use `raidtui run`; `raidtui status` tells how the pool does"


class Diff(msgspec.Struct, frozen=True):
    """Lines before and after; equal if nothing changes, "" after if a run ended without array."""

    before: str = ""
    after: str = ""


class Ensured(msgspec.Struct, frozen=True, kw_only=True):
    """`changed`: the run has begun to write; of a check, it would. `uuid` (mdadm's notation), `run`: of the array and
    its run. `refused`: not done, for safety; `failed`: how the run ended. `erase`: disks to name. `plan`: if no array
    exists; `code` confirms it.
    """

    changed: bool = False
    uuid: str = ""
    run: str = ""
    refused: str = ""
    failed: str = ""
    erase: tuple[ToErase, ...] = ()
    diff: Diff = Diff()
    plan: Plan | None = None


def why_not(answers: Answers) -> str:
    """Why answers leave nothing that could be found again; "" if they do."""
    if answers.target or answers.after != "keep":
        return 'ensure is for an array that stays: add after = "keep", or use `raidtui run`'
    return _NO_POOLS if any(row.key == answers.setup.level for row in POOLS) else ""


def existing(run: str, plan: Plan, setup_asked_for: Setup, answers: Answers, lacking: Sequence[str]) -> Ensured:
    """For an array built by `run`: as asked for, or refused. `lacking`: differences from its plan."""
    kept_setup, array = _kept_stage(plan).setup, _kept_stage(plan).array
    assert kept_setup and array
    existing_parts = parts_of(kept_setup, _as_made(plan.answers, plan), len(plan.members))
    asked_parts = parts_of(setup_asked_for, _as_made(answers, plan), len(plan.members))
    reasons = (*lacking, *differing(existing_parts, asked_parts))
    otherwise = f"the array of run {run} is on these disks, and not as asked for"
    lines_before = [*_lines(existing_parts), *(f"not as built: {reason}" for reason in lacking)]
    return Ensured(
        uuid=array.uuid,
        run=run,
        refused=f"{otherwise}: {'; '.join(reasons)}" if reasons else "",
        diff=Diff(_text(lines_before), _text(_lines(asked_parts))),
    )


def planned(plan: Plan) -> Ensured:
    """PlanRefused for a pool by the axes of answers or recipe."""
    kept_setup = _kept_stage(plan).setup
    if kept_setup is None:
        raise PlanRefused(_NO_POOLS)
    parts = parts_of(kept_setup, _as_made(plan.answers, plan), len(plan.members))
    disks = [" ".join(part for part in (member.model, member.serial, member.id) if part) for member in plan.members]
    lines_before = [
        NO_ARRAY.rstrip(),
        *(f"{disk}: {member.found}" for disk, member in zip(disks, plan.members, strict=True)),
    ]
    lines_after = [*_lines(parts), *(f"{disk}: member {number}, erased" for number, disk in enumerate(disks))]
    return Ensured(
        erase=to_erase(plan.members),
        diff=Diff(_text(lines_before), _text([*lines_after, *_of_boot(plan)])),
        plan=plan,
    )


def carried_out(plan: Plan, run: str, *, stands: bool, wrote: bool, refused: str, failed: str) -> Ensured:
    array = _kept_stage(slots.filled(plan)).array
    return Ensured(
        changed=wrote,
        uuid=array.uuid if array and stands else "",
        run=run,
        refused=refused,
        failed=failed,
        diff=planned(plan).diff if stands and not (refused or failed) else Diff(),  # of another end `status` tells
    )


def absent(plan: Plan, run: str, *, at_boot: bool, then: Literal["as now", "not at boot", "removed"]) -> Ensured:
    """The kept array of a filled `plan`, if `then` becomes of it."""
    setup, array = _kept_stage(plan).setup, _kept_stage(plan).array
    assert setup and array
    lines_before, lines_kept = (
        _lines(parts_of(setup, replace(plan.answers, permanent=permanent), len(plan.members)))
        for permanent in (at_boot, False)
    )
    lines_after = {"as now": lines_before, "not at boot": lines_kept, "removed": [NO_ARRAY.rstrip()]}[then]
    return Ensured(
        changed=lines_after != lines_before,
        uuid="" if then == "removed" else array.uuid,
        run=run,
        diff=Diff(_text(lines_before), _text(lines_after)),
    )


def no_array() -> Ensured:
    return Ensured(diff=Diff(NO_ARRAY, NO_ARRAY))


def _as_made(answers: Answers, plan: Plan) -> Answers:
    """Without permanence, if the plan could not do it on this machine."""
    left_out = plan.answers.permanent and plan.permanence is None
    return replace(answers, permanent=False) if left_out else answers


def _of_boot(plan: Plan) -> Iterable[str]:
    """Lines for boot files; UUIDs are drawn when the run begins."""
    stages = plan.stages if plan.permanence is None else plan.stages[plan.permanence :]
    for step in (step for stage in stages for step in stage.steps if isinstance(step, Edit)):
        for line in step.lines:
            yield f"{step.path}: {slots.substitute(line, lambda kind, number: '(new)')}"


def _lines(parts: ArrayParts) -> list[str]:
    return [f"{part}: {words}" for part, words in parts.items()]


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
