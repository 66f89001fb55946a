"""Bounds of a run's plan file: figures, indices, names. The confirmation code decides on carrying it out."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from raidtui.core import threshold
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan import proof
from raidtui.core.plan.checked.allowed import GROUP, ON_ARRAY, StageNames, named_by, why_not
from raidtui.core.plan.fields import Setup
from raidtui.core.plan.member_steps import carrier
from raidtui.core.plan.model import ArrayPlan, Plan, Stage, carried_out
from raidtui.core.plan.parsed_setup import chunk_bytes, level_of, member_bytes, unit_bytes
from raidtui.core.plan.recipe import published_key
from raidtui.core.plan.steps import PLACEHOLDER, Command, Edit, ManualStep, Step, role_of
from raidtui.core.raid import zfs
from raidtui.core.raid.filesystems import filesystem, made
from raidtui.core.raid.levels import level, vdev_disks
from raidtui.core.text import MOST_COUNTED, brief, check_figures, check_texts

_TRIAL = re.compile(r"(?!\.)[\w.-]{1,200}", re.ASCII)
_OF_MEMBERS = ("add", "fail", "take-out")
_NAMED = re.compile(r"\{(?:member|part):(\d+):?(\d*)\}")


def check(plan: Plan) -> None:
    fields: dict[str, Any] = msgspec.to_builtins(plan)
    check_figures(fields.pop("answers"), least=-MOST_COUNTED)  # fio takes negative options
    check_figures(fields)
    if isinstance(plan.answers.disks, DiskRule):
        raise ValueError("its answers choose disks by a rule, and not those of the plan")
    if not plan.stages or not (plan.members or plan.existing or plan.care):
        raise ValueError("it has no members, or nothing to do")
    if plan.care and plan.care.kind == "replace" and not plan.members:
        raise ValueError("it replaces a disk, and names no new one")
    if len({member.id for member in plan.members}) < len(plan.members):
        raise ValueError("it names a member twice")
    for key in plan.published:
        published_key(key)
    for expected in plan.expect:
        threshold.parse(expected.fail_if)
    if any(stage.permanent for stage in plan.stages[:-1]) or (plan.stages[-1].permanent and len(plan.stages) == 1):
        raise ValueError("only an array that the last stage built gets boot entries")
    for number, stage in enumerate(plan.stages):
        try:
            _check_stage(
                stage,
                len(plan.members),
                len(plan.beneath),
                named_by(carried_out(plan, number), plan.answers, plan.members),
                carried_out(plan, number).array,
            )
            built = (stage.setup, *(earlier.setup for earlier in plan.stages[:number]), plan.answers.setup)
            _check_vdevs(stage.steps, next(filter(None, built)))
        except ValueError as error:
            raise ValueError(f"stages[{number}]: {error}") from error


def _check_stage(stage: Stage, members: int, beneath: int, named: StageNames, array: ArrayPlan | None) -> None:
    if stage.array:
        level(stage.array.level)  # raises where it is none
        if stage.array.groups:
            _check_groups(stage.array, stage.steps, members)
    if stage.setup:
        level_of(stage.setup)
        filesystem(stage.setup.filesystem)
        for size_of in (chunk_bytes, unit_bytes, member_bytes):  # they raise where it is none
            size_of(stage.setup)
    if stage.filesystem:
        made(stage.filesystem.kind)
    if stage.permanent and stage.trials:
        raise ValueError("a stage with boot entries has no tests")
    if stage.build > len(stage.steps):
        raise ValueError(f"its array takes {stage.build} steps, and it has {len(stage.steps)}")
    trial_ids = {trial.id for trial in stage.trials}
    for trial in stage.trials:
        if not _TRIAL.fullmatch(trial.id):  # it names files
            raise ValueError(f"{brief(repr(trial.id))} cannot be a trial")
        if trial.member is not None and not 0 <= trial.member < members:
            raise ValueError(f"a trial is of member {trial.member}, and there are {members}")
        if trial.member is None and trial.target == "member":
            raise ValueError(f"the trial {brief(repr(trial.id))} is of one member, and says of none which")
    proof.check_proof(stage, members)
    for name in PLACEHOLDER.findall(msgspec.json.encode(stage.steps).decode()):
        kind, _, index = name.partition(":")
        index = index.partition(":")[0]
        if kind == "rate" and index not in trial_ids:
            raise ValueError(f"a step takes a share of {brief(repr(index))}, which is no trial of this stage")
        if kind in ("member", "part", "stable") and (len(index) > 9 or int(index) >= members):
            raise ValueError(f"a step names {brief(name)}, and there are {members} members")
        if kind == "group" and (len(index) > 4 or int(index) >= len(array.groups if array else ())):
            raise ValueError(f"a step names {brief(name)}, and its array has no such group")
        if kind == "beneath" and (len(index) > 9 or int(index) >= beneath):
            raise ValueError(f"a step names {brief(name)}, and {beneath} disks are beneath")
    is_made = False
    for step in stage.steps:
        _check_step(step, named)
        if is_made and _writes_over(step):
            raise ValueError(f"the step {brief(step.what)!r} is refused: the array has a file system by then")
        is_made = is_made or role_of(step) == "mkfs"


def _check_groups(array: ArrayPlan, steps: Sequence[Step], members: int) -> None:
    """Each group is created of its own members, under its own UUID and name; the array of all groups, under its own."""
    each = len(array.groups[0].members)
    for number, group in enumerate(array.groups):
        if group.name != f"{array.name}-g{number + 1}":
            raise ValueError(f"its group {number + 1} cannot be {brief(repr(group.name))}")
        if group.members != tuple(range(number * each, number * each + each)):
            raise ValueError(f"the members of its group {number + 1} are not the next {each}")
        if not {*group.spares} <= {*range(len(array.groups) * each, members)}:
            raise ValueError(f"the spares of its group {number + 1} are no disks behind all groups")
    if len(array.groups) < 2 or len(array.groups) * each > members or len({*array.uuids}) < len(array.uuids):
        raise ValueError("its groups are less than two, or have more disks than the plan, or one UUID")
    made_of = dict(zip(array.parts, array.groups, strict=True))
    for step in steps:
        if not isinstance(step, Command):
            continue
        if step.role in _OF_MEMBERS and {step.argv[2]} != {*map(array.part_with, step.members)}:
            raise ValueError(f"the step {brief(step.what)!r} is of another group than its stage has that disk in")
        if step.role == "create":
            nodes = tuple(word for word in step.argv[3:] if word in made_of)
            created = made_of.get(step.argv[2])
            expected = (created.members, ()) if created else ((), array.parts)
            names = {f"--uuid={(created or array).uuid}", f"--name={(created or array).name}"}
            if (step.members, nodes) != expected or not names <= {*step.argv}:
                raise ValueError(f"the step {brief(step.what)!r} creates another array than its stage has")


def _check_vdevs(steps: Sequence[Step], setup: Setup) -> None:
    """The members of a pool, in order, in the vdevs of its setup."""
    for step in steps:
        if isinstance(step, Command) and step.role == "create-pool":
            row, devices = level_of(setup), [carrier(index, partitioned=True) for index in step.members]
            expected = zfs.vdevs(row.profile, devices, vdev_disks(row, len(devices), setup.groups))
            if step.argv[step.argv.index("-m") + 3 :] != expected:
                raise ValueError(f"the step {brief(step.what)!r} creates other vdevs than its setup has")


def _writes_over(step: Step) -> bool:
    """Whether it may write to the array's device past its file system."""
    places = [word.rpartition("=")[2] for word in step.argv] if isinstance(step, Command) else []
    on_array = re.compile(rf"{ON_ARRAY}|{GROUP}", re.ASCII)
    return role_of(step) in ("fill", "measure", "wipe") and any(map(on_array.fullmatch, places))


def _check_step(step: Step, named: StageNames) -> None:
    """In the table of allowed steps, with its members and undo."""
    if reason := why_not(step, named):
        raise ValueError(f"the step {brief(step.what)!r} is refused: {reason}")
    if isinstance(step, Command):
        _check_members(step)
    for inner in step.undo if isinstance(step, Command | ManualStep | Edit) else ():
        _check_step(inner, named)


def _check_members(step: Command) -> None:
    """`members` are what is checked before it writes: they must match its words."""
    members_in_words = {(int(index), int(partition or 0)) for index, partition in _NAMED.findall(" ".join(step.argv))}
    if members_in_words != {(index, step.partition) for index in step.members}:
        raise ValueError(f"the step {brief(step.what)!r} names other members than it says")


def decode(plan_json: bytes) -> Plan:
    try:
        document = msgspec.json.decode(plan_json)
        check_texts(document)
        plan = msgspec.convert(document, Plan)
        check(plan)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ValueError(f"not a plan: {brief(error)}") from error
    return plan
