"""What one axis of a sweep makes of its tests, whatever it is: over all pairs of setups that differ in nothing else."""

from collections.abc import Mapping, Sequence
from math import log
from statistics import geometric_mean, median
from typing import NamedTuple

from raidtui.core.answer import cells, wording
from raidtui.core.answer.best import best
from raidtui.core.answer.conclusions import Conclusion, unit_of
from raidtui.core.answer.doubt import of_rows
from raidtui.core.answer.facts import AnswerFacts, AnswerPart, Table
from raidtui.core.plan.fields import FIELDS
from raidtui.core.results.differences import Setups
from raidtui.core.results.grid import SetupGrid

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
    """What md's threads, its stripe cache and the chunk change, each for itself; then the best setup of each test."""
    return [*axes(facts, _SETTINGS), *best(facts, facts.ranked)]


def axes(facts: AnswerFacts, fields: Sequence[str]) -> list[AnswerPart]:
    """Each of these axes for itself; of all that the run varies the largest alone is said to matter most."""
    effects_by_axis = effects_of_axes(facts)
    parts: list[AnswerPart] = []
    matters_before = False
    for field in fields:
        if part := axis(effects_by_axis, field, matters_before):
            parts.append(part)
            matters_before = matters_before or bool(_borne_out(effects_by_axis[field]))
    return parts


def axis(effects_by_axis: EffectsByAxis, field: str, matters_before: bool = False, name: str = "") -> AnswerPart | None:
    """What one axis makes of each test in which it differs; None where the run does not vary it.

    Of several values the one that differs most. `matters_before`: another axis is said to matter before this one.
    `name`: what it is called, where that is not what it is mostly called.
    """
    own_effects = effects_by_axis.get(field, ())
    if not own_effects:
        return None
    conclusions = tuple(effect.conclusion for effect in own_effects)
    name = name or FIELDS[field].noun
    if all(conclusion.verdict == "equal" for conclusion in conclusions):
        return AnswerPart(f"{name}: no matter, every setup is equal within 3 %", conclusions)
    different = [effect for effect in own_effects if effect.conclusion.verdict == "different"]
    if not different:
        widest_share = max(abs((bound or 1.0) - 1) for effect in conclusions for bound in (effect.low, effect.high))
        return AnswerPart(
            f"{name}: no difference can be told, and one below {100 * widest_share:.0f} % would not show", conclusions
        )
    borne_out = _borne_out(own_effects)
    if not borne_out:
        return AnswerPart(_by_one_run(name, own_effects, different), conclusions, _table_of(own_effects, different[0]))
    largest = max(borne_out, key=lambda effect: effect.distance)
    tests = _tests(own_effects, largest)
    in_tests = wording.listed([words for test in tests if (words := _in_test(test, borne_out, field))], len(tests))
    value_words = wording.instead(largest.conclusion.subject, largest.conclusion.base)
    matter = "matter" if FIELDS[field].plural else "matters"
    others = [effect for other, effects in effects_by_axis.items() if other != field for effect in effects]
    once = largest.conclusion.certainty == "single run"  # of which none is told to be the largest
    if others and not once and all(effect.distance < largest.distance for effect in others):
        matter += " most"
    elif largest.distance < log(_HARDLY):
        matter = f"hardly {matter}"
    elif matters_before:
        matter += ", too"
    tail = "" if once and len(largest.pairs) == 1 < len(own_effects) else _tail(largest)
    words = f"{name} {matter}: {value_words} gives {in_tests}{_as_good(effects_by_axis[field], largest, tests)}{tail}"
    return AnswerPart(words, conclusions, _table_of(own_effects, largest))


def _tests(mine: Sequence[AxisEffect], same_value: AxisEffect) -> list[list[AxisEffect]]:
    """What the value of this effect makes of each test."""
    tests: dict[str, list[AxisEffect]] = {}
    for effect in mine:
        if effect.conclusion.subject == same_value.conclusion.subject:
            tests.setdefault(effect.grid.title, []).append(effect)
    return list(tests.values())


def _borne_out(mine: Sequence[AxisEffect]) -> list[AxisEffect]:
    """What is different, and not by one odd measurement."""
    return [effect for effect in mine if effect.conclusion.verdict == "different" and not _rests_on_one(effect, mine)]


def _rests_on_one(effect: AxisEffect, mine: Sequence[AxisEffect]) -> bool:
    """Is it told in one pair alone of several that were measured once each? Then one odd measurement makes it. What
    is in doubt is told where it holds by the rates and by the latencies.
    """
    of_same_test = [other for test in _tests(mine, effect) for other in test if other.grid is effect.grid]
    same_direction = [
        other
        for other in of_same_test
        if other.conclusion.verdict == "different"
        and ((other.conclusion.share or 1.0) > 1) == ((effect.conclusion.share or 1.0) > 1)
    ]
    return effect.conclusion.certainty == "single run" and len(same_direction) <= 1 < len(of_same_test)


def _by_one_run(name: str, mine: Sequence[AxisEffect], different: Sequence[AxisEffect]) -> str:
    odd = max(different, key=lambda effect: effect.distance)
    effects_of_test = next(test for test in _tests(mine, odd) if odd in test)
    pair = f"{wording.both(odd.conclusion, 'instead of')} in {wording.lower(odd.conclusion.test)}"
    where = f" with {odd.conclusion.where}" if odd.conclusion.where else ""
    in_doubt = ", whose rate and latency contradict each other" if odd.conclusion.by_latency else ""
    count = sum(effect in different for effect in effects_of_test)
    of_how_many = f"told in {count} of {len(effects_of_test)} pairs, each measured once"
    return (
        f"{name}: no difference that more than one measurement bears out"
        f" (the largest: {pair}{where}{in_doubt}; {of_how_many})"
    )


