"""What one axis of a sweep makes of its tests, whatever it is: over all pairs of setups that differ in nothing else."""

from collections.abc import Sequence
from math import log
from statistics import geometric_mean, median
from typing import NamedTuple

from raidtui.core.answer import cells, wording
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part, Table
from raidtui.core.results.differences import Setups, of_figures
from raidtui.core.results.grid import NAMES, SetupGrid

_NAMES = {
    "group_thread_cnt": "md's threads",
    "stripe_cache_size": "the stripe cache",
    "wbt_lat_usec": "write throttling (wbt)",
    "chunk": "the chunk",
    "allocation_unit": "the allocation unit",
}
_PLURAL = ("group_thread_cnt", "disks")
_SETTINGS = ("group_thread_cnt", "stripe_cache_size", "chunk")
_ANOTHER_TAIL = 1.5  # times as long, or as short: a percentile of few requests varies by less
_MOST_PLACES = 12
_HARDLY = 1.05  # times: less is told, and not called a matter
Pair = tuple[int, int]


class AxisEffect(NamedTuple):
    """What one value of an axis makes of a test, and of which setups that is told."""

    grid: SetupGrid
    told: Conclusion
    pairs: list[Pair]


def settings(facts: Known) -> list[Part]:
    """The best setup of each test, then what md's threads, its stripe cache and the chunk change, each for itself."""
    return [*best(facts, facts.ranked), *axes(facts, _SETTINGS)]


def axes(facts: Known, fields: Sequence[str]) -> list[Part]:
    """Each of these axes for itself; of all that the run varies the largest alone is said to matter most."""
    parts: list[Part] = []
    for field in fields:
        told_before = any(conclusion.verdict == "different" for part in parts for conclusion in part.conclusions)
        if part := axis(facts, field, told_before):
            parts.append(part)
    return parts


def axis(facts: Known, field: str, told_before: bool = False) -> Part | None:
    """The largest difference that one axis makes, wherever it differs; None where the run does not vary it.

    `told_before`: another axis is said to matter before this one.
    """
    found = [effect for grid in facts.ranking.tests for effect in effects(grid, field)]
    if not found:
        return None
    told = tuple(one.told for one in found)
    name = _NAMES.get(field, f"the {NAMES[field].partition(',')[0].lower()}")
    if all(conclusion.verdict == "equal" for conclusion in told):
        return Part(f"{name}: no matter, every setup is equal within 3 %", told)
    sure = [one for one in found if one.told.verdict == "different"]
    if not sure:
        least = max(abs((bound or 1.0) - 1) for conclusion in told for bound in (conclusion.low, conclusion.high))
        return Part(f"{name}: no difference can be told, and one below {100 * least:.0f} % would not show", told)
    most = max(sure, key=_distance)
    same = [one for one in found if (one.grid, one.told.subject) == (most.grid, most.told.subject)]
    mine = [one.told for one in same if one.told.verdict == "different"]
    on = f" on {len(mine)} of {len(same)} setups" if len(mine) > 1 else f" with {most.told.where}"
    said = f"{most.told.subject} instead of {most.told.base} gives {wording.range_of(mine)} {_in(most)}"
    if len(same) == 1:
        said, on = f"{said}, {wording.both(most.told, 'instead of')}", f" {most.told.where}".rstrip()
    matter = "matter" if field in _PLURAL else "matters"
    if _is_largest(facts, field, most):
        matter += " most"
    elif _distance(most) < log(_HARDLY):
        matter = f"hardly {matter}"
    elif told_before:
        matter += ", too"
    return Part(f"{name} {matter}: {said}{on}{_tail(most)}", told, _table(same) if len(same) > 1 else None)


def _is_largest(facts: Known, field: str, most: AxisEffect) -> bool:
    """Is no effect of another axis larger, in any test? Where the run varies one alone, it is not the most of any."""
    (grid, *_) = facts.ranking.tests
    others = [effect for other in grid.columns if other != field
              for test in facts.ranking.tests for effect in effects(test, other)]  # fmt: skip
    return bool(others) and all(_distance(one) < _distance(most) for one in others)


