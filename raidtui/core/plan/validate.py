"""What a file of a run must keep to, so that nothing later trips over it: figures, indices, names.

It says nothing on whether a plan may be carried out: that is its confirmation code's.
"""

import re
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from raidtui.core import threshold
from raidtui.core.boot import lines, ownership
from raidtui.core.boot.distributions import DISTRIBUTIONS
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan import older
from raidtui.core.plan.cell import chunk_bytes, level_of, member_bytes, unit_bytes
from raidtui.core.plan.model import LayerPlan, Plan, Stage
from raidtui.core.plan.recipe import published_key
from raidtui.core.plan.roles import PersonRole
from raidtui.core.plan.steps import (
    PLACEHOLDER,
    ByPerson,
    Command,
    Edit,
    Restore,
    SetOwner,
    Step,
    TakeOut,
    Write,
    is_setting,
)
from raidtui.core.raid import containers
from raidtui.core.raid.filesystems import filesystem, made
from raidtui.core.raid.levels import level
from raidtui.core.text import MOST_COUNTED, brief, check_figures, check_texts

NODE = re.compile(r"/dev(?![\w-])")  # a device's, whatever is before and after it
_DEV_NULL = "if=/dev/null"  # that the file of a run is made from
_UNIT = re.compile(re.escape(lines.UNITS) + r"/[\w.:\\-]+\.mount")
_NO_COUNT = re.compile(r"--(?:iodepth|numjobs)=(?!\d{1,9}\Z).*", re.ASCII | re.DOTALL)
_NAMED = re.compile(r"\{(?:member|part):(\d+):?(\d*)\}")

_Typed = tuple[PersonRole, tuple[str, ...]]


def check(plan: Plan) -> None:
    """ValueError, one sentence, where the plan cannot be one of ours."""
    fields: dict[str, Any] = msgspec.to_builtins(plan)
    check_figures(fields.pop("answers"), least=-MOST_COUNTED)  # fio takes negative options
    check_figures(fields)
    if isinstance(plan.answers.disks, DiskRule):
        raise ValueError("its answers choose disks by a rule, and not those of the plan")
    if not plan.stages or not (plan.members or plan.existing or plan.care):
        raise ValueError("it has no members, or nothing to do")
    for key in plan.published:
        published_key(key)
    for expected in plan.expect:
        threshold.parse(expected.fail_if)
    if any(stage.permanent for stage in plan.stages[:-1]) or (plan.stages[-1].permanent and len(plan.stages) == 1):
        raise ValueError("only an array that was built, and by the last stage, is made permanent")
    typed = {argv for stage in plan.stages if stage.layer for argv in _by_person(stage.layer).items()}
    for number, stage in enumerate(plan.stages):
        try:
            _check_stage(stage, len(plan.members), len(plan.beneath), typed)
        except ValueError as error:
            raise ValueError(f"stages[{number}]: {error}") from error


def _check_stage(stage: Stage, members: int, beneath: int, typed: Collection[_Typed]) -> None:
    if stage.array:
        level(stage.array.level)
    if stage.setup:
        level_of(stage.setup)
        filesystem(stage.setup.filesystem)
        for size_of in (chunk_bytes, unit_bytes, member_bytes):  # they raise where it is none
            size_of(stage.setup)
    if stage.filesystem:
        made(stage.filesystem.kind)
    if stage.permanent and stage.trials:
        raise ValueError("what makes an array permanent measures nothing")
    if stage.build > len(stage.steps):
        raise ValueError(f"its array takes {stage.build} steps, and it has {len(stage.steps)}")
    trial_ids = {trial.id for trial in stage.trials}
    for trial in stage.trials:
        if trial.member is not None and trial.member >= members:
            raise ValueError(f"a trial is of member {trial.member}, and there are {members}")
        if trial.member is None and trial.target == "member":
            raise ValueError(f"the trial {brief(repr(trial.id))} is of one member, and says of none which")
    for name in PLACEHOLDER.findall(msgspec.json.encode(stage.steps).decode()):
        kind, _, index = name.partition(":")
        index = index.partition(":")[0]
        if kind == "rate" and index not in trial_ids:
            raise ValueError(f"a step takes a share of {brief(repr(index))}, which is no trial of this stage")
        if kind in ("member", "part", "stable") and (len(index) > 9 or int(index) >= members):
            raise ValueError(f"a step names {brief(name)}, and there are {members} members")
        if kind == "beneath" and (len(index) > 9 or int(index) >= beneath):
            raise ValueError(f"a step names {brief(name)}, and {beneath} disks are beneath")
    for step in stage.steps:
        _check_step(step, trial_ids, typed)


