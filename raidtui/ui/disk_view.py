"""Which disks the list shows, and in which order: what is searched for, the column that sorts. Pure."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

from raidtui.core.advice.preview import PreviewSpeed
from raidtui.core.advice.proposals import Advice
from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.raid.levels import level
from raidtui.core.units import Units, format_bytes
from raidtui.ui.draft import Draft, LevelChoice
from raidtui.ui.preview import advice_of, level_view, with_usual_purpose
from raidtui.ui.render.disk_rows import WORDS, LevelSum

_LEVELS = ("6", "10", "5")
Column = Literal["name", "size", "model", "serial", "use"]

_KEYS: dict[Column, Callable[[Disk], Any]] = {
    "size": lambda disk: disk.size_bytes,
    "model": lambda disk: disk.model.casefold(),
    "serial": lambda disk: (disk.serial or disk.id).casefold(),
    "use": lambda disk: list(Usability).index(disk.verdict.standing),
}  # by name is how the machine tells them
COLUMNS: tuple[Column, ...] = ("name", *_KEYS)


class DiskView(msgspec.Struct, frozen=True):
    """`search`: words, all of which a disk that is shown has somewhere, in capitals or not; "" shows every disk."""

    search: str = ""
    column: Column = "name"

    def next_column(self) -> "DiskView":
        """Sorted by the next column; after the last one by name again."""
        column = COLUMNS[(COLUMNS.index(self.column) + 1) % len(COLUMNS)]
        return msgspec.structs.replace(self, column=column)

    def searching(self, search: str) -> "DiskView":
        """What is searched for now."""
        return msgspec.structs.replace(self, search=search)

    def filtered(self, disks: Sequence[Disk]) -> tuple[Disk, ...]:
        """The disks of the list, in its order; equal ones in that of `disks`."""
        words = self.search.casefold().split()
        matching = [disk for disk in disks if all(word in _text(disk) for word in words)] if words else list(disks)
        return tuple(sorted(matching, key=_KEYS[self.column])) if self.column in _KEYS else tuple(matching)


def alike(disk: Disk, disks: Sequence[Disk]) -> tuple[Disk, ...]:
    """The disks of the model and the size of `disk`, itself among them."""
    return tuple(
        same_kind for same_kind in disks if (same_kind.model, same_kind.size_bytes) == (disk.model, disk.size_bytes)
    )


def free(disks: Sequence[Disk]) -> tuple[str, ...]:
    """The identities of those that are ok."""
    return tuple(disk.id for disk in disks if disk.verdict.standing is Usability.OK)


def level_sums(draft: Draft, members: tuple[Disk, ...], speed: PreviewSpeed) -> list[LevelSum]:
    """What the usual levels would give over these disks, as Level has them at first; without what is not possible."""
    if not members:
        return []
    draft = with_usual_purpose(draft, members, speed)
    advice = advice_of(draft, members, speed)
    proposed = advice if isinstance(advice, Advice) else None
    rows = [LevelChoice(key, (level(key).default_layout or "") if key == "10" else "") for key in _LEVELS]
    found = [level_view(draft, row, members, speed, proposed) for row in rows]
    return [
        LevelSum(one.level, one.capacity.array_bytes, one.capacity.survives)
        for one in found
        if one.capacity and not one.problem
    ]


def _text(disk: Disk) -> str:
    """All that the list and the line under it tell of a disk."""
    sizes = "".join(f"{format_bytes(disk.size_bytes, units)} " for units in Units)
    searched = (disk.name, disk.model, disk.serial, disk.id, disk.slot, disk.transport, disk.found, disk.verdict.reason)
    return f"{sizes}{sizes.replace(' ', '')} {WORDS[disk.verdict.standing]} {' '.join(searched)}".casefold()
