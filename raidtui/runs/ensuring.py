"""Whether answers are fulfilled on this machine: the array is known by the run that built it only.

The array of answers that shall be absent: found by its run, with what about it is not the run's. Read-only.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from raidtui import recipes
from raidtui.core.arrays.array import Array
from raidtui.core.arrays.boot_files import BootFiles
from raidtui.core.arrays.reading import arrays_of
from raidtui.core.arrays.status import KeptArray, Surroundings, status_of
from raidtui.core.care import by_hand, ensured
from raidtui.core.care.ensured import AsBuilt, Ensured
from raidtui.core.disks import selection
from raidtui.core.disks.disk import Disk, marks
from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.selection import DiskRule
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import slots, sweep
from raidtui.core.plan.answers import Answers, PlanNotSafe, PlanRefused, Setup
from raidtui.core.plan.kept.permanence import mount_point
from raidtui.core.plan.model import ArrayPlan, Plan
from raidtui.core.run.kept import own_names
from raidtui.core.text import clean, listed
from raidtui.runs import directory, kept_arrays, planning
from raidtui.runs.status import RunStatus, status_of_run
from raidtui.system import versions
from raidtui.system.arrays import boot_files, mount_root


def existing_for(answers: Answers, machine: Machine) -> Ensured | None:
    """The existing array compared with the answers; None if there is none. PlanNotSafe while a run of these answers is
    active, unfinished, or keeps an array whose disks are absent; with a rule also if an array of as many such disks
    exists that other answers may have built: other disks must not be taken.
    """
    theirs, unread = runs_of(answers)
    boot = boot_files.read()
    arrays, kept_runs = arrays_of_runs(machine, boot)
    for array in arrays:
        if array.run not in theirs:
            continue
        for name in list(theirs)[: list(theirs).index(array.run) + 1]:  # an older one's disks were taken by this one
            refuse_unfinished(theirs[name])
        plan = slots.filled(theirs[array.run].plan)
        *groups, whole = _parts(plan, arrays, kept_runs)
        kept = kept_runs[digits(array.uuid)]
        grown = (f"run {kept.grown_by} has grown it to {len(kept.disks)} disks",) if kept.grown_by else ()
        lacking = (*grown, *ensured.lacking(plan, whole, groups))
        otherwise = () if lacking else tuple(_set_otherwise(plan, boot))
        return ensured.existing(array.run, plan, setup_asked_for(answers, plan), answers, (*lacking, *otherwise))
    disks_here = {disk.id: disk for disk in disks_of(machine)}
    for run in theirs.values():
        refuse_unfinished(run)
        if run.status.kept and (
            missing_members := [member for member in run.plan.members if member.id not in disks_here]
        ):
            names = ", ".join(member.serial or member.id for member in missing_members)
            raise PlanNotSafe(f"run {run.status.name} keeps an array of these answers, and {names} are not here")
    if isinstance(answers.disks, DiskRule):  # by name its disks would be refused, as they are in use
        if unread:
            raise PlanNotSafe(f"{unread}; name the disks in place of the rule")
        for array in arrays:
            refuse_such(answers.disks, _with_groups(array, arrays), disks_here)
    return None


def _parts(plan: Plan, arrays: Sequence[Array], kept_runs: Mapping[str, KeptArray]) -> list[AsBuilt]:
    """The groups of the filled plan's array, then the array."""
    assert plan.kept_stage is not None
    planned = plan.stages[plan.kept_stage].array
    assert planned
    here = {digits(array.uuid): array for array in arrays}
    uuids = [digits(shape.uuid) for shape in planned.shapes]
    return [AsBuilt(here.get(uuid), kept_runs[uuid].disks if uuid in kept_runs else ()) for uuid in uuids]


def _with_groups(array: Array, arrays: Sequence[Array]) -> Array:
    """With the members of those below it."""
    below = (member for part in arrays if part.part_of == array.name for member in part.members)
    return msgspec.structs.replace(array, members=(*array.members, *below))


def arrays_of_runs(machine: Machine, boot: BootFiles | None = None) -> tuple[tuple[Array, ...], dict[str, KeptArray]]:
    """All arrays here, and by the digits of its UUID what a run keeps."""
    kept_runs = kept_arrays.kept_arrays({digits(array.uuid) for array in arrays_of(machine)} - {""})
    around = Surroundings(boot=boot or boot_files.read(), kept=kept_runs)
    return status_of(machine, around, time.time()).arrays, kept_runs


def refuse_other(answers: Answers, array: Array, machine: Machine) -> None:
    """No run of these answers keeps an array, and this one may be on their disks."""
    disks = disks_of(machine)
    if isinstance(answers.disks, DiskRule):
        refuse_such(answers.disks, array, {disk.id: disk for disk in disks})
        return
    asked_for = {*answers.disks}
    named = {disk.id for disk in disks if {disk.id, marks(disks)[disk.id]} & asked_for}
    if named & {member.disk.id for member in array.members if member.disk}:
        raise PlanNotSafe(f"{array.title or array.name} is on these disks, and no run of these answers built it")


