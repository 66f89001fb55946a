"""File systems as a table, the way from the labels to `df`, and how the file system is aligned. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from raidtui.core.boot.entries import MOUNTED_AT
from raidtui.core.plan.answers import Between
from raidtui.core.raid import filesystems
from raidtui.core.raid.filesystems import FileSystem, Geometry
from raidtui.core.raid.layers import LAYERS
from raidtui.core.raid.space import SpaceEntry, SpacePart, Story, df_words, disks_words
from raidtui.core.units import MINUS, Units, format_bytes, format_round
from raidtui.ui.render.cells import Line, Row, Sheet, fit, fit_right, of_terminal, wrapped
from raidtui.ui.render.parts import join, signs, split_bar

_MARKS, _NAME, _TB, _TIB, _DF, _META = 3, 7, 10, 11, 7, 11
_FIXED = _MARKS + _NAME + _TB + _TIB + _DF + _META
_LABEL, _FIGURE, _LEAST_FALL = 20, 12, 12
_ROLES = {
    SpacePart.LABELS: "data", SpacePart.PARITY: "parity", SpacePart.COPIES: "mirror", SpacePart.OWN_SPACE: "parity",
    SpacePart.LAYER: "parity", SpacePart.RESERVED: "parity2", SpacePart.ARRAY: "data", SpacePart.FILES: "data",
    SpacePart.METADATA: "parity", SpacePart.TREES: "parity", SpacePart.TREES_WITH_RMAPBT: "parity",
}  # fmt: skip
_NAMES = {
    SpacePart.UNEQUAL: "larger disks", SpacePart.OUTSIDE: "partition tables", SpacePart.METADATA: "md metadata",
    SpacePart.ROUNDING: "rounding", SpacePart.ARRAY: "array", SpacePart.OWN_SPACE: "{} metadata ≈",
    SpacePart.TREES: "{} reserves ≈", SpacePart.TREES_WITH_RMAPBT: "{} rmapbt etc. ≈",
    SpacePart.FILES: "for files ≈", SpacePart.RESERVED: "root only", SpacePart.COPIES: "copies",
}  # fmt: skip


class SpaceRow(NamedTuple):
    """A file system on the array. `problem`: why it cannot be made."""

    key: str
    story: Story
    problem: str = ""
    chosen: bool = False
    proposed: bool = False

    def size(self, part: SpacePart) -> int:
        return next((entry.size_bytes for entry in self.story.entries if entry.part is part), 0)

    @property
    def array_bytes(self) -> int:
        return self.size(SpacePart.ARRAY)

    @property
    def left_bytes(self) -> int:
        """For everybody's files; of a bare array all of it."""
        files = self.story.files_bytes
        return self.array_bytes if files is None else files - self.size(SpacePart.RESERVED)


def offered() -> list[FileSystem]:
    """Those for kept arrays first, none last."""
    rows = [row for row in filesystems.FILE_SYSTEMS if row.wizard_place]
    return sorted(rows, key=lambda row: (row.program is None, row.keep_place or len(rows), row.wizard_place))


def filesystem_sheet(rows: Sequence[SpaceRow], width: int) -> Sheet:
    """One line each: usable by all after its own metadata and what is kept for root; what it is good for."""
    heads = (("TB", _TB), ("TiB", _TIB), ("df -h", _DF), ("metadata", _META))
    heading = [(" " * (_MARKS + _NAME), ""), *((fit_right(text, cells), "dim") for text, cells in heads)]
    return Sheet(join(heading), tuple(_row(row, width) for row in rows))


