"""Checks of a run by thresholds and an earlier run (`results.differences`). What cannot be judged has not passed."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from raidtui.core.acceptance.values import RunValues, Value
from raidtui.core.answer import numbers
from raidtui.core.plan.model import Plan
from raidtui.core.results import comparison
from raidtui.core.results.comparison import Entry, Matched
from raidtui.core.run.state import RunState
from raidtui.core.threshold import Expect, Threshold, check_jobs, parse
from raidtui.core.units import format_iops, format_rate

_UNLIKE = {
    "queue depth": "its queue depth differs from that in {}; measure one of them again",
    "file": "only one of this and {} is a test on a file; measure one of them again",
}
Outcome = Literal["passed", "failed", "skipped"]


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """`name`: threshold or compared test; `of`: what was judged."""

    name: str
    outcome: Outcome
    sentence: str
    of: str = ""
    value: float | None = None
    unit: str = ""


class CheckDocument(msgspec.Struct, frozen=True, kw_only=True):
    """`raidtui check --json`."""

    run: str
    passed: bool
    checks: tuple[CheckResult, ...]


def of_thresholds(run: RunValues, thresholds_asked: Sequence[str], expected: Sequence[Expect]) -> list[CheckResult]:
    """Requested ones, then the recipe's (skipped for tests left out). BadThreshold for unknown names or tests."""
    thresholds = [parse(text) for text in thresholds_asked]
    check_jobs(thresholds, run.jobs)
    checks = [check for threshold in thresholds for check in _judged(run, threshold)]
    return checks + [check for expect in expected for check in _judged(run, parse(expect.fail_if), expect.why)]


def _judged(run: RunValues, threshold: Threshold, why: str = "") -> list[CheckResult]:
    values = run.values_of(threshold)
    because = f" ({why})" if why else ""
    if not values and threshold.job not in run.jobs:
        sentence = f"this run has no test {threshold.job}{because}"
        return [CheckResult(name=threshold.text, outcome="skipped", sentence=sentence)]
    values = values or [Value(why_not=f"the run has no {threshold.direction or 'figure'}s of {threshold.job}")]
    return [_check(threshold, value, because) for value in values]


def _check(threshold: Threshold, value: Value, because: str) -> CheckResult:
    on = f": {value.of}" if value.of else f". {value.note}" if value.note else ""
    if value.value is None:
        sentence = f"cannot be judged, {value.why_not}{on}{because}"
        return CheckResult(name=threshold.text, outcome="failed", sentence=sentence, of=value.of, unit=threshold.unit)
    failed = threshold.exceeded(value.value)
    return CheckResult(
        name=threshold.text,
        outcome="failed" if failed else "passed",
        sentence=f"it is {number(value.value, threshold.unit)}{on}{because if failed else ''}",
        of=value.of,
        value=value.value,
        unit=threshold.unit,
    )


def number(value: float, unit: str) -> str:
    """Four digits, more if whole, with unit."""
    digits = f"{value:.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return f"{digits} {unit}" if unit else digits


def against(run: RunValues, base_plan: Plan, base_state: RunState, base: str) -> list[CheckResult]:
    """Tests in both runs: failed if significantly slower than in `base`, or without result. ValueError if none."""
    series = [*comparison.of_run(base_plan, base_state, "", 0), *comparison.of_run(run.plan, run.state, "", 1)]
    base_places, own_places = ({column.place for column in series if column.source == source} for source in (0, 1))
    common = [column for column in series if column.place in base_places & own_places]
    every = comparison.match(common)
    matched = [match for match in every if match.alike]
    if not matched:
        raise ValueError(f"--against {base}: the two runs have no test on the same setup in common")
    checks = [_against_base(match, match.entries[0], entry, base) for match in matched for entry in match.entries[1:]]
    checks += [
        CheckResult(name=match.title, outcome="skipped", sentence=_UNLIKE[match.unlike].format(base))
        for match in every
        if match.unlike
    ]
    return [*checks, *(check for check in _judged(run, parse("missing_tests > 0")) if check.outcome == "failed")]


def _against_base(match: Matched, base_entry: Entry, entry: Entry, base: str) -> CheckResult:
    base_figure, own_figure = (
        (figures.iops if match.kind == "random" else figures.bytes_per_s) for figures in (base_entry, entry)
    )
    if base_figure.value is None:
        return CheckResult(name=match.title, outcome="skipped", sentence=f"{base} has no figure of it")
    if own_figure.value is None:
        error = f": {own_figure.error}" if own_figure.error else ""
        return CheckResult(
            name=match.title, outcome="failed", sentence=f"it has no figure here ({own_figure.standing}{error})"
        )
    over = entry.over_base
    slower = over.conclusion == "different" and over.share is not None and over.share < 0
    figure_texts = [f"{format_iops(value)} IOPS" if match.kind == "random" else format_rate(value)
             for value in (own_figure.value, base_figure.value)]  # fmt: skip
    return CheckResult(
        name=match.title,
        outcome="failed" if slower else "passed",
        sentence=f"{figure_texts[0]} here, {figure_texts[1]} in {base}: {numbers.in_words(over)}",
        value=over.share,
    )
