"""The array of answers that shall be absent: found by its run, with what on it is not the run's. Read-only."""

import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from raidtui.core.arrays.array import Array, KnownDisk
from raidtui.core.arrays.reading import arrays_of
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.care import as_built
from raidtui.core.disks.disk import marks
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.selection import DiskRule
from raidtui.core.disks.uuids import digits
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, PlanNotSafe
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import ArrayPlan, Plan
from raidtui.core.run.kept import own_names
from raidtui.core.text import clean, listed
from raidtui.runs import directory, kept_arrays
from raidtui.runs.care import ensuring
from raidtui.runs.journal import read_state
from raidtui.system.arrays import boot_files

_MOST_SHOWN = 3  # names


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """An array that `run` keeps. `plan`: filled. `at_boot`: boot files have lines of the run. `foreign`: why the array
    must not be removed by a program, or "".
    """

    run: str
    plan: Plan
    array: ArrayPlan
    at_boot: bool
    foreign: str


def standing_for(answers: Answers, machine: Machine) -> Standing | None:
    """None: no run keeps an array of these answers, and no other array is on their disks. PlanNotSafe if it is unclear
    which array is meant, or while a run of these answers is active or unfinished.
    """
    theirs, unread = ensuring.runs_of(answers)
    if unread:
        raise PlanNotSafe(f"{unread}; repair that run first, or move its folder away")
    for run in theirs.values():
        ensuring.refuse_unfinished(run)
    kept_runs = kept_arrays.kept_arrays({digits(array.uuid) for array in arrays_of(machine)} - {""})
    around = Surroundings(boot=boot_files.read(), kept=kept_runs)
    arrays = status_of(machine, around, time.time()).arrays
    keeping = [run for run in theirs.values() if run.status.kept]
    if len(keeping) > 1:
        names = " and ".join(run.status.name for run in keeping)
        raise PlanNotSafe(f"{names} keep an array each for these answers; name the disks of one")
    if not keeping:
        for array in arrays:
            _refuse_other(answers, array, machine)
        return None
    (run,) = keeping
    plan = slots.filled(run.plan)
    assert plan.kept_stage is not None
    planned = plan.stages[plan.kept_stage].array
    assert planned
    found = next((array for array in arrays if digits(array.uuid) == digits(planned.uuid)), None)
    reasons = _foreign(run.status.path, plan, found, kept_runs.get(digits(planned.uuid)))
    return Standing(
        run=run.status.name, plan=plan, array=planned, at_boot=run.status.permanent, foreign="; ".join(reasons)
    )


def _refuse_other(answers: Answers, array: Array, machine: Machine) -> None:
    disks = disks_of(machine)
    if isinstance(answers.disks, DiskRule):
        ensuring.refuse_such(answers.disks, array, {disk.id: disk for disk in disks})
        return
    asked_for = {*answers.disks}
    named = {disk.id for disk in disks if {disk.id, marks(disks)[disk.id]} & asked_for}
    if named & {member.disk.id for member in array.members if member.disk}:
        raise PlanNotSafe(f"{array.title or array.name} is on these disks, and no run of these answers built it")


def _foreign(path: Path, plan: Plan, array: Array | None, kept: KeptArray | None) -> Iterator[str]:
    """Anything that is not as the run left it: on the array, in it, or missing."""
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
            yield f"its member {_title(member.disk, member.device)} is not the run's"
    for volume in array.upon:
        if not filesystem or volume.uuid != filesystem.uuid:
            yield f"/dev/{volume.device} has {volume.kind}, which is not the run's"
            continue
        for folder in volume.mounted_at:
            if folder != mount_point(plan):
                yield f"it is mounted at {folder}"
            yield from _strange_names(path, plan, folder)


def _title(disk: KnownDisk | None, device: str) -> str:
    return disk.title if disk else f"/dev/{device}"


def _strange_names(path: Path, plan: Plan, folder: str) -> Iterator[str]:
    """While it is mounted; else the worker looks, before it removes anything."""
    own = own_names(read_state(path / directory.JOURNAL), len(plan.members))
    try:
        names = sorted(clean(entry.name) for entry in Path(folder).iterdir())
    except OSError as error:
        yield f"{folder} was not checked: {error.strerror}"
        return
    if strange := [repr(name) for name in names if name not in own]:
        yield f"it holds {listed(strange, _MOST_SHOWN)}, which the run did not write"