def _row(row: SpaceRow, width: int) -> Row:
    strong = "*strong" if row.chosen else ""
    cells = [signs(row.chosen, row.proposed), (fit(row.key, _NAME), "dim" if row.problem else strong)]
    if row.problem:
        return Row(
            (join((*cells, (fit(row.problem.partition(";")[0], width - _MARKS - _NAME), "dim"))),), possible=False
        )
    own = row.size(SpacePart.OWN_SPACE) + row.story.used_bytes
    about = "≈ " if row.story.files_bytes is not None else ""
    figures = (
        (about + format_bytes(row.left_bytes), _TB),
        (format_bytes(row.left_bytes, Units.BINARY), _TIB),
        ("–" if row.story.df_bytes is None else df_words(row.story.df_bytes, 1024), _DF),
        (format_bytes(own) if own else "–", _META),
    )
    cells += [(fit_right(text, wide), strong) for text, wide in figures]
    summary, room = filesystems.filesystem(row.key).summary, width - _FIXED - 2
    words = next((text for text in (summary, summary.partition(";")[0]) if len(text) <= room), "")
    return Row((join((*cells, (f"  {words}", ""))),))


def space_legend(proposed: str) -> Line:
    """With what the proposed one is good for."""
    row = filesystems.filesystem(proposed)
    why = f"proposed, {row.summary.partition(';')[0]}" if row.program else "proposed"
    return ((f"  {of_terminal().proposed} ", "accent"), (why, "dim"))


def waterfall(account: Story, width: int) -> list[Line]:
    """From the labels to `df`, in TB and TiB; a loss is drawn at the right of what is left."""
    fall = width - _LABEL - 2 * _FIGURE - 2
    units = f"{fit_right('TB = 10^12', _FIGURE)}{fit_right('TiB = 2^40', _FIGURE)}"
    lines: list[Line] = [((" " * _LABEL, ""), (units, "dim"))]
    raw = account.entries[0].size_bytes or 1
    left = raw
    for entry in _summed(account):
        left -= entry.size_bytes if entry.lost else 0
        name = _name_of(entry, account)
        if entry.part is SpacePart.LABELS:
            each = disks_words(account.disk_bytes)
            name = each if len(each) < _LABEL else f"{len(account.disk_bytes)} disks"
        sign = MINUS if entry.lost else ""
        figures = [fit_right(sign + format_bytes(entry.size_bytes, each), _FIGURE) for each in Units]
        is_sum = not entry.lost and entry.part is not SpacePart.RESERVED
        drawn: Line = ()
        if fall >= _LEAST_FALL:
            before = left if entry.lost else left - entry.size_bytes if entry.part is SpacePart.RESERVED else 0
            role = _ROLES.get(entry.part, "lost")
            drawn = _at(before / raw, entry.size_bytes / raw, role, fall)
        look = (
            "*array" if entry is account.entries[-1] or entry.part is SpacePart.FILES else "*strong" if is_sum else ""
        )
        lines.append(
            join(((fit(name, _LABEL), "*strong" if is_sum else "dim"), ("".join(figures), look), ("  ", ""), *drawn))
        )
    return lines


def _summed(account: Story) -> list[SpaceEntry]:
    """A file system's own in one entry, wherever `df` counts it; each by itself is among the exact bytes."""
    entries = list(account.entries)
    later = [entry for entry in entries if entry.part in (SpacePart.TREES, SpacePart.TREES_WITH_RMAPBT)]
    first = next((at for at, entry in enumerate(entries) if entry.part is SpacePart.OWN_SPACE), None)
    if first is None:
        return entries
    entries[first] = SpaceEntry(SpacePart.OWN_SPACE, sum(one.size_bytes for one in (entries[first], *later)), True)
    return [entry for entry in entries if entry not in later]


def _at(before: float, share: float, role: str, width: int) -> Line:
    """A bar that begins at this share of the width."""
    first = round(before * width)
    cells = min(width, round((before + share) * width)) - first
    return ((" " * first, ""), *split_bar(((1.0, role),), max(0, cells))[:1]) if cells > 0 else ()


def _name_of(entry: SpaceEntry, account: Story) -> str:
    name = _NAMES.get(entry.part, entry.part.value)
    return name.format(account.layer if entry.part is SpacePart.LAYER else account.filesystem)


