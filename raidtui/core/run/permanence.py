"""State of a kept array, from plan and journal: kept, permanent, removed."""

from raidtui.core.plan.model import Plan
from raidtui.core.run.events import PoolMade
from raidtui.core.run.state import WORKER_DIED, RunState

_TAKES_DATA = ("lvremove", "vgremove", "pvremove", "wipe", "stop", "zero")  # roles


def keeping_due(plan: Plan, state: RunState) -> bool:
    number = plan.kept_stage
    return number is not None and state.kept and state.tests_done == number and number not in state.stages_done


def may_go_on(plan: Plan, state: RunState) -> bool:
    """Work is left for the kept array, without tests or removal."""
    return keeping_due(plan, state) or permanence_due(plan, state)


def was_taken_apart(state: RunState, number: int) -> bool:
    """Removal of the stage's result began after its last build."""
    steps = [step for step in state.steps if step.stage == number]
    built = max((at for at, step in enumerate(steps) if step.role == "create" and not step.undoing), default=-1)
    begun = (step for step in steps[built + 1 :] if step.undoing and step.role in _TAKES_DATA)
    return any(step.error in (None, WORKER_DIED) for step in begun)


def permanence_due(plan: Plan, state: RunState) -> bool:
    """The array exists, and its permanence is unfinished."""
    number, stages_done = plan.permanence, state.stages_done
    return number is not None and state.kept and plan.kept_stage in stages_done and number not in stages_done


def is_permanent(plan: Plan, state: RunState) -> bool:
    return plan.permanence in state.stages_done and state.is_at_boot


def is_to_undo(state: RunState) -> bool:
    """Boot, or an initramfs not rebuilt yet, may refer to the run's array or pool."""
    return state.is_at_boot or state.initramfs_older


def kept_stage_number(plan: Plan, state: RunState) -> int:
    """Number of the kept array's stage: as planned, or the last begun if a person kept it."""
    return state.stage if plan.kept_stage is None else plan.kept_stage


def pool_made(plan: Plan, state: RunState, number: int) -> PoolMade:
    """Pool of the stage, or the one it makes permanent, by GUID. ValueError if none was read."""
    made = state.pools.get(number - plan.stages[number].permanent)
    if made is None:
        raise ValueError("the GUID of the run's pool was not read")
    return made
