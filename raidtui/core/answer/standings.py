"""Setups test by test: their order, what each is over a base, and what it holds. No mean of reads and writes."""

from collections.abc import Mapping, Sequence

import msgspec

from raidtui.core.answer.capacities import capacity_of
from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.expected import by_geometry, expected_of, published_over
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.numbers import number
from raidtui.core.answer.ranking import Ranked
from raidtui.core.answer.values import (
    AnswerRow,
    AnswerTable,
    Best,
    Expected,
    ParsedSetup,
    PlainFigure,
    Rank,
    UsableSpace,
    judged,
)
from raidtui.core.plan.parsed_setup import level_title
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.comparison import source_disks
from raidtui.core.results.grid import SetupGrid

_SICK = 0.9  # of expected: shares of such a base would be too high
_MOST_LINES = 12
_Place = tuple[Ranked, int]  # a setup, and the place of its row


def placed(grid: SetupGrid, setups: Sequence[Ranked]) -> list[_Place]:
    """These setups and their rows in one test, those with a figure, the best first."""
    at = {row.stage: index for index, row in enumerate(grid.rows) if row.array.value}
    there = [(setup, at[setup.stage]) for setup in setups if setup.stage in at]
    return sorted(there, key=lambda place: -(grid.rows[place[1]].array.value or 0.0))


def _rank(grid: SetupGrid, mine: _Place, base: _Place) -> Rank:
    """One setup over another in this test, corrected for all pairs of its setups."""
    (setup, index), (base_setup, base_index) = mine, base
    fields = judged(grid.judged.over(index, base_index)) | ({"verdict": ""} if index == base_index else {})
    row, base_row = grid.rows[index], grid.rows[base_index]
    return Rank(
        subject=setup.name,
        base=base_setup.name,
        test=grid.title,
        figure=row.array.value,
        unit=unit_of(row),
        base_figure=base_row.array.value,
        runs=row.array.runs,
        **fields,
    )


def best(facts: AnswerFacts, setups: Sequence[Ranked], of: str, with_space: bool = False) -> Best | None:
    """The order of several setups in each test that all have, and `with_space` what each holds."""
    ranking = facts.ranking
    orders = [
        tuple(_rank(grid, place, of_test[0]) for place in of_test)
        for grid in ranking.common
        if len(of_test := placed(grid, setups)) > 1
    ]
    holds = tuple(filter(None, (_holds(facts, setup) for setup in setups))) if with_space else ()
    return Best(of, tuple(orders), holds, len(ranking.tests) - len(ranking.common)) if orders else None


def _holds(facts: AnswerFacts, setup: Ranked) -> UsableSpace | None:
    holds = capacity_of(facts.plan, setup.setup)
    if holds is None or setup.survives is None:
        return None
    return UsableSpace(
        subject=setup.name, figure=holds.array_bytes, unit="bytes", raw=holds.raw_bytes, survives=setup.survives
    )


def one_a_level(facts: AnswerFacts, ranked: Sequence[Ranked], base: Ranked | None) -> list[Ranked]:
    """Of each level the best one that is as the base in all that the base has: so many disks, the same settings."""
    (grid, *_) = facts.ranking.tests
    labels = {
        row.stage: dict(zip(grid.columns, of_row, strict=True))
        for row, of_row in zip(grid.rows, grid.labels, strict=True)
    }
    asked = {field: value for field, value in labels[base.stage].items() if value and field != "level"} if base else {}
    levels: dict[str, Ranked] = {}
    for setup in sorted(ranked, key=lambda setup: any(labels[setup.stage].get(key) != asked[key] for key in asked)):
        levels.setdefault(level_title(setup.setup), setup)  # stable: the best first
    return [setup for setup in ranked if setup in levels.values()]


