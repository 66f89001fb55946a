"""Owner and mode of the run's mounted file system: set, and put back where nobody else has changed them since.

Told in the journal before, with what they were: whoever comes after a worker that died knows both.
"""

import time

from raidtui.core.plan.steps import SetOwner
from raidtui.core.run.boot_events import OwnerChanged, OwnerPutBack
from raidtui.runs.boot.checks import is_ours
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import StepFailed


def set_owner(context: StageContext, step: SetOwner) -> None:
    """Unless they are as asked for. StepFailed, OSError or ValueError where they cannot be set."""
    if not is_ours(context, step.folder):
        raise StepFailed(f"the run's file system is not what is mounted at {step.folder}")
    host = context.host
    old, new = host.owned(step.folder), host.owned_as(step.folder, step.owner, step.mode)
    if old == new:
        return
    context.journal.add(OwnerChanged(at_s=time.time(), folder=step.folder, old=old, new=new))
    host.own(step.folder, old, new)


def put_back(context: StageContext, folder: str) -> None:
    """What somebody changed since stays, and is said; so does what is not mounted now."""
    owner_set = context.journal.state.owners[folder]
    if not is_ours(context, folder):
        context.waiter.warn(f"{folder} is not mounted: its owner and mode stay as they are ({owner_set.new.words})")
        return
    try:
        now = context.host.owned(folder)
        if now == owner_set.new:
            context.host.own(folder, now, owner_set.old)
        elif now != owner_set.old:
            context.waiter.warn(
                f"{folder} is {now.words} by now, and stays so: the run had made it {owner_set.new.words}"
            )
    except (OSError, ValueError) as error:  # of a dead array's: the lines that boot reads are taken out all the same
        context.waiter.warn(f"{folder}: its owner and mode stay as they are ({owner_set.new.words}): {error}")
    context.journal.add(OwnerPutBack(at_s=time.time(), folder=folder))
