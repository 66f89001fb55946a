"""Before disks are erased: what raidtui cannot see, and the word to type for each doubtful disk (verdict: a warning).

A word or name means this disk and no other.
"""

from collections.abc import Iterator, Sequence

import msgspec

from raidtui.core.disks.disk import Disk, Usability, marks
from raidtui.core.plan.model import Member
from raidtui.core.text import brief

_LEAST_LETTERS = 4  # characters of a word
# Said before anything is typed. What is seen, how, and what protects where nothing is seen: docs/safety.md.
UNSEEN = (
    "raidtui cannot see other hosts on shared disks, suspended VMs or hibernated systems."
    " Make sure none of them uses these disks."
)


class NotNamed(ValueError):
    """One sentence: no such member, or more than one."""


def doubtful(members: Sequence[Member]) -> tuple[Member, ...]:
    return tuple(member for member in members if member.warning)


def as_now(members: Sequence[Member], disks: Sequence[Disk]) -> tuple[Member, ...]:
    """Members with current names, contents and warnings of `disks`; without a name if absent."""
    disks_now = {disk.id: disk for disk in disks}
    members_now = []
    for member in members:
        disk = disks_now.get(member.id)
        warning = disk.verdict.reason if disk and disk.verdict.standing is Usability.WARN else ""
        name, holds = (disk.name, disk.found) if disk else ("", "")
        members_now.append(msgspec.structs.replace(member, name=name, found=holds, warning=warning))
    return tuple(members_now)


def word(member: Member, members: Sequence[Member]) -> str:
    """The word to type: last four characters of the serial if typable; if another serial or identity ends alike, or
    there is no serial: the shortest unique end of the identity. Last resort: the kernel name.
    """
    other_texts = [
        text.casefold() for other_member in members if other_member is not member for text in _texts(other_member)
    ]
    for candidate in _candidates(member):
        if not any(text.endswith(candidate.casefold()) for text in other_texts):
            return candidate
    return member.name


def name(member: Member, members: Sequence[Member]) -> str:
    """For the command line: the serial if typable and unique, else the identity."""
    mark = marks(members)[member.id]
    return mark if mark == _typable(mark) else member.id


class ToErase(msgspec.Struct, frozen=True, kw_only=True):
    """Doubtful disk: `name` for --erase, `device` of this boot, `found` contents; `warning`: erased only if named."""

    name: str
    id: str
    device: str
    found: str
    warning: str


def to_erase(members: Sequence[Member]) -> tuple[ToErase, ...]:
    return tuple(
        ToErase(
            name=name(member, members), id=member.id, device=member.name, found=member.found, warning=member.warning
        )
        for member in doubtful(members)
    )


def erase_list(members: Sequence[Member]) -> tuple[str, ...]:
    """A line for each doubtful disk: command-line name, contents."""
    return tuple(f"{disk.name}  {disk.found}" for disk in to_erase(members))


def unlike(members: Sequence[Member], text: str) -> str:
    """Where the erase list `text` differs, by line, in a sentence; "" if equal."""
    lines_listed = {" ".join(line.split()) for line in text.splitlines()} - {""}
    expected_lines = {" ".join(line.split()) for line in erase_list(members)}
    if not lines_listed ^ expected_lines:
        return ""
    differs = [f"it says {brief(repr(line))}, which is not so" for line in sorted(lines_listed - expected_lines)]
    differs += [f"it lacks {brief(repr(line))}" for line in sorted(expected_lines - lines_listed)]
    return "; ".join(differs)


def unnamed(members: Sequence[Member], ids_or_serials: Sequence[str]) -> tuple[Member, ...]:
    """Doubtful members not named by identity or serial. NotNamed for an unknown name."""
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
    """Without characters that no keyboard has or that are invisible, spaces included."""
    return "".join(char for char in text if "!" <= char <= "~")
