"""Data, copies and parity on the disks as rows of chunks from 1; the first MiB of the array is bold. Pure."""

from collections.abc import Sequence
from itertools import groupby

from raidtui.core.advice.preview import LevelPreview
from raidtui.core.raid.stripes import Kind, StoredBlock, block, disk_parts, has_rows
from raidtui.core.units import MIB, format_round
from raidtui.ui.render.cells import Line, Piece, fit, wrap
from raidtui.ui.render.glyphs import of_terminal

_LEAST_ROWS, _MOST_ROWS, _LEAST_CELL, _WIDEST_NAME = 2, 16, 4, 8
_LOOKS = {Kind.DATA: "usable", Kind.COPY: "mirror", Kind.PARITY: "parity", Kind.SECOND_PARITY: "parity"}
_WITHOUT_ROWS = {
    "linear": "The first disk is filled from its beginning to its end, then the next one.",
    "jbod": "Each disk has its own files; no file is on two of them.",
}


def drawing_lines(view: LevelPreview, names: Sequence[str], width: int, height: int) -> list[Line]:
    """At most `height` lines: the disks, rows of their chunks, and what the signs mean. Nothing where it cannot be."""
    if view.capacity is None or height < _LEAST_ROWS + 2:
        return []
    if not has_rows(view.key):
        return [((f" {text}", "dim"),) for text in wrap(_WITHOUT_ROWS[view.key], width - 2)]
    sections = disk_parts(view.key, view.layout, view.disks)
    legend = [((f" {text}", "dim"),) for text in wrap(_legend(view), width - 2)]
    rows = min(_MOST_ROWS, (height - 1 - len(legend) - (sections - 1)) // sections)
    if rows < 1:
        return []
    blocks = [
        [
            [block(view.key, view.layout, view.disks, disk, row, disk_section) for disk in range(view.disks)]
            for row in range(rows)
        ]
        for disk_section in range(sections)
    ]
    longest = max(len(_label(block)) for disk_section in blocks for row in disk_section for block in row)
    short_names = [name[:_WIDEST_NAME] for name in names]
    if (max(map(len, short_names)) + 1) * len(short_names) > width - 4:
        short_names = [str(number + 1) for number in range(len(short_names))]  # as the list of disks counts them
    cell = max(_LEAST_CELL, longest + 1, max(map(len, short_names)) + 1)
    columns = _disks_shown(view.disks, (width - 3) // cell)
    lines: list[Line] = [_line([(name, "strong") for name in short_names], columns, cell)]
    bold = -(-MIB // view.chunk_bytes) if view.chunk_bytes else 0
    for number, disk_section in enumerate(blocks):
        if number:
            lines.append(((f" further down, from {_share(number, sections)} of each disk on:", "dim"),))
        lines += [_line([_cell(block, bold) for block in row], columns, cell) for row in disk_section]
    return [*lines, *legend]


def _disks_shown(disks: int, room: int) -> list[int | None]:
    """Which disks: all, or the first and the last ones with a gap (None) between."""
    if disks <= room:
        return list(range(disks))
    half = max(1, (room - 1) // 2)
    return [*range(half), None, *range(disks - half, disks)]


def _line(cells: Sequence[Piece], columns: Sequence[int | None], width: int) -> Line:
    """Cells of one width, right in theirs; neighbours of one look are one."""
    gap: Piece = (f" {of_terminal().gap}", "dim")
    cells_laid = [
        gap if index is None else (fit(cells[index][0], width, right=True), cells[index][1]) for index in columns
    ]
    joined = (
        (look, "".join(text for text, _ in same_look))
        for look, same_look in groupby(cells_laid, key=lambda cell: cell[1])
    )
    return tuple((text, look) for look, text in joined)


def _cell(block: StoredBlock, bold: int) -> Piece:
    look = "strong" if block.kind is Kind.DATA and block.number < bold else _LOOKS[block.kind]
    return _label(block), look


def _label(block: StoredBlock) -> str:
    if block.kind in (Kind.PARITY, Kind.SECOND_PARITY):
        return str(block.kind.value)
    return f"{block.number + 1}" + ("'" if block.copy else "")


def _legend(view: LevelPreview) -> str:
    if view.chunk_bytes is None:
        return "1, 2, 3: the data from its beginning; 1': its copies, the same on every disk."
    legend = f"1, 2, 3: data in chunks of {format_round(view.chunk_bytes)} (bold: the array's first MiB)"
    kinds = {block(view.key, view.layout, view.disks, disk, row).kind for disk in range(view.disks) for row in (0, 1)}
    if Kind.COPY in kinds or disk_parts(view.key, view.layout, view.disks) > 1:
        legend += "; 1': a copy of 1"
    if Kind.SECOND_PARITY in kinds:
        return f"{legend}; P, Q: parity, two sums of the row: they bring back any two chunks of it."
    return legend + ("; P: parity, a sum of the row: it brings back any one chunk." if Kind.PARITY in kinds else ".")


def _share(number: int, sections: int) -> str:
    return "the middle" if sections == 2 else f"{number}/{sections}"
