"""Does it matter where a partition starts: by chunk, over all pairs of setups that differ in nothing else."""

from collections.abc import Sequence
from statistics import median

import msgspec

from raidtui.core.answer import cells, wording
from raidtui.core.answer.axis import Pair, axis, grouped, of_pairs
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, published_over
from raidtui.core.answer.facts import Known, Part, Table
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_figures
from raidtui.core.results.grid import SetupGrid

_GRID_SECTORS = 8  # of 4 KiB
_MORE_WORK = 1.25  # of the disks for one of the user's operations


def alignment(facts: Known) -> list[Part]:
    """Each aligned start over the first that is off the grid: whether it matters, then chunk by chunk in a table."""
    tests = [(grid, told) for grid in facts.ranking.tests if (told := _starts(facts, grid))]
    if not tests:
        return best(facts, facts.ranked)
    found = [conclusion for _, told in tests for conclusion in told]
    matters = [conclusion for conclusion in found if conclusion.verdict == "different"]
    if matters:
        said = [_where(grid, told) for grid, told in tests]
        start = f"{matters[0].subject} instead of {matters[0].base}"
        verdict = f"alignment matters{_level(facts)}: {start} gives {'; '.join(said)}"
    elif all(conclusion.verdict == "equal" for conclusion in found):
        verdict = "alignment does not matter: every chunk is equal within 3 %"
    else:
        verdict = "whether alignment matters nobody can tell from these runs"
    places = list(dict.fromkeys(conclusion.where for conclusion in found))
    lines = [(place, *(_cell(told, place) for _, told in tests)) for place in places]
    table = Table(
        wording.sentence(f"{found[0].subject} instead of {found[0].base}. {cells.LEGEND}"),
        ("Setup", *(cells.header(grid) for grid, _ in tests)),
        tuple(lines),
    )
    unit = axis(facts, "allocation_unit", told_before=bool(matters))
    return [Part(verdict, tuple(found), table), *([unit] if unit else [])]


def _where(grid: SetupGrid, told: Sequence[Conclusion]) -> str:
    """How much it changes of a test, and in how many of the places."""
    sure = [conclusion for conclusion in told if conclusion.verdict == "different"]
    title = wording.lower(grid.title)
    if not sure:
        return f"{title} no difference that can be told"
    often = "everywhere" if len(sure) == len(told) else f"in {len(sure)} of {len(told)} cases"
    return f"{title} {wording.range_of(sure)} {often}"


def _cell(told: Sequence[Conclusion], place: str) -> str:
    found = next((conclusion for conclusion in told if conclusion.where == place), None)
    return cells.over(found, "instead of", wording.percent(found.share or 1.0)) if found else ""


def _starts(facts: Known, grid: SetupGrid) -> list[Conclusion]:
    """By chunk, the aligned start that tools choose over the one off the grid: all pairs that differ in it alone."""
    field = "partition_start_sectors"
    starts = sorted({row.cell.partition_start_sectors for row in grid.rows if row.cell})
    off = [one for one in starts if one % _GRID_SECTORS]
    on = [one for one in starts if not one % _GRID_SECTORS]
    if not off or not on:
        return []
    judged = of_figures(tuple(row.array for row in grid.rows))
    at = {(_without_start(row), row.cell.partition_start_sectors): i for i, row in enumerate(grid.rows) if row.cell}
    by_place: dict[str, list[Pair]] = {}
    for (rest, start), i in at.items():
        if start == on[-1] and (rest, off[0]) in at:
            by_place.setdefault(_place(grid, i), []).append((i, at[rest, off[0]]))
    groups = [one for name, pairs in by_place.items() for one in grouped(grid, judged, field, pairs, name)]
    return [
        of_pairs(
            grid,
            judged,
            pairs,
            claims=len(groups),
            subject=f"a start at sector {on[-1]}",
            base=f"{off[0]}",
            where=where,
            published=published_over(facts.plan, *(grid.rows[i] for i in pairs[0])),
            evidence=_work(grid, pairs),
        )
        for where, pairs in groups
    ]


def _work(grid: SetupGrid, pairs: Sequence[Pair]) -> tuple[str, ...]:
    """What the disks did for each of the user's operations from either start, where they did another number of it."""
    known = [(grid.rows[a].operations, grid.rows[b].operations) for a, b in pairs]
    if not all(mine and base for mine, base in known):
        return ()
    mine, base = (median(one[side].total for one in known if one[side]) for side in (0, 1))  # type: ignore[union-attr]
    if max(mine, base) < _MORE_WORK * min(mine, base):
        return ()
    return (f"the disks did {mine:.1f} instead of {base:.1f} operations for each of the user's",)


def _level(facts: Known) -> str:
    """` on RAID 5`, where the run has one level and no place names it."""
    levels = {level_title(ranked.setup) for ranked in facts.ranked}
    return f" on {levels.pop()}, the only level here" if len(levels) == 1 else ""


def _without_start(row: ResultRow) -> object:
    assert row.cell
    return msgspec.structs.replace(row.cell, partition_start_sectors=0)


def _place(grid: SetupGrid, index: int) -> str:
    """Level and chunk of a setup, as far as the run varies them."""
    return " ".join(grid.phrase(index, field) for field in grid.columns if field in ("level", "chunk")) or "every setup"
