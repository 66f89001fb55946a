"""Results side by side: runs, files of fio's and folders of them, matched test by test, with the base named.

Knows measurements; where they come from is the caller's.
"""

from collections.abc import Callable, Hashable, Sequence

import msgspec

from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.cell import told_apart
from raidtui.core.plan.model import Plan, Target
from raidtui.core.results.differences import Difference, difference
from raidtui.core.results.figure import Attempt, Figure, Latency, direction, figure, latency
from raidtui.core.run.state import RunState


class Test(msgspec.Struct, frozen=True):
    """One job in one direction: what results are matched by. `job` is the recipe's name of it, or the file's."""

    job: str
    rw: str
    bs_bytes: int | None
    iodepth: int | None
    numjobs: int | None
    direction: DirectionName

    @property
    def queue(self) -> int | None:
        """All that is asked for at once; None where it is not known."""
        return self.iodepth * self.numjobs if self.iodepth and self.numjobs else None

    @property
    def title(self) -> str:
        shown = f"{self.rw} of {self.bs_bytes} bytes" if self.bs_bytes else self.rw
        shown += f", queue {self.queue}" if self.queue else ""
        return f"{shown} ({self.direction}s)"


class Series(msgspec.Struct, frozen=True):
    """A column of the comparison: all repetitions of every test on one setup, or in one set of files."""

    name: str
    tests: dict[Test, tuple[Measurement, ...]]


class Entry(msgspec.Struct, frozen=True):
    """One series in one test. `over_base` is by IOPS of a random test, by bytes/s of a sequential one."""

    series: str
    bytes_per_s: Figure
    iops: Figure
    latency: Latency
    over_base: Difference


class Matched(msgspec.Struct, frozen=True):
    """A test that more than one series has; `base` is the first series that has it."""

    title: str
    kind: Kind
    base: str
    entries: tuple[Entry, ...]


# From the strictest on: results of one tool have names in common, others at least what was done.
_KEYS: tuple[Callable[[Test], Hashable], ...] = (
    lambda test: (test.job, test.rw, test.direction),
    lambda test: (test.rw, test.bs_bytes, test.queue, test.direction),
    lambda test: (test.rw, test.bs_bytes, test.direction),
    lambda test: (test.rw, test.direction),
)


def of_run(plan: Plan, state: RunState, name: str = "") -> tuple[Series, ...]:
    """A series for one disk alone, for all at once, and for each setup of a run; `name` stands before each."""
    cells = {stage.setup: stage.title for stage in plan.stages if stage.setup}
    names: dict[Setup | str, str] = dict(zip(cells, told_apart(list(cells.values()), list(cells)), strict=True))
    found: dict[Setup | str, dict[Test, tuple[Measurement, ...]]] = {}
    for stage in plan.stages:
        for trial in stage.trials:
            measurement = state.measured(trial.id)
            if measurement is None or (trial.member or 0) > 0:
                continue
            where = _BARE.get(trial.target) or stage.setup or stage.title
            for way in directions(trial.rw):
                test = Test(trial.job, trial.rw, trial.bs_bytes, trial.iodepth or 1, trial.numjobs or 1, way)
                tests = found.setdefault(where, {})
                tests[test] = (*tests.get(test, ()), measurement)
    before = f"{name}: " if name else ""
    return tuple(Series(before + names.get(where, str(where)), tests) for where, tests in found.items())


_BARE: dict[Target, str] = {"member": "one disk", "members": "all disks at once"}


def of_measurements(name: str, measured: Sequence[tuple[str, Measurement]]) -> Series:
    """A series of results of fio's, each with the name of its file."""
    tests: dict[Test, tuple[Measurement, ...]] = {}
    for job, one in measured:
        for way in directions(one.rw) or tuple(way for way in ("read", "write") if getattr(one, way)):
            test = Test(job, one.rw, one.bs_bytes, one.iodepth, one.numjobs, way)
            tests[test] = (*tests.get(test, ()), one)
    return Series(name, tests)


def match(series: Sequence[Series]) -> tuple[Matched, ...]:
    """The tests that several series have, by the strictest names and patterns under which every series has one.

    Where one has nothing in common with the others, the loosest: what is read or written, and how.
    """
    for key in _KEYS:
        keyed = [{key(test): test for test in one.tests} for one in series]
        every = dict.fromkeys(found for one in keyed for found in one)
        common = [found for found in every if sum(found in one for one in keyed) > 1]
        if all(set(one) & set(common) for one in keyed):
            break
    return tuple(_matched(found, series, keyed) for found in common)


def _matched(found: Hashable, series: Sequence[Series], keyed: Sequence[dict[Hashable, Test]]) -> Matched:
    having = [(one, tests[found]) for one, tests in zip(series, keyed, strict=True) if found in tests]
    base, first = having[0]
    figures = [_figures(one.tests[test], test) for one, test in having]
    judged = [by_iops if kind(test.rw) == "random" else by_bytes
              for (_, test), (by_bytes, by_iops, _) in zip(having, figures, strict=True)]  # fmt: skip
    entries = []
    for (one, _), (by_bytes, by_iops, late), mine in zip(having, figures, judged, strict=True):
        over = Difference() if one is base else difference(mine, judged[0], judged)
        entries.append(Entry(one.name, by_bytes, by_iops, late, over))
    return Matched(first.title, kind(first.rw), base.name, tuple(entries))


def _figures(measured: Sequence[Measurement], test: Test) -> tuple[Figure, Figure, Latency]:
    attempts = [Attempt(one) for one in measured]

    def of(field: str) -> Figure:
        return figure(attempts, lambda one: getattr(direction(one, test.direction), field, None))

    return of("bytes_per_s"), of("iops"), latency(attempts, test.direction)
