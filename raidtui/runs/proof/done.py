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
    if not isinstance(step, Command) or (name := context.find_array()) is None:
        return isinstance(step, Command) and step.role in ("stop", "deactivate", "lock")
    match step.role:
        case "fail" | "take-out":
            return not _in_array(context, name, step)
        case "zero":
            return not context.carries_array(step.members[0])
        case "add":
            return _in_array(context, name, step)
        case "assemble":
            return True
        case "lock":
            return containers.is_closed(context)
    return False


def _in_array(context: StageContext, name: str, step: Command) -> bool:
    return context.node(step.members[0]).removeprefix("/dev/") in context.host.slaves(name)
