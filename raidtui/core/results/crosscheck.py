"""fio's rate beside the kernel's on the same devices; a warning where they differ."""

import msgspec

from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.plan.parsed_setup import level_of
from raidtui.core.run.samples import ARRAY
from raidtui.core.units import MB, signed_percent

_GAP = 0.05
_KERNELS = "rate: kernel, latency: fio"
_FIOS = "rate: fio, possibly off by as much"
_ON_TIME = 1.5  # of the measured time: a ramp and fio's own start are in it


class Gap(msgspec.Struct, frozen=True):
    """bytes/s of a test in its directions. `by_kernel`: the figure is the kernel's."""

    fio_bytes_per_s: float
    counted_bytes_per_s: float
    by_kernel: bool

    @property
    def ratio(self) -> float:
        return self.counted_bytes_per_s / self.fio_bytes_per_s


def gap(plan: Plan, stage: Stage, measurement: Measurement, took_s: float) -> Gap | None:
    """Where they differ by over 5 % and more than requests in the queue explain; None else, or where fio ran long after
    its time. `took_s`: fio's, with ramp.
    """
    if took_s > _ON_TIME * (measurement.runtime_ms or 0) / 1000:
        return None
    fio_bytes_per_s = sum(transfers.bytes_per_s for transfers in (measurement.read, measurement.write) if transfers)
    counted = _counted(plan, stage, measurement)
    if (
        not fio_bytes_per_s
        or not counted
        or abs(counted - fio_bytes_per_s) <= max(_GAP * fio_bytes_per_s, _edges_bytes_per_s(measurement))
    ):
        return None
    by_kernel = any(transfers.counted_iops for transfers in (measurement.read, measurement.write) if transfers)
    return Gap(fio_bytes_per_s, counted, by_kernel)


def gap_words(plan: Plan, stage: Stage, found: Gap | None) -> str:
    if found is None:
        return ""
    fio, kernel = (f"{rate / MB:.3g} MB/s" for rate in (found.fio_bytes_per_s, found.counted_bytes_per_s))
    where = plan.existing.path if plan.existing else "the array" if stage.array else "the disks"
    figures = f"fio moved {fio}, the kernel counted {kernel} on {where} ({signed_percent(found.ratio - 1)} %)"
    return f"{figures}: {_KERNELS if found.by_kernel else _FIOS}"


def _edges_bytes_per_s(measurement: Measurement) -> float:
    """What requests in flight when the counting begins or ends are of the rate: one of the two counts them, or none."""
    queue = (measurement.iodepth or 1) * (measurement.numjobs or 1)
    return queue * (measurement.bs_bytes or 0) * 1000 / measurement.runtime_ms if measurement.runtime_ms else 0.0


def _counted(plan: Plan, stage: Stage, measurement: Measurement) -> float:
    """bytes/s in the test's own directions, of the array, else of all members; 0: not known, or members hold copies."""
    own_raid = stage.setup is not None and level_of(stage.setup).pool
    if measurement.status != "ok" or own_raid:
        return 0.0
    expected_disks = {ARRAY} if stage.array or stage.existing else {member.id for member in plan.members}
    rates = [disk_rates for key, disk_rates in measurement.disks.items() if key in expected_disks]
    by_direction = directions(measurement.rw)
    return sum(
        disk_rates.read_bytes_per_s * ("read" in by_direction)
        + disk_rates.write_bytes_per_s * ("write" in by_direction)
        for disk_rates in rates
    )
