"""The sign of a test and the mark of a run: one value for Start, Runs, Results, reports and programs. The mark of a run
is the worst of how it ended, its proof, failed tests, excluded results, results below expected, and slow disks.
"""

from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Literal

import msgspec

from raidtui.core.answer.beyond_disks import Tested
from raidtui.core.answer.expected import expected_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.values import Expected, Fault, FaultName
from raidtui.core.results.analysis import ResultRow
from raidtui.core.run import proof

Grade = Literal["dim", "ok", "warn", "bad"]  # the better first
WORST: tuple[Grade, ...] = ("dim", "ok", "warn", "bad")
NO_TESTS: Set[Tested] = frozenset()
SIGNS: dict[Grade, str] = {"ok": "✓", "warn": "▼", "bad": "✗", "dim": "·"}


class AtAGlance(msgspec.Struct, frozen=True):
    sign: str
    words: str
    grade: Grade


NO_MODEL = AtAGlance("·", "no model", "dim")
NOT_RUN = AtAGlance("·", "not run", "dim")
AS_EXPECTED = AtAGlance("✓", "as expected", "ok")
SLOWER = AtAGlance("✗", "slower than one disk", "bad")
NO_RESULT = AtAGlance("✗", "no result", "bad")
EXCLUDED = AtAGlance("!", "implausible", "warn")
_OF_FAULTS: dict[FaultName, tuple[Grade, str]] = {
    "failed": ("bad", "failed tests"),
    "errors": ("bad", "disk errors"),
    "damaged": ("warn", "journal damaged"),
    "slow disk": ("warn", "slow disk"),
}


def glance(row: ResultRow, doubted: Set[Tested] = NO_TESTS) -> AtAGlance:
    """`doubted`: excluded tests, by setup and job."""
    if row.array.value is None:
        return NOT_RUN if row.array.standing in ("not run", "running") else NO_RESULT
    if row.tested in doubted:
        return EXCLUDED
    off = off_model(row)
    if off is None:
        return NO_MODEL
    percent = f"{abs(100 * ((off.ratio or 1.0) - 1)):.0f} %"
    if off.closeness == "above":
        return AtAGlance("▲", f"{percent} above expected", "ok")
    if off.closeness != "below":
        return AS_EXPECTED
    single = row.single.value
    if single and row.predicted and (row.array.value or 0.0) < single < row.predicted:
        return SLOWER
    return AtAGlance("▼", f"{percent} below expected", "warn")


def off_model(row: ResultRow) -> Expected | None:
    return next(iter(expected_of([row])), None)


def worst(glances: Iterable[AtAGlance]) -> Grade:
    return max((one.grade for one in glances), key=WORST.index, default="dim")


def mark(facts: AnswerFacts, faults: Sequence[Fault]) -> AtAGlance:
    """Of a run, with all that is behind it, the worst first; `faults`: of its answer."""
    found = sorted(_reasons(facts, faults), key=lambda reason: -WORST.index(reason[0]))
    if found:
        grade = found[0][0]
        return AtAGlance(SIGNS[grade], ", ".join(dict.fromkeys(words for _, words in found)), grade)
    rows, proved = facts.comparison.rows, proof.result(facts.plan, facts.state)
    is_judged = not rows or proved is not None or any(glance(row).grade == "ok" for row in rows)
    return AtAGlance("✓", "finished", "ok") if is_judged else AtAGlance("·", "finished, no model", "dim")


def _reasons(facts: AnswerFacts, faults: Sequence[Fault]) -> Iterator[tuple[Grade, str]]:
    state = facts.state
    if state.outcome != "finished":
        yield ("bad" if state.outcome == "failed" else "warn"), state.outcome or "not ended"
    proved = proof.result(facts.plan, state)
    if proved and not proved.holds:
        yield ("bad", "blocks differ") if proved.differed else ("warn", "not verified")
    yield from (_OF_FAULTS[fault.name] for fault in faults if fault.name in _OF_FAULTS)
    seen = [glance(row, facts.ranking.doubted) for row in facts.comparison.rows]
    for one, words in (
        (NO_RESULT, "failed tests"),
        (SLOWER, "slower than one disk"),
        (EXCLUDED, "implausible results"),
    ):
        if one in seen:
            yield one.grade, words
    if any(one.grade == "warn" and one != EXCLUDED for one in seen):
        yield "warn", "below expected"