def _in(one: AxisEffect) -> str:
    return f"in {wording.lower(one.told.test)}"


def _table(same: Sequence[AxisEffect]) -> Table:
    """Setup by setup what the axis makes of a test."""
    (first, *_) = same
    lines = tuple(
        (one.told.where, cells.over(one.told, "instead of", wording.percent(one.told.share or 1.0))) for one in same
    )
    title = f"{first.told.subject} instead of {first.told.base}. {cells.LEGEND}"
    return Table(wording.sentence(title), ("Setup", cells.header(first.grid)), lines[:_MOST_PLACES])


def _distance(one: AxisEffect) -> float:
    """As a log: a half is as far as the double."""
    return abs(log(one.told.share or 1.0))


def effects(grid: SetupGrid, field: str) -> list[AxisEffect]:
    """Each value of the axis over the first, and the pairs that tell it; setups without such a setting are not in it.

    Where it depends on the rest, each pair by itself: their mean would be of unlike things.
    """
    if field not in grid.columns:
        return []
    judged = of_figures(tuple(row.array for row in grid.rows))
    choices = grid.choices(field)
    found = []
    for choice in choices:
        many = len(choice.pairs)
        groups = grouped(grid, judged, field, choice.pairs, f"on the mean of {many} setups" if many > 1 else "")
        for where, pairs in groups:
            a, b = pairs[0]
            told = of_pairs(
                grid,
                judged,
                pairs,
                claims=len(choices) * len(groups),
                subject=grid.phrase(a, field),
                base=grid.phrase(b, field),
                where=where,
            )
            if told.ratio is not None:
                found.append(AxisEffect(grid, told, pairs))
    return found


def of_pairs(grid: SetupGrid, judged: Setups, pairs: Sequence[Pair], claims: int, **about: object) -> Conclusion:
    """All of these pairs as one effect: the figures are the geometric means of the setups' medians.

    One pair differs only where the tables say so of it, which correct for all pairs of setups.
    """
    found = judged.over_all(pairs, claims=claims)
    if len(pairs) == 1 and found.conclusion == "different":
        found = judged.over(*pairs[0])
    known = [pair for pair in pairs if all(grid.rows[i].array.value for i in pair)]
    mine, base = (
        geometric_mean([grid.rows[pair[side]].array.value or 1.0 for pair in known]) if known else None
        for side in (0, 1)
    )
    return of_difference(
        found,
        kind="effect",
        test=grid.title,
        figure=mine,
        base_figure=base,
        unit=unit_of(grid.rows[pairs[0][0]]),
        runs=min(grid.rows[i].array.runs for pair in pairs for i in pair),
        **about,
    )


def grouped(
    grid: SetupGrid, judged: Setups, field: str, pairs: Sequence[Pair], every: str
) -> list[tuple[str, list[Pair]]]:
    """All pairs under the name of `every` where they tell the same, else each under what else its setups are."""
    if not judged.interact(pairs):
        return [(every, list(pairs))]
    return [(grid.name_but_for(pair[0], field), [pair]) for pair in pairs]


def _tail(most: AxisEffect) -> str:
    """Median and p99 of the pairs of an effect, where p99 becomes another."""
    rows = [(most.grid.rows[a].latency.percentiles_ns, most.grid.rows[b].latency.percentiles_ns) for a, b in most.pairs]
    if not all("99" in mine and "99" in base for mine, base in rows):
        return ""
    mine, base = (median(row[side]["99"] for row in rows) for side in (0, 1))
    if 1 / _ANOTHER_TAIL < mine / base < _ANOTHER_TAIL:
        return ""
    where = f" with {most.told.where}" if most.told.where else ""
    middle = [median(row[side].get("50", 0.0) for row in rows) for side in (0, 1)]
    of_half = f"the median wait is then {_instead(*middle)}, " if all(middle) else ""
    return f"; {of_half}p99 {_instead(mine, base)}{where}"


def _instead(mine: float, base: float) -> str:
    return f"{wording.figure(mine, 'ns')} instead of {wording.figure(base, 'ns')}"
