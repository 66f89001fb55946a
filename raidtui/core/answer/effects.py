"""The one engine: the effect of an axis on a test, over pairs of setups that differ in nothing else.

A pair chosen by its figures is judged among all pairs of the test; one that was asked for, among the claims made.
Pairs that differ from one another are effects of their own. Contradicted figures count only where both readings agree.
"""

from collections.abc import Callable, Sequence
from math import exp, log
from statistics import fmean, geometric_mean, median

import msgspec

from raidtui.core.answer.values import Effect, Unit, judged
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import Difference
from raidtui.core.results.grid import SetupGrid

Pair = tuple[int, int]
Published = Callable[[ResultRow, ResultRow], float | None]
_ANOTHER_TAIL = 1.5  # times as long, or as short: a percentile of few requests varies by less
_MORE_WORK = 1.25  # of the disks for one of the user's operations


def unit_of(row: ResultRow) -> Unit:
    return "bytes/s" if row.kind == "sequential" else "IOPS"


def effects(
    grid: SetupGrid,
    axis: str,
    *,
    values: Sequence[str] = (),
    base: str = "",
    by: Sequence[str] = (),
    extremes: bool = False,
    claims: int = 1,
    published: Published = lambda row, base: None,
) -> list[Effect]:
    """Each of these values (all) of an axis over the base (the first), in groups `by` these fields; `extremes`: in
    each case the fastest value over the slowest. `claims` that are made beside them, theirs included, widen intervals.
    """
    cases = _cases(grid, axis)
    if not cases:
        return []
    base = base or next(iter(next(iter(cases.values()))))
    groups: dict[tuple[str, str], list[Pair]] = {}
    for case in cases.values():
        for value, pair in (_extremes(grid, case) if extremes else _over_base(case, values, base)).items():
            group = " ".join(grid.phrase(pair[0], field) for field in by if field in grid.columns)
            groups.setdefault((value, grid.name_but_for(pair[0], axis, short=True) if extremes else group), []).append(
                pair
            )
    split = [
        (group, part)
        for (_, group), pairs in groups.items()
        for part in ([[pair] for pair in pairs] if grid.judged.interact(pairs) else [pairs])
    ]
    return [_effect(grid, axis, group, part, max(len(split), claims), extremes, published) for group, part in split]


def _over_base(case: dict[str, int], values: Sequence[str], base: str) -> dict[str, Pair]:
    asked = [value for value in case if value != base and (not values or value in values)]
    return {value: (case[value], case[base]) for value in asked if base in case}


def _extremes(grid: SetupGrid, case: dict[str, int]) -> dict[str, Pair]:
    slowest, *_, fastest = sorted(case.values(), key=lambda index: grid.rows[index].array.value or 0.0)
    return {"": (fastest, slowest)}


def _cases(grid: SetupGrid, axis: str) -> dict[tuple[str, ...], dict[str, int]]:
    """Setups with a figure that differ in this axis alone: what else they are -> its values -> their rows."""
    if axis not in grid.columns:
        return {}
    at, cases = grid.columns.index(axis), dict[tuple[str, ...], dict[str, int]]()
    for index, labels in enumerate(grid.labels):
        if grid.rows[index].array.value:
            cases.setdefault((*labels[:at], *labels[at + 1 :]), {})[labels[at]] = index
    return {rest: case for rest, case in cases.items() if len(case) > 1}


