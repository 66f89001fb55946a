"""Does it matter where a partition starts: by chunk, over all pairs of setups that differ in nothing else."""

import msgspec

from raidtui.core.answer import wording
from raidtui.core.answer.axis import axis, grouped
from raidtui.core.answer.best import by_test
from raidtui.core.answer.conclusions import Conclusion, of_difference
from raidtui.core.answer.facts import Known, Part
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_figures
from raidtui.core.results.grid import SetupGrid

_GRID_SECTORS = 8  # of 4 KiB


def alignment(facts: Known) -> list[Part]:
    """Each aligned start over the first that is off the grid, chunk by chunk, test by test."""
    parts, off_any = [], False
    for grid in facts.ranking.tests:
        told = _starts(grid)
        if told:
            off_any = True
            over = f"{told[0].subject} over {told[0].base}"
            parts.append(Part(f"{wording.lower(grid.title)}, {over}: {wording.differences(told)}", tuple(told)))
    if not off_any:
        return by_test(facts, facts.ranked)
    everything = [one for part in parts for one in part.conclusions]
    matters = [one for one in everything if one.verdict == "different"]
    if matters:
        most = max(matters, key=lambda one: abs((one.ratio or 1.0) - 1))
        shown = f"({wording.lower(most.test)} {wording.difference(most)})"
        printed = (most.test, wording.difference(most))
        alike = [one.where for one in matters if (one.test, wording.difference(one)) == printed]
        verdict = f"alignment matters{_level(facts)}, most with {wording.listed(alike)} {shown}"
    elif all(one.verdict == "equal" for one in everything):
        verdict = "alignment does not matter: every chunk is equal within 3 %"
    else:
        verdict = "whether alignment matters nobody can tell from these runs"
    parts.insert(0, Part(verdict))
    if unit := axis(facts, "allocation_unit"):
        parts.append(unit)
    return parts


def _starts(grid: SetupGrid) -> list[Conclusion]:
    """By chunk, the aligned start that tools choose over the one off the grid: all pairs that differ in it alone."""
    starts = sorted({row.cell.partition_start_sectors for row in grid.rows if row.cell})
    off = [one for one in starts if one % _GRID_SECTORS]
    on = [one for one in starts if not one % _GRID_SECTORS]
    if not off or not on:
        return []
    judged = of_figures(tuple(row.array for row in grid.rows))
    at = {(_without_start(row), row.cell.partition_start_sectors): i for i, row in enumerate(grid.rows) if row.cell}
    by_place: dict[str, list[tuple[int, int]]] = {}
    for (rest, start), i in at.items():
        if start == on[-1] and (rest, off[0]) in at:
            by_place.setdefault(_place(grid, i), []).append((i, at[rest, off[0]]))
    places = [
        one for name, pairs in by_place.items() for one in grouped(grid, judged, "partition_start_sectors", pairs, name)
    ]
    return [
        of_difference(
            judged.over_all(pairs, claims=len(places)),
            kind="effect",
            subject=f"a start at sector {on[-1]}",
            base=f"{off[0]}",
            test=grid.title,
            where=where,
            runs=min(grid.rows[i].array.runs for pair in pairs for i in pair),
        )
        for where, pairs in places
    ]


def _level(facts: Known) -> str:
    """` on RAID 5`, where the run has one level and no place names it."""
    levels = {level_title(one.setup) for one in facts.ranked}
    return f" on {levels.pop()}" if len(levels) == 1 else ""


def _without_start(row: ResultRow) -> object:
    assert row.cell
    return msgspec.structs.replace(row.cell, partition_start_sectors=0)


def _place(grid: SetupGrid, index: int) -> str:
    """Level and chunk of a setup, as far as the run varies them."""
    words = []
    for field, label in zip(grid.columns, grid.labels[index], strict=True):
        if field == "level":
            words.append(label)
        elif field == "chunk":
            words.append(f"chunk {label}")
    return " ".join(words) or "every setup"
