"""What is said before disks are erased: to a person what raidtui cannot see, by a person a word for each doubtful disk.

The word, or a name, means this disk and no other.

A disk is doubtful where its verdict is a warning: something is on it, or something about it is odd.
"""

from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.disks.disk import Disk, Standing, marks
from raidtui.core.plan.model import Member
from raidtui.core.text import brief

_LEAST_LETTERS = 4  # characters of a word
# Said before anything is typed. What is seen, how, and what protects where nothing is seen: docs/safety.md.
UNSEEN = (
    "raidtui cannot see other hosts on shared disks, suspended VMs or hibernated systems."
    " Make sure none of them uses these disks."
)


class NotNamed(ValueError):
    """One sentence: what was named is no member, or more than one."""


def doubtful(members: Sequence[Member]) -> tuple[Member, ...]:
    """The members that need a confirmation of their own."""
    return tuple(member for member in members if member.warning)


def as_now(members: Sequence[Member], disks: Sequence[Disk]) -> tuple[Member, ...]:
    """The members with the names, contents and warnings of `disks`; without a name those that are not there."""
    disks_now = {disk.id: disk for disk in disks}
    members_now = []
    for member in members:
        disk = disks_now.get(member.id)
        warning = disk.verdict.reason if disk and disk.verdict.standing is Standing.WARN else ""
        name, holds = (disk.name, disk.found) if disk else ("", "")
        members_now.append(msgspec.structs.replace(member, name=name, found=holds, warning=warning))
    return tuple(members_now)


def word(member: Member, members: Sequence[Member]) -> str:
    """What is typed to mean this member: the last four characters of its serial, where they can be typed.

    Where another member's serial or identity ends so as well, or there is no serial: as many as it takes of its
    identity. Its kernel name is the last resort.
    """
    other_texts = [
        text.casefold() for other_member in members if other_member is not member for text in _texts(other_member)
    ]
    for candidate in _candidates(member):
        if not any(text.endswith(candidate.casefold()) for text in other_texts):
            return candidate
    return member.name


def name(member: Member, members: Sequence[Member]) -> str:
    """How it is named on a command line: its serial, where that can be typed and is its own, else its identity."""
    mark = marks(members)[member.id]
    return mark if mark == _typable(mark) else member.id


class ToErase(msgspec.Struct, frozen=True, kw_only=True):
    """A doubtful disk as programs read it: `name` is what --erase takes, `device` this boot's name, `found` what is on
    it, `warning` why it is erased only where somebody names it.
    """

    name: str
    id: str
    device: str
    found: str
    warning: str


def to_erase(members: Sequence[Member]) -> tuple[ToErase, ...]:
    """What has to be named before the plan of these members is carried out."""
    return tuple(
        ToErase(
            name=name(member, members), id=member.id, device=member.name, found=member.found, warning=member.warning
        )
        for member in doubtful(members)
    )


def erase_list(members: Sequence[Member]) -> tuple[str, ...]:
    """A line for each doubtful disk: how it is named on a command line, and what is on it."""
    return tuple(f"{disk.name}  {disk.found}" for disk in to_erase(members))


def unlike(members: Sequence[Member], text: str) -> str:
    """Where the erase list `text` is not that of these members, in a sentence; "" where it is, line by line."""
    lines_listed = {" ".join(line.split()) for line in text.splitlines()} - {""}
    expected_lines = {" ".join(line.split()) for line in erase_list(members)}
    if not lines_listed ^ expected_lines:
        return ""
    differs = [f"it says {brief(repr(line))}, which is not so" for line in sorted(lines_listed - expected_lines)]
    differs += [f"it lacks {brief(repr(line))}" for line in sorted(expected_lines - lines_listed)]
    return "; ".join(differs)


def unnamed(members: Sequence[Member], ids_or_serials: Sequence[str]) -> tuple[Member, ...]:
    """The doubtful members that are not among those `named` by identity or serial. NotNamed for what is none."""
    ids = set()
    for id_or_serial in ids_or_serials:
        matching = [member for member in members if id_or_serial and id_or_serial in (member.id, member.serial)]
        if not matching:
            raise NotNamed(f"{brief(repr(id_or_serial))} is no disk of this plan: name its disks by identity or serial")
        if len(matching) > 1:
            ids_alike = " and ".join(member.id for member in matching)
            raise NotNamed(
                f"{brief(repr(id_or_serial))} is the serial of more than one disk: name {ids_alike} by identity"
            )
        ids.add(matching[0].id)
    return tuple(member for member in doubtful(members) if member.id not in ids)


def _candidates(member: Member) -> Iterator[str]:
    serial, identity = _texts(member)
    if len(serial) >= _LEAST_LETTERS:
        yield serial[-_LEAST_LETTERS:]
    for length in range(_LEAST_LETTERS, len(identity) + 1):
        yield identity[-length:]


def _texts(member: Member) -> tuple[str, str]:
    return _typable(member.serial), _typable(member.id)


def _typable(text: str) -> str:
    """Without what no keyboard has, or nobody sees: spaces too."""
    return "".join(char for char in text if "!" <= char <= "~")
