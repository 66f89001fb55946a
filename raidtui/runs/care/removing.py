"""The boot entries of an array removed, and the array itself where its own UUID was given; else why not."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.care import ensured
from raidtui.core.care.ensured import Ensured
from raidtui.core.disks.identity import digits
from raidtui.core.disks.machine import Machine
from raidtui.core.plan.answers import Answers, PlanNotSafe
from raidtui.runs import directory, ensuring, launch
from raidtui.runs.ensuring import FoundArray
from raidtui.runs.journal import read_state
from raidtui.runs.removal.consent import Consent


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
    steps_before = len(read_state(path / directory.JOURNAL).steps)
    try:
        if found.at_boot:
            launch.undo(path, Consent(code=code))
        if erase:
            launch.clean(path, Consent(code=code, typed=True, arrays=(found.array.name,)))
    except directory.NotDone as stopped:
        state = read_state(path / directory.JOURNAL)
        then: Literal["as now", "not at boot"] = "as now" if state.is_at_boot else "not at boot"
        return msgspec.structs.replace(
            ensured.absent(found.plan, found.run, at_boot=found.at_boot, then=then),
            changed=len(state.steps) > steps_before,
            refused=str(stopped) if stopped.refused else "",
            failed="" if stopped.refused else str(stopped),
        )
    return outcome
