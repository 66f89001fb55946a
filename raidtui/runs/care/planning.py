"""From an array's name to its care: a plan if a run keeps it, else lines to run.

The boot entries of an array removed, and the array itself where its own UUID was given; else why not.
"""

import time
from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.arrays.array import Array
from raidtui.core.arrays.pools import Pool
from raidtui.core.arrays.status import Surroundings, status_of
from raidtui.core.care import by_hand, ensured, plans
from raidtui.core.care.by_hand import ByHand
from raidtui.core.care.ensured import Ensured
from raidtui.core.care.plans import Limits
from raidtui.core.disks.disk import Disk
from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan.answers import Answers, PlanNotSafe, PlanRefused
from raidtui.core.plan.model import Plan
from raidtui.runs import directory, ensuring, kept_arrays, launch, locks
from raidtui.runs.ensuring import FoundArray
from raidtui.runs.removal.decision import Consent
from raidtui.system.arrays import pool_units


class CareTarget(msgspec.Struct, frozen=True):
    array: Array
    disks: tuple[Disk, ...]
    machine: Machine

    @property
    def machine_id(self) -> str:
        return self.machine.machine_id or self.machine.host


class NoSuchArray(PlanRefused):
    """One sentence: unknown array, and the known ones."""


def find(name: str) -> CareTarget:
    """By name, node, UUID, or run. NoSuchArray if unknown."""
    machine = locks.machine_here()
    plain = status_of(machine, Surroundings(), time.time())
    kept_runs = kept_arrays.kept_arrays({digits(array.uuid) for array in plain.arrays} - {""})
    arrays = status_of(machine, Surroundings(kept=kept_runs), time.time()).arrays
    links = {device.name: device.links for device in machine.devices}
    return CareTarget(chosen(name, arrays, links), disks_of(machine), machine)


def find_pool(name: str) -> Pool | None:
    """By name, GUID, or run; None if unknown or ZFS does not answer."""
    imported, _ = pool_units.read()
    kept = kept_arrays.kept_pools()
    if imported is None or not (imported or kept):
        return None
    around = Surroundings(pools=imported, kept_pools=kept)
    here = status_of(locks.machine_here(), around, time.time()).pools
    return next((pool for pool in here if name in (pool.name, pool.guid, pool.run or pool.name)), None)


def chosen(name: str, arrays: Sequence[Array], links: dict[str, tuple[str, ...]]) -> Array:
    matching = [array for array in arrays if name in _names(array, links)]
    if len(matching) == 1:
        return matching[0]
    arrays_known = f"; available: {', '.join(array.name for array in arrays)}" if arrays else " (none on this host)"
    raise NoSuchArray(f"{'more than one' if matching else 'no'} md array {name!r}{arrays_known}")


def _names(array: Array, links: dict[str, tuple[str, ...]]) -> set[str]:
    links_here = links.get(array.name, ())
    short = {link.removeprefix("/dev/md/") for link in links_here if link.startswith("/dev/md/")}
    title = {array.title, array.title.partition(":")[2]}
    return ({array.name, array.node, array.uuid, array.run, *links_here} | short | title) - {""}


def check(care_target: CareTarget, limits: Limits) -> Plan | ByHand:
    if care_target.array.run:
        return plans.check(care_target.array, care_target.disks, care_target.machine_id, limits)
    return _by_hand(
        care_target, by_hand.check(care_target.array, plans.check_steps(care_target.array, care_target.disks, limits))
    )


def replace(care_target: CareTarget, old: str, new: str, limits: Limits) -> Plan | ByHand:
    """PlanRefused, or PlanNotSafe for an unusable new disk."""
    how = plans.replacement(care_target.array, old, new, care_target.disks, limits)
    if care_target.array.run:
        return plans.replace(care_target.array, how, care_target.machine_id)
    return _by_hand(care_target, by_hand.replace(care_target.array, how))


def grow(care_target: CareTarget, new: Sequence[str], limits: Limits) -> Plan | ByHand:
    """`new`: serials or identities; empty: onto the members' own space. PlanRefused; PlanNotSafe for an unusable
    disk.
    """
    array = care_target.array
    if array.run and new:
        return plans.grow(array, new, care_target.disks, care_target.machine_id, limits)
    lines = by_hand.explained(array, plans.grown_over(array, new, care_target.disks) if new else ())
    if not new:
        return ByHand(array.name, f"the room that the disks of {array.name} have is given by a person", lines)
    return _by_hand(care_target, lines)


def _by_hand(care_target: CareTarget, lines: tuple[str, ...]) -> ByHand:
    perhaps = "" if care_target.machine.root else " that you may see; as root there may be one"
    return ByHand(
        care_target.array.name,
        f"no run of raidtui keeps {care_target.array.name}{perhaps}: nothing is carried out",
        lines,
    )


def removed(answers: Answers, machine: Machine, *, check: bool, confirm: str, erase: Sequence[str]) -> Ensured:
    """How it ended; of a `check` how it would, with nothing done."""
    try:
        found = ensuring.found_for(answers, machine)
    except PlanNotSafe as refused:
        return Ensured(refused=str(refused))
    if found is None:
        return ensured.no_array()
    plan, run, array = found.plan, found.run, found.array
    if refused_for := _why_not(found, check, confirm, erase):
        outcome = ensured.absent(plan, run, at_boot=found.at_boot, then="as now")
        return msgspec.structs.replace(outcome, refused=refused_for)
    outcome = ensured.absent(plan, run, at_boot=found.at_boot, then="removed" if erase else "not at boot")
    if not erase:
        refused_for = f"{array.name} is kept; `--erase {array.uuid}` removes it, with all data on it"
        outcome = msgspec.structs.replace(outcome, refused=refused_for)
    return outcome if check else _carried_out(found, outcome, erase)


def _why_not(found: FoundArray, check: bool, confirm: str, erase: Sequence[str]) -> str:
    """Looked at before anything is changed."""
    run, array = found.run, found.array
    if confirm != found.plan.code and (confirm or not check):
        words = f"the code {confirm!r} is not that of run {run}" if confirm else "the confirmation code is missing"
        return f"{words}; `raidtui runs --json` has it"
    if others := [name for name in erase if digits(name) != digits(array.uuid)]:
        return f"{others[0]!r} is not the UUID of {array.name}, which run {run} keeps; nothing was changed"
    if erase and found.foreign:
        return f"{array.name} is not removed: {found.foreign}; nothing was changed; see `raidtui clean {run}`"
    return ""


def _carried_out(found: FoundArray, outcome: Ensured, erase: Sequence[str]) -> Ensured:
    """`outcome`, or how it ended otherwise."""
    path, code = directory.own(found.run), found.plan.code
    steps_before = len(directory.read_state(path).steps)
    try:
        if found.at_boot:
            launch.undo(path, Consent(code=code))
        if erase:
            launch.clean(path, Consent(code=code, typed=True, arrays=(found.array.name,)))
    except directory.NotDone as stopped:
        state = directory.read_state(path)
        then: Literal["as now", "not at boot"] = "as now" if state.is_at_boot else "not at boot"
        return msgspec.structs.replace(
            ensured.absent(found.plan, found.run, at_boot=found.at_boot, then=then),
            changed=len(state.steps) > steps_before,
            refused=str(stopped) if stopped.refused else "",
            failed="" if stopped.refused else str(stopped),
        )
    return outcome
