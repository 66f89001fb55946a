"""The first screen in lines: three choices, this machine's disks as bays, what ran last. Pure."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from raidtui.core.disks.disk import Disk, State, Usability
from raidtui.core.raid.placement import Kind, block
from raidtui.core.units import both, format_bytes
from raidtui.ui.render import parts
from raidtui.ui.render.cells import Line, Piece, fit, of_terminal, wrapped
from raidtui.ui.render.disk_rows import SHOWN

HEIGHT, HEIGHT_LOW = 17, 4  # of a choice, its edge included
LABEL = 8
_DOCTOR = "`raidtui doctor` prints what runs and practice need and this machine lacks."
_BAY, _BAY_LOW = 12, 6  # columns of a bay, widest and narrowest; where not all fit it has three
_LOOKS = {  # of a bay, of the sign below
    Usability.OK: ("on/g4", "ok"),
    Usability.WARN: ("on/warn", "*warn"),
    Usability.REFUSE: ("dim/panel", "dim"),
}
_GRAPH = (1, 2, 2, 3, 5, 8, 12, 14, 15, 15, 14, 15, 9, 5, 6, 7, 6, 7, 6, 7, 16, 20, 21, 22, 21, 22, 22, 21)
_WRITES = range(12, 20)  # columns of `_GRAPH`
_PLACES = {Kind.DATA: ("data", " "), Kind.PARITY: ("parity", "P"), Kind.SECOND_PARITY: ("parity2", "Q")}


class Door(msgspec.Struct, frozen=True):
    """One choice. `erases`: "" for nothing; `drawing`: three lines, shown where there is room."""

    name: str
    subtitle: str
    words: str
    asks: str
    takes: str
    erases: str = ""
    drawing: tuple[Line, ...] = ()
    look: str = "dim"  # of the subtitle


def door_lines(door: Door, width: int, low: bool, has_focus: bool) -> tuple[Line, ...]:
    takes: Line = ((fit("takes", LABEL), "dim"), (door.takes, ""))
    erases: Line = (
        (fit("erases", LABEL), "dim"),
        (door.erases, "warn") if door.erases else ("nothing", "ok"),
    )
    if low:
        words = wrapped(door.words, width)[:2]
        return (*words, *([()] * (2 - len(words))), parts.join((*takes, ("   ", ""), ("erases ", "dim"), erases[1])))
    lines: list[Line] = [
        ((door.name, "*accent/cursor" if has_focus else "*strong"),),
        ((fit(door.subtitle, width).rstrip(), door.look),),
        (),
    ]
    lines += [*door.drawing, ()]
    lines += wrapped(door.words, width)[:4]
    lines += [()] * (HEIGHT - 6 - len(lines))
    return (*lines, ((fit("asks", LABEL), "dim"), (door.asks, "")), takes, erases)


def placement() -> tuple[Line, ...]:
    """RAID 6 of six disks."""
    rows = []
    for row in range(3):
        pieces: list[Piece] = []
        for disk in range(6):
            role, letter = _PLACES[block("6", None, 6, disk, row).kind]
            cell = (
                (f" {letter}  ", f"*ink/{role}")
                if of_terminal().grounds
                else (f"[{letter}]" if letter != " " else "███", "")
            )
            pieces += [cell, (" ", "")]
        rows.append(parts.join(pieces))
    return tuple(rows)


def graph() -> tuple[Line, ...]:
    """How a run looks while it is measured."""
    rates = [(0.0, float(height)) if at in _WRITES else (float(height), 0.0) for at, height in enumerate(_GRAPH)]
    return parts.columns_to_lines([parts.column(rate, 24.0, 3) for rate in rates])


def boxed(title: str, text: str, look: str) -> tuple[Line, ...]:
    inner = max(len(title) + 3, len(text) + 2)
    return (
        ((f"╭─ {title} {'─' * (inner - len(title) - 3)}╮", look),),
        ((f"│ {fit(text, inner - 2)} │", look),),
        ((f"╰{'─' * inner}╯", look),),
    )


def shelf_lines(disks: Sequence[Disk], width: int, low: bool) -> tuple[Line, ...]:
    """A bay a disk, its state by ground and by word; below how many there are of each state."""
    bays = _small_bays(disks, width) if len(disks) > width // _BAY_LOW else _bays(disks, width)
    return (*bays, *([] if low else [()]), *_counts(disks, width))


def _bays(disks: Sequence[Disk], width: int) -> tuple[Line, ...]:
    cell = max(_BAY_LOW, min(_BAY, width // max(len(disks), 8)))
    rows: list[list[Piece]] = [[], [], []]
    for disk in disks:
        look, shown = _LOOKS[disk.verdict.standing][0], SHOWN[disk.state]
        size = format_bytes(disk.size_bytes).partition(" ")
        texts = (
            disk.name,
            f"{size[0]}{size[2][:1]}" if cell > _BAY_LOW else size[0][: cell - 2],
            shown.bay if cell > 7 else shown.narrow,
        )
        for row, text in zip(rows, texts, strict=True):
            bold = "*" if row is rows[0] else ""
            row += [(fit(f" {text}", cell - 1), bold + look), (" ", "")]
    return tuple(parts.join(row) for row in rows)


def _small_bays(disks: Sequence[Disk], width: int) -> tuple[Line, ...]:
    across = width // 3
    lines = []
    for first in range(0, min(len(disks), 3 * across), across):
        pieces: list[Piece] = []
        for disk in disks[first : first + across]:
            sign = "□" if disk.state is State.FREE else SHOWN[disk.state].sign
            pieces += [(f"{sign} ", _LOOKS[disk.verdict.standing][0]), (" ", "")]
        lines.append(parts.join(pieces))
    return (*lines, *([()] * (3 - len(lines))))


def _counts(disks: Sequence[Disk], width: int) -> tuple[Line, ...]:
    number = Counter(disk.state for disk in disks)
    standing = {disk.state: disk.verdict.standing for disk in disks}
    free = [disk for disk in disks if disk.state is State.FREE]
    alike = ", alike" if len(free) > 1 and len({(disk.size_bytes, disk.model) for disk in free}) == 1 else ""
    total = f": {both(sum(disk.size_bytes for disk in free))}" if free else ""
    more = {State.FREE: f"{alike}{total}", State.IN_USE: ", never touched"}
    pieces: list[Piece] = []
    gap = "   " if width >= 90 else "  "
    for state in State:
        if number[state]:
            sign = "■" if state is State.FREE else SHOWN[state].sign
            text = f" {number[state]} {state}{more.get(state, '')}"
            pieces += [(gap, ""), (sign, _LOOKS[standing[state]][1]), (text, "dim" if state is State.IN_USE else "")]
    return (parts.join(pieces[1:]),) if pieces else ((("No disks.", "warn"),),)


def unread_lines(disks: Sequence[Disk], command: str, width: int) -> tuple[Line, ...]:
    """How to read what was not checked; `command`: as root, "" where that is no remedy."""
    if not command or all(disk.state is not State.NOT_CHECKED for disk in disks):
        return ()
    return tuple(wrapped(f"Contents need root: `{command}`", width, "warn"))


def why_not(disks: Sequence[Disk], width: int) -> tuple[Line, ...]:
    """Of disks that cannot be used: each, why, and what to do."""
    return tuple(
        (
            (f"{disk.name}  ", "*"),
            (fit(f"{disk.verdict.reason}; {disk.verdict.remedy}", width - len(disk.name) - 2), ""),
        )
        for disk in disks
    )


def why_page(disks: Sequence[Disk], why_no_practice: str, width: int) -> list[Line]:
    """Each disk with its reason and remedy, whole; why practice is not possible; the command for the rest."""
    lines: list[Line] = []
    for disk in disks:
        lines.append(((disk.name, "*strong"), (f"  {disk.model}", "dim")))
        lines += wrapped(disk.verdict.reason, width) + wrapped(disk.verdict.remedy, width)
    if why_no_practice:
        lines += [(), (("Practice", "*strong"),), *wrapped(why_no_practice, width)]
    return [*lines, (), *wrapped(_DOCTOR, width)]
