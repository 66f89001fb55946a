"""Arrays and pools kept by runs, found by UUID. Disks in use by runs: `locks`."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from raidtui.core.arrays.array import Array, KnownDisk
from raidtui.core.arrays.pools import KeptPool
from raidtui.core.arrays.reading import arrays_of
from raidtui.core.arrays.status import KeptArray
from raidtui.core.disks.disk import Disk, Usability, Verdict
from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import Machine
from raidtui.core.plan import slots
from raidtui.core.plan.model import GroupPlan, Member, Plan
from raidtui.core.plan.steps import Command
from raidtui.core.plan.target import Care
from raidtui.core.raid import zfs
from raidtui.core.run.state import RunState
from raidtui.runs import directory

_SIGNATURE = "linux_raid_member"
_UNWELL = ("degraded", "failed", "inactive")


def keeping_runs(disks: Sequence[Disk], root: Path) -> dict[str, Path]:
    """Disk identity -> run whose array it is in; unreadable runs are skipped."""
    arrays = {
        disk.id: digits(content.uuid) for disk in disks for content in disk.contents if content.kind == _SIGNATURE
    }
    kept_runs = kept_by(set(arrays.values()), root)
    of_pools = {disk.id: content.uuid for disk in disks for content in disk.contents if content.kind == zfs.SIGNATURE}
    kept = kept_pools(root) if of_pools else {}
    of_arrays = {identity: kept_runs[uuid][0] for identity, uuid in arrays.items() if uuid in kept_runs}
    return of_arrays | {identity: root / kept[guid].run for identity, guid in of_pools.items() if guid in kept}


def kept_by(arrays: set[str], root: Path) -> dict[str, tuple[Path, Plan]]:
    """UUID digits -> run and plan."""
    kept_runs: dict[str, tuple[Path, Plan]] = {}
    for path in directory.list_runs(root) if arrays else ():
        try:
            plan = slots.filled(directory.read_plan(path))
            kept_uuids = {digits(uuid) for uuid in slots.made_by(plan.stages)} & arrays
            if kept_uuids and directory.read_state(path).kept:
                kept_runs |= dict.fromkeys(kept_uuids, (path, plan))
        except (ValueError, OSError):
            continue
    return kept_runs


def kept_pools(root: Path | None = None) -> dict[str, KeptPool]:
    """GUID -> run and pool name. None: this user's runs."""
    kept = {}
    for path in directory.list_runs(root or directory.runs_root()):
        try:
            plan = directory.read_plan(path)
            if plan.kept_stage is None or not any(stage.filesystem for stage in plan.stages[plan.kept_stage :]):
                continue
            state = directory.read_state(path)
        except (ValueError, OSError):
            continue
        if state.kept and (made := state.pools.get(plan.kept_stage)):
            kept[made.guid] = KeptPool(path.name, made.pool)
    return kept


def kept_arrays(arrays: set[str]) -> dict[str, KeptArray]:
    """UUID digits -> run and its disks, of this user's runs."""
    root = directory.runs_root()
    kept_runs = kept_by(arrays, root)
    disks = {uuid: dict(enumerate(members_of(plan, uuid))) for uuid, (_, plan) in kept_runs.items()}
    grown = {}
    checked_s = {}
    for run, care, placed, ended_s in _cared_for(disks.keys(), root):
        uuid = digits(care.uuid)
        if care.kind == "grow":
            grown[uuid] = run
        if care.kind == "check":
            checked_s[uuid] = ended_s
        disks[uuid] |= placed
    return {
        uuid: KeptArray(
            path.name,
            tuple(disks[uuid].get(slot) for slot in range(max(disks[uuid], default=-1) + 1)),
            grown.get(uuid, ""),
            checked_s.get(uuid),
            tuple((group.name, digits(group.uuid)) for group in groups_of(plan, uuid)),
        )
        for uuid, (path, plan) in kept_runs.items()
    }


def unwell(machine: Machine, root: Path) -> tuple[Array, ...]:
    """Kept arrays that have lost a member, or more than they can."""
    found = {digits(array.uuid): array for array in arrays_of(machine) if array.health in _UNWELL}
    kept_runs = kept_by(set(found), root)
    return tuple(array for uuid, array in found.items() if uuid in kept_runs)


def kept_with(path: Path) -> str:
    """Run whose array got disks from the run in `path`, or ""."""
    plan = directory.read_plan(path)
    if plan.care is None or not _placed(plan, plan.care, directory.read_state(path)):
        return ""
    return next((keeper.name for keeper, _ in kept_by({digits(plan.care.uuid)}, path.parent).values()), "")


def _cared_for(arrays: Collection[str], root: Path) -> Iterator[tuple[str, Care, dict[int, KnownDisk], float]]:
    """Runs that added disks to arrays, or saw a check's end: name, array, disks by slot, end; oldest first."""
    for path in directory.list_runs(root) if arrays else ():
        try:
            plan = directory.read_plan(path)
            care = plan.care
            if care is None or digits(care.uuid) not in arrays:
                continue
            state = directory.read_state(path)
            placed = _placed(plan, care, state)
            followed = care.kind == "check" and any(counted.final for counted in state.mismatches)
            if placed or followed:
                yield path.name, care, placed, state.ended_at_s
        except (ValueError, OSError):
            continue


def _placed(plan: Plan, care: Care, state: RunState) -> dict[int, KnownDisk]:
    if care.kind == "replace" and care.slot is not None and care.waits and state.outcome == "finished":
        return {care.slot: _known_disk(plan.members[0])}
    slots_now = state.grown.slots if state.grown else {}
    return {slots_now[member.id]: _known_disk(member) for member in plan.members if member.id in slots_now}


def members_of(plan: Plan, array: str) -> tuple[KnownDisk, ...]:
    """By slot, as a filled plan creates it; () if it does not, or of groups."""
    for stage in plan.stages:
        own = {f"--uuid={uuid}" for uuid in stage.array.uuids if digits(uuid) == array} if stage.array else set()
        if own:
            for step in stage.steps:
                if isinstance(step, Command) and step.role == "create" and own <= {*step.argv}:
                    return tuple(
                        _known_disk(plan.members[number])
                        for number in step.members[: len(step.members) - stage.journals]
                        if number < len(plan.members)
                    )
    return ()


def groups_of(plan: Plan, array: str) -> tuple[GroupPlan, ...]:
    """Below it, as a filled plan creates it."""
    arrays = [stage.array for stage in plan.stages if stage.array]
    return next((one.groups for one in arrays if digits(one.uuid) == array), ())


def _known_disk(member: Member) -> KnownDisk:
    """From the plan: an absent disk reports nothing."""
    return KnownDisk(id=member.id, model=member.model, serial=member.serial)


def with_keeping_runs(disks: Sequence[Disk], kept_runs: dict[str, Path]) -> tuple[Disk, ...]:
    """With that reason. A disk in use by a run keeps its own: the array cannot be removed then."""
    return tuple(_with_keeper(disk, kept_runs[disk.id]) if disk.id in kept_runs else disk for disk in disks)


def _with_keeper(disk: Disk, run: Path) -> Disk:
    if disk.verdict.standing is not Usability.REFUSE or disk.run:
        return disk
    return msgspec.structs.replace(
        disk,
        verdict=Verdict(
            disk.verdict.standing,
            f"{disk.verdict.reason}; the array is kept by raidtui run {run.name}",
            f"`raidtui attach {run.name}` shows this run, `raidtui clean {run.name}` removes its array",
        ),
    )
