"""What one axis of a sweep makes of its tests, whatever it is: over all pairs of setups that differ in nothing else."""

from collections.abc import Mapping, Sequence
from math import log
from statistics import geometric_mean, median
from typing import NamedTuple

from raidtui.core.answer import cells, wording
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.results.differences import Setups
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
    """What one value of an axis makes of a test, and the pairs of setups that tell it."""

    grid: SetupGrid
    conclusion: Conclusion
    pairs: list[Pair]

    @property
    def distance(self) -> float:
        """As a log: a half is as far as the double."""
        return abs(log(self.conclusion.share or 1.0))


EffectsByAxis = Mapping[str, Sequence[AxisEffect]]  # of each axis of a run, all tests


def settings(facts: AnswerFacts) -> list[AnswerPart]:
    """The best setup of each test, then what md's threads, its stripe cache and the chunk change, each for itself."""
    return [*best(facts, facts.ranked), *axes(facts, _SETTINGS)]


def axes(facts: AnswerFacts, fields: Sequence[str]) -> list[AnswerPart]:
    """Each of these axes for itself; of all that the run varies the largest alone is said to matter most."""
    effects_by_axis = effects_of_axes(facts)
    parts: list[AnswerPart] = []
    for field in fields:
        matters_before = any(conclusion.verdict == "different" for part in parts for conclusion in part.conclusions)
        if part := axis(effects_by_axis, field, matters_before):
            parts.append(part)
    return parts


def axis(effects_by_axis: EffectsByAxis, field: str, matters_before: bool = False) -> AnswerPart | None:
    """What one axis makes of each test in which it differs; None where the run does not vary it.

    Of several values the one that differs most. `matters_before`: another axis is said to matter before this one.
    """
    own_effects = effects_by_axis.get(field, ())
    if not own_effects:
        return None
    conclusions = tuple(effect.conclusion for effect in own_effects)
    name = _NAMES.get(field, f"the {NAMES[field].partition(',')[0].lower()}")
    if all(conclusion.verdict == "equal" for conclusion in conclusions):
        return AnswerPart(f"{name}: no matter, every setup is equal within 3 %", conclusions)
    different_effects = [effect for effect in own_effects if effect.conclusion.verdict == "different"]
    if not different_effects:
        least_told = max(abs((bound or 1.0) - 1) for effect in conclusions for bound in (effect.low, effect.high))
        return AnswerPart(
            f"{name}: no difference can be told, and one below {100 * least_told:.0f} % would not show", conclusions
        )
    largest = max(different_effects, key=lambda effect: effect.distance)
    tests: dict[str, list[AxisEffect]] = {}
    for effect in own_effects:
        if effect.conclusion.subject == largest.conclusion.subject:
            tests.setdefault(effect.grid.title, []).append(effect)
    test_words = wording.listed([words for test in tests.values() if (words := _in_test(test))], len(tests))
    value_words = wording.instead(largest.conclusion.subject, largest.conclusion.base)
    matter = "matter" if field in _PLURAL else "matters"
    other_effects = [
        effect
        for other_field, axis_effects in effects_by_axis.items()
        if other_field != field
        for effect in axis_effects
    ]
    if other_effects and all(effect.distance < largest.distance for effect in other_effects):
        matter += " most"
    elif largest.distance < log(_HARDLY):
        matter = f"hardly {matter}"
    elif matters_before:
        matter += ", too"
    several = [test for test in tests.values() if len(test) > 1]
    return AnswerPart(
        f"{name} {matter}: {value_words} gives {test_words}{_tail(largest)}",
        conclusions,
        _table(several, value_words) if several else None,
    )


def _in_test(test: Sequence[AxisEffect]) -> str:
    """`+14 to +36 % in random 4K write on 3 of 4 setups`; nothing where no difference is told."""
    different = [effect.conclusion for effect in test if effect.conclusion.verdict == "different"]
    if not different:
        return ""
    size = f"{wording.range_of(different)} in {wording.lower(different[0].test)}"
    if len(test) == 1:
        return f"{size}, {wording.both(different[0], 'instead of')} {different[0].where}".rstrip()
    return (
        f"{size} on {len(different)} of {len(test)} setups"
        if len(different) > 1
        else f"{size} with {different[0].where}"
    )


