"""What a person types before disks are erased: a phrase for all, and a word for each doubtful disk. Pure."""

import msgspec

from raidtui.core.plan import Member, Plan


class Prompt(msgspec.Struct, frozen=True):
    """`question` says what is at stake, `expected` is what has to be typed, exactly."""

    question: str
    expected: str


def prompts(plan: Plan) -> tuple[Prompt, ...]:
    """All questions of a plan, in order; every one has to be answered."""
    count = len(plan.members)
    phrase = f"erase {count} disk{'' if count == 1 else 's'}"
    first = Prompt(f"All data on {'this disk' if count == 1 else f'these {count} disks'} will be lost.", phrase)
    return (first, *(_of_warned(member) for member in plan.members if member.warning))


def _of_warned(member: Member) -> Prompt:
    title = " ".join(part for part in (member.model, member.serial) if part) or member.id
    serial = member.serial.strip()
    if len(serial) >= 4:
        return Prompt(f"{member.name}, {title}: {member.warning}. The serial's last four:", serial[-4:])
    return Prompt(f"{member.name}, {title}: {member.warning}. Its identity:", member.id)
