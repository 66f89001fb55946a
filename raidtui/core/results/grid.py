"""The setups of a sweep beside each other, test by test: the fields that differ, names, the row of each."""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import Kind
from raidtui.core.plan import fields, parsed_setup
from raidtui.core.plan.fields import FIELDS, Setup, word
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.differences import Setups, of_figures

_PLAIN_COLUMNS = 2  # beside which a chunk speaks for itself


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

    def name(self, index: int, narrow: bool = False, *, short: bool = False) -> str:
        """A cell in a few words; `narrow`: for a column of a screen; `short`: as tables have it (`RAID 6 512K`)."""
        return _joined(self.columns, [_value_of(self.rows[index], field) for field in self.columns], narrow, short)

    def name_but_for(self, index: int, *columns: str, short: bool = False) -> str:
        fields_kept = [field for field in self.columns if field not in columns]
        return _joined(fields_kept, [_value_of(self.rows[index], field) for field in fields_kept], short=short)

    def phrase(self, index: int, column: str, *, short: bool = False) -> str:
        row = self.rows[index]
        return fields.phrase(column, _value_of(row, column), _value_of(row, "filesystem"), short=short)


def names(cells: Sequence[Setup], *, short: bool = False) -> tuple[str, ...]:
    """Each of these setups in a few words that tell it from the others, for a column of a screen, or of a table."""
    columns = _columns(cells)
    return tuple(_joined(columns, [_raw(setup, field) for field in columns], not short, short) for setup in cells)


def _joined(columns: Sequence[str], values: Sequence[object], narrow: bool = False, short: bool = False) -> str:
    """None of the words twice: "btrfs RAID 10" says its file system already. `narrow`: a chunk speaks for itself."""
    bare = {"chunk"} if narrow and len(columns) <= _PLAIN_COLUMNS else set()
    by_column = dict(zip(columns, values, strict=True))
    level = str(by_column.get("level", ""))
    ordered = sorted(by_column, key=lambda field: not FIELDS[field].first)
    words = [
        word(field, by_column[field])
        if field in bare
        else fields.phrase(field, by_column[field], by_column.get("filesystem"), short=short)
        for field in ordered
    ]
    if short and not level and by_column.get("chunk"):  # behind a level a size alone is the chunk
        words = [f"chunk {text}" if field == "chunk" else text for field, text in zip(ordered, words, strict=True)]
    said = level.casefold().split()
    return " ".join(text for text in words if text and (text == level or text.casefold() not in said))


def _value_of(row: ResultRow, field: str) -> object:
    return row.disks if field == "disks" else _raw(row.cell, field)


def _raw(setup: Setup | None, field: str) -> object:
    """A field's value as it is in force: of a pool its own file system."""
    if setup is None:
        return ""
    if field == "level":
        return parsed_setup.level_title(setup)
    level = parsed_setup.level_of(setup)
    return level.filesystem if field == "filesystem" and level.pool else getattr(setup, field)


def grids(comparison: Comparison) -> list[SetupGrid]:
    """The tests in the recipe's order, each with its row of every cell."""
    of_cells = [row for row in comparison.rows if row.cell is not None]
    setups = {row.stage: row.cell for row in of_cells if row.cell is not None}
    columns = _columns(list(setups.values()))
    tests = []
    for job, direction in dict.fromkeys(row.test for row in of_cells):
        rows = tuple(row for row in of_cells if row.test == (job, direction))
        labels = tuple(tuple(word(field, _value_of(row, field)) for field in columns) for row in rows)
        tests.append(SetupGrid(test_title(rows[0]), rows[0].kind, columns, labels, rows))
    return tests


def _columns(cells: Sequence[Setup]) -> tuple[str, ...]:
    """The fields in which cells of one level differ, after the level itself where it does."""
    groups: dict[str, list[Setup]] = {}
    for setup in cells:
        groups.setdefault(parsed_setup.level_title(setup), []).append(setup)
    names = [name for name, row in FIELDS.items() if row.label and name != "level"]
    varying = {name for name in names for group in groups.values() if _differ(name, group)}
    if len(groups) < 2:
        return tuple(name for name in names if name in varying)
    if _differ("filesystem", cells):  # what else differs only with the level is its own affair
        varying.add("filesystem")
    return ("level", *(name for name in names if name in varying))


def _differ(name: str, cells: Sequence[Setup]) -> bool:
    return len({str(getattr(setup, name)) for setup in cells}) > 1
