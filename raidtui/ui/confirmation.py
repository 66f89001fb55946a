"""What a person types before disks are erased: one phrase, that says how many disks of which machine. Pure.

What is lost on which of them stands in the list above it, by serial numbers.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.plan import confirmation
from raidtui.core.plan.model import Member, Plan


class Prompt(msgspec.Struct, frozen=True):
    """`question` says what is at stake, `expected` is what has to be typed, exactly."""

    question: str
    expected: str


def prompt(plan: Plan, host: str) -> Prompt:
    """The question of a plan on the machine of this name."""
    count = len(plan.members)
    lost = f"All data on {'this disk' if count == 1 else f'these {count} disks'} of {host} will be lost."
    if holding := len(confirmation.doubtful(plan.members)):
        lost += f" {holding} of them {'holds' if holding == 1 else 'hold'} something, or must be looked at: above."
    return Prompt(f"{lost} {confirmation.UNSEEN}", _phrase(count, host))


def again(name: str, members: Sequence[Member], host: str) -> Prompt:
    """The question before the run `name` goes on, of whose members these may be somebody's by now."""
    question = f"Go on with {name}? What it left is cleared away, then its disks are written to again; figures stay."
    for member in confirmation.doubtful(members):
        question += f" {member.name}, {' '.join((member.model, member.serial)).strip() or member.id}: {member.warning}."
    return Prompt(question, _phrase(len(members), host) if members else "go on")


def permanent(name: str, members: Sequence[Member], host: str) -> Prompt:
    """The question before the array that the run `name` keeps, on these members, is made permanent."""
    names = " ".join(member.name for member in members if member.name)
    question = f"Make the array of {name} permanent? It stands{f' on {names}' if names else ''}, and is not erased."
    question += " It is stopped, put together again, and mounted at each boot."
    if members_gone := [member.serial or member.id for member in members if not member.name]:
        question += f" Not there: {', '.join(members_gone)}."
    return Prompt(question, f"permanent on {host}")


def undo(name: str) -> Prompt:
    """The question before the array of the run `name` is taken out of what boot reads; nothing on it is lost."""
    question = (
        f"Boot knows of the array of {name}. That is taken back first: the array is unmounted, and stays with all"
    )
    return Prompt(f"{question} that is on it. After that it can be cleared away.", "undo")


def _phrase(count: int, host: str) -> str:
    return f"erase {count} disk{'' if count == 1 else 's'} of {host}"
