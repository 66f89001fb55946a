"""An interrupted proof: its array, found by UUID, is brought back to where the unfinished state begins. Steps that
took effect are not repeated; a part that is written is written whole again.
"""

from raidtui.core.plan import member_steps
from raidtui.core.plan.member_steps import by_hand, writable
from raidtui.core.plan.steps import Command, Wait, settle
from raidtui.core.plan.storage_layers import layers
from raidtui.core.run.proof import differing, mkfs_begun, result
from raidtui.core.run.state import RunState
from raidtui.runs import mapping
from raidtui.runs.care import following
from raidtui.runs.executor import Executor
from raidtui.runs.proof import after_cut, differences
from raidtui.runs.proof.differences import NAMED
from raidtui.runs.removal import overwriting
from raidtui.runs.removal.free import array_is_free, need_bare
from raidtui.runs.removal.intents import Intent, before_course
from raidtui.runs.waiting import StepFailed


def begin_at(executor: Executor, past: RunState, index: int) -> None:
    """The array runs, writable, its layer open, nothing mounted, and holds what the proof wrote. StepFailed if not,
    Refused if somebody uses it, or it may have somebody's data. Nothing is written before all of that is known.
    """
    context = executor.context
    stage = context.stage
    assert stage and stage.array and stage.proof
    before_course(context, Intent.OVERWRITE, past, executor.to_remove, index=index)
    done = [step for step in stage.steps[:index] if isinstance(step, Command)]
    executor.begun = list(done)
    for step in done:
        context.absent = member_steps.absent_after(context.absent, step)
    if context.own_array() is None:
        created = (index for step in done if step.role == "create" for index in step.members)
        there = [index for index in created if context.carries_array(index)]
        for by_uuid in reversed(by_hand(stage.array, there)):
            executor.carry_out(by_uuid)
            executor.carry_out(settle())
    name = context.own_array()
    if name is None or context.host.is_dead(name):
        raise StepFailed(f"the array {stage.array.name} does not run; see `cat /proc/mdstat`")
    _follow_check(executor)
    after_cut.ask(context)
    if stage.layer and mapping.on(context.host, stage.layer, name) is None:
        executor.carry_out(layers.steps_of(stage.layer).taken_up(stage.layer))
        executor.carry_out(settle())
    array_is_free(context, True)
    if not mkfs_begun(past):
        _need_pattern(executor, past, index)
    for node in dict.fromkeys((*stage.array.parts, "{array}")):  # a rebuild of each goes on then
        step = writable(node)
        if context.host.text(f"/sys/block/{context.array_in(step)}/md/array_state") == "read-auto":
            executor.carry_out(step)
    if mkfs_begun(past):  # what it left was looked at, as before any removal
        executor.carry_out(
            Command(what="Clear the unfinished file system", role="wipe", argv=("wipefs", "--all", stage.proof.device))
        )
        executor.carry_out(settle())
        need_bare(context)


def _follow_check(executor: Executor) -> None:
    """BlocksDiffer if a check counted any while no worker followed it. One that runs still is awaited."""
    context = executor.context
    if following.is_checking(context):
        executor.carry_out(Wait(what="Wait for the check that runs", condition="sync-finished"))
    following.journal_differing(context)
    if differed := context.journal.state.differed:
        raise differences.BlocksDiffer(differing(differed[-1], context.plan))


def _need_pattern(executor: Executor, past: RunState, index: int) -> None:
    """BlocksDiffer, journalled, if the pattern is there and wrong."""
    context = executor.context
    wrong, found = overwriting.wrong_requests(context, past, index), result(context.plan, past)
    if not wrong:
        return
    assert context.stage and context.stage.proof and found
    proof = context.stage.proof
    state = proof.states[max(0, len(found.verified) - 1)].words
    differences.journal(context, state, [span.begin_bytes for span in wrong])
    locate = (differences.located(context, proof.tags, span, 0) for span in wrong[:NAMED])
    raise differences.BlocksDiffer(differences.looked_at(context, locate))
