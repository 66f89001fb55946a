"""What a person types before disks are erased: a phrase for all, and a word for each doubtful disk. Pure."""

from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.plan import confirmation
from raidtui.core.plan.model import Member, Plan


class Prompt(msgspec.Struct, frozen=True):
    """`question` says what is at stake, `expected` is what has to be typed, exactly."""

    question: str
    expected: str


def prompts(plan: Plan) -> tuple[Prompt, ...]:
    """All questions of a plan, in order; every one has to be answered."""
    count = len(plan.members)
    phrase = f"erase {count} disk{'' if count == 1 else 's'}"
    lost = f"All data on {'this disk' if count == 1 else f'these {count} disks'} will be lost."
    first = Prompt(f"{lost} {confirmation.UNSEEN}", phrase)
    return (first, *_of_doubtful(plan.members))


def again(name: str, members: Sequence[Member]) -> tuple[Prompt, ...]:
    """The questions before the run `name` goes on, of whose members these may be somebody's by now."""
    question = f"Go on with {name}? What it left is cleared away, then its disks are written to again; figures stay."
    return (Prompt(question, "go on"), *_of_doubtful(members))


def _of_doubtful(members: Sequence[Member]) -> Iterator[Prompt]:
    return (_of_warned(member, confirmation.word(member, members)) for member in confirmation.doubtful(members))


def _of_warned(member: Member, word: str) -> Prompt:
    title = " ".join(part for part in (member.model, member.serial) if part) or member.id
    return Prompt(f"{member.name}, {title}: {member.warning}. {_whence(member, word)}", word)


def _whence(member: Member, word: str) -> str:
    """Where on the disk's label, or on the screen, the word is found."""
    if member.serial.endswith(word):
        return f"Its serial's last {len(word)}:"
    if member.id.endswith(word):
        return f"The end of its identity {member.id}:"
    return "Its name in this boot:" if word == member.name else "The last letters and digits of its serial:"