def _as_good(mine: Sequence[AxisEffect], most: AxisEffect, tests: Sequence[Sequence[AxisEffect]]) -> str:
    """`; 8KiB gives the same within 3 %`: of the axis' other values those that in most pairs nobody can tell from the
    one that is said."""
    words = []
    for subject in dict.fromkeys(effect.conclusion.subject for effect in mine):
        if subject == most.conclusion.subject:
            continue
        verdicts = [verdict for test in tests for verdict in _verdicts_beside(mine, subject, test)]
        alike = [verdict for verdict in verdicts if verdict != "different"]
        if 2 * len(alike) <= len(verdicts):
            continue
        most_said = wording.name_after(subject, most.conclusion.subject)
        how = "gives the same within 3 %" if set(verdicts) == {"equal"} else f"cannot be told from {most_said}"
        often = f" in {len(alike)} of {len(verdicts)} pairs" if len(alike) < len(verdicts) else ""
        words.append(f"; {wording.name_after(most.conclusion.subject, subject)} {how}{often}")
    return "".join(words)


def _verdicts_beside(mine: Sequence[AxisEffect], subject: str, test: Sequence[AxisEffect]) -> list[str]:
    """What is told of a test's setups with this value over those with the value of its effects, else the same."""
    grid = test[0].grid
    index_by_base = {
        base: index
        for effect in mine
        if effect.grid is grid and effect.conclusion.subject == subject
        for index, base in effect.pairs
    }
    pairs = [(index_by_base[base], index) for effect in test for index, base in effect.pairs if base in index_by_base]
    return [grid.judged.over(other_index, index).conclusion or "" for other_index, index in pairs]


def _in_test(test: Sequence[AxisEffect], borne_out: Sequence[AxisEffect], field: str) -> str:
    """`+14 to +36 % in random 4K write on 3 of 4 setups`; nothing where no difference is told. Of single runs the least
    that more than one of them bear out: `at least +39 %`."""
    different = [effect for effect in test if effect in borne_out]
    if not different:
        return ""
    conclusions = [effect.conclusion for effect in different]
    (first, *others) = conclusions
    smallest = min(different, key=lambda effect: effect.distance).conclusion
    once = bool(others) and first.certainty == "single run"
    size = f"{wording.percent(smallest.share or 1.0)} or more" if once else wording.range_of(conclusions)
    size += f" in {wording.lower(first.test)}"
    if len(test) == 1:
        return f"{size}, {wording.both(first, 'instead of')} {first.where}".rstrip()
    if not others:
        return f"{size} with {first.where}"
    return f"{size} {_in_common(different, test, field) or f'on {len(different)} of {len(test)} setups'}"


def _in_common(different: Sequence[AxisEffect], test: Sequence[AxisEffect], field: str) -> str:
    """`with chunk 512KiB`: what these pairs of setups are and no others; nothing where that is no one thing."""
    grid = different[0].grid

    def phrase(effect: AxisEffect, column: str) -> str:
        return grid.phrase(effect.pairs[0][0], column)

    def phrases(effects: Sequence[AxisEffect], column: str) -> set[str]:
        return {phrase(effect, column) for effect in effects}

    columns = [
        column
        for column in grid.columns
        if column != field and len(phrases(different, column)) == 1 < len(phrases(test, column))
    ]
    own = [phrase(different[0], column) for column in columns]
    alike = [effect for effect in test if [phrase(effect, column) for column in columns] == own]
    return f"with {' '.join(own)}" if own and len(alike) == len(different) < len(test) else ""


def _table_of(mine: Sequence[AxisEffect], like: AxisEffect) -> Table | None:
    several = [test for test in _tests(mine, like) if len(test) > 1]
    return _table(several, wording.instead(like.conclusion.subject, like.conclusion.base)) if several else None


def _table(tests: Sequence[Sequence[AxisEffect]], instead: str) -> Table:
    """Setup by setup what the axis makes of each test."""
    columns = [
        {effect.conclusion.where: cells.over(effect.conclusion, "instead of", wording.percent) for effect in test}
        for test in tests
    ]
    places = list(dict.fromkeys(place for column in columns for place in column))
    lines = tuple((place, *(column.get(place, "") for column in columns)) for place in places)
    headers = ("Setup", *(cells.header(test[0].grid) for test in tests))
    legend = cells.legend(effect.conclusion for test in tests for effect in test)
    return Table(wording.sentence(f"{instead}. {legend}"), headers, lines[:_MOST_PLACES])


def effects_of_axes(facts: AnswerFacts) -> EffectsByAxis:
    """What each axis of a run makes of each of its tests."""
    tests = facts.ranking.with_doubts
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
    return of_rows(
        effect,
        [(grid.rows[a], grid.rows[b]) for a, b in pairs],
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
    longest = [max(largest.grid.rows[pair[side]].latency.max_ns or 0.0 for pair in largest.pairs) for side in (0, 1)]
    of_longest = f", the longest {_instead_of_wait(*longest)}" if all(longest) else ""
    return f"; {of_half}p99 {_instead_of_wait(mine, base)}{of_longest}{where}"


def _instead_of_wait(mine: float, base: float) -> str:
    return f"{wording.figure(mine, 'ns')} instead of {wording.figure(base, 'ns')}"