def df_lines(account: Story) -> list[Line]:
    """What `df` will show."""
    size = account.df_bytes
    if size is None:
        return []
    binary, decimal = format_bytes(size, Units.BINARY), format_bytes(size)
    used, note = "", f" (≈ {binary}; df rounds up)"
    if account.used_bytes:
        used, note = f"  Used {df_words(account.used_bytes, 1024)}", " (df rounds up)"
    return [
        (("df -h ", "*accent"), (f"Size {df_words(size, 1024)}{used}", "*strong"), (note, "dim")),
        (("df -H ", "*accent"), (f"Size {df_words(size, 1000)}", "*strong"), (f" (≈ {decimal})", "dim")),
    ]


def capacity_page(account: Story, width: int, height: int) -> list[Line]:
    """The way and `df`; in few lines without a head, and `df` in one."""
    way, told = waterfall(account, width), df_lines(account)
    if len(way) > height:  # every byte is behind a key
        rounded = _NAMES[SpacePart.ROUNDING]
        way = [line for line in way if not line[0][0].startswith(rounded)]
    if len(way) + len(told) < height:
        return [*way, (), *told]
    brief = [join((*told[0][:2], ("   ", ""), *told[1][:2], (" (df rounds up)", "dim")))] if told else []
    told = told if len(way) + len(told) == height else brief
    return [*(way if len(way) + len(told) <= height else way[1:]), *told][:height]


def alignment_lines(key: str, shape: Geometry, width: int, reserved_percent: int | None = None) -> list[Line]:
    """How mkfs is told of the stripes, and its command."""
    row = filesystems.filesystem(key)
    if row.program is None:
        return [(("No file system: tests run on the array itself.", ""),)]
    lines: list[Line] = [(("Alignment", "*accent"),)]
    if shape.stride_blocks:
        share, disks = format_round(shape.su_bytes), shape.sw_disks
        full = f"{disks} data disk{'' if disks == 1 else 's'} × {share} = {format_round(shape.su_bytes * disks)}"
        lines += wrapped(row.geometry_words(shape), width, "*strong")
        lines.append(((full, ""),))
    else:
        lines.append(((f"{shape.block_bytes} B blocks; the array has no stripes", ""),))
    argv = filesystems.mkfs_argv(key, "/dev/md/NAME", "UUID", shape, reserved_percent=reserved_percent)
    lines += [(), (("Command", "*accent"),), *wrapped(" ".join(argv), width - 2, "", "  ", "")]
    return [*lines, (), (("Grow  ", "*accent"), (row.grow.split(" {")[0] or "–", ""))]


def exact_lines(account: Story) -> list[Line]:
    """Every byte."""
    lines: list[Line] = [(("Every byte", "*accent"),)]
    for entry in account.entries:
        name = _name_of(entry, account)
        lines.append(
            ((fit(name, 36), "dim"), (fit_right(f"{MINUS if entry.lost else ''}{entry.size_bytes:,} B", 26), ""))
        )
    return lines


def geometry_words(kind: str, geometry: Geometry) -> str:
    """In the file system's own terms."""
    row = filesystems.filesystem(kind)
    if row.program is None:
        return "No file system: tests run on the array itself."
    if not geometry.stride_blocks:
        return f"{row.program}: {geometry.block_bytes} B blocks; the array has no stripes."
    share = f"{format_bytes(geometry.su_bytes, Units.BINARY)} per disk, {geometry.sw_disks} data disks"
    return f"{row.program}: {row.geometry_words(geometry)} ({share})."


def mounted_words(has_filesystem: bool, at_boot: bool, typed: tuple[str, str, str], between: Between) -> str:
    """Where it is mounted, whose it is, and on what; what is not typed is as it is by itself."""
    if not has_filesystem:
        return "Assembled at boot" if at_boot else "Not assembled at boot (m)"
    layer = f", on {LAYERS[between].title}" if between else ""
    if not at_boot:
        return f"Not mounted at boot{layer} (m)"
    folder, owner, mode = (text or usual for text, usual in zip(typed, (MOUNTED_AT, "root", "0755"), strict=True))
    return f"Mounted at boot: {folder}, owner {owner}, mode {mode}{layer} (m)"
