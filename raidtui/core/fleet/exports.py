"""Results of runs for other programs: CSV, one line per test of a host; Prometheus text format of one run.
An unknown value has no sample: a missing series is not a zero.
"""

from raidtui.core.arrays.prometheus import Metric, Sample, family
from raidtui.core.fleet.fleet import Experiment, Fleet
from raidtui.core.fleet.host_run import HostFigure, HostRun
from raidtui.core.fleet.sections import date_of
from raidtui.core.page.csv import csv

BEGAN = Metric("raidtui_run_start_timestamp_seconds", "Unix time at which the run began.")
GOING_ON = Metric("raidtui_run_going_on", "1 while the run's worker is alive, else 0.")
FINISHED = Metric("raidtui_run_finished", "1 if the run has finished, else 0.")
TESTS = Metric("raidtui_run_tests", "Number of measurements in the run's plan.")
MISSING = Metric("raidtui_run_missing_tests", "Number of measurements without a figure, or without one yet.")
LEFT = Metric("raidtui_run_left_seconds", "Estimated time left of the run in seconds.")
SLOW = Metric(
    "raidtui_run_slow_disks", "Disks that are slow in two tests at least; no sample where none was looked for."
)
BYTES = Metric("raidtui_run_test_bytes_per_second", "Median of a sequential test on a setup in bytes per second.")
IOPS = Metric("raidtui_run_test_operations_per_second", "Median of a random test on a setup in operations per second.")
GAIN = Metric("raidtui_run_test_gain_ratio", "Rate of the array divided by that of one disk alone.")


def metrics_of(run: HostRun, alive: bool, left_s: float | None) -> str:
    labels = (("host", run.host), ("run", run.run))
    plain: tuple[tuple[Metric, float | None], ...] = (
        (BEGAN, run.began_s or None),
        (GOING_ON, float(alive)),
        (FINISHED, float(run.outcome == "finished")),
        (TESTS, run.trials),
        (MISSING, run.missing),
        (LEFT, left_s),
        (SLOW, len(run.slow_disks) if run.disk_rates else None),
    )
    lines = [line for metric, value in plain for line in family(metric, [(labels, value)])]
    tests = [
        (figure, (*labels, ("setup", figure.setup), ("test", figure.job), ("direction", figure.direction)))
        for figure in run.figures
    ]
    of_tests: tuple[tuple[Metric, list[Sample]], ...] = (
        (BYTES, [(inner, figure.value) for figure, inner in tests if figure.unit == "bytes/s"]),
        (IOPS, [(inner, figure.value) for figure, inner in tests if figure.unit == "IOPS"]),
        (GAIN, [(inner, figure.gain) for figure, inner in tests]),
    )
    return "".join((*lines, *(line for metric, samples in of_tests for line in family(metric, samples))))


_COLUMNS = (
    "host", "run", "date", "outcome", "recipe", "setup", "job", "title", "direction", "unit", "value", "runs",
    "standing", "error", "one_disk", "all_at_once", "gain", "host_slow", "disks", "slow_disks", "raw_bytes",
    "usable_bytes", "kept", "emulated",
)  # fmt: skip


def csv_of(fleet: Fleet) -> str:
    """`value`, `one_disk`, `all_at_once` in `unit`; sizes in bytes; dates UTC."""
    return csv(
        _COLUMNS,
        (
            _row(experiment, run, figure)
            for experiment in fleet.experiments
            for run in experiment.runs
            for figure in run.figures
        ),
    )


def _row(experiment: Experiment, run: HostRun, figure: HostFigure) -> list[object]:
    slow = any(host.host == run.host and host.run == run.run for host in experiment.screened.hosts)
    return [
        run.host, run.run, date_of(run), run.outcome, run.recipe, figure.setup, figure.job, figure.title,
        figure.direction, figure.unit, figure.value, figure.runs, figure.standing, figure.error, figure.one_disk,
        figure.all_at_once, figure.gain, int(slow), len(run.disks),
        experiment.slow_disks(run), run.raw_bytes, run.usable_bytes, int(run.kept),
        int(run.emulated),
    ]  # fmt: skip
