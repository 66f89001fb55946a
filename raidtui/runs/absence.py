"""The array of answers that shall be absent: found by its run, with what about it is not the run's. Read-only."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from raidtui.core.arrays.array import Array
from raidtui.core.care import by_hand as foreign
from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import Machine
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, PlanNotSafe
from raidtui.core.plan.model import ArrayPlan, Plan
from raidtui.core.run.kept import own_names
from raidtui.core.text import clean, listed
from raidtui.runs import directory, ensuring
from raidtui.runs.journal import read_state

_MOST_SHOWN = 3  # names


class FoundArray(msgspec.Struct, frozen=True, kw_only=True):
    """Kept by `run`. `plan`: filled. `at_boot`: boot files have lines of the run. `foreign`: why no program may remove
    the array, or "".
    """

    run: str
    plan: Plan
    array: ArrayPlan
    at_boot: bool
    foreign: str


def found_for(answers: Answers, machine: Machine) -> FoundArray | None:
    """None: no run keeps an array of these answers, and no other array is on their disks. PlanNotSafe if it is unclear
    which array is meant, or while a run of these answers is active or unfinished.
    """
    theirs, unread = ensuring.runs_of(answers)
    if unread:
        raise PlanNotSafe(f"{unread}; repair that run first, or move its folder away")
    for run in theirs.values():
        ensuring.refuse_unfinished(run)
    arrays, kept_runs = ensuring.arrays_of_runs(machine)
    keeping = [run for run in theirs.values() if run.status.kept]
    if len(keeping) > 1:
        names = " and ".join(run.status.name for run in keeping)
        raise PlanNotSafe(f"{names} keep an array each for these answers; name the disks of one")
    if not keeping:
        for array in arrays:
            ensuring.refuse_other(answers, array, machine)
        return None
    (run,) = keeping
    plan = slots.filled(run.plan)
    assert plan.kept_stage is not None
    planned = plan.stages[plan.kept_stage].array
    assert planned
    found = next((array for array in arrays if digits(array.uuid) == digits(planned.uuid)), None)
    strange = dict(_strange(run.status.path, plan, found))
    reasons = foreign.not_own(plan, found, kept_runs.get(digits(planned.uuid)), strange)
    return FoundArray(
        run=run.status.name, plan=plan, array=planned, at_boot=run.status.permanent, foreign="; ".join(reasons)
    )


def _strange(path: Path, plan: Plan, array: Array | None) -> Iterator[tuple[str, str]]:
    """By folder, while it is mounted; else the worker looks, before it removes anything."""
    own = own_names(read_state(path / directory.JOURNAL), len(plan.members))
    for folder in (folder for volume in (array.upon if array else ()) for folder in volume.mounted_at):
        try:
            names = sorted(clean(entry.name) for entry in Path(folder).iterdir())
        except OSError as error:
            yield folder, f"{folder} was not checked: {error.strerror}"
            continue
        if strange := [repr(name) for name in names if name not in own]:
            yield folder, f"it holds {listed(strange, _MOST_SHOWN)}, which the run did not write"
