"""Which setup is best, test by test: what is best for reads may be worst for writes, and a mean of both hides it."""

from collections.abc import Mapping, Sequence

import msgspec

from raidtui.core.answer import cells, conclusions, wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.answer.ranking import Ranked
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.grid import SetupGrid
from raidtui.core.results.published import source_disks

_SICK = 0.9  # of theory: shares of such a base say something else
_MOST_LINES = 12  # of the table
_MOST_TESTS = 4  # with their figures in the sentence


class SetupFigure(msgspec.Struct, frozen=True):
    """A setup in one test: its row, and at which place of the grid that stands."""

    ranked: Ranked
    row: ResultRow
    index: int


class SetupOrder(msgspec.Struct, frozen=True):
    """The setups of one test, the best first, and what each is over that; `alike` are those not told from it."""

    grid: SetupGrid
    setup_figures: tuple[SetupFigure, ...]
    over_first: tuple[Conclusion, ...]

    @property
    def alike(self) -> tuple[SetupFigure, ...]:
        pairs = zip(self.setup_figures, self.over_first, strict=True)
        return tuple(setup_figure for setup_figure, over in pairs if over.verdict != "different")


def figure_words(row: ResultRow) -> str:
    return wording.figure(row.array.value, unit_of(row))


def standings(grid: SetupGrid, ranked: Sequence[Ranked]) -> list[SetupFigure]:
    """These setups in one test, the best first."""
    index_by_stage = {row.stage: index for index, row in enumerate(grid.rows)}
    setup_figures = [
        SetupFigure(setup, grid.rows[index_by_stage[setup.stage]], index_by_stage[setup.stage])
        for setup in ranked
        if setup.stage in index_by_stage
    ]
    return sorted(
        (setup_figure for setup_figure in setup_figures if setup_figure.row.array.value),
        key=lambda setup: -(setup.row.array.value or 0.0),
    )


def best(
    facts: AnswerFacts, ranked: Sequence[Ranked], of_all: str = "", bare: Sequence[Ranked] = ()
) -> list[AnswerPart]:
    """Which of these setups is best in every test, or in which; in a table each of them over the best of `bare`.

    `of_all` says which setups these are, where they are not all: then of each level the best alone, of the disks and
    settings that the base has.
    """
    base = next(iter(bare), None)
    setups_in_table = one_a_level(facts, ranked, base) if of_all else list(ranked)
    tests = setup_orders(facts, setups_in_table)
    if not tests:
        return []
    over_base = {test.grid.title: _over_base(facts, test.grid, setups_in_table, base) for test in tests} if base else {}
    rank_conclusions = [conclusion for test in tests for conclusion in test.over_first]
    rank_conclusions += [conclusion for by_stage in over_base.values() for conclusion in by_stage.values()]
    unranked = any(setup.place is None for setup in facts.ranking.ranked)
    selection = f"of what {of_all}{' and has a rank' if unranked else ''} " if of_all else ""
    selection = selection or ("of those with a rank " if unranked else "")
    table = (
        _table(facts, tests, [*setups_in_table, base] if base else setups_in_table, over_base, of_all, base)
        if len(setups_in_table) > 1
        else None
    )
    return [AnswerPart(selection + _verdict(tests), tuple(rank_conclusions), table)]


def one_a_level(facts: AnswerFacts, ranked: Sequence[Ranked], base: Ranked | None) -> list[Ranked]:
    """Of each level the best one that is as the base in all that the base has: so many disks, the same settings."""
    (grid, *_) = facts.ranking.tests
    labels_by_stage = {row.stage: dict(zip(grid.columns, labels, strict=True))
          for row, labels in zip(grid.rows, grid.labels, strict=True)}  # fmt: skip
    base_labels = labels_by_stage.get(base.stage, {}) if base else {}

    def as_base(setup: Ranked) -> bool:
        labels_of = labels_by_stage.get(setup.stage, {})
        return all(labels_of.get(field) == value for field, value in base_labels.items() if value and field != "level")

    levels: dict[str, Ranked] = {}
    for setup in sorted(ranked, key=lambda setup: not as_base(setup)):  # stable: the best first
        levels.setdefault(level_title(setup.setup), setup)
    return [setup for setup in ranked if setup in levels.values()]


def setup_orders(facts: AnswerFacts, ranked: Sequence[Ranked]) -> list[SetupOrder]:
    """These setups in each test in which one of them has a figure."""
    orders = [_setup_order(grid, ranked) for grid in facts.ranking.tests]
    return [setup_order for setup_order in orders if setup_order.setup_figures]


