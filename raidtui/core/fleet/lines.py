"""A fleet's figures as CSV: a line a test of a host, with host, run and date, as spreadsheets and programs take it."""

from raidtui.core.fleet.fleet import Experiment, Fleet
from raidtui.core.fleet.host_run import HostFigure, HostRun
from raidtui.core.fleet.sections import date_of
from raidtui.core.page.csv import csv

_COLUMNS = (
    "host", "run", "date", "outcome", "recipe", "setup", "job", "title", "direction", "unit", "value", "runs",
    "standing", "error", "one_disk", "all_at_once", "gain", "host_slow", "disks", "slow_disks", "raw_bytes",
    "usable_bytes", "kept", "emulated",
)  # fmt: skip


def lines(fleet: Fleet) -> str:
    """The whole file. `value`, `one_disk` and `all_at_once` are in `unit`; sizes in bytes; dates UTC."""
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