def refuse_such(rule: DiskRule, array: Array, disks_here: Mapping[str, Disk]) -> None:
    """The rule may mean this array's disks, though another rule, or an unknown run, built it."""
    members = [disks_here[member.disk.id] for member in array.members if member.disk and member.disk.id in disks_here]
    if len(members) == rule.count and all(not selection.why_of_another_kind(rule, disk) for disk in members):
        raise PlanNotSafe(
            f"{array.title or array.name} is on {rule.count} such disks, and is not known to be built by these answers;"
            " name the disks instead of the rule"
        )


class RunOfAnswers(msgspec.Struct, frozen=True):
    plan: Plan
    status: RunStatus


def runs_of(answers: Answers) -> tuple[dict[str, RunOfAnswers], str]:
    """Runs for an array on these disks, by name, newest first; runs of unknown purpose, in words."""
    runs, unread = {}, ""
    for path in reversed(directory.list_runs(directory.runs_root())):
        try:
            plan = directory.read_plan(path)
        except directory.NoSuchRun as error:
            unread = f"whether run {path.name} built these is not known, as it cannot be read: {error}"
            continue
        if ensured.keeps_array(plan) and ensured.same_disks(answers.disks, plan):
            runs[path.name] = RunOfAnswers(plan, status_of_run(path))
    return runs, unread


def refuse_unfinished(run: RunOfAnswers) -> None:
    name, status = run.status.name, run.status
    if status.alive or status.word == "starting":
        raise PlanNotSafe(f"run {name} of these answers is running; wait for its end (`raidtui attach {name}`)")
    if status.unsettled or (status.kept and status.resumable):
        resume = f"`raidtui resume {name}` continues it, " if status.resumable else ""
        back = f"`raidtui {'undo' if status.permanent else 'clean'} {name}` reverts it"
        raise PlanNotSafe(f"run {name} of these answers ended early ({status.sentence}): {resume}{back}")


def setup_asked_for(answers: Answers, plan: Plan) -> Setup:
    """The answers' one setup on a plan's disks. PlanRefused if impossible."""
    sizes = [member.size_bytes for member in plan.members]
    cells = sweep.sweep(answers, recipes.load(answers.recipe), sizes, versions.mdadm(), planning.installed()).cells
    if len(cells) != 1:
        raise PlanRefused("a sweep keeps no array; name one setup", "after")
    return cells[0].setup


def _set_otherwise(plan: Plan, boot: BootFiles) -> Iterator[str]:
    if plan.permanence is None:
        return
    answers, folder = plan.answers, mount_point(plan)
    if answers.mailaddr and boot.mdadm.mailaddr != answers.mailaddr:
        yield f"mdadm writes to {boot.mdadm.mailaddr or 'nobody'}, set was {answers.mailaddr}"
    if not folder or not (answers.mount_owner or answers.mount_mode):
        return
    try:
        owned_now = mount_root.owned(folder)
        owned_asked_for = mount_root.owned_as(folder, answers.mount_owner, answers.mount_mode)
    except (OSError, mount_root.NoSuchOwner) as error:
        yield f"owner of {folder} unknown: {error}"
        return
    if owned_now != owned_asked_for:
        yield f"{folder} is {owned_now.description}, set was {owned_asked_for.description}"


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
    theirs, unread = runs_of(answers)
    if unread:
        raise PlanNotSafe(f"{unread}; repair that run first, or move its folder away")
    for run in theirs.values():
        refuse_unfinished(run)
    arrays, kept_runs = arrays_of_runs(machine)
    keeping = [run for run in theirs.values() if run.status.kept]
    if len(keeping) > 1:
        names = " and ".join(run.status.name for run in keeping)
        raise PlanNotSafe(f"{names} keep an array each for these answers; name the disks of one")
    if not keeping:
        for array in arrays:
            refuse_other(answers, _with_groups(array, arrays), machine)
        return None
    (run,) = keeping
    plan = slots.filled(run.plan)
    assert plan.kept_stage is not None
    planned = plan.stages[plan.kept_stage].array
    assert planned
    *groups, (found, _) = _parts(plan, arrays, kept_runs)
    strange = dict(_strange(run.status.path, plan, found))
    reasons = by_hand.not_own(plan, found, kept_runs.get(digits(planned.uuid)), strange, groups)
    return FoundArray(
        run=run.status.name, plan=plan, array=planned, at_boot=run.status.permanent, foreign="; ".join(reasons)
    )


def _strange(path: Path, plan: Plan, array: Array | None) -> Iterator[tuple[str, str]]:
    """By folder, while it is mounted; else the worker looks, before it removes anything."""
    own = own_names(directory.read_state(path), len(plan.members))
    for folder in (folder for volume in (array.upon if array else ()) for folder in volume.mounted_at):
        try:
            names = sorted(clean(entry.name) for entry in Path(folder).iterdir())
        except OSError as error:
            yield folder, f"{folder} was not checked: {error.strerror}"
            continue
        if strange := [repr(name) for name in names if name not in own]:
            yield folder, f"it holds {listed(strange, _MOST_SHOWN)}, which the run did not write"
