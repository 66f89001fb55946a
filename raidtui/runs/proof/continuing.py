"""An interrupted proof: its array, found by UUID, is brought back to where the unfinished state begins. Steps that
took effect are not repeated; a part that is written is written whole again.
"""

from raidtui.core.plan import failures
from raidtui.core.plan.member_steps import assembled, writable
from raidtui.core.plan.model import Stage
from raidtui.core.plan.steps import Command, settle
from raidtui.core.plan.storage_layers import layers
from raidtui.runs.checks import array_is_free
from raidtui.runs.disks import mapping
from raidtui.runs.executor import Executor
from raidtui.runs.proof import after_cut
from raidtui.runs.waiting import StepFailed


def begin_at(executor: Executor, stage: Stage, index: int) -> None:
    """The array runs, writable, its layer open, nothing mounted. StepFailed if not, Refused if somebody uses it."""
    context = executor.context
    assert stage.array
    done = [step for step in stage.steps[:index] if isinstance(step, Command)]
    executor.begun = list(done)
    for step in done:
        context.absent = failures.absent_after(context.absent, step)
    if context.own_array() is None:
        create = next(step for step in done if step.role == "create")
        there = [index for index in create.members if context.carries_array(index)]
        by_uuid = assembled(stage.array.uuid, there, "Assemble the array", partitioned=stage.array.partitioned)
        executor.carry_out(by_uuid)
        executor.carry_out(settle())
    name = context.own_array()
    if name is None or context.host.is_dead(name):
        raise StepFailed(f"the array {stage.array.name} does not run; see `cat /proc/mdstat`")
    after_cut.ask(context)
    if context.host.text(f"/sys/block/{name}/md/array_state") == "read-auto":
        executor.carry_out(writable())
    if stage.layer and mapping.on(context.host, stage.layer, name) is None:
        executor.carry_out(layers.steps_of(stage.layer).taken_up(stage.layer))
        executor.carry_out(settle())
    array_is_free(context, True)
