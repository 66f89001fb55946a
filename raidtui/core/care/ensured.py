"""Outcome of `ensure`: nothing to do, plan to confirm, built, refused. Pure; see `raidtui.runs.ensuring`."""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from raidtui.core.care import as_built
from raidtui.core.plan import confirmation, slots
from raidtui.core.plan.answers import Answers, PlanRefused, Setup
from raidtui.core.plan.confirmation import ToErase
from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Edit
from raidtui.core.raid.levels import POOLS

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
    assert plan.kept_stage is not None
    kept_setup, array = plan.stages[plan.kept_stage].setup, plan.stages[plan.kept_stage].array
    assert kept_setup and array
    existing_parts = as_built.parts(kept_setup, _as_made(plan.answers, plan), len(plan.members))
    asked_parts = as_built.parts(setup_asked_for, _as_made(answers, plan), len(plan.members))
    reasons = (*lacking, *as_built.differing(existing_parts, asked_parts))
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
    assert plan.kept_stage is not None
    kept_setup = plan.stages[plan.kept_stage].setup
    if kept_setup is None:
        raise PlanRefused(_NO_POOLS)
    parts = as_built.parts(kept_setup, _as_made(plan.answers, plan), len(plan.members))
    disks = [" ".join(part for part in (member.model, member.serial, member.id) if part) for member in plan.members]
    lines_before = [
        NO_ARRAY.rstrip(),
        *(f"{disk}: {member.found}" for disk, member in zip(disks, plan.members, strict=True)),
    ]
    lines_after = [*_lines(parts), *(f"{disk}: member {number}, erased" for number, disk in enumerate(disks))]
    return Ensured(
        erase=confirmation.to_erase(plan.members),
        diff=Diff(_text(lines_before), _text([*lines_after, *_of_boot(plan)])),
        plan=plan,
    )


def carried_out(plan: Plan, run: str, *, stands: bool, wrote: bool, refused: str, failed: str) -> Ensured:
    assert plan.kept_stage is not None
    array = slots.filled(plan).stages[plan.kept_stage].array
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
    assert plan.kept_stage is not None
    setup, array = plan.stages[plan.kept_stage].setup, plan.stages[plan.kept_stage].array
    assert setup and array
    lines_before, lines_kept = (
        _lines(as_built.parts(setup, msgspec.structs.replace(plan.answers, permanent=permanent), len(plan.members)))
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
    return msgspec.structs.replace(answers, permanent=False) if left_out else answers


def _of_boot(plan: Plan) -> Iterable[str]:
    """Lines for boot files; UUIDs are drawn when the run begins."""
    stages = plan.stages if plan.permanence is None else plan.stages[plan.permanence :]
    for step in (step for stage in stages for step in stage.steps if isinstance(step, Edit)):
        for line in step.lines:
            yield f"{step.path}: {slots.substitute(line, lambda kind, number: '(new)')}"


def _lines(parts: as_built.ArrayParts) -> list[str]:
    return [f"{part}: {words}" for part, words in parts.items()]


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
