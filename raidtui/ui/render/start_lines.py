"""The first screen in lines: three choices, this machine's disks as bays, what ran last. Pure."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from raidtui.core.disks.disk import Disk, Usability
from raidtui.core.raid.placement import Kind, block
from raidtui.core.units import Units, both, format_bytes
from raidtui.ui.render import parts
from raidtui.ui.render.cells import Glyphs, Line, Piece, fit, wrap

HEIGHT, HEIGHT_LOW = 17, 4  # of a choice, its edge included
LABEL = 8
_DOCTOR = "`raidtui doctor` prints what runs and practice need and this machine lacks."
_BAY, _BAY_LOW = 12, 6  # columns of a bay, widest and narrowest; where not all fit it has three
_STATES = {  # look, word in the bay, in a narrow bay
    Usability.OK: ("on/g4", "free", "free"),
    Usability.WARN: ("on/warn", "data!", "data"),
    Usability.REFUSE: ("dim/panel", "in use", "used"),
}
_SIGNS = {Usability.OK: ("■", "ok"), Usability.WARN: ("!", "*warn"), Usability.REFUSE: ("–", "dim")}
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
        words = [((line, ""),) for line in wrap(door.words, width)][:2]
        return (*words, *([()] * (2 - len(words))), parts.join((*takes, ("   ", ""), ("erases ", "dim"), erases[1])))
    lines: list[Line] = [
        ((door.name, "*accent/cursor" if has_focus else "*strong"),),
        ((fit(door.subtitle, width).rstrip(), door.look),),
        (),
    ]
    lines += [*door.drawing, ()]
    lines += [((line, ""),) for line in wrap(door.words, width)][:4]
    lines += [()] * (HEIGHT - 6 - len(lines))
    return (*lines, ((fit("asks", LABEL), "dim"), (door.asks, "")), takes, erases)


def placement(glyphs: Glyphs) -> tuple[Line, ...]:
    """RAID 6 of six disks."""
    rows = []
    for row in range(3):
        pieces: list[Piece] = []
        for disk in range(6):
            role, letter = _PLACES[block("6", None, 6, disk, row).kind]
            cell = (
                (f" {letter}  ", f"*ink/{role}") if glyphs.grounds else (f"[{letter}]" if letter != " " else "███", "")
            )
            pieces += [cell, (" ", "")]
        rows.append(parts.join(pieces))
    return tuple(rows)


def graph(glyphs: Glyphs) -> tuple[Line, ...]:
    """How a run looks while it is measured."""
    rates = [(0.0, float(height)) if at in _WRITES else (float(height), 0.0) for at, height in enumerate(_GRAPH)]
    return parts.columns_to_lines([parts.column(rate, 24.0, 3, glyphs) for rate in rates])


def boxed(title: str, text: str, look: str) -> tuple[Line, ...]:
    inner = max(len(title) + 3, len(text) + 2)
    return (
        ((f"╭─ {title} {'─' * (inner - len(title) - 3)}╮", look),),
        ((f"│ {fit(text, inner - 2)} │", look),),
        ((f"╰{'─' * inner}╯", look),),
    )


def shelf_lines(disks: Sequence[Disk], width: int, low: bool, units: Units, glyphs: Glyphs) -> tuple[Line, ...]:
    """A bay a disk, its state by ground and by word; below how many there are of each state."""
    bays = _small_bays(disks, width) if len(disks) > width // _BAY_LOW else _bays(disks, width)
    return (*bays, *([] if low else [()]), *_counts(disks, width, units, glyphs))


def _bays(disks: Sequence[Disk], width: int) -> tuple[Line, ...]:
    cell = max(_BAY_LOW, min(_BAY, width // max(len(disks), 8)))
    rows: list[list[Piece]] = [[], [], []]
    for disk in disks:
        look, word, short = _STATES[disk.verdict.standing]
        size = format_bytes(disk.size_bytes).partition(" ")
        texts = (
            disk.name,
            f"{size[0]}{size[2][:1]}" if cell > _BAY_LOW else size[0][: cell - 2],
            word if cell > 7 else short,
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
            look = _STATES[disk.verdict.standing][0]
            pieces += [
                ({Usability.OK: "□", Usability.WARN: "!", Usability.REFUSE: "–"}[disk.verdict.standing] + " ", look)
            ]
            pieces += [(" ", "")]
        lines.append(parts.join(pieces))
    return (*lines, *([()] * (3 - len(lines))))


def _counts(disks: Sequence[Disk], width: int, units: Units, glyphs: Glyphs) -> tuple[Line, ...]:
    number = Counter(disk.verdict.standing for disk in disks)
    free = [disk for disk in disks if disk.verdict.standing is Usability.OK]
    alike = ", alike" if len(free) > 1 and len({(disk.size_bytes, disk.model) for disk in free}) == 1 else ""
    total = f": {both(sum(disk.size_bytes for disk in free))}" if free else ""
    words = {
        Usability.OK: f"{number[Usability.OK]} free{alike}{total}",
        Usability.WARN: f"{number[Usability.WARN]} with data",
        Usability.REFUSE: f"{number[Usability.REFUSE]} in use, never touched",
    }
    pieces: list[Piece] = []
    gap = "   " if width >= 90 else "  "
    for standing, text in words.items():
        if number[standing]:
            pieces += [(gap, ""), _SIGNS[standing], (f" {text}", "" if standing is not Usability.REFUSE else "dim")]
    return (parts.join(pieces[1:]),) if pieces else ((("No disks.", "warn"),),)


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
        lines += [((line, ""),) for said in (disk.verdict.reason, disk.verdict.remedy) for line in wrap(said, width)]
    if why_no_practice:
        lines += [(), (("Practice", "*strong"),), *(((line, ""),) for line in wrap(why_no_practice, width))]
    return [*lines, (), *(((line, ""),) for line in wrap(_DOCTOR, width))]
