"""A run at a glance: each test's verdict by sign and words, the answer in one sentence, suspects, what explaining
measures. Screens have their verdicts from here; the limits are those of `core/results`.
"""

from collections.abc import Callable, Sequence, Set
from math import log

from raidtui.core.answer import faults
from raidtui.core.answer.answer import Answer
from raidtui.core.answer.beyond_disks import Tested
from raidtui.core.answer.mark import (
    NO_MODEL,
    NO_RESULT,
    NO_TESTS,
    NOT_RUN,
    WORST,
    AtAGlance,
    glance,
)
from raidtui.core.answer.numbers import brief, lower, named, upper
from raidtui.core.plan.model import Plan
from raidtui.core.plan.tunables import TUNABLES
from raidtui.core.results.ablation import most_deviating, suspects_of, trial_of
from raidtui.core.results.analysis import Comparison, ResultRow, test_title
from raidtui.core.results.deviation import Cause, Suspect, TunableValue
from raidtui.core.run.state import RunState

MOST_WORDS = 20  # of the sentence


def sentence(answer: Answer, comparison: Comparison, doubted: Set[Tested] = NO_TESTS) -> AtAGlance:
    """The slow disk; else one setup against the model: sequential tests, then each test off, worst first; of a sweep
    or an explanation the answer's first line.
    """
    if head := faults.headline(answer.faults):
        return AtAGlance(answer.mark.sign, head, answer.mark.grade)
    rows = comparison.rows
    seen = [(row, glance(row, doubted)) for row in rows]
    sign, grade = answer.mark.sign, answer.mark.grade
    known = [(row, one) for row, one in seen if one not in (NO_MODEL, NOT_RUN)]
    asks_model = answer.kind != "explanation" and len({row.stage for row in rows}) == 1
    if not asks_model or not any(row.predicted for row, _ in known):
        return AtAGlance(sign, answer.lines[0], grade)
    off = sorted(((row, one) for row, one in known if one.words != "as expected"), key=_worst_first)
    if not off:
        all_words = (
            f"All {len(known)} results as expected" if len(known) > 1 else f"{test_title(known[0][0])} as expected"
        )
        return AtAGlance(sign, all_words, grade)
    texts = [f"{lower(test_title(row))} {one.words.removesuffix(' expected')}" for row, one in off]
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
    return AtAGlance(sign, upper(words), grade)


def _worst_first(seen: tuple[ResultRow, AtAGlance]) -> tuple[int, float]:
    """Above expected last."""
    row, one = seen
    ratio = (row.deviation or 0.0) + 1
    return -WORST.index(one.grade), log(ratio) if ratio > 0 and row.array.value else -1e9


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
    return brief(cause).partition(" (")[0]


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
        lambda row: glance(row) == NO_RESULT,
        lambda row: not row.share_of and test_title(row).lower() in asked,
        lambda row: glance(row).grade == "warn",
        lambda row: not row.share_of,
        lambda row: True,
    )
    chosen: list[ResultRow] = []
    for rule in rules:
        chosen += [row for row in rows if row not in chosen and rule(row)]
    return tuple(row for row in rows if row in chosen[:most])
