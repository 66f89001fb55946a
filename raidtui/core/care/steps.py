"""The steps that check an array, replace one of its disks, or grow it. Every one can be passed over where md says it is
done.

What md has begun it ends, and nothing of the array is ever taken apart: all that is taken back is the partition on a
new disk that the array does not have yet.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.plan.member_steps import added, carrier, free_check, partitions_check, table
from raidtui.core.plan.steps import Check, Command, Step, Wait, Write, settle
from raidtui.core.raid import partitioning

# How the disk that is replaced stands: it works; md has failed it; it is pulled and md holds its place; no trace of it.
Old = Literal["works", "failed", "gone", "missing"]


class Partition(msgspec.Struct, frozen=True):
    """The one partition of a new disk: its size, and the UUID of its table ("": drawn by sfdisk)."""

    size_bytes: int
    table: str = ""


def speed_limits(at_least_kib_s: int, at_most_kib_s: int) -> list[Step]:
    """A member's KiB/s between which md keeps a sync; 0: as it is. They are put back at the end."""
    by_setting = {"sync_speed_max": at_most_kib_s, "sync_speed_min": at_least_kib_s}
    return [
        Write(what=f"Set {name} to {value} KiB/s", path=f"/sys/block/{{array}}/md/{name}", value=str(value))
        for name, value in by_setting.items()
        if value
    ]


def check(estimate_s: float, limits: list[Step]) -> tuple[Step, ...]:
    """All of the array read and compared; a stop ends it. A check that was stopped before would go on where it was."""
    idle = Command(what="End the check", role="idle", argv=("mdadm", "--action=idle", "{array}"))
    return (
        array_kept(),
        *limits,
        Write(
            what="Begin at the members' first sector", path="/sys/block/{array}/md/sync_min", value="0", restore=False
        ),
        Command(what="Begin the check", role="check", argv=("mdadm", "--action=check", "{array}"), undo=(idle,)),
        Wait(what="Wait for the end of the check", condition="check-ended", estimate_s=estimate_s),
    )


def replace(
    stands: Old, old: str, estimate_s: float, limits: list[Step], *, waits: bool, partition: Partition | None = None
) -> tuple[Step, ...]:
    """The new disk in the place of the one that `old` (a placeholder, "" for none) stands for.

    One that works is copied while it still does, and the array never lacks a disk. `partition`: the one that the new
    disk gets first, where members are partitions.
    """
    take_out = Command(what=f"Remove {old} from the array", role="take-out", argv=("mdadm", "--remove", "{array}", old))
    detached = ("mdadm", "--fail", "{array}", "detached", "--remove", "detached")
    new, number = carrier(0, partitioned=partition is not None), partitioning.NUMBER if partition else 0
    copy = ("mdadm", "--replace", "{array}", old, "--with", new)
    steps_before: dict[Old, list[Step]] = {
        "failed": [take_out],
        "gone": [Command(what="Remove the missing disk", role="fail", argv=detached)],
    }
    steps: list[Step] = [array_kept(), free_check()]
    if partition:
        made = table(0, partition.size_bytes, partition.table)
        steps += [made, settle(), partitions_check([partition.size_bytes])]
    steps += [*limits, *steps_before.get(stands, [])]
    steps.append(added(0, partitioned=partition is not None))
    if stands == "works":
        title = f"Replace {old} with {new}"
        steps.append(Command(what=title, role="replace", argv=copy, members=(0,), partition=number))
    if waits:
        steps.append(_writable())
        steps.append(Wait(what="Wait for the end of the rebuild", condition="rebuild-ended", estimate_s=estimate_s))
    if stands == "works":
        steps.append(take_out)
    return tuple(steps)


def grow(
    slots: int,
    new: int,
    estimate_s: float,
    limits: list[Step],
    partitions: Sequence[Partition],
    grows_then: Sequence[str],
) -> tuple[Step, ...]:
    """So many `new` disks in an array that then has `slots` of them, all of it moved over them, and the file system.

    `partitions`: those that the new disks get first, where members are such. `grows_then`: the words of the command
    that makes the file system as large, where it is known and mounted.
    """
    steps: list[Step] = [array_kept(), free_check()]
    if partitions:
        steps += [table(index, made.size_bytes, made.table) for index, made in enumerate(partitions)]
        steps += [settle(), partitions_check([made.size_bytes for made in partitions])]
    steps += [*limits, *(added(index, partitioned=bool(partitions)) for index in range(new)), _writable()]
    reshape = ("mdadm", "--grow", "{array}", f"--raid-devices={slots}")
    steps.append(Command(what=f"Grow the array to {slots} disks", role="reshape", argv=reshape))
    steps.append(Wait(what="Wait for the end of the growth", condition="growth-ended", estimate_s=estimate_s))
    if grows_then:
        steps.append(Command(what="Grow the file system", role="grow-filesystem", argv=tuple(grows_then)))
    return tuple(steps)


def _writable() -> Command:
    return Command(what="Make it writable", role="writable", argv=("mdadm", "--readwrite", "{array}"))


def array_kept() -> Check:
    """The look that comes before anything is done, the erasure of a new disk too."""
    return Check(what="Check that it is the planned array, and idle", question="array-kept")
