"""Baseline stages: the jobs on single members, then on all; one disk also at lower queue depths, for the model."""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import FioOptions, Job
from raidtui.core.plan.member_steps import free_check
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.recipe import Recipe
from raidtui.core.plan.steps import Step
from raidtui.core.plan.trials import Place, StageInputs, fill, measured, start_bytes

_LONG_QUEUE = 16  # above it three depths, else two
_MOST_S = 60.0  # what such a test lasts at most


def baseline(number: int, chosen: Recipe, inputs: StageInputs) -> list[Stage]:
    jobs = [job for job in inputs.jobs if job.baseline]
    if chosen.baseline == "none" or not jobs:
        return []
    members = inputs.members
    alone = range(len(members) if chosen.baseline == "each-member" else 1)
    smallest = min(member.size_bytes for member in members)
    places = [
        Place(
            target="member",
            targets=(inputs.devices[index],),
            per_disk=(inputs.devices[index],),
            room_bytes=members[index].size_bytes,
            each_bytes=members[index].size_bytes,
            member=index,
            members=(index,),
            start_bytes=start_bytes(members[index].size_bytes),
        )
        for index in alone
    ]
    all_of_them = Place(
        target="members",
        targets=inputs.devices,
        per_disk=inputs.devices,
        room_bytes=smallest,
        each_bytes=smallest,
        members=tuple(range(len(members))),
        start_bytes=start_bytes(smallest),
        disks=len(members),
    )
    trials: list[Trial] = []
    steps: list[Step] = [free_check()]
    filled = 0
    if inputs.passes:  # all at once, as far as the smallest goes
        filling, filled = fill(all_of_them, jobs, None, len(members), inputs.speed, inputs.passes)
        steps += filling
    shallower = shallower_jobs(jobs) if chosen.baseline_depths and inputs.block <= 1 else ()
    for place in (*places, all_of_them):
        for job in (*jobs, *(shallower if place is places[0] else ())):
            trial, measure_steps = measured(
                number, job, place, max(1, inputs.block), inputs.speed, None, members, inputs.block
            )
            trials.append(trial)
            steps += measure_steps
    written_bytes = filled + sum(trial.written_bytes for trial in trials)
    return [Stage(title="Baseline", steps=tuple(steps), trials=tuple(trials), written_bytes=written_bytes)]


def depths_below(queue: int) -> tuple[int, ...]:
    """Two or three from 1 on, at even ratios, below the queue: 1 and 2 of 4; 1, 4, 16 of 64."""
    intervals = 3 if queue > _LONG_QUEUE else 2
    return tuple(sorted({round(queue ** (interval / intervals)) for interval in range(intervals)} - {queue}))


def shallower_jobs(jobs: Sequence[Job]) -> tuple[Job, ...]:
    """Each random job with one process at these depths, unless the recipe has such a job."""
    keys_there = {_key(job, _queue(job)) for job in jobs}
    by_key: dict[tuple[object, ...], Job] = {}
    for job in jobs:
        if fio_job.is_sequential(str(job.fio.get("rw", "read"))) or job.family:
            continue
        for depth in depths_below(_queue(job)):
            by_key.setdefault(_key(job, depth), _at(job, depth))
    return tuple(job for key, job in by_key.items() if key not in keys_there)


def _queue(job: Job) -> int:
    return fio_job.count(job.fio, "iodepth") * fio_job.count(job.fio, "numjobs")


def _key(job: Job, depth: int) -> tuple[object, ...]:
    return job.fio.get("rw"), fio_job.block_bytes(job.fio), job.fio.get("direct"), job.fio.get("ioengine"), depth


def _at(job: Job, depth: int) -> Job:
    """Batch options refer to the job's own queue: dropped."""
    options: FioOptions = {key: value for key, value in job.fio.items() if not key.startswith("iodepth")}
    options |= {"iodepth": depth, "numjobs": 1}
    if fio_job.seconds(options, "runtime") > _MOST_S:
        options["runtime"] = f"{_MOST_S:g}s"
    title = f"{job.title or job.name}, QD{depth}"
    return msgspec.structs.replace(
        job, name=f"{job.name}-at{depth}", title=title, fio=options, family=job.name, disk_depth=None
    )