def _setup_order(grid: SetupGrid, ranked: Sequence[Ranked]) -> SetupOrder:
    setup_figures = standings(grid, ranked)
    return SetupOrder(
        grid, tuple(setup_figures), tuple(over(grid, setup_figure, setup_figures[0]) for setup_figure in setup_figures)
    )


def _over_base(
    facts: AnswerFacts, grid: SetupGrid, setups_in_table: Sequence[Ranked], base: Ranked
) -> dict[int, Conclusion]:
    """By their stages, each of these setups over the base; where that is slow itself, over what theory has of it.

    Nothing where the base is slow in a like test, and theory has no figure for this one.
    """
    base_figure = next(iter(standings(grid, [base])), None)
    if base_figure is None:
        return {}
    slow = _tests_below_theory(base)
    base_theory = slow.get(grid.title)
    if base_theory is None and not base_figure.row.predicted and any(_alike(base, title, grid) for title in slow):
        return {}
    by_stage = {}
    for setup_figure in standings(grid, [*setups_in_table, base] if base_theory else setups_in_table):
        conclusion = over(grid, setup_figure, base_figure)
        if base_theory:
            conclusion = msgspec.structs.replace(
                conclusion,
                base=f"what theory has for {base.name}",
                base_figure=base_theory.base_figure,
                ratio=(setup_figure.row.array.value or 0.0) / (base_theory.base_figure or 1.0),
                low=None,
                high=None,
                verdict="",
            )
        published = conclusions.published_over(facts.plan, setup_figure.row, base_figure.row)
        by_stage[setup_figure.ranked.stage] = msgspec.structs.replace(
            conclusion,
            published=None if setup_figure.ranked is base else published,
            geometry=conclusions.by_geometry(facts.plan, setup_figure.row, base_figure.row),
        )
    return by_stage


def _tests_below_theory(base: Ranked) -> dict[str, Conclusion]:
    """By their titles, the tests in which the base is below theory itself: shares of that would be too high."""
    return {
        conclusion.test: conclusion
        for conclusion in conclusions.theories(base.rows)
        if conclusion.verdict == "below theory" and (conclusion.ratio or 1) < _SICK
    }


def _alike(base: Ranked, title: str, grid: SetupGrid) -> bool:
    """Is this other test of the base of the same kind and direction?"""
    other_row = next(row for row in base.rows if test_title(row) == title)
    return (other_row.kind, other_row.direction) == (grid.rows[0].kind, grid.rows[0].direction)


def _table(
    facts: AnswerFacts,
    tests: Sequence[SetupOrder],
    setups: Sequence[Ranked],
    over_base: Mapping[str, dict[int, Conclusion]],
    of_all: str,
    base: Ranked | None,
) -> Table:
    """Each setup in each test; what all of them have in common is said of the base alone."""
    (grid, *_) = facts.ranking.tests
    index_by_stage = {row.stage: index for index, row in enumerate(grid.rows)}
    common = [field for column, field in enumerate(grid.columns)
              if len({grid.labels[index_by_stage[ranked.stage]][column] for ranked in setups} - {""}) == 1]  # fmt: skip
    if len(setups) > _MOST_LINES:
        setups = [*setups[: _MOST_LINES - 1], setups[-1]] if base else setups[:_MOST_LINES]
    lines = tuple(
        (
            grid.name_but_for(index_by_stage[ranked.stage], *common) or ranked.name,
            *(_cell(test.grid, ranked, over_base.get(test.grid.title, {}).get(ranked.stage)) for test in tests),
        )
        for ranked in setups
    )
    (first, *_) = (index_by_stage[ranked.stage] for ranked in setups)
    alike = ", ".join(text for field in common if (text := grid.phrase(first, field)))
    title = _title(of_all, alike, base, without_shares=not all(over_base.get(test.grid.title) for test in tests))
    if any(over.published and over.geometry != 1.0 for stages in over_base.values() for over in stages.values()):
        title += f" The article's are of {source_disks(facts.plan.published)} disks."
    return Table(title, ("Setup", *(cells.header(test.grid) for test in tests)), lines)


def _title(of_all: str, alike: str, base: Ranked | None, without_shares: bool) -> str:
    """What stands in the table, of what its shares are, and where these would be too high, a sentence each."""
    heading = f"What {of_all}, one setup a level" if of_all else "Setups, the best first"
    heading += f", all {alike}." if alike else "."
    if not base:
        return heading
    name = base.name if base.survives else f"{base.name}, the last here, which survives none"
    heading += f" Shares are of {name}."
    slow = _tests_below_theory(base)
    if not slow:
        return heading
    below_theory = [
        f"{wording.against_theory(conclusion)} in {wording.lower(test)}" for test, conclusion in slow.items()
    ]
    heading += f" Where that is itself slow ({wording.listed(below_theory)}), they are of what theory has for it."
    return heading + (" A like test for which theory has no figure has no shares." if without_shares else "")


