"""Which setup is fastest, test by test: what is best for reads may be worst for writes, and a mean of both hides it."""

from collections.abc import Sequence

import msgspec

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.ranking import Ranked
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.differences import Setups, of_figures
from raidtui.core.results.grid import SetupGrid

_MOST_TESTS = 3  # with a sentence of their own; of more, one sentence a kind
_MOST_NAMED = 6


class SetupFigure(msgspec.Struct, frozen=True):
    """A setup in one test: its row, and at which place of the grid that stands."""

    ranked: Ranked
    row: ResultRow
    index: int

    @property
    def words(self) -> str:
        return f"{self.ranked.name} {figure_words(self.row)}".strip()


def figure_words(row: ResultRow) -> str:
    return wording.figure(row.array.value, unit_of(row))


def standings(grid: SetupGrid, ranked: Sequence[Ranked], one_a_level: bool = False) -> list[SetupFigure]:
    """These setups in one test, the best first; of each level the best alone, where that is asked for."""
    at = {row.stage: index for index, row in enumerate(grid.rows)}
    known = [SetupFigure(one, grid.rows[at[one.stage]], at[one.stage]) for one in ranked if one.stage in at]
    known = sorted((one for one in known if one.row.array.value), key=lambda one: -(one.row.array.value or 0.0))
    if not one_a_level:
        return known
    levels: dict[str, SetupFigure] = {}
    for one in known:
        levels.setdefault(level_title(one.ranked.setup), one)
    return list(levels.values())


def by_test(facts: Known, ranked: Sequence[Ranked], of_all: str = "", bare: Sequence[Ranked] = ()) -> list[Part]:
    """Of each test the best of these setups, what cannot be told from it, and the others, each over the best `bare`.

    `of_all` says which setups these are, where they are not all; then each level has its best one in it alone.
    """
    tests = facts.ranking.tests
    if len(tests) <= _MOST_TESTS:
        return [part for grid in tests if (part := _test(grid, ranked, of_all, bare))]
    said = f" of what {of_all}" if of_all else ""
    kinds = [[grid for grid in tests if grid.kind == kind] for kind in dict.fromkeys(grid.kind for grid in tests)]
    return [
        Part(f"most and least{said}: {part.sentence}", part.conclusions)
        for of_kind in kinds
        if (part := in_brief(of_kind, ranked, one_a_level=bool(of_all)))
    ]


def _test(grid: SetupGrid, ranked: Sequence[Ranked], of_all: str, bare: Sequence[Ranked]) -> Part | None:
    judged = of_figures(tuple(row.array for row in grid.rows))
    found = standings(grid, ranked, one_a_level=bool(of_all))
    if not found:
        return None
    first, rest = found[0], found[1:]
    base = next(iter(standings(grid, bare)), None)
    told = [over(grid, judged, one, first) for one in found]
    different = {one.subject for one in told if one.verdict == "different"}
    tied = [one for one in rest if one.ranked.name not in different]
    less = [one for one in rest if one.ranked.name in different]

    def words(one: SetupFigure, full: bool = False) -> str:
        return one.words + (_share(one, base, full) if base else "")

    title, which = wording.lower(grid.title), f" of what {of_all}" if of_all else ""
    if rest and not less:
        shown = [words(first, full=True), *map(words, rest)]
        text = f"{title}:{which} no setup can be told from another: {wording.listed(shown, _MOST_NAMED)}"
    else:
        text = f"{title}:{which} {first.ranked.name} is fastest"
        text += f", {words(first, full=True).removeprefix(first.ranked.name).strip()}"
        many = len(less) > _MOST_NAMED
        text += f"; {wording.listed([*map(words, tied)], _MOST_NAMED)} cannot be told from it" if tied else ""
        if less and many:
            text += f"; the least gives {words(less[-1])}"
        elif less:
            text += f"; less give {wording.listed([*map(words, less)], _MOST_NAMED)}"
    if base:
        told += [over(grid, judged, one, base) for one in found[:_MOST_NAMED]]
    return Part(text, tuple(told))


def _share(one: SetupFigure, base: SetupFigure, full: bool) -> str:
    """` (51 % of RAID 0, in the article 50 %)`, and where that was said ` (24 %, article 25 %)`."""
    share = 100 * (one.row.array.value or 0.0) / (base.row.array.value or 1.0)
    there = ""
    if one.row.published and base.row.published:
        there = f", {'in the article' if full else 'article'} {100 * one.row.published / base.row.published:.0f} %"
    return f" ({share:.0f} %{f' of {base.ranked.name}' if full else ''}{there})"


def in_brief(tests: Sequence[SetupGrid], ranked: Sequence[Ranked], one_a_level: bool = False) -> Part | None:
    """Of each test the setup with most and that with least, or that no setup can be told from another."""
    told, words = [], []
    for grid in tests:
        found = standings(grid, ranked, one_a_level)
        if not found:
            continue
        judged = of_figures(tuple(row.array for row in grid.rows))
        against = [over(grid, judged, one, found[0]) for one in found]
        told += against
        title = wording.lower(grid.title)
        if against[-1].verdict != "different":
            alone = ", and no other can be told from it" if len(found) > 1 else ""
            words.append(f"{title} {found[0].words}{alone}")
        else:
            words.append(f"{title} {found[0].words} and {found[-1].words}")
    return Part("; ".join(words), tuple(told)) if words else None


def over(grid: SetupGrid, judged: Setups, one: SetupFigure, base: SetupFigure) -> Conclusion:
    """One setup over another in this test, corrected for all pairs of its setups."""
    found = judged.over(one.index, base.index)
    return of_difference(
        found,
        kind="rank",
        subject=one.ranked.name,
        test=grid.title,
        figure=one.row.array.value,
        unit=unit_of(one.row),
        base=base.ranked.name,
        base_figure=base.row.array.value,
        verdict="" if one.index == base.index else found.conclusion or "",
        runs=one.row.array.runs,
    )


def all_tests(one: Ranked) -> str:
    """Every test's figure of a setup; of a mix reads and writes side by side."""
    shown: dict[str, list[str]] = {}
    for row in one.rows:
        way = f" {row.direction}s" if row.mixed else ""
        shown.setdefault(row.title if row.mixed else test_title(row), []).append(f"{figure_words(row)}{way}")
    return wording.listed([f"{wording.lower(title)} {' and '.join(found)}" for title, found in shown.items()], 4)
