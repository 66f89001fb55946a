"""Steps that check, replace in, or grow an array; each can be skipped if md reports it done. What md began it finishes.
Undone is only a new disk's partition that the array does not use yet.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.plan.member_steps import (
    added,
    carrier,
    copies_check,
    free_check,
    partitions_check,
    table,
    writable,
)
from raidtui.core.plan.steps import Check, Command, Step, Wait, Write, settle
from raidtui.core.raid import partitioning

# How the disk that is replaced stands: it works; md has failed it; it is pulled and md holds its place; no trace of it.
Old = Literal["works", "failed", "gone", "missing"]


class Partition(msgspec.Struct, frozen=True):
    """`table`: UUID ("": drawn by sfdisk)."""

    size_bytes: int
    table: str = ""


def speed_limits(at_least_kib_s: int, at_most_kib_s: int) -> list[Step]:
    """KiB/s per member; 0: unchanged. Restored at the end."""
    by_setting = {"sync_speed_max": at_most_kib_s, "sync_speed_min": at_least_kib_s}
    return [
        Write(what=f"Set {name} to {value} KiB/s", path=f"/sys/block/{{array}}/md/{name}", value=str(value))
        for name, value in by_setting.items()
        if value
    ]


def check(estimate_s: float, limits: list[Step]) -> tuple[Step, ...]:
    """A stop ends it."""
    return (array_kept(), *limits, *copies_check("Begin the check", estimate_s))


def replace(
    state: Old,
    old: str,
    estimate_s: float,
    limits: list[Step],
    *,
    waits: bool,
    partition: Partition | None = None,
    write_mostly: bool = False,
) -> tuple[Step, ...]:
    """`old`: placeholder or "". Working disks are copied: never degraded. `partition`: first, on the new disk.
    `write_mostly`: as the old one was.
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
    steps += [*limits, *steps_before.get(state, [])]
    steps.append(added(0, partitioned=partition is not None, write_mostly=write_mostly))
    if state == "works":
        title = f"Replace {old} with {new}"
        steps.append(Command(what=title, role="replace", argv=copy, members=(0,), partition=number))
    if waits:
        steps.append(writable())
        steps.append(Wait(what="Wait for the end of the rebuild", condition="rebuild-ended", estimate_s=estimate_s))
    if state == "works":
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
    """`slots`: in all. `partitions`: of new disks. `grows_then`: grows the file system, if known and mounted."""
    steps: list[Step] = [array_kept(), free_check()]
    if partitions:
        steps += [table(index, made.size_bytes, made.table) for index, made in enumerate(partitions)]
        steps += [settle(), partitions_check([made.size_bytes for made in partitions])]
    steps += [*limits, *(added(index, partitioned=bool(partitions)) for index in range(new)), writable()]
    reshape = ("mdadm", "--grow", "{array}", f"--raid-devices={slots}")
    steps.append(Command(what=f"Grow the array to {slots} disks", role="reshape", argv=reshape))
    steps.append(Wait(what="Wait for the end of the growth", condition="growth-ended", estimate_s=estimate_s))
    if grows_then:
        steps.append(Command(what="Grow the file system", role="grow-filesystem", argv=tuple(grows_then)))
    return tuple(steps)


def array_kept() -> Check:
    """Before anything else, erasing a new disk included."""
    return Check(what="Check that it is the planned array, and idle", question="array-kept")
