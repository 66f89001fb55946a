"""Newest run per host and experiment; experiments' hosts side by side."""

from collections.abc import Sequence
from statistics import median

import msgspec

from raidtui.core.answer.values import Unit
from raidtui.core.fleet.host_run import HostFigure, HostRun, TestKey
from raidtui.core.fleet.screens import Screened, screened


class TestAcross(msgspec.Struct, frozen=True, kw_only=True):
    """A test on a setup over all hosts with a result, in `unit`."""

    setup: str
    title: str
    job: str
    direction: str
    unit: Unit
    hosts: int
    low: float
    median: float
    high: float

    @property
    def key(self) -> TestKey:
        return self.setup, self.job, self.direction


class Experiment(msgspec.Struct, frozen=True, kw_only=True):
    """Same answers on several hosts, one run each, by name."""

    title: str
    setups: tuple[str, ...]
    runs: tuple[HostRun, ...]
    tests: tuple[TestAcross, ...]
    screened: Screened

    def slow_disks(self, run: HostRun) -> int | None:
        """Slow beside its host's or the fleet's; None if not compared."""
        named = sum((slow_disk.host, slow_disk.run) == (run.host, run.run) for slow_disk in self.screened.disks)
        return named if run.disk_rates else None

    @property
    def missing(self) -> tuple[HostRun, ...]:
        return tuple(run for run in self.runs if run.failed)


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """`older`: superseded runs; `not_read`: with reasons. `raw_bytes`: each disk once; `kept_bytes`: kept arrays."""

    experiments: tuple[Experiment, ...]
    hosts: int
    disks: int
    raw_bytes: int
    kept: int
    kept_bytes: int
    older: int
    not_read: tuple[str, ...]


def fleet_of(runs: Sequence[HostRun], not_read: Sequence[str] = ()) -> Fleet:
    distinct = _distinct_hosts(runs)
    newest: dict[tuple[str, str], HostRun] = {}
    for run in sorted(distinct, key=lambda run: (run.began_s, run.run)):
        newest[_identity(run), run.experiment] = run
    experiments: dict[str, list[HostRun]] = {}
    for run in sorted(newest.values(), key=lambda run: natural(run.host)):
        experiments.setdefault(run.experiment, []).append(run)
    disks = {(_identity(run), disk.id): disk.size_bytes for run in newest.values() for disk in run.disks}
    kept_bytes_by_run = {(_identity(run), run.run): run.usable_bytes or 0 for run in newest.values() if run.kept}
    return Fleet(
        experiments=tuple(_experiment(runs) for runs in experiments.values()),
        hosts=len({_identity(run) for run in newest.values()}),
        disks=len(disks),
        raw_bytes=sum(disks.values()),
        kept=len(kept_bytes_by_run),
        kept_bytes=sum(kept_bytes_by_run.values()),
        older=len(runs) - len(newest),
        not_read=tuple(not_read),
    )


def natural(name: str) -> tuple[tuple[int, int, str], ...]:
    """node2 before node10."""
    runs_of_kind: list[str] = []
    for char in name:
        if runs_of_kind and runs_of_kind[-1][-1].isdecimal() == char.isdecimal():
            runs_of_kind[-1] += char
        else:
            runs_of_kind.append(char)
    return tuple((0, int(text), "") if text.isdecimal() else (1, 0, text) for text in runs_of_kind)


def _identity(run: HostRun) -> str:
    """Clones share the machine-id, unconfigured machines the name."""
    return f"{run.machine} {run.host}"


def _distinct_hosts(runs: Sequence[HostRun]) -> list[HostRun]:
    machines: dict[str, set[str]] = {}
    for run in runs:
        machines.setdefault(run.host, set()).add(run.machine)
    return [
        msgspec.structs.replace(run, host=f"{run.host} ({run.machine[:4]})") if len(machines[run.host]) > 1 else run
        for run in runs
    ]


def _experiment(runs: Sequence[HostRun]) -> Experiment:
    first = runs[0]
    several_setups = f"{first.recipe}, {len(first.setups)} setups" if len(first.setups) > 1 else ""
    return Experiment(
        title=several_setups or ": ".join((first.recipe, *first.setups)),
        setups=first.setups,
        runs=tuple(runs),
        tests=_tests(runs),
        screened=screened(runs),
    )


def _tests(runs: Sequence[HostRun]) -> tuple[TestAcross, ...]:
    tests: dict[TestKey, list[HostFigure]] = {}
    for run in runs:
        for figure in run.figures:
            tests.setdefault(figure.key, []).append(figure)
    return tuple(
        TestAcross(
            setup=figures[0].setup,
            title=figures[0].title,
            job=figures[0].job,
            direction=figures[0].direction,
            unit=figures[0].unit,
            hosts=len(values),
            low=min(values),
            median=median(values),
            high=max(values),
        )
        for figures in tests.values()
        if (values := [figure.value for figure in figures if figure.value])
    )
