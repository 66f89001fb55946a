"""Partition tables made by a run: known by UUID, checked before writes, removed only if nothing else is on them."""

from raidtui.core.disks.machine import sysfs_name
from raidtui.core.plan.steps import Check, Command
from raidtui.core.raid import layers
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import Refused, StepFailed

_QUERY_S = 60.0
_PROTECTIVE = "PMBR"  # what wipefs calls the half of a table that is the last to be written and to go
_SECTOR_BYTES = 512  # of sysfs, whatever the disk's own sectors are


def check_own(context: StageContext, check: Check) -> None:
    """By all nodes: the run's table, one empty planned partition. A cared-for array's new members are skipped."""
    for index, size_bytes in enumerate(check.expected.values()):
        if context.plan.care and context.carries_array(index):
            continue
        member = context.plan.members[index]
        disk = context.members.disk(member)
        title = context.members.title(disk.name)
        if reason := context.members.why_no_own_table(member, disk):
            raise Refused(f"{title} has not the partition table that this run made: {reason}")
        partition = context.members.carrier(disk)
        partitions = context.host.partitions_of(disk.name)
        if not partition:
            raise StepFailed(
                f"the kernel does not show the partition that was made on {title}: some program uses the disk; find and"
                " end that (lsof, lsblk), then start again"
            )
        if others := sorted({*partitions} - {partition}):
            raise Refused(f"{title} has {', '.join(others)}, which this run did not make")
        folder, node = f"/sys/class/block/{sysfs_name(partition)}", f"/dev/{partition}"
        seen = (context.host.text(f"{folder}/start"), context.host.size_bytes(partition))
        if seen != (str(layers.START_BYTES // _SECTOR_BYTES), size_bytes):
            raise Refused(f"{node} begins at sector {seen[0]} and has {seen[1]} bytes, made was another: plan again")
        if context.host.devnum_of(node) != context.host.text(f"{folder}/dev"):
            raise Refused(f"{node} does not lead to the partition of {title}")
        if signatures := _signatures(context, partition):
            raise Refused(f"{node} holds {', '.join(signatures)}, which this run did not make")


def is_made(context: StageContext, step: Command) -> bool:
    """From before an interruption."""
    (index,) = step.members
    member = context.plan.members[index]
    disk = context.members.disk(member)
    return bool(context.members.carrier(disk)) and not context.members.why_no_own_table(member, disk)


def is_undone(context: StageContext, step: Command) -> bool:
    """Nothing to remove. Refused if other contents are there. A partition that the array uses stays."""
    (index,) = step.members
    member = context.plan.members[index]
    disk = context.members.disk(member)
    on_disk, partitions = _signatures(context, disk.name), context.host.partitions_of(disk.name)
    if step.role == "reread":
        return bool(on_disk) or not partitions
    title, partition = context.members.title(disk.name), context.members.carrier(disk)
    if not on_disk:
        return member.id not in context.members.written or not _is_protective_alone(context, disk.path)
    if context.plan.care and context.carries_array(index):
        return True
    if reason := context.members.why_no_own_table(member, disk):
        raise Refused(f"{title} holds what this run did not make: {reason}; it is left alone")
    foreign = [f"the partition {name}" for name in partitions if name != partition]
    foreign += [f"{words} on {partition}" for words in (_signatures(context, partition) if partition else ())]
    if foreign:
        raise Refused(f"{title} holds {', '.join(foreign)}, which this run has not made or not cleared")
    return False


def _signatures(context: StageContext, name: str) -> list[str]:
    signatures = context.host.signatures_on((name,))[name].signatures
    if signatures is None:
        raise StepFailed(f"/dev/{name} cannot be read, so that nobody knows what it holds")
    return [f"{signature.kind} {signature.uuid}".strip() for signature in signatures]


def _is_protective_alone(context: StageContext, path: str) -> bool:
    wipefs = context.host.ask(
        ("wipefs", "--no-act", "--parsable", "--noheadings", "--output", "TYPE", path), timeout_s=_QUERY_S
    )
    return wipefs.returncode == 0 and set(wipefs.stdout.split()) == {_PROTECTIVE}
