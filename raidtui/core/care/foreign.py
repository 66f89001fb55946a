"""What about a kept array is not as its run left it. Pure; see `raidtui.runs.care.absence`."""

from collections.abc import Iterator, Mapping

import msgspec

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.status import KeptArray
from raidtui.core.care import as_built
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import Plan


def not_own(plan: Plan, array: Array | None, kept: KeptArray | None, strange: Mapping[str, str]) -> Iterator[str]:
    """In words, for a filled `plan`. `strange`: folder of a mount -> names in it that are not the run's, in words."""
    assert plan.kept_stage is not None
    built = msgspec.structs.replace(plan, stages=plan.stages[: plan.kept_stage + 1])  # its boot lines go first
    filesystem = built.stages[-1].filesystem
    if filesystem is None:
        yield "it has no file system, so data on it cannot be detected"
    if array is None or kept is None:
        yield "it does not run"
        return
    if kept.grown_by:
        yield f"run {kept.grown_by} has grown it"
    yield from as_built.lacking(built, array, kept.disks)
    own = {member.id for member in plan.members}
    for member in array.members:
        if member.device and (member.disk is None or member.disk.id not in own):
            yield f"its member {member.disk.title if member.disk else f'/dev/{member.device}'} is not the run's"
    for volume in array.upon:
        if not filesystem or volume.uuid != filesystem.uuid:
            yield f"/dev/{volume.device} has {volume.kind}, which is not the run's"
            continue
        for folder in volume.mounted_at:
            if folder != mount_point(plan):
                yield f"it is mounted at {folder}"
            if folder in strange:
                yield strange[folder]
