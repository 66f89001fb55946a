"""Baseline stages: the jobs on single members, then on all; one disk also at lower queue depths, for the model.

Tests of a new array on all of the device that gets a file system, before mkfs: random ones, which then have no file,
and of a single setup sequential ones, beside their file tests and under names of their own.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import Job
from raidtui.core.plan.member_steps import free_check
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.recipe import BARE_NAMES, Recipe
from raidtui.core.plan.steps import Step
from raidtui.core.plan.trials import Place, StageInputs, Tests, fill, measured, start_bytes, tests
from raidtui.core.units import MIB

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
    return [
        Stage(
            title="Baseline",
            steps=tuple(steps),
            trials=tuple(trials),
            written_bytes=filled + sum(trial.written_bytes for trial in trials),
        )
    ]


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
    options = {key: value for key, value in job.fio.items() if not key.startswith("iodepth")}
    options |= {"iodepth": depth, "numjobs": 1}
    if fio_job.seconds(options, "runtime") > _MOST_S:
        options["runtime"] = f"{_MOST_S:g}s"
    return msgspec.structs.replace(
        job,
        name=f"{job.name}-at{depth}",
        title=f"{job.title or job.name}, QD{depth}",
        fio=options,
        family=job.name,
        disk_depth=None,
    )


_INNER_SHARE = 0.9  # the last tenth of rotating disks, as of recipe zones
# A job with these verifies all of its span, or has jobs all over it: neither outer nor inner tracks.
_ELSEWHERE = frozenset({"verify", "offset", "offset_increment"})


def on_device(inputs: StageInputs, cell: ParsedSetup) -> tuple[Job, ...]:
    """Random jobs of an array that gets a file system. Rounds and rebuilds under load stay in one piece, on files."""
    return tuple(job for job in inputs.jobs if not _is_sequential(job)) if _has_device(inputs, cell) else ()


def before_mkfs(inputs: StageInputs, number: int, cell: ParsedSetup, room_bytes: int, device: str) -> Tests:
    """Sequential from the device's start, of rotating disks also from nine tenths on; then random on all of it."""
    sequential = _sequential(inputs, cell)
    rotating = all(member.rotational is True for member in inputs.members)
    place = Place(
        target="array",
        targets=(device,),
        per_disk=(device,) * cell.disks,
        room_bytes=room_bytes,
        each_bytes=room_bytes,
        start_bytes=MIB,
        disks=cell.disks,
    )
    shape = cell.geometry
    stripe_bytes = max(1, shape.stripe_width_blocks * shape.block_bytes)
    first = MIB if cell.setup.partition_start_sectors else start_bytes(room_bytes, stripe_bytes) or MIB
    last = int(room_bytes * _INNER_SHARE) // stripe_bytes * stripe_bytes
    replace = msgspec.structs.replace
    parts = [(replace(place, start_bytes=first, bare="start", mark="outer" if rotating else "bare"), sequential)]
    if rotating and last > first:
        parts.append((replace(place, start_bytes=last, bare="end", mark="inner"), sequential))
    parts.append((place, on_device(inputs, cell)))
    done = Tests([], (), 0)
    for of_part, jobs in parts:
        if jobs:
            # Filled once: the first goes over all of it.
            made = tests(replace(inputs, jobs=jobs, passes=0 if done.trials else inputs.passes), number, cell, of_part)
            done = Tests(
                [*done.steps, *made.steps], (*done.trials, *made.trials), done.written_bytes + made.written_bytes
            )
    return done


def _has_device(inputs: StageInputs, cell: ParsedSetup) -> bool:
    if not cell.is_mounted or inputs.published or inputs.by_filesystem:
        return False
    return not (inputs.rounds or cell.setup.rebuild_min_kib_s)


def _sequential(inputs: StageInputs, cell: ParsedSetup) -> tuple[Job, ...]:
    """Jobs of a single setup that end by time: others would go over all of the array."""
    if not inputs.single or inputs.explain or not _has_device(inputs, cell):
        return ()
    names = {job.name for job in inputs.jobs}
    return tuple(
        job
        for job in inputs.jobs
        if _is_sequential(job)
        and job.fio.get("direct")
        and job.fio.get("time_based")
        and not _ELSEWHERE & job.fio.keys()
        and job.files == "one"
        and not (job.family or job.share_of)
        and names.isdisjoint(f"{job.name}-{end}" for end in BARE_NAMES.values())
    )


def _is_sequential(job: Job) -> bool:
    return fio_job.is_sequential(str(job.fio.get("rw", "read")))
