"""What fio says it moved beside what the kernel counted on the same devices: a gap means that one of them is not asked.

Knows rates; where there is a gap, the page cache, a file system's own writes, or somebody else may be in it.
"""

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.cell import level_of
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.run.samples import ARRAY
from raidtui.core.units import MB

_GAP = 0.05
_ON_TIME = 1.5  # of the measured time: a ramp and fio's own start are in it


def gap(plan: Plan, stage: Stage, measurement: Measurement, took_s: float) -> str:
    """A sentence where they differ by more than 5 %, "" where they agree or the kernel was not asked.

    `took_s` is how long fio ran, ramp and all. Where it ended long after its time (disks that had to drain), the two
    are not of the same seconds, and nothing is said.
    """
    if took_s > _ON_TIME * (measurement.runtime_ms or 0) / 1000:
        return ""
    said = sum(way.bytes_per_s for way in (measurement.read, measurement.write) if way)
    counted = _counted(plan, stage, measurement)
    if not said or not counted or abs(counted / said - 1) <= _GAP:
        return ""
    where = plan.existing.path if plan.existing else "the array" if stage.array else "the disks"
    return f"fio moved {said / MB:.1f} MB/s, the kernel counted {counted / MB:.1f} MB/s on {where}"


def _counted(plan: Plan, stage: Stage, measurement: Measurement) -> float:
    """bytes/s of the array, else of all members together; 0 where they are not known, or hold copies of their own."""
    own_raid = stage.setup is not None and level_of(stage.setup).pool
    if measurement.status != "ok" or own_raid:
        return 0.0
    wanted = {ARRAY} if stage.array or stage.existing else {member.id for member in plan.members}
    rates = [one for key, one in measurement.disks.items() if key in wanted]
    return sum(one.read_bytes_per_s + one.write_bytes_per_s for one in rates)
