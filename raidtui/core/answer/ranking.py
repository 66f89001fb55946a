"""Setups ranked by the geometric mean of the tests in which each of them has a figure that nothing stands against. A
setup without a figure in some test has no rank, one whose figures are all excluded neither.
"""

from collections.abc import Sequence, Set
from functools import cached_property

import msgspec

from raidtui.core.answer.beyond_disks import Tested, beyond_disks
from raidtui.core.answer.capacities import capacity_of
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.member_steps import may_fail
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow
from raidtui.core.results.differences import Difference, Setups, of_figures
from raidtui.core.results.figure import NOT_RUN, mean
from raidtui.core.results.grid import SetupGrid, grids

_NONE_COMPLETE = "No ranking: no setup has a result in every test"
_NONE_IN_COMMON = "No ranking: every test has an implausible result"


class Ranked(msgspec.Struct, frozen=True):
    """`rows`: test by test in the recipe's order. `place` from 1; None: no rank. `of_best`: its mean over the best's.
    `survives`: disks that may still fail; `usable`: share of all bytes; None: not known.
    """

    name: str
    stage: int
    setup: Setup
    rows: tuple[ResultRow, ...]
    place: int | None
    of_best: Difference
    survives: int | None
    usable: float | None


def left_open(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Placed setups of which nobody can tell whether they differ from the first: then there is no best."""
    return [setup for setup in ranked if (setup.place or 1) > 1 and setup.of_best.is_open]


def contradicted(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Rows whose rate and latency contradict each other (Little's law), worst first; none at an offered rate."""
    off = [row for row in rows if row.array.value is not None and row.little_off and not row.share_of]
    return sorted(off, key=lambda row: -abs(1 / (row.by_latency or 1.0) - 1))


def _without(grid: SetupGrid, doubted: Set[Tested]) -> SetupGrid:
    rows = (msgspec.structs.replace(row, array=NOT_RUN) if row.tested in doubted else row for row in grid.rows)
    return msgspec.structs.replace(grid, rows=tuple(rows))


class Ranking:
    """All setups of a run, best first; `names` by stage. `beyond_disks`: more than their disks can; `contradicted`: by
    Little's law. Both are `doubted`, and `tests` lack their figures; `with_doubts` lacks those of `beyond_disks` alone.
    `refuted`: jobs of which all disks at once are no yardstick.
    `common`: the tests that rank, of which each ranked setup has a figure; empty: no setup has a rank, by `why_none`.
    """

    def __init__(self, plan: Plan, comparison: Comparison) -> None:
        self._plan = plan
        measured = [grid for grid in grids(comparison) if grid.rows]
        first = max(measured, key=lambda grid: len(grid.rows)) if measured else None
        self.names = {row.stage: first.name(i, short=True) for i, row in enumerate(first.rows)} if first else {}
        beyond = beyond_disks(comparison.rows, comparison.members, self.names)
        self.beyond_disks, self.refuted = beyond.results, beyond.yardsticks
        self.contradicted = contradicted(comparison.rows)
        self.doubted: Set[Tested] = self.beyond_disks.keys() | {row.tested for row in self.contradicted}
        self.tests = [_without(grid, self.doubted) for grid in measured]
        self.with_doubts = [_without(grid, self.beyond_disks.keys()) for grid in measured]
        self._rows: dict[int, list[ResultRow]] = {}
        for grid in measured:
            for row in grid.rows:
                self._rows.setdefault(row.stage, []).append(row)
        compared = {stage for stage, rows in self._rows.items() if self._is_compared(rows)}
        self.why_none = "" if compared else _NONE_COMPLETE
        self.common = [
            grid for grid in self.tests if compared and compared <= {row.stage for row in grid.rows if row.array.value}
        ]
        if compared and not self.common:
            self.why_none = _NONE_IN_COMMON
        ranks = {row.test for grid in self.common for row in grid.rows}
        self._scores = {
            stage: mean([row.array for row in rows if row.test in ranks])
            for stage, rows in self._rows.items()
            if stage in compared and ranks
        }

    def _is_compared(self, rows: Sequence[ResultRow]) -> bool:
        """Whether it has a figure of each test, of which some are not excluded."""
        is_complete = len(rows) == len(self.tests) and all(row.array.value for row in rows)
        return is_complete and any(row.tested not in self.doubted for row in rows)

    @property
    def stages(self) -> list[int]:
        """Those with a rank, in the plan's order."""
        return list(self._scores)

    @cached_property
    def judged(self) -> Setups:
        """All scores as one test's setups, in the order of `stages`."""
        return of_figures(tuple(self._scores[stage] for stage in self.stages))

    def over(self, stage: int, base: int) -> Difference:
        """The mean of one setup over another's, corrected for all pairs of the run."""
        stages = self.stages
        return self.judged.over(stages.index(stage), stages.index(base))

    @cached_property
    def ranked(self) -> list[Ranked]:
        stages = self.stages  # by what `over` shows: medians of the tests' means in each block
        order = sorted(stages, key=lambda stage: -(self.over(stage, stages[0]).share or 0.0))
        unranked = [stage for stage in self._rows if stage not in order]
        return [self._ranked(stage, place, order) for place, stage in enumerate([*order, *unranked], 1)]

    def _ranked(self, stage: int, place: int, order: Sequence[int]) -> Ranked:
        rows = self._rows[stage]
        setup = rows[0].cell or Setup()
        holds = capacity_of(self._plan, setup)
        return Ranked(
            name=self.names.get(stage) or rows[0].setup,
            stage=stage,
            setup=setup,
            rows=tuple(rows),
            place=place if stage in order else None,
            of_best=self.over(stage, order[0]) if stage in order else Difference(),
            survives=may_fail(setup, holds.survives) if holds else None,
            usable=holds.array_bytes / holds.raw_bytes if holds and holds.raw_bytes else None,
        )
