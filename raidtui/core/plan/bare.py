"""Tests of a new array on all of the device that gets a file system, before mkfs: random ones, which then have no file,
and of a single setup sequential ones, beside their file tests and under names of their own.
"""

import msgspec

from raidtui.core.fio import job as fio_job
from raidtui.core.fio.job import Job
from raidtui.core.plan.parsed_setup import ParsedSetup
from raidtui.core.plan.recipe import BARE_NAMES
from raidtui.core.plan.trials import Place, StageInputs, Tests, start_bytes, tests
from raidtui.core.units import MIB

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
            passes = 0 if done.trials else inputs.passes
            made = tests(replace(inputs, jobs=jobs, passes=passes), number, cell, of_part)
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
