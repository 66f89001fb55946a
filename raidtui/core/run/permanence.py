"""How far a run's array that is kept has come, as plan and journal tell: kept, back at boot, removed."""

from raidtui.core.plan.model import Plan
from raidtui.core.run.events import PoolMade
from raidtui.core.run.state import WORKER_DIED, RunState

_TAKES_DATA = ("lvremove", "vgremove", "pvremove", "wipe", "stop", "zero")  # roles


def keeping_due(plan: Plan, state: RunState) -> bool:
    """Is the array kept since its tests have ended, and was its stage not done to its end?"""
    number = plan.kept_stage
    return number is not None and state.kept and state.tests_done == number and number not in state.stages_done


def may_go_on(plan: Plan, state: RunState) -> bool:
    """Is something left to do for the array that the run keeps, without a test and without taking it apart?"""
    return keeping_due(plan, state) or permanence_due(plan, state)


def was_taken_apart(state: RunState, number: int) -> bool:
    """Had removing what stage `number` built begun, after it was built for the last time?"""
    steps = [step for step in state.steps if step.stage == number]
    built = max((at for at, step in enumerate(steps) if step.role == "create" and not step.undoing), default=-1)
    begun = (step for step in steps[built + 1 :] if step.undoing and step.role in _TAKES_DATA)
    return any(step.error in (None, WORKER_DIED) for step in begun)


def permanence_due(plan: Plan, state: RunState) -> bool:
    """Does the array stand that the plan makes permanent, and was that not done to its end?"""
    number, stages_done = plan.permanence, state.stages_done
    return number is not None and state.kept and plan.kept_stage in stages_done and number not in stages_done


def is_permanent(plan: Plan, state: RunState) -> bool:
    """Was it made permanent, and not undone?"""
    return plan.permanence in state.stages_done and state.is_at_boot


def is_to_undo(state: RunState) -> bool:
    """May boot, or an initramfs that was not made again yet, know of the array or the pool by what the run did?"""
    return state.is_at_boot or state.initramfs_older


def standing_stage(plan: Plan, state: RunState) -> int:
    """The number of the stage whose array a run keeps: as planned, or the last that began where a person kept it."""
    return state.stage if plan.kept_stage is None else plan.kept_stage


def pool_made(plan: Plan, state: RunState, number: int) -> PoolMade:
    """The ZFS pool of stage `number`, or of the one that it makes permanent, by the GUID that was read. ValueError
    where none was.
    """
    made = state.pools.get(number - plan.stages[number].permanent)
    if made is None:
        raise ValueError("the GUID of the run's pool was not read")
    return made
