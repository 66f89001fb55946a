"""Queue depth by disk: one disk alone has the depth that each disk of an array has. Within bounds of the machine."""

import msgspec

from raidtui.core.fio.job import MOST_JOBS, FioOptions, Job, block_bytes, count

_MEMORY_SHARE, _REQUESTS_SHARE = 20, 2  # at most 5 % of memory for buffers, half of fs.aio-max-nr
USUAL_REQUESTS = 65536  # fs.aio-max-nr, unless it was set


def resolved(job: Job, flash: bool, disks: int, requests: int = USUAL_REQUESTS, memory_bytes: int = 0) -> Job:
    """Its options are those of one disk; `disks`: the most of one array. An `iodepth` of its own is of all disks.
    `memory_bytes` 0: unknown.
    """
    if job.disk_depth is None or "iodepth" in job.fio:
        return msgspec.structs.replace(job, disk_depth=None)
    most = requests // _REQUESTS_SHARE
    if memory_bytes:
        most = min(most, memory_bytes // _MEMORY_SHARE // block_bytes(job.fio))
    asked = job.disk_depth.flash if flash else job.disk_depth.hdd
    queue = max(1, min(asked, most // max(1, disks)))
    processes = min(queue, count(job.fio, "numjobs"))
    return msgspec.structs.replace(job, fio={**job.fio, "iodepth": queue // processes, "numjobs": processes})


def of_disk(job: Job) -> int:
    """Queue depth of one disk; 0 where the job's own is of all."""
    return count(job.fio, "iodepth") * count(job.fio, "numjobs") if job.disk_depth else 0


def of_disks(options: FioOptions, disks: int) -> FioOptions:
    """Options of a resolved job on an array of so many: as many processes more, as far as fio starts them."""
    processes = count(options, "numjobs") * disks
    queue = count(options, "iodepth") * processes
    if processes > MOST_JOBS:
        processes = max(number for number in range(1, MOST_JOBS + 1) if queue % number == 0)
    return {**options, "iodepth": queue // processes, "numjobs": processes}


def on_array(job: Job, disks: int) -> Job:
    """The same job with all depth in its options."""
    return msgspec.structs.replace(job, fio=of_disks(job.fio, disks), disk_depth=None) if job.disk_depth else job
