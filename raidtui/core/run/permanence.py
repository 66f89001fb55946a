"""Whether the array that a run keeps comes back at boot by what the run wrote, as plan and journal tell."""

from raidtui.core.plan.model import Plan
from raidtui.core.plan.steps import Command
from raidtui.core.run.state import RunState


def permanence_due(plan: Plan, state: RunState) -> bool:
    """Does the array stand that the plan makes permanent, and was that not done to its end?"""
    number, done = plan.permanence, state.stages_done
    return number is not None and state.kept and plan.kept_stage in done and number not in done


def is_permanent(plan: Plan, state: RunState) -> bool:
    """Was it made permanent, and not undone?"""
    return plan.permanence in state.stages_done and bool(state.edits)


def mount_point(plan: Plan) -> str:
    """Where the plan mounts what it makes permanent; "" where it mounts nothing."""
    steps = plan.stages[plan.permanence].steps if plan.permanence is not None else ()
    return next((step.folder for step in steps if isinstance(step, Command) and step.role == "mount"), "")
