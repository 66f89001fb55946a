"""Which level is best where a disk may fail, and which setup of any: from the ranking over all tests."""

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.answer.facts import Known, Part
from raidtui.core.answer.penalty import penalties
from raidtui.core.answer.ranking import Ranked
from raidtui.core.plan.cell import level_title
from raidtui.core.results.analysis import test_title

_MOST_TESTS = 4
_MOST_LEVELS = 6


def levels(facts: Known) -> list[Part]:
    """Ranked, the level's best setup of each; with redundancy first, for that is what a level is chosen for."""
    best: dict[str, Ranked] = {}
    for one in facts.ranked:
        best.setdefault(level_title(one.setup), one)
    safe = {name: one for name, one in best.items() if one.survives}
    if not safe:
        return ranking(facts)
    name, first = next(iter(safe.items()))
    told = [over_best(facts, name, first, first)]
    text = f"of the levels that survive a failed disk {name} gives most: {all_tests(first)}"
    tied, less = [], []
    for other, one in list(safe.items())[1:]:
        found = over_best(facts, other, one, first)
        told.append(found)
        if found.verdict == "different":
            less.append(f"{other} {wording.more_or_less(found.ratio or 1.0)}{_figures(one)}")
        else:
            tied.append(other)
    if tied:
        text += f"; {wording.listed(tied)} cannot be told from it"
    parts = [Part(text, tuple(told))]
    if less:
        where = "on average over the tests" if len(facts.ranking.tests) > 1 else "in comparison"
        parts.append(Part(f"less, {where}: {wording.listed(less, _MOST_LEVELS)}"))
    if bare := next(((other, one) for other, one in best.items() if not one.survives), None):
        parts.append(_without_redundancy(facts, bare, safe))
    return [*parts, *penalties(facts)]


def _figures(one: Ranked) -> str:
    """Of several tests what an average hides: each figure, in the order in which the best's stand."""
    figures = [wording.figure(row.array.value, unit_of(row)) for row in one.rows]
    return f" ({', '.join(figures)})" if 1 < len(figures) <= _MOST_TESTS else ""


def _without_redundancy(facts: Known, bare: tuple[str, Ranked], safe: dict[str, Ranked]) -> Part:
    name, base = bare
    told, words = [], []
    for other, one in list(safe.items())[:_MOST_TESTS]:
        found = over_best(facts, other, one, base, base_name=name)
        article = article_over(one, base)
        there = f" (in the article {100 * article:.0f} %)" if article else ""
        words.append(f"{other} {100 * (found.ratio or 0.0):.0f} %{there}")
        told.append(found)
    return Part(f"of {name}, which survives nothing, this is: {', '.join(words)}", tuple(told))


def over_best(facts: Known, name: str, one: Ranked, base: Ranked, base_name: str = "") -> Conclusion:
    found = facts.ranking.over(one.stage, base.stage)
    return of_difference(
        found,
        kind="rank",
        subject=name,
        where=one.name,
        figure=one.rows[0].array.value if len(one.rows) == 1 else None,
        unit=unit_of(one.rows[0]),
        base=base_name or base.name,
        verdict="" if one is base else found.conclusion or "",
        runs=min(row.array.runs for row in one.rows),
    )


def article_over(one: Ranked, base: Ranked) -> float | None:
    """The source's mean of one setup over that of another, in the tests of which it has both."""
    pairs = [
        (a.published, b.published) for a, b in zip(one.rows, base.rows, strict=False) if a.published and b.published
    ]
    if not pairs:
        return None
    product = 1.0
    for mine, other in pairs:
        product *= mine / other
    return float(product ** (1 / len(pairs)))


def all_tests(one: Ranked) -> str:
    """Every test's figure; of a mix reads and writes side by side."""
    shown: dict[str, list[str]] = {}
    for row in one.rows:
        way = f" {row.direction}s" if row.mixed else ""
        shown.setdefault(row.title if row.mixed else test_title(row), []).append(
            f"{wording.figure(row.array.value, unit_of(row))}{way}"
        )
    return wording.listed(
        [f"{wording.lower(title)} {' and '.join(found)}" for title, found in shown.items()], _MOST_TESTS
    )


def ranking(facts: Known) -> list[Part]:
    """Any setups: the best, what cannot be told from it, the last."""
    if not facts.ranked:
        return []
    first, last = facts.ranked[0], facts.ranked[-1]
    told = [over_best(facts, one.name, one, first) for one in facts.ranked]
    ties = [one.subject for one in told[1:] if one.verdict != "different"]
    text = f"{first.name} gives most: {all_tests(first)}"
    if ties:
        text += f"; {wording.listed(ties)} cannot be told from it"
    parts = [Part(text, tuple(told))]
    if told[-1].verdict == "different":
        parts.append(Part(f"the least gives {last.name}: {wording.more_or_less(told[-1].ratio or 1.0)}"))
    return parts
