"""Where chunks, copies and parity lie, drawn as disks; and what is left once some of these failed. Pure."""

from collections.abc import Callable, Sequence, Set
from typing import NamedTuple

from raidtui.core.advice.preview import LevelPreview
from raidtui.core.raid.placement import Kind, StoredBlock, block, disk_parts, has_rows
from raidtui.core.raid.redundancy import next_survived, spare_left
from raidtui.core.units import KIB, MIB, format_round
from raidtui.ui.render.cells import Line, Piece, fit, of_terminal, wrapped
from raidtui.ui.render.parts import join, swatch

_MOST_CELL, _MOST_NAMED, _ADDRESS, _SPACED_ROWS, _MOST_ROWS, _NARROW = 9, 6, 7, 10, 11, 2
_APART = -1
_ROLES = {Kind.DATA: "data", Kind.COPY: "mirror", Kind.PARITY: "parity", Kind.SECOND_PARITY: "parity2"}
_FRAMES = {"parity": "[{}]", "parity2": "{{{}}}"}
_WITHOUT_ROWS = {
    "linear": "The first disk is filled from its beginning to its end, then the next one.",
    "jbod": "Each disk has its own files; no file is on two of them.",
}


class Drawn(NamedTuple):
    """`failed`: disks by number. `marked`: the one that the next key is about. `addresses`: instead of the chunk's
    number its place on the array, the chunks of its first MiB are marked.
    """

    failed: Set[int] = frozenset()
    marked: int | None = None
    addresses: bool = False


class _Laid(NamedTuple):
    """`rows` of chunks by part of the disks; every `spaced`th line has one. `columns`: disks, None where there is a gap
    between the first and the last ones, `_APART` between groups.
    """

    cell: int
    columns: Sequence[int | None]
    rows: Sequence[Sequence[Sequence[StoredBlock]]]
    spaced: int = 1

    @property
    def is_narrow(self) -> bool:
        """A column for a disk; then the address of a row stands at its left."""
        return self.cell <= _NARROW

    @property
    def indent(self) -> int:
        return _ADDRESS if self.is_narrow else 0


def drawing_lines(
    view: LevelPreview, names: Sequence[str], width: int, height: int, drawn: Drawn | None = None
) -> list[Line]:
    """At most `height` lines: the disks, and rows of their chunks. Nothing where it cannot be."""
    drawn = drawn or Drawn()
    laid = _lay(view, names, width, height, drawn)
    if laid is None:
        return []
    heads = _names(_short(names) if laid.is_narrow else names, drawn, laid)
    lines = [join(((" " * laid.indent, ""), *heads))]
    if _APART in laid.columns:
        lines = [join(((" " * laid.indent, ""), *_brackets(view, laid))), *lines]
    if not laid.rows:
        return [*lines, *wrapped(_WITHOUT_ROWS[view.key], width, "dim")][:height]
    label = _label_of(view, drawn)
    for number, section in enumerate(laid.rows):
        if number:
            part = "the middle" if len(laid.rows) == 2 else f"{number}/{len(laid.rows)}"
            lines.append(((f"from {part} of each disk on:", "dim"),))
        for row in section:
            first = min((stored.number for stored in row if stored.kind is Kind.DATA), default=0)
            at = fit(label(StoredBlock(Kind.DATA, first)), laid.indent)
            cells = [_cell(row, disk, laid.cell, drawn, label, view.chunk_bytes) for disk in laid.columns]
            lines.append(join(((at, "dim"), *(piece for pair in cells for piece in pair))))
            lines += [()] * (laid.spaced - 1)
    return lines[:height]


