"""Does it matter where a partition starts: by chunk, over all pairs of setups that differ in nothing else."""

from collections.abc import Sequence
from math import log
from statistics import median
from typing import NamedTuple

import msgspec

from raidtui.core.answer import cells, wording
from raidtui.core.answer.axis import Pair, axis, effects_of_axes, grouped, of_pairs, with_figures
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, published_over
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.grid import SetupGrid

_GRID_SECTORS = 8  # of 4 KiB
_USUAL_SECTORS = 2048  # 1 MiB: where today's tools let a first partition start
_MOST_PLACES = 4  # in the sentence
_MORE_WORK = 1.25  # of the disks for one of the user's operations


class Start(NamedTuple):
    """What an aligned start makes of a test on setups of one level and chunk, its `place`."""

    place: str
    conclusion: Conclusion


class _Test(NamedTuple):
    grid: SetupGrid
    starts: list[Start]


def alignment(facts: AnswerFacts) -> list[AnswerPart]:
    """Each aligned start over the first that is off the grid: chunk by chunk whether it matters, all in a table."""
    tests = [_Test(grid, starts) for grid in facts.ranking.tests if (starts := _starts(facts, grid))]
    if not tests:
        return best(facts, facts.ranked)
    conclusions = [start.conclusion for test in tests for start in test.starts]
    matters = [conclusion for conclusion in conclusions if conclusion.verdict == "different"]
    start = wording.instead(conclusions[0].subject, conclusions[0].base)
    if matters:
        verdict = f"alignment matters{_level(facts)}{_todo(tests, matters)}: {start} gives"
        verdict += f" {'; '.join(map(_by_place, tests))}"
    elif all(conclusion.verdict == "equal" for conclusion in conclusions):
        verdict = "alignment does not matter: every chunk is equal within 3 %"
    else:
        verdict = "whether alignment matters nobody can tell from these runs"
    setups = list(dict.fromkeys(conclusion.where for conclusion in conclusions))
    table = Table(
        wording.sentence(f"{start}. {cells.LEGEND}"),
        ("Setup", *(cells.header(test.grid) for test in tests)),
        tuple((setup, *(_cell(test, setup) for test in tests)) for setup in setups),
    )
    unit = axis(effects_of_axes(facts), "allocation_unit", matters_before=bool(matters))
    return [AnswerPart(verdict, tuple(conclusions), table), *([unit] if unit else [])]


def _todo(tests: Sequence[_Test], matters: Sequence[Conclusion]) -> str:
    """What to do about it, where the aligned start is better wherever it differs."""
    sectors = {row.cell.partition_start_sectors for test in tests for row in test.grid.rows if row.cell}
    aligned = max(sector for sector in sectors if not sector % _GRID_SECTORS)
    if _USUAL_SECTORS % aligned or any((conclusion.share or 1.0) < 1 for conclusion in matters):
        return ""
    start = f"sector {_USUAL_SECTORS}" if aligned == _USUAL_SECTORS else f"a multiple of sector {aligned}"
    tools = "as sfdisk and parted do" if aligned == _USUAL_SECTORS else f"sfdisk and parted take {_USUAL_SECTORS}"
    return f", so let the partition start at {start} ({tools})"


def _by_place(test: _Test) -> str:
    """`random 8K write +30 to +87 % with chunk 8KiB, +99 % with 4KiB`: of each place all that differs."""
    places: dict[str, list[Conclusion]] = {}
    for start in test.starts:
        places.setdefault(start.place, []).append(start.conclusion)
    title = wording.lower(test.grid.title)
    different = [start.conclusion for start in test.starts if start.conclusion.verdict == "different"]
    if len(places) > _MOST_PLACES:
        return f"{title} {wording.range_of(different) or 'nothing'} in {len(different)} of {len(test.starts)} cases"
    sizes: dict[str, list[str]] = {}
    previous_place = ""
    for place, conclusions in places.items():
        sizes.setdefault(_size(conclusions), []).append(wording.name_after(previous_place, place))
        previous_place = place
    size_words = [f"{size} with {wording.listed(names, len(names))}" for size, names in sizes.items()]
    return f"{title} {', '.join(size_words)}"


def _size(conclusions: Sequence[Conclusion]) -> str:
    different = [conclusion for conclusion in conclusions if conclusion.verdict == "different"]
    if not different:
        equal = all(conclusion.verdict == "equal" for conclusion in conclusions)
        return "the same within 3 %" if equal else f"no difference that can be told ({wording.range_of(conclusions)})"
    if len(different) == len(conclusions):
        return wording.range_of(different)
    shares = [conclusion.share or 1.0 for conclusion in different]
    return f"up to {wording.percent(max(shares, key=lambda share: abs(log(share))))}"


def _cell(test: _Test, setup: str) -> str:
    mine = next((start.conclusion for start in test.starts if start.conclusion.where == setup), None)
    return cells.over(mine, "instead of", wording.percent) if mine else ""


def _starts(facts: AnswerFacts, grid: SetupGrid) -> list[Start]:
    """By chunk, the aligned start that tools choose over the one off the grid: all pairs that differ in it alone."""
    field = "partition_start_sectors"
    sectors = sorted({row.cell.partition_start_sectors for row in grid.rows if row.cell})
    off = [sector for sector in sectors if sector % _GRID_SECTORS]
    on = [sector for sector in sectors if not sector % _GRID_SECTORS]
    if not off or not on:
        return []
    judged = grid.judged
    index_of = {
        (_without_start(row), row.cell.partition_start_sectors): i for i, row in enumerate(grid.rows) if row.cell
    }
    by_place: dict[str, list[Pair]] = {}
    for (setup, sector), index in index_of.items():
        if sector == on[-1] and (setup, off[0]) in index_of:
            by_place.setdefault(_place(grid, index), []).extend(with_figures(grid, [(index, index_of[setup, off[0]])]))
    groups = [
        (place, *group)
        for place, pairs in by_place.items()
        if pairs
        for group in grouped(grid, judged, field, pairs, place)
    ]
    return [
        Start(
            place,
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
            ),
        )
        for place, where, pairs in groups
    ]


def _work(grid: SetupGrid, pairs: Sequence[Pair]) -> tuple[str, ...]:
    """What the disks did for each of the user's operations from either start, where they did another number of it."""
    operations = [(grid.rows[a].operations, grid.rows[b].operations) for a, b in pairs]
    if not all(mine and base for mine, base in operations):
        return ()
    mine, base = (median(pair[side].total for pair in operations if pair[side]) for side in (0, 1))  # type: ignore[union-attr]
    if max(mine, base) < _MORE_WORK * min(mine, base):
        return ()
    return (f"the disks did {mine:.1f} instead of {base:.1f} operations for each of the user's",)


def _level(facts: AnswerFacts) -> str:
    """` on RAID 5`, where the run has one level and no place names it."""
    levels = {level_title(ranked.setup) for ranked in facts.ranked}
    return f" on {levels.pop()}, the only level here" if len(levels) == 1 else ""


def _without_start(row: ResultRow) -> object:
    assert row.cell
    return msgspec.structs.replace(row.cell, partition_start_sectors=0)


def _place(grid: SetupGrid, index: int) -> str:
    """Level and chunk of a setup, as far as the run varies them."""
    return " ".join(grid.phrase(index, field) for field in grid.columns if field in ("level", "chunk")) or "every setup"
