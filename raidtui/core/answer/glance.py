"""A run at a glance: each test's verdict by sign and words, the answer in one sentence, suspects, what explaining
measures. Screens have their verdicts from here; the limits are those of `core/results`.
"""

from collections.abc import Callable, Iterable, Sequence, Set
from math import log
from typing import Literal

import msgspec

from raidtui.core.answer import cause_words, fault_lines
from raidtui.core.answer.answer import Answer
from raidtui.core.answer.beyond_disks import Tested
from raidtui.core.answer.expected import expected_of
from raidtui.core.answer.numbers import lower, named
from raidtui.core.answer.values import Expected
from raidtui.core.plan.model import Plan
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.results.ablation import most_deviating, suspects_of, trial_of
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.deviation import Cause, Suspect, TunableValue
from raidtui.core.run.state import RunState

Grade = Literal["dim", "ok", "warn", "bad"]  # the better first
MOST_WORDS = 20  # of the sentence
_WORST: tuple[Grade, ...] = ("dim", "ok", "warn", "bad")
NO_TESTS: Set[Tested] = frozenset()


class AtAGlance(msgspec.Struct, frozen=True):
    sign: str
    words: str
    grade: Grade


_NO_MODEL = AtAGlance("·", "no model", "dim")
_NOT_RUN = AtAGlance("·", "not run", "dim")
_AS_EXPECTED = AtAGlance("✓", "as expected", "ok")
_SLOWER = AtAGlance("✗", "slower than one disk", "bad")
_NO_RESULT = AtAGlance("✗", "no result", "bad")
_EXCLUDED = AtAGlance("▼", "excluded", "warn")


def off_model(row: ResultRow) -> Expected | None:
    return next(iter(expected_of([row])), None)


def glance(row: ResultRow, doubted: Set[Tested] = NO_TESTS) -> AtAGlance:
    """`doubted`: excluded tests, by setup and job."""
    if row.array.value is None:
        return _NOT_RUN if row.array.standing in ("not run", "running") else _NO_RESULT
    if (row.stage, row.job) in doubted:
        return _EXCLUDED
    off = off_model(row)
    if off is None:
        return _NO_MODEL
    percent = f"{abs(100 * ((off.ratio or 1.0) - 1)):.0f} %"
    if off.closeness == "above":
        return AtAGlance("▲", f"{percent} above expected", "ok")
    if off.closeness != "below":
        return _AS_EXPECTED
    single = row.single.value
    if single and row.predicted and (row.array.value or 0.0) < single < row.predicted:
        return _SLOWER
    return AtAGlance("▼", f"{percent} below expected", "warn")


def worst(glances: Iterable[AtAGlance]) -> Grade:
    return max((one.grade for one in glances), key=_WORST.index, default="dim")


def sentence(answer: Answer, comparison: Comparison, doubted: Set[Tested] = NO_TESTS) -> AtAGlance:
    """The slow disk; else one setup against the model: sequential tests, then each test off, worst first; of a sweep
    or an explanation the answer's first line.
    """
    if head := fault_lines.headline(answer.faults):
        return AtAGlance("▼", head, "warn")
    rows = comparison.rows
    seen = [(row, glance(row, doubted)) for row in rows]
    grade = worst(one for _, one in seen)
    sign = {"ok": "✓", "warn": "▼", "bad": "✗", "dim": "·"}[grade]
    known = [(row, one) for row, one in seen if one not in (_NO_MODEL, _NOT_RUN)]
    asks_model = answer.kind != "explanation" and len({row.stage for row in rows}) == 1
    if not asks_model or not any(row.predicted for row, _ in known):
        several = len({row.stage for row in rows}) > 1
        return AtAGlance("·" if several else sign, answer.lines[0], "dim" if several else grade)
    off = sorted(((row, one) for row, one in known if one.words != "as expected"), key=_worst_first)
    if not off:
        all_words = (
            f"All {len(known)} results as expected" if len(known) > 1 else f"{test_title(known[0][0])} as expected"
        )
        return AtAGlance(sign, all_words, grade)
    texts = [_told(row, one) for row, one in off]
    shared = texts[0].partition(" ")[0] + " "
    texts[1:] = [text.removeprefix(shared) for text in texts[1:]]
    head = ""
    kinds = {kind: [one for row, one in known if row.kind == kind] for kind in ("sequential", "random")}
    for kind, found in kinds.items():
        if found and all(one.words == "as expected" for one in found):
            head = f"{kind.capitalize()} speed as expected; "
            break
    shown = 1
    while shown < len(texts) and len(f"{head}{', '.join(texts[: shown + 1])}".split()) + 2 <= MOST_WORDS:
        shown += 1
    words = head + named(texts, shown)
    return AtAGlance(sign, words[:1].upper() + words[1:], grade)