def _lay(view: LevelPreview, names: Sequence[str], width: int, height: int, drawn: Drawn) -> _Laid | None:
    if view.capacity is None or height < 2:
        return None
    if not has_rows(view.key):
        return _Laid(_MOST_CELL, _fitting(view.disks, width // _MOST_CELL), ())
    sections = disk_parts(view.key, view.layout, view.disks)
    rows = min((height - 1 - (view.groups > 1) - (sections - 1)) // sections, _MOST_ROWS)
    if rows < 1:
        return None
    spaced = 1 if sections > 1 or rows < _SPACED_ROWS else 2
    blocks = [
        [[_block(view, disk, row, section) for disk in range(view.disks)] for row in range(-(-rows // spaced))]
        for section in range(sections)
    ]
    label = _label_of(view, drawn)
    longest = max(len(label(stored)) for section in blocks for row in section for stored in row)
    marked = len("✗") if drawn.failed else 0  # before a name
    cell = max(longest + 2, *(len(name) + marked + 1 for name in names))
    places = view.disks + view.groups - 1
    cell = max(min(_MOST_CELL, width // places), cell) if cell * places <= width else _NARROW
    room = width - _ADDRESS if cell == _NARROW else width
    if view.groups > 1 and places * cell <= room:
        return _Laid(cell, _by_group(view), blocks, spaced)
    return _Laid(cell, _fitting(view.disks, room // cell), blocks, spaced)


def _block(view: LevelPreview, disk: int, row: int, section: int) -> StoredBlock:
    return block(view.key, view.layout, view.disks, disk, row, section, view.groups)


def _by_group(view: LevelPreview) -> list[int | None]:
    columns: list[int | None] = []
    for first in _firsts(view):
        columns += [*([_APART] if first else []), *range(first, first + view.group_disks)]
    return columns


def _brackets(view: LevelPreview, laid: _Laid) -> list[Piece]:
    """Over the names of each group's disks."""
    wide, pieces = view.group_disks * laid.cell - 1, list[Piece]()
    for number in range(view.groups):
        words = f" group {number + 1} "
        text = words if wide < len(words) + 2 else "╭" + words.center(wide - 2, "─") + "╮"
        pieces += [(fit(text, wide), "dim"), (" " * (laid.cell + 1), "")]
    return pieces[:-1]


def disk_at(view: LevelPreview, names: Sequence[str], width: int, height: int, column: int) -> int | None:
    """The disk whose name or chunk stands in this column of the drawing; None: none."""
    laid = _lay(view, names, width, height, Drawn())
    number = (column - laid.indent) // laid.cell if laid else -1
    found = laid.columns[number] if laid and 0 <= number < len(laid.columns) else None
    return None if found == _APART else found


def legend(view: LevelPreview, drawn: Drawn | None = None) -> Line:
    """What the cells are, as they are drawn."""
    if view.capacity is None or not has_rows(view.key):
        return ()
    rows = range(disk_parts(view.key, view.layout, view.disks) + 1)
    kinds = {
        _block(view, disk, row % 2, row // 2).kind
        for disk in range(view.disks)
        for row in rows
        if row // 2 < disk_parts(view.key, view.layout, view.disks)
    }
    words = {
        Kind.DATA: "data",
        Kind.COPY: "1' copy of 1",
        Kind.PARITY: "P parity",
        Kind.SECOND_PARITY: "Q parity",
    }
    pieces: list[Piece] = []
    if drawn and drawn.addresses and view.chunk_bytes:
        pieces = [("»", "read"), (" 1M read  ", "dim")]
        words[Kind.COPY] = "' copy"
    if Kind.COPY not in kinds and disk_parts(view.key, view.layout, view.disks) > 1:
        kinds.add(Kind.COPY)
    for kind, text in words.items():
        if kind in kinds:
            pieces += [swatch(_ROLES[kind]), (f" {text}  ", "dim")]
    return join(pieces)


def failure_line(view: LevelPreview, names: Sequence[str], failed: Set[int]) -> Line:
    """What these failures do to the data, by the placement of its chunks."""
    who = [names[disk] for disk in sorted(failed)]
    named = ", ".join(who[:_MOST_NAMED]) + (f" and {len(who) - _MOST_NAMED} more" if len(who) > _MOST_NAMED else "")
    if view.key == "jbod":
        whose = "its" if len(who) == 1 else "their"
        return (("✗ ", "*bad"), (named, "*strong"), (f" failed: {whose} files lost, the other disks' files remain", ""))
    where = (view.key, view.layout, view.disks)
    left = spare_left(*where, failed, view.groups)
    by_group = [len({*failed} & {*range(first, first + view.group_disks)}) for first in _firsts(view)]
    worst = by_group.index(max(by_group)) + 1
    if left < 0:
        lost = f"group {worst} lost, all data lost" if view.groups > 1 else "data lost"
        return (("✗ ", "*bad"), (named, "*strong"), (" failed: ", ""), (lost, "*bad"))
    of = f"group {worst} survives" if view.groups > 1 else "survives"
    text = f" failed: no data lost, {of} {f'any {left}' if left else '0'} more"
    if not left:
        survived, others = next_survived(*where, failed, view.groups)
        text += f" (1 more in {survived} of {others} cases)" if survived else ""
    return (("✓ ", "*ok"), (named, "*strong"), (text, ""))


def _firsts(view: LevelPreview) -> range:
    """The first disk of each group."""
    return range(0, view.disks, view.group_disks)


def _fitting(disks: int, room: int) -> list[int | None]:
    """Which disks: all, or the first and the last ones with a gap (None) between."""
    if disks <= room:
        return list(range(disks))
    half = max(1, (room - 1) // 2)
    return [*range(half), None, *range(disks - half, disks)]


def _short(names: Sequence[str]) -> list[str]:
    """A cell each: the last letter of sda to sdz; of more disks, or others, the last figure of their number."""
    if len({name[:-1] for name in names}) == 1:
        return [name[-1] for name in names]
    return [str((number + 1) % 10) for number in range(len(names))]


def _names(names: Sequence[str], drawn: Drawn, laid: _Laid) -> Line:
    pieces: list[Piece] = []
    cell = laid.cell
    for disk in laid.columns:
        if disk is None:
            pieces.append((fit(of_terminal().gap, cell), "dim"))
            continue
        if disk == _APART:
            pieces.append((" " * cell, ""))
            continue
        failed = disk in drawn.failed
        text = ("✗" if failed else "") + names[disk] if cell > _NARROW else "✗" if failed else names[disk]
        look = ("_" if disk == drawn.marked else "") + ("*bad" if failed else "*strong")
        text = fit(f" {text}" if cell >= len(text) + 2 else text, cell - 1)  # above the text of a chunk
        pieces += [(text.rstrip(), look), (" " * (cell - len(text.rstrip())), "")]
    return tuple(pieces)


def _cell(
    row: Sequence[StoredBlock],
    disk: int | None,
    cell: int,
    drawn: Drawn,
    label: Callable[[StoredBlock], str],
    chunk_bytes: int | None,
) -> tuple[Piece, Piece]:
    """A chunk and the gap behind it."""
    gap = (" ", "")
    if disk is None:
        return (fit(of_terminal().gap, cell - 1), "dim"), gap
    if disk == _APART:
        return (" " * (cell - 1), ""), gap
    stored = row[disk]
    if disk in drawn.failed:
        return (fit("╳" if cell == _NARROW else " ╳╳", cell - 1), "bad"), gap
    role = _ROLES[stored.kind]
    first = drawn.addresses and stored.kind is Kind.DATA and stored.number * (chunk_bytes or MIB) < MIB
    if cell == _NARROW:
        return (_one(stored, first), _look(role, first)), gap
    text = label(stored)
    if not of_terminal().grounds:
        text = _FRAMES.get(role, "{}").format(text)
    return (fit(("»" if first else " ") + text, cell - 1), _look(role, first)), gap


def _one(stored: StoredBlock, first: bool) -> str:
    if stored.kind in (Kind.PARITY, Kind.SECOND_PARITY):
        return str(stored.kind.value)
    if stored.copy:
        return "'"
    return "»" if first else " " if of_terminal().grounds else "■"


def _look(role: str, first: bool) -> str:
    if not of_terminal().grounds:
        return "!" if role == "data" else ""
    return "on/r6" if first else f"ink/{role}"


def _label_of(view: LevelPreview, drawn: Drawn) -> Callable[[StoredBlock], str]:
    return _address(view.chunk_bytes or MIB) if drawn.addresses else _number


def _number(stored: StoredBlock) -> str:
    if stored.kind in (Kind.PARITY, Kind.SECOND_PARITY):
        return str(stored.kind.value)
    return f"{stored.number + 1}" + ("'" if stored.copy else "")


def _address(chunk_bytes: int) -> Callable[[StoredBlock], str]:
    def address(stored: StoredBlock) -> str:
        if stored.kind in (Kind.PARITY, Kind.SECOND_PARITY):
            return str(stored.kind.value)
        at = stored.number * chunk_bytes
        text = "0" if not at else f"{at // KIB}K" if at < MIB else f"{at / MIB:.4g}M"
        return text + ("'" if stored.copy else "")

    return address


def chunk_words(view: LevelPreview) -> str:
    return f", chunk {format_round(view.chunk_bytes)}" if view.chunk_bytes else ""
