"""What a person types before disks are erased: one phrase, that says how many disks of which machine. Pure.

What is lost on which of them stands in the list above it, by serial numbers.

What leaving the program would end, from every screen and by every key: the one place that says when it asks.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from raidtui.core.plan import confirmation
from raidtui.core.plan.model import Member, Plan
from raidtui.runs.status import RunStatus

if TYPE_CHECKING:
    from raidtui.runs.removing import Removal


class Prompt(msgspec.Struct, frozen=True):
    """`question` says what is at stake, `expected` is what has to be typed, exactly."""

    question: str
    expected: str


def prompt(plan: Plan, host: str, demo: str = "") -> Prompt:
    """The question of a plan on the machine of this name; in a demo what typing it does."""
    count = len(plan.members)
    lost = f"All data on {'this disk' if count == 1 else f'these {count} disks'} of {host} will be lost."
    if holding := len(confirmation.doubtful(plan.members)):
        lost += f" {holding} of them {'is' if holding == 1 else 'are'} not blank, or must be checked: see above."
    question = f"{demo} On a real machine: {lost}" if demo else f"{lost} {confirmation.UNSEEN}"
    return Prompt(question, _phrase(count, host))


def again(name: str, members: Sequence[Member], host: str, proof: str = "") -> Prompt:
    """The question before the run `name` goes on, of whose members these may be somebody's by now.
    `proof`: how its array's proof continues."""
    left = proof or "Its leftovers are removed, then its disks are written to again; results are kept."
    question = f"Resume {name}? {left}"
    for member in confirmation.doubtful(members):
        question += f" {member.name}, {' '.join((member.model, member.serial)).strip() or member.id}: {member.warning}."
    return Prompt(question, _phrase(len(members), host) if members else "continue")


def permanent(name: str, members: Sequence[Member], host: str) -> Prompt:
    """The question before the array that the run `name` keeps, on these members, is made permanent."""
    names = " ".join(member.name for member in members if member.name)
    question = f"Mount the array of {name} at boot? It is kept{f' on {names}' if names else ''}, and not erased."
    question += " It is stopped, assembled again, and added to mdadm.conf and fstab."
    if members_gone := [member.serial or member.id for member in members if not member.name]:
        question += f" Missing: {', '.join(members_gone)}."
    return Prompt(question, f"persistent on {host}")


def removal_prompt(run: str, found: "Removal", *, again: bool = False) -> Prompt:
    """Before what the run built is removed: all that is done, a line each, then what is lost. `again`: the look found
    something else than at the first question.
    """
    head = f"This changed meanwhile. Remove {found.name}?" if again else f"Remove {found.name}, of run {run}?"
    lines = [head, *(f"- {what}" for what in found.does)]
    lines += [f"To keep it and its data: `raidtui undo {run}` does the first lines alone."] if found.at_boot else []
    lost = f"{found.name} {found.found}. " if found.found else ""
    lost += "All data on it is lost; the results are kept." if found.erases else "The results are kept."
    return Prompt("\n".join((*lines, lost)), f"remove {found.name}")


def farewell(runs: Sequence[RunStatus], *, half_chosen: bool) -> Prompt | None:
    """What to ask before leaving; None where that costs nothing.

    `runs` are those whose disks end with the program, as a practice machine's do. `half_chosen`: something is chosen
    and not started.
    """
    if ends := _what_ends(runs):
        return Prompt(f"Leaving ends the practice machine, and {ends} with it.", "leave")
    if half_chosen:
        return Prompt("Quit? Your choices are not started and not saved (w on Review writes an answer file).", "q")
    return None


def _what_ends(runs: Sequence[RunStatus]) -> str:
    going_on = [run.name for run in runs if run.alive or run.word == "starting"]
    kept = [run.name for run in runs if run.kept and not run.alive]
    parts = [f"the run {', '.join(going_on)}"] if going_on else []
    parts += [f"the array that {', '.join(kept)} keeps"] if kept else []
    return " and ".join(parts)


def _phrase(count: int, host: str) -> str:
    return f"erase {count} disk{'' if count == 1 else 's'} of {host}"