def _table(tests: Sequence[Sequence[AxisEffect]], instead: str) -> Table:
    """Setup by setup what the axis makes of each test."""
    columns = [
        {
            effect.conclusion.where: cells.over(
                effect.conclusion, "instead of", wording.percent(effect.conclusion.share or 1.0)
            )
            for effect in test
        }
        for test in tests
    ]
    places = list(dict.fromkeys(place for column in columns for place in column))
    lines = tuple((place, *(column.get(place, "") for column in columns)) for place in places)
    headers = ("Setup", *(cells.header(test[0].grid) for test in tests))
    return Table(wording.sentence(f"{instead}. {cells.LEGEND}"), headers, lines[:_MOST_PLACES])


def effects_of_axes(facts: AnswerFacts) -> EffectsByAxis:
    """What each axis of a run makes of each of its tests."""
    tests = facts.ranking.tests
    fields = tests[0].columns if tests else ()
    return {field: [effect for grid in tests for effect in _effects_of_axis(grid, field)] for field in fields}


def _effects_of_axis(grid: SetupGrid, field: str) -> list[AxisEffect]:
    """Each value of the axis over the first, and the pairs that tell it; setups without such a setting are not in it.

    Where it depends on the rest, each pair by itself: their mean would be of unlike things.
    """
    judged = grid.judged
    choices = grid.choices(field)
    axis_effects = []
    for choice in choices:
        complete_pairs = with_figures(grid, choice.pairs)
        mean = f"on the mean of {len(complete_pairs)} setups" if len(complete_pairs) > 1 else ""
        groups = grouped(grid, judged, field, complete_pairs, mean) if complete_pairs else []
        for where, pairs in groups:
            setup_index, base_index = pairs[0]
            effect = of_pairs(
                grid,
                judged,
                pairs,
                claims=len(choices) * len(groups),
                subject=grid.phrase(setup_index, field),
                base=grid.phrase(base_index, field),
                where=where,
            )
            if effect.ratio is not None:
                axis_effects.append(AxisEffect(grid, effect, pairs))
    return axis_effects


def of_pairs(grid: SetupGrid, judged: Setups, pairs: Sequence[Pair], claims: int, **about: object) -> Conclusion:
    """All of these pairs as one effect: the figures, which all of them have, are the geometric means of medians.

    One pair differs only where the tables say so of it, which correct for all pairs of setups.
    """
    effect = judged.over_all(pairs, claims=claims)
    if len(pairs) == 1 and effect.conclusion == "different":
        effect = judged.over(*pairs[0])
    mine, base = (geometric_mean([grid.rows[pair[side]].array.value or 1.0 for pair in pairs]) for side in (0, 1))
    return of_difference(
        effect,
        kind="effect",
        test=grid.title,
        figure=mine,
        base_figure=base,
        unit=unit_of(grid.rows[pairs[0][0]]),
        runs=min(grid.rows[i].array.runs for pair in pairs for i in pair),
        **about,
    )


def with_figures(grid: SetupGrid, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs of which both setups have a figure that nothing stands against."""
    return [pair for pair in pairs if all(grid.rows[index].array.value for index in pair)]


def grouped(
    grid: SetupGrid, judged: Setups, field: str, pairs: Sequence[Pair], name_of_all: str
) -> list[tuple[str, list[Pair]]]:
    """All pairs under the name of `name_of_all` where they tell the same, else each under what else its setups are."""
    if not judged.interact(pairs):
        return [(name_of_all, list(pairs))]
    return [(grid.name_but_for(pair[0], field), [pair]) for pair in pairs]


def _tail(largest: AxisEffect) -> str:
    """Median and p99 of the pairs of an effect, where p99 becomes another."""
    rows = [
        (largest.grid.rows[a].latency.percentiles_ns, largest.grid.rows[b].latency.percentiles_ns)
        for a, b in largest.pairs
    ]
    if not all("99" in mine and "99" in base for mine, base in rows):
        return ""
    mine, base = (median(row[side]["99"] for row in rows) for side in (0, 1))
    if 1 / _ANOTHER_TAIL < mine / base < _ANOTHER_TAIL:
        return ""
    where = f" with {largest.conclusion.where}" if largest.conclusion.where else ""
    middle = [median(row[side].get("50", 0.0) for row in rows) for side in (0, 1)]
    of_half = f"the median wait is then {_instead_of_wait(*middle)}, " if all(middle) else ""
    return f"; {of_half}p99 {_instead_of_wait(mine, base)}{where}"


def _instead_of_wait(mine: float, base: float) -> str:
    return f"{wording.figure(mine, 'ns')} instead of {wording.figure(base, 'ns')}"
