"""The cells of a sweep beside each other, test by test: what tells them apart, and the row of each.

Knows setups and the rows of an analysis; how they are shown is the report's and the screens'.
"""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import Kind
from raidtui.core.plan import cell
from raidtui.core.plan.answers import Setup
from raidtui.core.results.analysis import Comparison, ResultRow, test_title

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
_SHORT = {
    "chunk": "chunk ",
    "member_size": "size ",
    "disks": "disks ",
    "partition_start_sectors": "start ",
    "allocation_unit": "unit ",
    "stripe_cache_size": "cache ",
    "group_thread_cnt": "threads ",
    "wbt_lat_usec": "throttling ",
    "failed": "failed ",
    "rebuild_min_kib_s": "rebuild ",
}
_ALWAYS_NAMED = ("wbt_lat_usec", "failed", "rebuild_min_kib_s")  # of which no value says what it is of
_PLAIN_COLUMNS = 2  # that tell themselves apart


class SetupGrid(msgspec.Struct, frozen=True):
    """One test over all cells. `labels` are, for each row, the values of `columns`, in which cells differ."""

    title: str
    kind: Kind
    columns: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    rows: tuple[ResultRow, ...]

    def name(self, index: int) -> str:
        """A cell in a few words."""
        return _short(self.columns, self.labels[index])

    def name_but_for(self, index: int, column: str) -> str:
        """A cell in a few words that leave out one of the columns, each of the others named."""
        kept = [at for at, name in enumerate(self.columns) if name != column]
        return _short([self.columns[at] for at in kept], [self.labels[index][at] for at in kept], every=True)


def names(cells: Sequence[Setup]) -> tuple[str, ...]:
    """Each of these setups in a few words that tell it from the others, as in the tables of the report."""
    columns = _columns(cells)
    return tuple(_short(columns, tuple(_value(one, field) for field in columns)) for one in cells)


def _short(columns: Sequence[str], labels: Sequence[str], every: bool = False) -> str:
    """None of the words twice: "btrfs RAID 10" says its file system already. `every` word with what it is of."""
    named = list(zip(columns, labels, strict=True))
    said = named[0][1].split() if columns[:1] == ("level",) else []
    every = every or len(named) > _PLAIN_COLUMNS

    def said_of(field: str, word: str) -> str:  # a bare number may be anything
        return _SHORT.get(field, "") if every or word.isdigit() or field in _ALWAYS_NAMED else ""

    return " ".join(
        f"{said_of(field, word)}{word}" for field, word in named if word and (field == "level" or word not in said)
    )


def grids(comparison: Comparison) -> list[SetupGrid]:
    """The tests in the recipe's order, each with its row of every cell."""
    cells = list(dict.fromkeys(row.stage for row in comparison.rows))
    setups = {row.stage: row.cell for row in comparison.rows if row.cell is not None}
    columns = _columns([setups[stage] for stage in cells if stage in setups])
    found = []
    for job, way in dict.fromkeys((row.job, row.direction) for row in comparison.rows):
        rows = tuple(row for row in comparison.rows if (row.job, row.direction) == (job, way) and row.cell is not None)
        labels = tuple(tuple(_label(row, field) for field in columns) for row in rows)
        found.append(SetupGrid(test_title(rows[0]), rows[0].kind, columns, labels, rows))
    return found


def _columns(cells: Sequence[Setup]) -> tuple[str, ...]:
    """The fields in which cells of one level differ, after the level itself where it does."""
    groups: dict[str, list[Setup]] = {}
    for one in cells:
        groups.setdefault(_value(one, "level"), []).append(one)
    varying = [
        field
        for field in NAMES
        if field != "level" and any(len({str(getattr(one, field)) for one in group}) > 1 for group in groups.values())
    ]
    alone = {field for field in NAMES if len({str(getattr(one, field)) for one in cells}) > 1} - set(varying)
    if len(groups) > 1:  # what differs only with the level is its own affair, but for the file system
        varying += [field for field in alone if field == "filesystem"]
        return ("level", *(field for field in NAMES if field in varying))
    return tuple(varying)


def _label(row: ResultRow, field: str) -> str:
    return str(row.disks) if field == "disks" else _value(row.cell, field)


def _value(setup: Setup | None, field: str) -> str:
    if setup is None:
        return ""
    if field == "level":
        return cell.level_title(setup)
    row = cell.level_of(setup)
    return cell.word(field, row.filesystem if field == "filesystem" and row.pool else getattr(setup, field))
