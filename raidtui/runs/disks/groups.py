"""Groups under the run's RAID 0: what is on them besides it. They are found by their UUIDs in `context`."""

from raidtui.core.disks.identity import digits
from raidtui.core.plan.steps import Command
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import Refused, StepFailed


def need_bare(context: StageContext) -> None:
    """Before the RAID 0 over them is created: all are there, used by nobody, without any signature."""
    names = context.own_groups()
    if len(names) < len(context.groups):
        raise StepFailed(f"{len(context.groups) - len(names)} of the run's groups are not there any more")
    for name in names:
        if reason := why_not_own(context, name, bare=True):
            raise Refused(reason)


def why_not_own(context: StageContext, group: str, *, bare: bool = False) -> str:
    """What is on a group that is neither the run's array nor its superblock, in a sentence; "" if nothing. `bare`: nor
    may that superblock be there.
    """
    assert context.stage and context.stage.array
    host, own = context.host, context.find_array()
    holders = {path.name for path in host.matching(f"/sys/block/{group}/holders/*")} - {own}
    if others := sorted({*holders, *host.partitions_of(group)}):
        return f"/dev/{others[0]} is on the group /dev/{group}, and this run did not make it"
    signatures = host.signatures_on((group,))[group].signatures
    if signatures is None:
        return f"/dev/{group} cannot be read, so that nobody knows what it holds"
    uuid = digits(context.stage.array.uuid)
    strange = next((signature for signature in signatures if bare or digits(signature.uuid) != uuid), None)
    return f"/dev/{group} holds {strange.kind} {strange.uuid}, which this run did not make" if strange else ""


def stop_again(context: StageContext) -> None:
    """The RAID 0, where it came up between its stop and the zeroing of its superblock: udev heeds no lock of md."""
    context.settle()
    if context.own_array():
        context.run(Command(what="Stop the RAID 0", role="stop", argv=("mdadm", "--stop", "{array}")))
        context.forget_array()
