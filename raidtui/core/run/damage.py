"""What a journal with damaged lines may hide: a result, the end of a step, a setting that was changed. Pure."""

from collections import Counter
from collections.abc import Iterator

from raidtui.core.plan.model import Plan, steps_of
from raidtui.core.plan.steps import Write
from raidtui.core.run.state import RunState


def sentence(plan: Plan, state: RunState) -> str:
    """How many lines of the journal cannot be read, and which settings may stay changed for it; "" for a whole one."""
    if not state.damaged:
        return ""
    single = state.damaged == 1
    counted = f"{state.damaged} line{'' if single else 's'} of its journal cannot be read"
    missing = f"{counted}: what {'it' if single else 'they'} told, as a result or a changed setting, is missing"
    if paths := settings_in_doubt(plan, state):
        return f"{missing}. Perhaps changed, and not put back: {', '.join(paths)}"
    return missing


def settings_in_doubt(plan: Plan, state: RunState) -> tuple[str, ...]:
    """Settings that the run has begun to change, or may have, and of which its damaged journal tells no such change.

    Paths of the plan. A setting that several stages change is in doubt where fewer changes are told than there may be.
    """
    if not state.damaged:
        return ()
    may_be = Counter(path for number in _begun(plan, state) for path in _changed(plan, number))
    put_back = Counter(change.path for change in state.changes)
    return tuple(path for path, times in may_be.items() if times > put_back[path])


def _begun(plan: Plan, state: RunState) -> Iterator[int]:
    """The stages up to the newest one that the journal tells of."""
    last = max((state.stage, *(step.stage for step in state.steps)))
    yield from range(min(last + 1, len(plan.stages)))


def _changed(plan: Plan, number: int) -> Iterator[str]:
    return (step.path for step in steps_of(plan, number) if isinstance(step, Write) and step.restore)