def _worst_first(seen: tuple[ResultRow, AtAGlance]) -> tuple[int, float]:
    """Above expected last."""
    row, one = seen
    ratio = (row.deviation or 0.0) + 1
    return -_WORST.index(one.grade), log(ratio) if ratio > 0 and row.array.value else -1e9


def _told(row: ResultRow, one: AtAGlance) -> str:
    return f"{lower(test_title(row))} {one.words.removesuffix(' expected')}"


def suspects(rows: Sequence[ResultRow], most: int) -> str:
    """What may be behind the tests that differ, the worst first; "" where none does."""
    off = sorted(
        (row for row in rows if row.causes.deviation is not None and not row.causes.chance),
        key=lambda row: row.causes.deviation or 0.0,
    )
    told: dict[str, list[str]] = {}
    for row in off:
        found = [("Cause: ", cause) for cause in row.causes.evident] + [
            ("Suspect: ", one) for one in row.causes.suspects
        ]
        for word, cause in found[:1]:
            told.setdefault(word + _spelled(cause), []).append(lower(test_title(row)))
    if not off:
        return ""
    texts = [f"{cause} in {' and '.join(tests)}" for cause, tests in told.items()]
    more = [f"{len(texts) - most} more"] if len(texts) > most else []
    return "; ".join([*texts[:1], *map(lower, texts[1:most]), *more]) or "Cause unknown"


def _spelled(cause: Cause | Suspect) -> str:
    if isinstance(cause, TunableValue):
        return TUNABLES[cause.tunable].spelled
    return cause_words.brief(cause).partition(" (")[0]


def explained(plan: Plan, state: RunState, comparison: Comparison, said: str = "", most: int = 3) -> str:
    """What `explain` of the test furthest from expected measures and changes; "" where no test has a model. `said`: a
    text before it, in which abbreviations may be spelled out.
    """
    row = most_deviating(comparison)
    if row is None:
        return ""
    changes = []
    for key in suspects_of(plan, state, trial_of(plan, row), comparison):
        one = TUNABLES[key]
        changes.append(one.changed if one.spelled in said else one.changed.replace(one.cause, one.spelled))
    test = lower(test_title(row))
    return f"measure {test} again: {named(changes, most)}" if changes else f"measure {test} again"


def main_rows(answer: Answer, rows: Sequence[ResultRow], most: int) -> tuple[ResultRow, ...]:
    """Those of the run's question: tests that failed, that its first lines name, that are off the model."""
    if len(rows) <= most:
        return tuple(rows)
    asked = " ".join(answer.lines[:3]).lower()
    rules: tuple[Callable[[ResultRow], bool], ...] = (
        lambda row: glance(row) == _NO_RESULT,
        lambda row: not row.share_of and test_title(row).lower() in asked,
        lambda row: glance(row).grade == "warn",
        lambda row: not row.share_of,
        lambda row: True,
    )
    chosen: list[ResultRow] = []
    for rule in rules:
        chosen += [row for row in rows if row not in chosen and rule(row)]
    return tuple(row for row in rows if row in chosen[:most])
