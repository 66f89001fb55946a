"""What one axis of a sweep makes of its tests, whatever it is: over all pairs of setups that differ in nothing else."""

from collections.abc import Sequence
from statistics import median

from raidtui.core.answer import wording
from raidtui.core.answer.best import in_brief
from raidtui.core.answer.conclusions import Conclusion, of_difference
from raidtui.core.answer.facts import Known, Part
from raidtui.core.results.differences import Setups, of_figures
from raidtui.core.results.grid import NAMES, SetupGrid

_NAMES = {
    "group_thread_cnt": "number of md's threads",
    "stripe_cache_size": "stripe cache",
    "wbt_lat_usec": "write throttling (wbt_lat_usec)",
}
_SETTINGS = ("group_thread_cnt", "stripe_cache_size", "chunk")
_ANOTHER_TAIL = 1.5  # times as long, or as short: a percentile of few requests varies by less
_MOST_PLACES = 4
Pair = tuple[int, int]


def settings(facts: Known) -> list[Part]:
    """The best setup of each test, then what md's threads, its stripe cache and the chunk change, each for itself."""
    parts = [part for field in _SETTINGS if (part := axis(facts, field))]
    best = in_brief(facts.ranking.tests, facts.ranked)
    return [*([Part(f"most and least: {best.sentence}", best.conclusions)] if best else []), *parts]


def axis(facts: Known, field: str) -> Part | None:
    """The largest difference that one axis makes, wherever it differs; None where the run does not vary it."""
    found = [(grid, told, pairs) for grid in facts.ranking.tests for told, pairs in effects(grid, field)]
    if not found:
        return None
    told = [one for _, one, _ in found]
    name = _NAMES.get(field) or NAMES[field].partition(",")[0].lower()
    grid, most, _ = max(found, key=lambda one: abs((one[1].ratio or 1.0) - 1))
    if all(one.verdict == "equal" for one in told):
        return Part(f"the {name} does not matter: equal within 3 %", tuple(told))
    same = [one for one in found if (one[1].test, one[1].subject, one[1].base) == (most.test, most.subject, most.base)]
    shown = sorted(same, key=lambda one: -abs((one[1].ratio or 1.0) - 1))[:_MOST_PLACES]
    said = wording.difference(most) if len(same) == 1 else wording.differences([one for _, one, _ in shown])
    late = _tail(grid, shown[0][2], f" with {most.where}" if len(same) > 1 else "")
    text = f"the {name} changes most {wording.lower(most.test)}, {most.subject} over {most.base}: {said}{late}"
    return Part(text, tuple(told))


def effects(grid: SetupGrid, field: str) -> list[tuple[Conclusion, list[Pair]]]:
    """Each value of the axis over the first, and the pairs that tell it; setups without such a setting are not in it.

    Where it depends on the rest, each pair by itself: their mean would be of unlike things.
    """
    if field not in grid.columns:
        return []
    at = grid.columns.index(field)
    judged = of_figures(tuple(row.array for row in grid.rows))
    index = {((*labels[:at], *labels[at + 1 :]), labels[at]): i for i, labels in enumerate(grid.labels)}
    several = [rest for rest in dict.fromkeys(rest for rest, _ in index) if sum(r == rest for r, _ in index) > 1]
    base, *others = dict.fromkeys(value for rest, value in index if rest in several) or ("",)
    found = []
    for value in others:
        pairs = [(index[rest, value], index[rest, base]) for rest in several
                 if (rest, value) in index and (rest, base) in index]  # fmt: skip
        for where, some in grouped(grid, judged, field, pairs, NAMES[field]):
            over = judged.over_all(some, claims=len(others) * (len(pairs) if len(some) < len(pairs) else 1))
            if over.share is not None:
                told = of_difference(over, kind="effect", subject=value, base=base, test=grid.title, where=where)
                found.append((told, some))
    return found


def grouped(
    grid: SetupGrid, judged: Setups, field: str, pairs: Sequence[Pair], every: str
) -> list[tuple[str, list[Pair]]]:
    """All pairs under the name of `every` where they tell the same, else each under what else its setups are."""
    if not judged.interact(pairs):
        return [(every, list(pairs))]
    return [(grid.name_but_for(pair[0], field), [pair]) for pair in pairs]


def _tail(grid: SetupGrid, pairs: Sequence[Pair], where: str) -> str:
    """p99 of these pairs, where it becomes another."""
    known = [
        (grid.rows[a].latency.percentiles_ns.get("99"), grid.rows[b].latency.percentiles_ns.get("99")) for a, b in pairs
    ]
    both = [(mine, base) for mine, base in known if mine and base]
    if not both or len(both) < len(pairs):
        return ""
    mine, base = (median(one[side] for one in both) for side in (0, 1))
    if 1 / _ANOTHER_TAIL < mine / base < _ANOTHER_TAIL:
        return ""
    return f"; p99{where} is then {wording.figure(mine, 'ns')} instead of {wording.figure(base, 'ns')}"