def table(facts: AnswerFacts, setups: Sequence[Ranked], base: Ranked | None) -> AnswerTable | None:
    """Each setup in each test, over the base; where that is slow itself, over what the model has of it, and nothing
    where the model has no figure of a like test. None of one setup.
    """
    if len(setups) < 2:
        return None
    (grid, *_) = facts.ranking.tests
    at = {row.stage: index for index, row in enumerate(grid.rows)}
    lines = [*setups[: _MOST_LINES - 1], base] if base else list(setups[:_MOST_LINES])
    common = [
        field
        for column, field in enumerate(grid.columns)
        if len({grid.labels[at[setup.stage]][column] for setup in lines} - {""}) == 1
    ]
    slow = {
        off.test: off
        for off in (expected_of(base.rows) if base else ())
        if off.closeness == "below" and (off.ratio or 1.0) < _SICK
    }
    columns = [_column(facts, test, lines, base, slow) for test in facts.ranking.tests]
    alike = ", ".join(text for field in common if (text := grid.phrase(at[lines[0].stage], field)))
    published = any(
        isinstance(value, Rank) and value.published and value.geometry != 1.0 for of in columns for value in of.values()
    )
    notes = [
        f"All {alike}." if alike else "",
        f"{base.name}: last row{'' if base.survives else ', no redundancy'}." if base else "",
        f"Published: {source_disks(facts.plan.published)} disks." if published else "",
    ]
    return AnswerTable(
        tuple((test.title, unit_of(test.rows[0])) for test in facts.ranking.tests),
        tuple(
            AnswerRow(
                grid.name_but_for(at[setup.stage], *common, short=True) or setup.name,
                tuple((of[setup.stage],) if setup.stage in of else () for of in columns),
            )
            for setup in lines
        ),
        note=" ".join(filter(None, notes)),
        kept=True,
        bases=tuple(_base(of) for of in columns),
    )


def _base(column: Mapping[int, ParsedSetup]) -> str:
    """What the shares of a column are of: a setup as measured, or as expected with that figure; "" without shares."""
    ranks = (value for value in column.values() if isinstance(value, Rank) and value.base)
    if (rank := next(ranks, None)) is None:
        return ""
    return f"% of {number(rank.base_figure, rank.unit)} ({rank.base})" if rank.expected else f"% of {rank.base}"


def _column(
    facts: AnswerFacts, grid: SetupGrid, setups: Sequence[Ranked], base: Ranked | None, slow: Mapping[str, Expected]
) -> dict[int, ParsedSetup]:
    of_test = placed(grid, setups)
    of_base = next((place for place in of_test if base and place[0] is base), None)
    figures: dict[int, ParsedSetup] = {setup.stage: _figure(setup, grid.rows[index]) for setup, index in of_test}
    if of_base is None or base is None:
        return figures
    row, off = grid.rows[of_base[1]], slow.get(grid.title)
    if off is None and not row.predicted and any(_alike(base, title, grid) for title in slow):
        return figures
    for setup, index in of_test:
        if setup is base and not off:
            continue
        rank, mine = _rank(grid, (setup, index), of_base), grid.rows[index]
        if off:
            rank = msgspec.structs.replace(
                rank,
                base=f"{base.name} expected",
                expected=True,
                base_figure=row.predicted,
                verdict="",
                ratio=(mine.array.value or 0.0) / (row.predicted or 1.0),
                low=None,
                high=None,
            )
        figures[setup.stage] = msgspec.structs.replace(
            rank,
            published=None if setup is base else published_over(facts.plan, mine, row),
            geometry=by_geometry(facts.plan, mine, row),
        )
    return figures


def _figure(setup: Ranked, row: ResultRow) -> PlainFigure:
    return PlainFigure(
        subject=setup.name, test=test_title(row), figure=row.array.value, unit=unit_of(row), runs=row.array.runs
    )


def _alike(base: Ranked, title: str, grid: SetupGrid) -> bool:
    """Is this other test of the base of the same kind and direction?"""
    row = next(row for row in base.rows if test_title(row) == title)
    return (row.kind, row.direction) == (grid.rows[0].kind, grid.rows[0].direction)
