"""The cells of a sweep beside each other, test by test: the settings that tell them apart by name, and the row of each.

Knows setups and the rows of an analysis; how they are shown is the report's and the screens'.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from raidtui.core.fio.job import Kind
from raidtui.core.plan import cell
from raidtui.core.plan.answers import Setup
from raidtui.core.raid import zfs
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.differences import Setups, of_figures

NAMES = {
    "level": "Level",
    "chunk": "Chunk",
    "bitmap": "Bitmap",
    "first_sync": "First sync",
    "member_size": "Of each disk",
    "disks": "Disks",
    "partition_start_sectors": "Start, sector",
    "filesystem": "File system",
    "allocation_unit": "Allocation unit",
    "stripe_cache_size": "Stripe cache, pages",
    "group_thread_cnt": "Threads",
    "wbt_lat_usec": "Write throttling, µs",
    "failed": "Failed disks",
    "rebuild_min_kib_s": "Rebuild at least",
}
_PHRASES: dict[str, Callable[[Any], str]] = {  # what a setup's name says of a value that does not speak for itself
    "chunk": "chunk {}".format,
    "member_size": "{} of each disk".format,
    "disks": "of {} disks".format,
    "partition_start_sectors": "from sector {}".format,
    "allocation_unit": "allocation unit {}".format,
    "stripe_cache_size": "stripe cache {}".format,
    "group_thread_cnt": "{} threads".format,
    "wbt_lat_usec": lambda latency_us: f"wbt {latency_us / 1000:g} ms" if latency_us else "wbt off",
    "failed": lambda disks: {0: "whole", 1: "without a disk"}.get(disks, f"without {disks} disks"),
    "rebuild_min_kib_s": lambda kib_s: f"rebuild min {kib_s} KiB/s" if kib_s else "no rebuild",
}
_OF_ZFS: dict[str, Callable[[Any], str]] = {"allocation_unit": "recordsize {}".format}  # has another word for it
_FIRST = ("level", "disks")  # of a name
_PLAIN_COLUMNS = 2  # beside which a chunk speaks for itself


class Choice(NamedTuple):
    """One value of an axis over another, and the cells that tell it: places of rows, that of the base second."""

    value: str
    base: str
    pairs: list[tuple[int, int]]


class SetupGrid(msgspec.Struct, frozen=True):
    """One test over all cells. `labels` are, for each row, the values of `columns`, in which cells differ."""

    title: str
    kind: Kind
    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    rows: tuple[ResultRow, ...]

    @property
    def judged(self) -> Setups:
        """What tells two of the rows apart, by their places: with all figures of the test, shown or not."""
        rows_beside = self.rows[0].beside
        return of_figures(rows_beside if len(rows_beside) == len(self.rows) else tuple(row.array for row in self.rows))

    def name(self, index: int, narrow: bool = False) -> str:
        """A cell in a few words; `narrow`: for a column of a screen."""
        return _joined(self.columns, [_value_of(self.rows[index], field) for field in self.columns], narrow)

    def name_but_for(self, index: int, *columns: str) -> str:
        """A cell in a few words that leave out these columns."""
        fields_kept = [field for field in self.columns if field not in columns]
        return _joined(fields_kept, [_value_of(self.rows[index], field) for field in fields_kept])

    def phrase(self, index: int, column: str) -> str:
        """The value of one column in a cell, as its name says it."""
        row = self.rows[index]
        return _phrase(column, _value_of(row, column), _phrases(_value_of(row, "filesystem")))

    def choices(self, column: str) -> list[Choice]:
        """Each value of a column over its first, with all pairs of cells that have them and differ in nothing else.

        Only of cells of which there are such pairs: of a level that has no such setting none.
        """
        column_index = self.columns.index(column)
        index = {
            ((*labels[:column_index], *labels[column_index + 1 :]), labels[column_index]): i
            for i, labels in enumerate(self.labels)
        }
        rests = list(dict.fromkeys(other_fields for other_fields, _ in index))
        several = [
            other_fields for other_fields in rests if sum(other_key == other_fields for other_key, _ in index) > 1
        ]
        values = list(dict.fromkeys(value for other_fields, value in index if other_fields in several))
        return [
            Choice(value, values[0], pairs)
            for value in values[1:]
            if (pairs := [(index[other_fields, value], index[other_fields, values[0]]) for other_fields in several
                          if (other_fields, value) in index and (other_fields, values[0]) in index])
        ]  # fmt: skip


def names(cells: Sequence[Setup]) -> tuple[str, ...]:
    """Each of these setups in a few words that tell it from the others, for a column of a screen."""
    columns = _columns(cells)
    return tuple(_joined(columns, [_raw(setup, field) for field in columns], narrow=True) for setup in cells)


def _joined(columns: Sequence[str], values: Sequence[object], narrow: bool = False) -> str:
    """None of the words twice: "btrfs RAID 10" says its file system already. `narrow`: a chunk speaks for itself."""
    bare = {"chunk"} if narrow and len(columns) <= _PLAIN_COLUMNS else set()
    by_column = dict(zip(columns, values, strict=True))
    level = str(by_column.get("level", ""))
    phrases = _phrases(by_column.get("filesystem"))
    words = [
        cell.word(field, by_column[field]) if field in bare else _phrase(field, by_column[field], phrases)
        for field in sorted(by_column, key=lambda field: field not in _FIRST)
    ]
    said = level.casefold().split()
    return " ".join(text for text in words if text and (text == level or text.casefold() not in said))


def _phrases(filesystem: object) -> Mapping[str, Callable[[Any], str]]:
    return _PHRASES | _OF_ZFS if filesystem == zfs.KIND else _PHRASES


def _phrase(field: str, value: object, phrases: Mapping[str, Callable[[Any], str]] = _PHRASES) -> str:
    if field == "level" or not (text := cell.word(field, value)):
        return str(value) if field == "level" else ""
    return phrases[field](value) if field in phrases else text


def _value_of(row: ResultRow, field: str) -> object:
    return row.disks if field == "disks" else _raw(row.cell, field)


def _raw(setup: Setup | None, field: str) -> object:
    """A field's value as it is in force: of a pool its own file system."""
    if setup is None:
        return ""
    if field == "level":
        return cell.level_title(setup)
    level = cell.level_of(setup)
    return level.filesystem if field == "filesystem" and level.pool else getattr(setup, field)


