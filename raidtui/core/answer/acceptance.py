"""Checks of a run by thresholds and an earlier run (`results.differences`). What cannot be judged has not passed.

Values of a run for thresholds, or why missing; from analysis rows and journal counts.

Checks as JUnit XML for CI: a suite per run, a case per check.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Literal
from xml.etree import ElementTree as xml

import msgspec

from raidtui.core.answer import numbers
from raidtui.core.answer.expected import expected_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.plan.model import Plan
from raidtui.core.results import comparison
from raidtui.core.results.analysis import ResultRow, compare, test_title
from raidtui.core.results.comparison import Entry, Matched
from raidtui.core.results.figure import Figure, Usability
from raidtui.core.run.state import RunState
from raidtui.core.text import clean
from raidtui.core.threshold import OF_RUNS, OF_TESTS, Expect, Named, Threshold, check_jobs, parse
from raidtui.core.units import MB, format_iops, format_rate

FEWEST_TESTS = 2  # of which a slow disk can be named
_NS_IN_US, _NS_IN_MS = 1e3, 1e6
_NO_FIGURE: dict[Usability, str] = {
    "ok": "this test was measured without such a figure",
    "not run": "this test was not measured",
    "running": "this test is measured now",
    "failed": "this test failed",
    "interrupted": "this test was interrupted",
    "incomplete": "this test was not complete",
}


class Value(msgspec.Struct, frozen=True, kw_only=True):
    """`of`: "" for the whole run; `note`: a limit of the value."""

    of: str = ""
    value: float | None = None
    why_not: str = ""
    note: str = ""


class RunValues:
    def __init__(self, plan: Plan, state: RunState) -> None:
        self.plan, self.state = plan, state
        self.comparison = compare(plan, state)
        self.facts = AnswerFacts(plan, state, self.comparison)

    @property
    def jobs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for trial in self.plan.trials for name in (trial.job, trial.family) if name))

    def values_of(self, threshold: Threshold) -> list[Value]:
        """Empty if the run has no such test."""
        if not threshold.job:
            return [self.of_run(threshold.name)]
        return [
            self._of_row(row, threshold.name)
            for row in self.comparison.rows
            if threshold.is_of(row.job, row.family, row.direction)
        ]

    def of_run(self, name: str) -> Value:
        value = _OF_RUN[name](self)
        if value is None:
            return Value(why_not=_UNKNOWN[name])
        return Value(value=value, note=self.comparison.screen.words if name == "slow_disks" else "")

    def every_value(self) -> Iterator[tuple[str, Named, Value]]:
        """Every name with unit and value; the run's own first."""
        for name, named in OF_RUNS.items():
            yield name, named, self.of_run(name)
        for row in self.comparison.rows:
            test = f"{row.job}.{row.direction}" if row.mixed else row.job
            for name, named in OF_TESTS.items():
                yield f"{test}.{name}", named, self._of_row(row, name)

    def _of_row(self, row: ResultRow, name: str) -> Value:
        value = _OF_TEST[name](row)
        title = f"{test_title(row)} on {self.facts.names.get(row.stage) or row.setup}"
        return Value(of=title, value=value, why_not="" if value is not None else _why_not(row))


def _why_not(row: ResultRow) -> str:
    if row.disturbed:
        return row.disturbed
    reason = _NO_FIGURE[row.array.standing]
    return f"{reason}: {row.array.error}" if row.array.error else reason


def _rate(of: Callable[[ResultRow], Figure], bytes_per_s: bool) -> Callable[[ResultRow], float | None]:
    """MB/s or IOPS, whichever the row is not in: fixed block size."""

    def value(row: ResultRow) -> float | None:
        figure = of(row).value
        if figure is None:
            return None
        in_bytes = row.kind == "sequential"
        if in_bytes is bytes_per_s:
            return figure / MB if bytes_per_s else figure
        if row.bs_bytes is None:
            return None
        return figure * row.bs_bytes / MB if bytes_per_s else figure / row.bs_bytes

    return value


def _percentile(point: str) -> Callable[[ResultRow], float | None]:
    return lambda row: _in(row.latency.percentiles_ns.get(point), _NS_IN_US)


def _in(value: float | None, unit: float) -> float | None:
    return None if value is None else value / unit


