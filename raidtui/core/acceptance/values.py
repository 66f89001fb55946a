"""Values of a run for thresholds, or why missing; from analysis rows and journal counts."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from raidtui.core.answer.expected import expected_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow, compare, test_title
from raidtui.core.results.figure import Figure, Usability
from raidtui.core.run.state import RunState
from raidtui.core.threshold import OF_RUNS, OF_TESTS, Named, Threshold
from raidtui.core.units import MB

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
        self.comparison: Comparison = compare(plan, state)
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
    "beyond_disks": lambda run: float(len({stage for stage, _ in run.facts.beyond_disks})),
    "warnings": lambda run: float(len(run.comparison.warnings)),
    "mismatch_sectors": _mismatches,
    "damaged_lines": lambda run: float(run.state.damaged),
}