def grids(comparison: Comparison) -> list[SetupGrid]:
    """The tests in the recipe's order, each with its row of every cell."""
    of_cells = [row for row in comparison.rows if row.cell is not None]
    setups = {row.stage: row.cell for row in of_cells if row.cell is not None}
    columns = _columns(list(setups.values()))
    tests = []
    for job, direction in dict.fromkeys((row.job, row.direction) for row in of_cells):
        rows = tuple(row for row in of_cells if (row.job, row.direction) == (job, direction))
        labels = tuple(tuple(_label(row, field) for field in columns) for row in rows)
        tests.append(SetupGrid(test_title(rows[0]), rows[0].kind, columns, labels, rows))
    return tests


def _columns(cells: Sequence[Setup]) -> tuple[str, ...]:
    """The fields in which cells of one level differ, after the level itself where it does."""
    groups: dict[str, list[Setup]] = {}
    for setup in cells:
        groups.setdefault(_value(setup, "level"), []).append(setup)
    varying = [
        field
        for field in NAMES
        if field != "level"
        and any(len({str(getattr(setup, field)) for setup in group}) > 1 for group in groups.values())
    ]
    alone = {field for field in NAMES if len({str(getattr(setup, field)) for setup in cells}) > 1} - set(varying)
    if len(groups) > 1:  # what differs only with the level is its own affair, but for the file system
        varying += [field for field in alone if field == "filesystem"]
        return ("level", *(field for field in NAMES if field in varying))
    return tuple(varying)


def _label(row: ResultRow, field: str) -> str:
    return str(row.disks) if field == "disks" else _value(row.cell, field)


def _value(setup: Setup | None, field: str) -> str:
    value = _raw(setup, field)
    return str(value) if field == "level" else cell.word(field, value)
