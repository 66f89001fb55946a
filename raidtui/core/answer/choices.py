"""What an axis of a run changes, as a finding with its tables."""

from collections.abc import Sequence

import msgspec

from raidtui.core.answer.effects import distance, effects, supported
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.source import published_over
from raidtui.core.answer.values import AnswerRow, AnswerTable, AxisChoice, Effect, Finding
from raidtui.core.plan.fields import FIELDS
from raidtui.core.plan.parsed_setup import level_title
from raidtui.core.results.analysis import ResultRow

SETTINGS = ("wbt_lat_usec", "group_thread_cnt", "stripe_cache_size", "chunk")


class Part(msgspec.Struct, frozen=True):
    """What a question makes: findings, the table, and the tables for the report."""

    findings: Sequence[Finding | None] = ()
    table: AnswerTable | None = None
    details: Sequence[AnswerTable | None] = ()


def choice(
    facts: AnswerFacts, axis: str, source: str = "", contradicted: bool = False, **how: object
) -> AxisChoice | None:
    """The effects of an axis in all tests; None where the run does not vary it. `source`: the value that the source
    may be asked for; of no other is anything compared with it. `contradicted`: with figures that latency contradicts,
    marked. `how` as of `effects`.
    """
    tests = facts.ranking.with_doubts if contradicted else facts.ranking.tests

    def published(row: ResultRow, base: ResultRow) -> float | None:
        asked = row.cell and source in (level_title(row.cell), str(getattr(row.cell, axis)))
        return published_over(facts.plan, row, base) if asked else None

    how["published"] = published
    all_effects = [effect for grid in tests for effect in effects(grid, axis, **how)]  # type: ignore[arg-type]
    return AxisChoice(axis, FIELDS[axis].label.partition(",")[0], tuple(all_effects)) if all_effects else None


def settings(facts: AnswerFacts, axes: Sequence[str] = SETTINGS) -> Part:
    """Each of these axes by itself; that with the largest effect of all that the run varies is marked."""
    columns = facts.ranking.tests[0].columns if facts.ranking.tests else ()
    choices = {axis: found for axis in columns if (found := choice(facts, axis))}
    farthest = {
        axis: max((distance(effect) for effect in supported(found.effects) if not effect.single_run), default=0.0)
        for axis, found in choices.items()
    }
    most = max(farthest, key=lambda axis: farthest[axis], default="")
    own = [
        msgspec.structs.replace(choices[axis], most=axis == most and len(choices) > 1 and farthest[axis] > 0)
        for axis in axes
        if axis in choices
    ]
    return Part([_with_others(facts, found) for found in own], None, [by_setup(found) for found in own])


def _with_others(facts: AnswerFacts, found: AxisChoice) -> AxisChoice:
    """Its other values over the one with the largest effect: several may be as good."""
    subjects = {effect.subject for effect in found.effects}
    matters = supported(found.effects)
    if not matters or len(subjects) < 2:
        return found
    over = choice(facts, found.axis, base=max(matters, key=distance).label)
    own = [effect for effect in over.effects if effect.subject in subjects] if over else []
    return msgspec.structs.replace(found, others=tuple(own))


def by_setup(found: AxisChoice) -> AnswerTable:
    """Setup by setup the value with the largest effect in each test."""
    subject = max(supported(found.effects) or found.effects, key=distance).subject
    own = [effect for effect in found.effects if effect.subject == subject]
    tests = {effect.test: effect.unit for effect in own}
    rows = tuple(
        AnswerRow(place, tuple(_at(own, test=test, where=place) for test in tests))
        for place in dict.fromkeys(effect.where for effect in own)
    )
    return AnswerTable(tuple(tests.items()), rows, note=f"{versus(own[0])}.")


def grouped(found: AxisChoice, first: str = "Setup") -> AnswerTable:
    """Group by group the effect of the axis on each test, of several setups as one span."""
    tests = {effect.test: effect.unit for effect in found.effects}
    groups = dict.fromkeys((effect.group, effect.subject) for effect in found.effects)
    several = len({subject for _, subject in groups}) > 1 or found.kept
    rows = tuple(
        AnswerRow(
            f"{group} {subject}".strip() if several else group,
            tuple(_at(found.effects, test=test, group=group, subject=subject) for test in tests),
        )
        for group, subject in groups
    )
    note = "" if several else f"{versus(found.effects[0])}."
    return AnswerTable(tuple(tests.items()), rows, first, note, found.kept)


def _at(of_axis: Sequence[Effect], **fields: str) -> tuple[Effect, ...]:
    return tuple(effect for effect in of_axis if all(getattr(effect, key) == value for key, value in fields.items()))


def versus(effect: Effect) -> str:
    mine, base = effect.subject.split(), effect.base.split()
    same = next((at for at, (own, other) in enumerate(zip(mine, base, strict=False)) if own != other), 0)
    shortened = base[same:] if same and base[0] != "RAID" and base[same][0].isdigit() else base
    return f"{effect.subject} vs {' '.join(shortened)}"
