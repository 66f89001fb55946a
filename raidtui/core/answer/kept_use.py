"""The next step with a kept array: what has to be done before it is used, and where it is."""

import shlex

from raidtui.core.answer.values import Next
from raidtui.core.plan.kept.permanence import mount_line, mount_point
from raidtui.core.plan.model import Plan
from raidtui.core.plan.parsed_setup import level_of
from raidtui.core.plan.steps import PLACEHOLDER
from raidtui.core.run.kept import is_permanent, kept_stage_number
from raidtui.core.run.state import RunState


def use_it(plan: Plan, state: RunState, *, in_memory: bool) -> Next:
    """Of a kept array: what has to be done before it is used, and where it is."""
    number = kept_stage_number(plan, state)
    stage = plan.stages[number]
    node = f"/dev/md/{stage.array.name}" if stage.array else ""
    if stage.array and stage.setup and stage.setup.first_sync == "skip" and level_of(stage.setup).has_sync:
        repair = "" if PLACEHOLDER.search(node) else f"mdadm --action=repair {node}"
        return Next("sync the array before use: its initial resync was skipped", repair)
    if is_permanent(plan, state) and mount_point(plan):
        return Next(f"use it at {mount_point(plan)}")
    if in_memory:
        return Next("practise on this array")
    if stage.array is not None and stage.filesystem is None:
        return Next("make a file system on it (end of the report)")
    return Next("use it", mount_line(plan, number, "/mnt"))


def explain_there(plan: Plan, state: RunState, why: str) -> Next:
    """The explanation in a file of the kept array; `why`: what it is for. Without a file system the array is used."""
    number = kept_stage_number(plan, state)
    if plan.stages[number].filesystem is None:
        return use_it(plan, state, in_memory=False)
    if is_permanent(plan, state):
        folder = mount_point(plan)
        return Next(f"{why}, in a file at {folder}", f"raidtui explain {state.run} --target {shlex.quote(folder)}")
    return Next(f"mount the array, so that explain --target /mnt can {why}", mount_line(plan, number, "/mnt"))
