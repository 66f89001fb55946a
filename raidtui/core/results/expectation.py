"""What a measured job should have given: theory's figure from one disk's, and Little's law from the queue.

Knows how a job of fio's maps onto the model's rows; the model is `theory`.
"""

from collections.abc import Sequence
from statistics import median

import msgspec

from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.cell import level_of
from raidtui.core.plan.model import Stage
from raidtui.core.raid import theory
from raidtui.core.results.attempts import Compared
from raidtui.core.results.figure import good


class Expected(msgspec.Struct, frozen=True):
    """bytes/s or IOPS as the job is judged by.

    `upper_bound`: the queue is shorter than the disks are many. `ceiling` is what no queue gets beyond: larger than the
    value where that is only about what such a queue gets.
    """

    value: float | None = None
    upper_bound: bool = False
    ceiling: float | None = None


def predicted(stage: Stage, job: Compared, members: int, slowest: float | None, flash: bool) -> Expected:
    """Theory's figure of a stage's array from what its slowest member does alone, else the first one measured.

    Nothing where no member was measured alone, or where the model has no row: a sequential mix, an unknown level.
    """
    first = next((good(attempts) for _, attempts in sorted(job.alone.items())), [])
    if stage.setup is None or not first or level_of(stage.setup).pool:  # a file system's own RAID is not the model's
        return Expected()
    if stage.setup.failed:  # the model is of whole arrays
        return Expected()
    mixed = len(directions(job.trial.rw)) == 2
    if mixed and job.kind == "sequential":
        return Expected()
    share = _read_share(good(job.array) or first) if mixed else None
    one = median([total_iops(m) for m in first]) if mixed else slowest or median([job.value(m) or 0.0 for m in first])
    layout = stage.array.layout if stage.array else stage.setup.layout
    try:
        endless = theory.predict(
            stage.setup.level,
            members,
            one if job.kind == "sequential" else 0.0,
            one if job.kind == "random" else 0.0,
            layout=layout if stage.setup.level == "10" and layout else None,
            read_share=share,
            flash=flash,
        )
    except ValueError:
        return Expected()
    queue_depth = (job.trial.iodepth or 1) * (job.trial.numjobs or 1)
    answering = members - (stage.setup.level == "4")
    # What a short queue keeps busy of the reading disks, by chance: Q / (Q + n - 1) (Reiser, Lavenberg 1980).
    reads = endless.rand_read_iops * queue_depth / (queue_depth + answering - 1)
    mix = None if endless.rand_mixed_iops is None else min(reads, endless.rand_mixed_iops)
    model = msgspec.structs.replace(endless, rand_read_iops=reads, rand_mixed_iops=mix)
    value, ceiling = (_figure(one, job, share) for one in (model, endless))
    return Expected(value or None, queue_depth < members and job.kind == "random", ceiling)


def _figure(model: theory.Prediction, job: Compared, read_share: float | None) -> float:
    """The model's figure for the job's own direction."""
    if read_share is not None:
        return (model.rand_mixed_iops or 0.0) * (read_share if job.name == "read" else 1 - read_share)
    return {
        ("sequential", "read"): model.seq_read_bytes_per_s,
        ("sequential", "write"): model.seq_write_bytes_per_s,
        ("random", "read"): model.rand_read_iops,
        ("random", "write"): model.rand_write_iops,
    }[job.kind, job.name]


class Little(msgspec.Struct, frozen=True):
    """Little's law: the mean latency of all operations, `mean_ns`, must be `expected_ns` = queue / IOPS."""

    queue: int | None = None
    expected_ns: float | None = None
    mean_ns: float | None = None

    @property
    def off(self) -> float | None:
        """By how much the measured latency differs, as a share."""
        return self.mean_ns / self.expected_ns - 1 if self.mean_ns and self.expected_ns else None


def little(measurements: Sequence[Measurement]) -> Little:
    """Of the first measurement whose queue is known."""
    for measurement in measurements:
        parts = [one for one in (measurement.read, measurement.write) if one]
        total = total_iops(measurement)
        if measurement.iodepth and measurement.numjobs and total:
            queue = measurement.iodepth * measurement.numjobs
            known = [one.lat_mean_ns * one.iops for one in parts if one.lat_mean_ns is not None]
            return Little(queue, queue / total * 1e9, sum(known) / total if len(known) == len(parts) else None)
    return Little()


def total_iops(measurement: Measurement) -> float:
    """Reads and writes together."""
    return sum(one.iops for one in (measurement.read, measurement.write) if one)


def _read_share(measurements: Sequence[Measurement]) -> float | None:
    shares = [(m.read.iops if m.read else 0.0) / total for m in measurements if (total := total_iops(m))]
    return median(shares) if shares else None