_OF_TEST: dict[str, Callable[[ResultRow], float | None]] = {
    "gain": lambda row: row.gain,
    "efficiency": lambda row: row.efficiency,
    "efficiency_slowest": lambda row: row.efficiency_slowest,
    "deviation": lambda row: row.deviation,
    "mbps": _rate(lambda row: row.array, True),
    "iops": _rate(lambda row: row.array, False),
    "one_disk_mbps": _rate(lambda row: row.single, True),
    "one_disk_iops": _rate(lambda row: row.single, False),
    "all_at_once_mbps": _rate(lambda row: row.all_at_once, True),
    "all_at_once_iops": _rate(lambda row: row.all_at_once, False),
    "mean_ms": lambda row: _in(row.latency.mean_ns, _NS_IN_MS),
    "p50_us": _percentile("50"),
    "p99_us": _percentile("99"),
    "max_ms": lambda row: _in(row.latency.max_ns, _NS_IN_MS),
    "disk_operations": lambda row: row.operations.total if row.operations else None,
    "spread": lambda row: row.array.spread,
    "repetitions": lambda row: float(row.array.runs),
}


def _figureless(run: RunValues, statuses: Sequence[str | None]) -> float:
    """Trials with one of these ends, None: not ended."""
    measured = [run.state.measured(trial.id) for trial in run.plan.trials if trial.id not in run.state.passed_over]
    return float(sum((measurement.status if measurement else None) in statuses for measurement in measured))


def _mismatches(run: RunValues) -> float | None:
    counted = [mismatches.sectors for mismatches in run.state.mismatches if mismatches.final]
    return float(counted[-1]) if counted else None


def _screened(run: RunValues, disks: int) -> float | None:
    """Number of disks; None (not 0) if not screened."""
    return float(disks) if run.comparison.screen.tests >= FEWEST_TESTS else None


def _below_theory(run: RunValues) -> float | None:
    judged = expected_of(run.comparison.rows)
    return float(sum(value.closeness == "below" for value in judged)) if judged else None


_NO_SCREEN = "it takes three disks, and two tests that measured each of them, to name a slow one"
_UNKNOWN = {
    "slow_disks": _NO_SCREEN,
    "unsure_disks": _NO_SCREEN,
    "below_theory": "no expected value for any of its tests",
    "mismatch_sectors": "it had md check nothing",
}
_OF_RUN: dict[str, Callable[[RunValues], float | None]] = {
    "slow_disks": lambda run: _screened(run, len({slow.member for slow in run.comparison.slow_members})),
    "unsure_disks": lambda run: _screened(run, len(run.comparison.unsure)),
    "failed_tests": lambda run: _figureless(run, ("failed",)),
    "missing_tests": lambda run: _figureless(run, ("failed", "interrupted", "incomplete", None)),
    "below_theory": _below_theory,
    "beyond_disks": lambda run: float(len({stage for stage, _ in run.facts.ranking.beyond_disks})),
    "warnings": lambda run: float(len(run.comparison.warnings)),
    "mismatch_sectors": _mismatches,
    "damaged_lines": lambda run: float(run.state.damaged),
}


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
    every = comparison.match([column for column in series if column.place in base_places & own_places])
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


def document(run: str, host: str, began_s: float, checks: Sequence[CheckResult]) -> str:
    """`began_s`: Unix time."""
    outcomes = Counter(check.outcome for check in checks)
    counts = {"tests": str(len(checks)), "failures": str(outcomes["failed"]), "errors": "0"}
    counts["skipped"] = str(outcomes["skipped"])
    suites = xml.Element("testsuites", counts)
    began = f"{datetime.fromtimestamp(began_s, UTC):%Y-%m-%dT%H:%M:%S}"
    named = {"name": f"raidtui {clean(run)}", "hostname": clean(host), "timestamp": began, "time": "0"}
    suite = xml.SubElement(suites, "testsuite", named | counts)
    for check in checks:
        title = clean(f"{check.name}: {check.of}" if check.of else check.name)
        case = xml.SubElement(suite, "testcase", {"classname": f"raidtui.{clean(run)}", "name": title, "time": "0"})
        if check.outcome == "failed":
            xml.SubElement(case, "failure", {"message": clean(check.sentence), "type": "threshold"})
        elif check.outcome == "skipped":
            xml.SubElement(case, "skipped", {"message": clean(check.sentence)})
    xml.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(suites, encoding="unicode") + "\n"
