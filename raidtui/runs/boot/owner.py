"""Owner and mode of the run's mounted file system: set once; who has changed them since keeps what he set.

Told in the journal before, with what they were: a worker that comes after one that died knows its own half of a change.
"""

import time

from raidtui.core.boot.ownership import Owned
from raidtui.core.plan.steps import SetOwner
from raidtui.core.run.boot_events import OwnerChanged
from raidtui.runs.boot.checks import is_ours
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import StepFailed


def set_owner(context: StageContext, step: SetOwner) -> None:
    """Unless they are as asked for, or somebody changed them. StepFailed, OSError or ValueError where they cannot be
    set.
    """
    if not is_ours(context, step.folder):
        raise StepFailed(f"the run's file system is not what is mounted at {step.folder}")
    host = context.host
    owned_now = host.owned(step.folder)
    changed = context.journal.state.owners.get(step.folder)
    if changed is None:
        changed = OwnerChanged(
            at_s=time.time(), folder=step.folder, old=owned_now, new=host.owned_as(step.folder, step.owner, step.mode)
        )
        if owned_now == changed.new:
            return
        context.journal.add(changed)
    if _is_somebodys(owned_now, changed):
        context.waiter.warn(
            f"{step.folder} is {owned_now.words} by now, and stays so: it was {changed.old.words}, {changed.new.words}"
            " was asked for"
        )
    elif owned_now != changed.new:
        host.own(step.folder, owned_now, changed.new)


def _is_somebodys(owned_now: Owned, changed: OwnerChanged) -> bool:
    """Is it neither as it was nor as asked for, nor with the owner set and the mode not yet?"""
    old, new = changed.old, changed.new
    return (owned_now.uid, owned_now.gid) not in ((old.uid, old.gid), (new.uid, new.gid)) or owned_now.mode not in (
        old.mode,
        new.mode,
    )
