"""What can be said of the array that a run leaves standing: what it is, whether it is whole, how many may fail."""

from collections.abc import Sequence

from raidtui.core.plan.failures import may_fail, may_fail_words
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.run.permanence import standing_stage
from raidtui.core.run.state import RunState, StepState
from raidtui.core.units import format_duration

_SYNCED = "sync-finished"


def sentence(plan: Plan, state: RunState) -> str:
    """`Built as planned: …`, as the run saw it last; "" where it leaves no array of its own making."""
    number = standing_stage(plan, state)
    if state.kept and (made := state.pools.get(number)):
        return f"The pool {made.pool} stands: made anew after the tests, GUID {made.guid}."
    if not state.kept or plan.existing or number >= len(plan.stages) or number not in state.arrays:
        return ""
    stage, steps = plan.stages[number], [step for step in state.steps if step.stage == number]
    if stage.array is None:
        return ""
    survives = may_fail(stage.setup, stage.array.capacity.survives)
    return f"Built as planned: {stage.title}. {_wholeness(stage, steps)}; {may_fail_words(survives)}."


def was_cleared(plan: Plan, state: RunState) -> bool:
    """Was its array kept at first, and taken apart since, to disks that were found blank?"""
    return plan.kept_stage in state.stages_done and state.ended and not state.kept and found_blank(state)


def found_blank(state: RunState) -> bool:
    """Did the worker look at the members last of all, and find no signature on them?"""
    last = state.steps[-1] if state.steps else None
    return bool(last and last.role == "members-blank" and last.ended_at_s is not None and not last.error)


def _wholeness(stage: Stage, steps: Sequence[StepState]) -> str:
    """Its first sync ended on all of its disks (the wait for it fails where one is missing), or what is known of it."""
    waited = [step for step in steps if step.role == _SYNCED and not step.undoing and not step.error]
    if waited and waited[-1].ended_at_s is not None:
        return (
            f"All its disks are in it, in sync after {format_duration(waited[-1].ended_at_s - waited[-1].started_at_s)}"
        )
    skipped = stage.setup is not None and stage.setup.first_sync == "skip"
    return "All its disks are in it, its first sync was left out" if skipped else "All its disks are in it"