def _effect(
    grid: SetupGrid,
    axis: str,
    group: str,
    pairs: Sequence[Pair],
    claims: int,
    among_all: bool,
    published: Published,
) -> Effect:
    rows = [(grid.rows[mine], grid.rows[base]) for mine, base in pairs]
    (mine, base), *others = pairs
    difference = grid.judged.over(mine, base)
    if others or not among_all:
        claimed = grid.judged.over_all(pairs, claims=claims)
        difference = claimed if others or claimed.conclusion != "different" else difference
    doubt, by_latency = _doubt(rows), None
    figures = [geometric_mean([pair[side].array.value or 1.0 for pair in rows]) for side in (0, 1)]
    if doubt is not None:
        difference, by_latency = _by_either(difference, doubt), doubt * figures[0] / figures[1]
    return Effect(
        subject=grid.phrase(mine, axis),
        label=grid.labels[mine][grid.columns.index(axis)],
        base=grid.phrase(base, axis),
        test=grid.title,
        where=(group or f"mean of {len(pairs)} setups") if others else grid.name_but_for(mine, axis, short=True),
        group=group,
        figure=figures[0],
        base_figure=figures[1],
        unit=unit_of(rows[0][0]),
        runs=min(row.array.runs for pair in rows for row in pair),
        by_latency=by_latency,
        published=published(*rows[0]),
        work=_work(rows),
        tail=_tail(rows),
        **judged(difference),
    )


def _doubt(pairs: Sequence[tuple[ResultRow, ResultRow]]) -> float | None:
    """How many times the ratio of these rows is by their latencies what it is by their rates; None without a doubt."""
    doubts = [
        log(row.by_latency / base.by_latency) if row.little_off or base.little_off else 0.0
        for row, base in pairs
        if row.by_latency and base.by_latency
    ]
    return exp(fmean(doubts)) if any(doubts) else None


def _by_either(difference: Difference, doubt: float) -> Difference:
    """As far as rates and latencies agree on it: the interval has room for both, and nothing is equal."""
    if difference.low is None or difference.high is None:
        return difference
    low = min(difference.low, doubt * (1 + difference.low) - 1)
    high = max(difference.high, doubt * (1 + difference.high) - 1)
    different = difference.conclusion == "different" and (low > 0 or high < 0)
    conclusion = "different" if different else "cannot tell"
    return msgspec.structs.replace(difference, low=low, high=high, conclusion=conclusion, repetitions=None)


def _work(rows: Sequence[tuple[ResultRow, ResultRow]]) -> tuple[float, float] | None:
    """Disk I/Os for one of the user's of both sides, where these are another number."""
    counted = [
        (mine.operations.total, base.operations.total) for mine, base in rows if mine.operations and base.operations
    ]
    if len(counted) < len(rows):
        return None
    mine, base = (median(side) for side in zip(*counted, strict=True))
    return (mine, base) if max(mine, base) >= _MORE_WORK * min(mine, base) else None


def _tail(rows: Sequence[tuple[ResultRow, ResultRow]]) -> tuple[tuple[str, float, float], ...]:
    """p50, p99 and max latency, and those of the base, where p99 becomes another."""
    tails: dict[str, tuple[float, float]] = {}
    for name, point in (("p50", "50"), ("p99", "99")):
        sides = [[pair[side].latency.percentiles_ns.get(point, 0.0) for pair in rows] for side in (0, 1)]
        tails[name] = (median(sides[0]), median(sides[1])) if all(map(all, sides)) else (0.0, 0.0)
    tails["max"] = (
        max(mine.latency.max_ns or 0.0 for mine, _ in rows),
        max(base.latency.max_ns or 0.0 for _, base in rows),
    )
    mine, base = tails["p99"]
    if not base or 1 / _ANOTHER_TAIL < mine / base < _ANOTHER_TAIL:
        return ()
    return tuple((name, *both) for name, both in tails.items() if all(both))


def distance(effect: Effect) -> float:
    """As a log: a half is as far as the double."""
    return abs(log(effect.share or 1.0))


def supported(of_axis: Sequence[Effect]) -> list[Effect]:
    """Different, and not in one pair alone of several that were measured once each."""
    return [effect for effect in of_axis if effect.verdict == "different" and not _rests_on_one(effect, of_axis)]


def _rests_on_one(effect: Effect, of_axis: Sequence[Effect]) -> bool:
    beside = [other for other in of_axis if (other.test, other.subject) == (effect.test, effect.subject)]
    same_way = [
        other
        for other in beside
        if other.verdict == "different" and ((other.share or 1.0) > 1) == ((effect.share or 1.0) > 1)
    ]
    return effect.single_run and len(same_way) <= 1 < len(beside)