def _cell(grid: SetupGrid, ranked: Ranked, over_base: Conclusion | None) -> str:
    """The figure, its share of the base, and the source's."""
    row = next((row for row in grid.rows if row.stage == ranked.stage), None)
    if row is None or row.array.value is None:
        return ""
    figure = cells.number(row.array.value, unit_of(row))
    if over_base is None:
        return figure
    article_share = f", article {100 * over_base.published:.0f} %" if over_base.published else ""
    return f"{figure} ({100 * (over_base.share or 0.0):.0f} %{article_share})"


def _verdict(tests: Sequence[SetupOrder]) -> str:
    """The one that is best or equal everywhere; else the best of each test."""
    if all(len(test.alike) == len(test.setup_figures) > 1 for test in tests):
        return f"no setup can be told from another: {'; '.join(map(_span, tests[:_MOST_TESTS]))}"
    best_stages = set.intersection(*({setup_figure.ranked.stage for setup_figure in test.alike} for test in tests))
    everywhere = [setup_figure for setup_figure in tests[0].alike if setup_figure.ranked.stage in best_stages]
    if not everywhere:
        return "; ".join(_winner(test) for test in tests[:_MOST_TESTS])
    names = wording.listed([setup_figure.ranked.name for setup_figure in everywhere])
    verb = "are" if len(everywhere) > 1 else "is"
    first = everywhere[0].ranked
    figures = "; ".join(_figure_of(test, first) for test in tests[:_MOST_TESTS])
    if len(tests) == 1:
        how = "fastest, or not told from the fastest" if len(everywhere) > 1 else "fastest"
        return f"{names} {verb} {how}: {figures}"
    number_of_tests = "both" if len(tests) == 2 else f"all {len(tests)}"
    whose = f" ({first.name})" if len(everywhere) > 1 else ""
    alone = all(len(test.alike) == len(everywhere) for test in tests)
    how = "best" if alone else "best, or not told from the best,"
    return f"{names} {verb} {how} in {number_of_tests} tests: {figures}{whose}"


def _figure_of(test: SetupOrder, ranked: Ranked) -> str:
    """`random 4K write 286 IOPS`, and that all are alike, where they are."""
    row = next(setup_figure.row for setup_figure in test.setup_figures if setup_figure.ranked.stage == ranked.stage)
    alike = f" ({_alike_words(test)})" if len(test.alike) == len(test.setup_figures) > 1 else ""
    return f"{wording.lower(test.grid.title)} {figure_words(row)}{alike}"


def _alike_words(test: SetupOrder) -> str:
    """Of a test whose setups are all not told from its best: are they equal, or do these runs tell nothing of it?"""
    equal = all(over.verdict in ("", "equal") for over in test.over_first)
    return "all equal within 3 %" if equal else "none can be told from the best"


def _winner(test: SetupOrder) -> str:
    """`random 4K write: RAID 10 n2, 286 IOPS`."""
    title = wording.lower(test.grid.title)
    if len(test.alike) == len(test.setup_figures) > 1:
        return f"{title}: {_alike_words(test)}, {_range(test)}"
    names = [setup_figure.ranked.name for setup_figure in test.alike]
    return f"{title}: {wording.listed(names)}, {figure_words(test.setup_figures[0].row)}"


def _span(test: SetupOrder) -> str:
    return f"{wording.lower(test.grid.title)} {_range(test)}"


def _range(test: SetupOrder) -> str:
    low, high = test.setup_figures[-1].row, test.setup_figures[0].row
    return wording.pair(low.array.value, "to", high.array.value, unit_of(high))


def over(grid: SetupGrid, mine: SetupFigure, base: SetupFigure) -> Conclusion:
    """One setup over another in this test, corrected for all pairs of its setups."""
    difference = grid.judged.over(mine.index, base.index)
    return of_difference(
        difference,
        kind="rank",
        subject=mine.ranked.name,
        test=grid.title,
        figure=mine.row.array.value,
        unit=unit_of(mine.row),
        base=base.ranked.name,
        base_figure=base.row.array.value,
        verdict="" if mine.index == base.index else difference.conclusion or "",
        runs=mine.row.array.runs,
    )