def _check_step(step: Step, trials: Collection[str], typed: Collection[_Typed]) -> None:
    match step:
        case Write(path=path) | Restore(path=path) if not is_setting(path):
            raise ValueError(f"the step {brief(step.what)!r} sets {brief(path)}, which is no setting of the kernel")
        case Edit(path=path) | TakeOut(path=path) if not _is_boot_file(path):
            raise ValueError(f"the step {brief(step.what)!r} changes {brief(path)}, which is no file that boot reads")
        case SetOwner():
            _check_owner(step)
        case Command() | ByPerson() | Edit():
            if isinstance(step, Command):
                _check_command(step, trials)
            if isinstance(step, ByPerson):
                _check_by_person(step, typed)
            for inner in step.undo:
                _check_step(inner, trials, typed)


def _check_owner(step: SetOwner) -> None:
    """Only of a folder at which a run may mount."""
    reason = lines.why_not_folder(step.folder)
    reason = reason or (ownership.why_not_owner(step.owner) if step.owner else "")
    reason = reason or (ownership.why_not_mode(step.mode) if step.mode else "")
    if reason:
        raise ValueError(f"the step {brief(step.what)!r} changes an owner: {reason}")


def _is_boot_file(path: str) -> bool:
    """Is it one of the few files of the system's in which a run may write lines?"""
    confs = {conf for row in DISTRIBUTIONS for conf in row.mdadm_confs}
    return path in (lines.FSTAB, lines.CRYPTTAB, *confs) or bool(_UNIT.fullmatch(path))


def _by_person(layer: LayerPlan) -> dict[PersonRole, tuple[str, ...]]:
    """What a person may be asked to do for a layer: those commands, and no others."""
    return {
        "encrypt": containers.format_argv("{array}", layer.uuid, layer.align_bytes),
        "unlock": containers.open_argv("{array}", layer.group),
    }


def _check_by_person(step: ByPerson, typed: Collection[_Typed]) -> None:
    """It is on the array and its layer, and on nothing else."""
    if (step.role, step.argv) not in typed:
        raise ValueError(f"the step {brief(step.what)!r} is nothing that a person types for a layer of this plan")


def _check_command(step: Command, trials: Collection[str]) -> None:
    """The members that it says it names are what is looked at before it writes: they must be those of its words."""
    if not step.argv or (step.trial and step.trial not in trials):
        raise ValueError(f"the step {brief(step.what)!r} has no program, or a trial that is none")
    if step.trial and (wrong := next(filter(None, map(_NO_COUNT.fullmatch, step.argv)), None)):
        raise ValueError(f"the step {brief(step.what)!r} has {brief(wrong[0])!r}, which is no number")
    members_in_words = {(int(index), int(partition or 0)) for index, partition in _NAMED.findall(" ".join(step.argv))}
    if members_in_words != {(index, step.partition) for index in step.members}:
        raise ValueError(f"the step {brief(step.what)!r} names other members than it says")
    by_words = older.fields_by_words(step.argv)
    if by_words["role"] and (by_words["role"], by_words["folder"]) != (
        step.role,
        step.folder,
    ):  # of programs that are known
        raise ValueError(f"the step {brief(step.what)!r} does something else than it says")
    _refuse_nodes(step.what, step.argv)


def _refuse_nodes(what: str, argv: Sequence[str]) -> None:
    for word in argv:
        if word != _DEV_NULL and NODE.search(word):
            raise ValueError(f"the step {brief(what)!r} names {brief(word)} itself, not a member by its number")


def decode(plan_json: bytes) -> Plan:
    """The plan of a run directory; ValueError with one sentence where it is not one."""
    try:
        document = msgspec.json.decode(plan_json)
        check_texts(document)
        plan = msgspec.convert(older.completed(document), Plan)
        check(plan)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ValueError(f"not a plan: {brief(error)}") from error
    return plan
