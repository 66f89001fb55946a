"""Steps of a proof that took effect before its worker died, by the array itself."""

from raidtui.core.plan.steps import Check, Command, Step, Wait
from raidtui.runs.context import StageContext
from raidtui.runs.disks import containers


def is_done(context: StageContext, step: Step) -> bool:
    """Whether it need not be repeated."""
    cut = context.journal.state.cut
    match step:
        case Wait(condition="power-cut"):
            return cut is not None and cut.acknowledged is not None
        case Check(question="acknowledged"):
            return cut is not None and (cut.is_skipped or cut.found > 0)
    if not isinstance(step, Command):
        return False
    match step.role:
        case "stop":
            return context.array_in(step) is None
        case "assemble":
            return context.array_in(step) is not None
        case "fail" | "take-out":
            return _in_array(context, step) is False
        case "zero":
            return context.find_array() is not None and not context.carries_array(step.members[0])
        case "add":
            return _in_array(context, step) is True
        case "deactivate":
            return context.find_array() is None
        case "lock":
            return context.find_array() is None or containers.is_closed(context)
    return False


def _in_array(context: StageContext, step: Command) -> bool | None:
    """None: the array does not run."""
    name = context.part_with(step.members[0])
    return context.node(step.members[0]).removeprefix("/dev/") in context.host.slaves(name) if name else None
