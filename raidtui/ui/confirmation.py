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
        lost += f" {holding} of them {'is' if holding == 1 else 'are'} not blank, or must be checked: see above."
    return Prompt(f"{lost} {confirmation.UNSEEN}", _phrase(count, host))


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


def undo(name: str) -> Prompt:
    """The question before the array of the run `name` is taken out of what boot reads; nothing on it is lost."""
    question = f"The array of {name} is in mdadm.conf/fstab. These entries are removed first: the array is unmounted,"
    return Prompt(f"{question} and kept with all its data. After that it can be removed.", "undo")


def _phrase(count: int, host: str) -> str:
    return f"erase {count} disk{'' if count == 1 else 's'} of {host}"
