"""Selection by count, model, size: all or nothing, if more or fewer fit. Refused disks never fit."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.disks.identity import natural
from raidtui.core.text import brief, clean, listed
from raidtui.core.units import both, parse_bytes

SIZE_APART = 0.01  # of the asked size: a disk of "4TB" has 4 000 787 030 016 bytes
MOST_DISKS = 9999
_NAMED = 4  # disks in a sentence


class DiskRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Exactly `count` disks of `model` and `size` ("4TB", within 1 %; "": any). `standing`: "warn" includes disks with
    a warning. `like`: of those that fit the largest group of one model and exact size.
    """

    count: int
    model: str = ""
    size: str = ""
    standing: Literal["ok", "warn"] = "ok"
    like: Literal["", "largest group"] = ""


class NotSelected(ValueError):
    """One sentence: too few disks fit, or the rule is ambiguous."""


def why_not(rule: DiskRule) -> str:
    """The invalid key, in a sentence; "" if valid."""
    if not 1 <= rule.count <= MOST_DISKS:
        return f"`disks.count` is {rule.count}; it must be 1 to {MOST_DISKS}"
    if clean(rule.model) != rule.model:
        return f"`disks.model` is {brief(repr(rule.model))}, which is no disk's; `raidtui disks` shows the models"
    try:
        if rule.size and not parse_bytes(rule.size):
            return f"`disks.size` is {brief(repr(rule.size))}; no disk has that"
    except ValueError as error:
        return f"`disks.size`: {error}"
    return ""


def words(rule: DiskRule) -> str:
    parts = (
        f"{rule.count} disk{'' if rule.count == 1 else 's'}",
        f"model {rule.model}" if rule.model else "",
        f"about {rule.size}" if rule.size else "",
        "without a warning" if rule.standing == "ok" else "with a warning or without",
        "the largest group of one model and size" if rule.like else "",
    )
    return ", ".join(part for part in parts if part)


def select(rule: DiskRule, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """In order of place, which survives reboots, then identity. NotSelected: too few or many, or two largest groups."""
    reasons = [_why_unfit(rule, disk) for disk in disks]
    fitting = [disk for disk, reason in zip(disks, reasons, strict=True) if not reason]
    if rule.like:
        group = _largest_group(rule, fitting)
        reasons += ["not of the largest group"] * (len(fitting) - len(group))
        fitting = group
    if len(fitting) < rule.count:
        raise NotSelected(f"{_asked_words(rule)} {len(fitting)} of {len(disks)} fit{_other_reasons(reasons)}")
    if len(fitting) > rule.count:
        more_words = (
            "say which by model, size or like" if len(_groups(fitting)) > 1 else "name them by identity or serial"
        )
        names = listed([disk.name for disk in fitting], _NAMED)
        raise NotSelected(
            f"{_asked_words(rule)} {len(fitting)} fit, and which are meant is not said: {names}; {more_words}"
        )
    return tuple(sorted(fitting, key=lambda disk: (natural(disk.slot), disk.id)))


def _asked_words(rule: DiskRule) -> str:
    return f"{rule.count} {'is' if rule.count == 1 else 'are'} asked for ({words(rule)}), and"


def _why_unfit(rule: DiskRule, disk: Disk) -> str:
    """The first mismatch, in words for several; "" if it fits."""
    if reason := why_of_another_kind(rule, disk):
        return reason
    if disk.verdict.standing is Usability.REFUSE:
        return "in use, or not to be used"
    if disk.verdict.standing is Usability.WARN and rule.standing == "ok":
        return "with a warning"
    return ""


def why_of_another_kind(rule: DiskRule, disk: Disk) -> str:
    if rule.model and _plain(disk.model) != _plain(rule.model):
        return "of another model"
    if rule.size and abs(disk.size_bytes - parse_bytes(rule.size)) > SIZE_APART * parse_bytes(rule.size):
        return "of another size"
    return ""


def _plain(model: str) -> str:
    return " ".join(model.split()).casefold()


def _groups(disks: Sequence[Disk]) -> list[list[Disk]]:
    groups = defaultdict(list)
    for disk in disks:
        groups[disk.model, disk.size_bytes].append(disk)
    return sorted(groups.values(), key=len, reverse=True)


def _largest_group(rule: DiskRule, fitting: Sequence[Disk]) -> list[Disk]:
    groups = _groups(fitting)
    largest = [group for group in groups if len(group) == len(groups[0])]
    if len(largest) > 1 and len(largest[0]) >= rule.count:
        kinds = "; ".join(f"{len(group)} of {_kind(group[0])}" for group in largest[:_NAMED])
        raise NotSelected(f"{_asked_words(rule)} {len(largest)} groups are the largest: {kinds}; add model or size")
    return groups[0] if groups else []


def _kind(disk: Disk) -> str:
    return f"{disk.model or 'no model'}, {both(disk.size_bytes)}"


def _other_reasons(reasons: Sequence[str]) -> str:
    counts = Counter(reason for reason in reasons if reason)
    return f" (others: {', '.join(f'{count} {reason}' for reason, count in counts.items())})" if counts else ""
