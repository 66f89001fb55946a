"""Tests of one disk with fewer requests at it than a job has: what theory needs where an array's disks share a queue.

Knows which depths are worth measuring; what a disk does at them is the baseline's.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import FioOptions, Job

_LONG_QUEUE = 16  # above it three depths, else two
_MOST_S = 60.0  # what such a test lasts at most


def depths_below(queue: int) -> tuple[int, ...]:
    """Two or three depths from 1 on, at even ratios up to the queue, this left out: 1 and 2 of 4; 1, 4, 16 of 64."""
    parts = 3 if queue > _LONG_QUEUE else 2
    return tuple(sorted({round(queue ** (part / parts)) for part in range(parts)} - {queue}))


def shallower_jobs(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Each random job with one process at these depths, but for those that another job of the recipe has already."""
    there = {_key(job, _queue(job)) for job in jobs}
    found: dict[tuple[object, ...], Job] = {}
    for job in jobs:
        if fio_job.is_sequential(str(job.fio.get("rw", "read"))) or job.family:
            continue
        for depth in depths_below(_queue(job)):
            found.setdefault(_key(job, depth), _at(job, depth))
    return tuple(job for key, job in found.items() if key not in there)


def _queue(job: Job) -> int:
    return fio_job.count(job.fio, "iodepth") * fio_job.count(job.fio, "numjobs")


def _key(job: Job, depth: int) -> tuple[object, ...]:
    """What makes two tests of one disk the same."""
    return job.fio.get("rw"), fio_job.block_bytes(job.fio), job.fio.get("direct"), job.fio.get("ioengine"), depth


def _at(job: Job, depth: int) -> Job:
    """The job at a depth; what it says of batches is of its own queue."""
    options: FioOptions = {key: value for key, value in job.fio.items() if not key.startswith("iodepth")}
    options |= {"iodepth": depth, "numjobs": 1}
    if fio_job.seconds(options, "runtime") > _MOST_S:
        options["runtime"] = f"{_MOST_S:g}s"
    title = f"{job.title or job.name}, {depth} in flight"
    return msgspec.structs.replace(job, name=f"{job.name}-at{depth}", title=title, fio=options, family=job.name)
