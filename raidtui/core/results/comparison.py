"""Results side by side: runs and fio's files, matched by setup, job, block size, queue depth and jobs.

The figures that a recipe's source published, found for one row of ours. Knows units, and nothing of measurements.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage, Target
from raidtui.core.plan.parsed_setup import distinct_titles, untitled
from raidtui.core.plan.recipe import Bare, Published, published_key
from raidtui.core.plan.steps import Wait
from raidtui.core.results.differences import ASSUMED_SPREAD, Difference, difference
from raidtui.core.results.figure import Attempt, Figure, Latency, direction, figure, latency
from raidtui.core.results.numerics import built, joined
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, MIB, Units, format_bytes

_MOST_BLOCKS = 10_000  # of one source: those of another are other blocks
_WORDS = {
    "read": "Sequential {} reads",
    "write": "Sequential {} writes",
    "rw": "Sequential {} reads and writes",
    "readwrite": "Sequential {} reads and writes",
    "randread": "Random {} reads",
    "randwrite": "Random {} writes",
    "randrw": "Random {} reads and writes",
}
_PARTS: dict[Bare, str] = {"": "", "start": "bare array", "end": "bare array, inner tracks"}
Place = Setup | str


class Test(msgspec.Struct, frozen=True):
    """One job in one direction: what results are matched by. `job` is the recipe's name of it, or the file's."""

    job: str
    rw: str
    bs_bytes: int | None
    iodepth: int | None
    numjobs: int | None
    direction: DirectionName
    disk_queue: int = 0  # of each disk, in place of depth and jobs
    on_file: bool = False
    bare: Bare = ""

    @property
    def where(self) -> tuple[bool, bool]:
        """What no two tests that are set beside each other differ in, where one is of a part of the bare array."""
        return self.on_file, self.bare == "end"

    @property
    def queue(self) -> int | None:
        """All that is asked for at once; None where it is not known, or is by disk."""
        return self.iodepth * self.numjobs if self.iodepth and self.numjobs else None

    @property
    def family(self) -> tuple[str, int | None, DirectionName]:
        """What it has in common with tests of another depth or another number of jobs."""
        return self.rw, self.bs_bytes, self.direction

    @property
    def pattern(self) -> str:
        size = format_bytes(self.bs_bytes, Units.BINARY).replace(".00", "") if self.bs_bytes else ""
        pattern_words = _WORDS.get(self.rw)  # what else a file says is no form
        words = " ".join((pattern_words.format(size) if pattern_words else f"{self.rw} {size}").split())
        return f"{words}: the {self.direction}s" if len(directions(self.rw)) > 1 else words

    @property
    def title(self) -> str:
        depth_and_jobs = [f"queue depth {self.iodepth}"] if self.iodepth else []
        depth_and_jobs += [f"queue depth {self.disk_queue} per disk"] if self.disk_queue else []
        depth_and_jobs += [f"{self.numjobs} job{'' if self.numjobs == 1 else 's'}"] if self.numjobs else []
        where = "on a file" if self.on_file else _PARTS[self.bare]
        return ", ".join(filter(None, (self.pattern, *depth_and_jobs, where)))


class Series(msgspec.Struct, frozen=True):
    """All repetitions of every test on one setup or of one set of files. `source`: number of the run or the files;
    `place`: setup or what was measured, `on` in words; `how`: what the name leaves out.
    """

    name: str
    tests: dict[Test, tuple[Attempt, ...]]
    source: int = 0
    place: Place = ""
    on: str = ""
    how: dict[str, str] = {}
    file_tests: bool = False  # those on files are not set beside disks


class Entry(msgspec.Struct, frozen=True):
    """One series in one test. `over_base` is by IOPS of a random test, by bytes/s of a sequential one."""

    series: str
    bytes_per_s: Figure
    iops: Figure
    latency: Latency
    over_base: Difference


class Matched(msgspec.Struct, frozen=True):
    """A test that more than one series has; `base` is the first series that has it. `alike`: it is one and the same;
    `unlike`: of one name and pattern, but another queue depth, or a file in place of the device.
    """

    title: str
    kind: Kind
    base: str
    entries: tuple[Entry, ...]
    alike: bool = True
    unlike: Literal["", "queue depth", "file"] = ""


class DepthGrid(msgspec.Struct, frozen=True):
    """Tests of one series that differ in queue depth and number of jobs alone: (depth, jobs) -> figures."""

    title: str
    kind: Kind
    cells: dict[tuple[int, int], tuple[Figure, Latency]]


ASSUMED = (
    f"Single runs: a difference counts from about 15 % on ({100 * ASSUMED_SPREAD:.0f} % from run to run assumed)."
    " More repetitions show smaller ones."
)


def is_assumed(matched: Sequence[Matched]) -> bool:
    return any(
        entry.over_base.assumed and entry.over_base.conclusion == "different"
        for test in matched
        for entry in test.entries
    )


# From the strictest on. One that would take two tests of a series for one is not used.
_KEYS: tuple[Callable[[Test], Hashable], ...] = (
    lambda test: test,
    lambda test: (test.family, test.iodepth, test.numjobs, test.disk_queue, test.on_file),
    lambda test: (test.family, test.queue, test.disk_queue),
    lambda test: test.family,
    lambda test: (test.rw, test.direction),
)
_ALIKE = 2  # of these keys, under which tests are the same but for the name of their job
_BARE: dict[Target, str] = {"member": "one disk", "members": "all disks at once"}


def of_run(plan: Plan, state: RunState, name: str = "", source: int = 0) -> tuple[Series, ...]:
    """A series for one disk alone, for all at once, and for each setup of a run; `name` stands before each."""
    plan = joined(plan)
    cells = {stage.setup: stage.title for stage in plan.stages if stage.setup}
    names: dict[Place, str] = dict(zip(cells, distinct_titles(list(cells.values()), list(cells)), strict=True))
    by_place: dict[Place, dict[Test, tuple[Attempt, ...]]] = {}
    baselines = [stage for stage in plan.stages if stage.setup is None]
    for stage in (*baselines, *(stage for _, stage in built(plan))):
        for trial in stage.trials:
            measurement = state.measured(trial.id)
            if measurement is None or (trial.member or 0) > 0:
                continue
            where = _BARE.get(trial.target) or stage.setup or stage.title
            attempt = Attempt(measurement, block=source * _MOST_BLOCKS + max(1, trial.block))
            for direction_name in directions(trial.rw):
                depth, jobs = (None, None) if trial.disk_queue else (trial.iodepth or 1, trial.numjobs or 1)
                test = Test(
                    trial.job, trial.rw, trial.bs_bytes, depth, jobs, direction_name, trial.disk_queue,
                    on_file=trial.target == "filesystem", bare=trial.bare,
                )  # fmt: skip
                tests = by_place.setdefault(where, {})
                tests[test] = (*tests.get(test, ()), attempt)
    prefix = f"{name}: " if name else ""
    file_tests = any(trial.file_test for trial in plan.trials)
    how = {stage.setup: _how(plan, stage) for stage in plan.stages if stage.setup}
    return tuple(
        Series(
            prefix + (on := names.get(where, str(where))),
            tests,
            source,
            _whole_place(where, len(plan.disks)),
            on,
            (how.get(where, {}) if isinstance(where, Setup) else {}) | _how_often(tests),
            file_tests,
        )
        for where, tests in by_place.items()
    )


def _how(plan: Plan, stage: Stage) -> dict[str, str]:
    """What the title of a setup does not say, and may make the same tests on another of its name give other figures."""
    assert stage.setup is not None
    how = untitled(stage.setup)
    waits = any(isinstance(step, Wait) and step.condition == "sync-finished" for step in stage.steps)
    if stage.setup.first_sync != "skip" and "first_sync" in how and not waits:
        how["first_sync"] = "initial resync not waited for"
    return how | {"after": "kept" if plan.answers.after == "keep" else "taken down again"}


def _how_often(tests: Mapping[Test, Sequence[Attempt]]) -> dict[str, str]:
    counts = sorted({len(attempts) for attempts in tests.values()})
    words = " to ".join(str(count) for count in dict.fromkeys((counts[0], counts[-1])))
    return {"repeat": "each test measured once" if words == "1" else f"each test measured {words} times"}


def _whole_place(place: Place, disks: int) -> Place:
    """A setup of all disks is one of so many."""
    return replace(place, disks=place.disks or disks) if isinstance(place, Setup) else place


def of_measurements(name: str, measured: Iterable[tuple[str, Measurement]], source: int = 0) -> Series:
    """A series of results of fio's, each with the name of its file."""
    tests: dict[Test, tuple[Attempt, ...]] = {}
    for job, measurement in measured:
        for direction_name in directions(measurement.rw) or tuple(
            direction_name for direction_name in ("read", "write") if getattr(measurement, direction_name)
        ):
            test = Test(
                job, measurement.rw, measurement.bs_bytes, measurement.iodepth, measurement.numjobs, direction_name
            )
            tests[test] = (*tests.get(test, ()), Attempt(measurement))
    return Series(name, tests, source)


def match(series: Sequence[Series]) -> tuple[Matched, ...]:
    """The tests that several series have: of several sources those of each setup that they have in common, then those
    of all that only one has.
    """
    return tuple(matched for group in _groups(series) for matched in _matches(group))


def _groups(series: Sequence[Series]) -> list[list[Series]]:
    sources: dict[Place, set[int]] = {}
    for results in series:
        sources.setdefault(results.place, set()).add(results.source)
    shared = [place for place, having in sources.items() if len(having) > 1]
    groups = [[results for results in series if results.place == place] for place in shared]
    others = [results for results in series if results.place not in shared]
    return [*groups, others if _any_bare(others) else [_beside_disks(results) for results in others]]


def _any_bare(series: Sequence[Series]) -> bool:
    return any(test.bare for results in series for test in results.tests)


def _beside_disks(results: Series) -> Series:
    if results.file_tests:
        return results
    tests = {replace(test, on_file=False): attempts for test, attempts in results.tests.items()}
    return replace(results, tests=tests)


def _matches(series: Sequence[Series]) -> list[Matched]:
    """By the strictest names and patterns under which every series has a test in common with another."""
    common: list[Hashable] = []
    keyed: list[dict[Hashable, Test]] = []
    alike = True
    apart = _any_bare(series)
    for number, loose in enumerate(_KEYS):
        key = _with_where(loose) if apart else loose
        counts = [Counter(map(key, results.tests)) for results in series]
        if any(count > 1 for counter in counts for count in counter.values()) or (common and number >= _ALIKE):
            break
        keyed = [{key(test): test for test in results.tests} for results in series]
        test_keys = dict.fromkeys(test_key for tests_by_key in keyed for test_key in tests_by_key)
        common = [test_key for test_key in test_keys if sum(test_key in tests_by_key for tests_by_key in keyed) > 1]
        alike = number < _ALIKE
        if all(set(tests_by_key) & set(common) for tests_by_key in keyed):
            break
    return [
        *(_matched(test_key, series, keyed, alike) for test_key in common),
        *(_unlike(series, keyed, set(common)) if alike else ()),
    ]


def _with_where(key: Callable[[Test], Hashable]) -> Callable[[Test], Hashable]:
    return lambda test: (key(test), test.where)


def _unlike(
    series: Sequence[Series], keyed: Sequence[Mapping[Hashable, Test]], common: set[Hashable]
) -> Iterator[Matched]:
    """Jobs of one name and pattern that differ otherwise, each with what it was beside its name."""
    left: list[dict[Hashable, Test]] = []
    for tests_by_key in keyed:
        rest = [test for key, test in tests_by_key.items() if key not in common]
        names = Counter((test.job, test.family) for test in rest)
        left.append({(test.job, test.family): test for test in rest if names[test.job, test.family] == 1})
    for key in dict.fromkeys(key for tests in left for key in tests):
        if sum(key in tests for tests in left) > 1:
            on_file = {tests[key].on_file for tests in left if key in tests}
            unlike = "file" if len(on_file) > 1 else "queue depth"
            yield replace(_matched(key, series, left, False), unlike=unlike)


def _matched(
    test_key: Hashable, series: Sequence[Series], keyed: Sequence[dict[Hashable, Test]], alike: bool
) -> Matched:
    having = [(results, tests[test_key]) for results, tests in zip(series, keyed, strict=True) if test_key in tests]
    base, first = having[0]
    figures = [_figures(results.tests[test], test) for results, test in having]
    figures_judged = [by_iops if kind(test.rw) == "random" else by_bytes
              for (_, test), (by_bytes, by_iops, _) in zip(having, figures, strict=True)]  # fmt: skip
    entries = []
    for (results, test), (by_bytes, by_iops, late), own_figure in zip(having, figures, figures_judged, strict=True):
        over_base = Difference() if results is base else difference(own_figure, figures_judged[0], figures_judged)
        name = results.name if alike else f"{results.name} ({test.title})"
        entries.append(Entry(name, by_bytes, by_iops, late, over_base))
    title = first.title if alike else first.pattern
    if base.on and all(results.place == base.place for results, _ in having):
        title += f": {base.on}"
    return Matched(title, kind(first.rw), entries[0].series, tuple(entries), alike)


def grids(series: Series) -> tuple[DepthGrid, ...]:
    """Families of tests that differ in queue depth and number of jobs; without those that have one such cell."""
    families: dict[Hashable, dict[tuple[int, int], list[Test]]] = {}
    for test in series.tests:
        cells = families.setdefault((test.family, test.on_file, test.bare), {})
        cells.setdefault((test.iodepth or 1, test.numjobs or 1), []).append(test)
    depth_grids = []
    for cells in families.values():
        if len(cells) < 2:
            continue
        (first, *_), figures = next(iter(cells.values())), {}
        for depth, tests in sorted(cells.items()):
            by_bytes, by_iops, late = _figures([attempt for test in tests for attempt in series.tests[test]], first)
            figures[depth] = (by_iops if kind(first.rw) == "random" else by_bytes, late)
        depth_grids.append(DepthGrid(first.pattern, kind(first.rw), figures))
    return tuple(depth_grids)


def _figures(attempts: Sequence[Attempt], test: Test) -> tuple[Figure, Figure, Latency]:
    def figure_of(field: str) -> Figure:
        return figure(attempts, lambda measurement: getattr(direction(measurement, test.direction), field, None))

    return figure_of("steady_bytes_per_s"), figure_of("steady_iops"), latency(attempts, test.direction)


class Source(msgspec.Struct, frozen=True):
    """What was published of one cell and one job, by metric; figures of disks are a tuple, one a disk."""

    metrics: dict[str, float | tuple[float, ...]]

    def value(self, kind: Kind, direction: DirectionName) -> float | None:
        """The figure that a row is judged by: bytes/s of a sequential job, IOPS of a random one."""
        scales = {"mbps": MB, "mibps": MIB} if kind == "sequential" else {"iops": 1}
        for metric, scale in scales.items():
            for name in (f"{direction}_{metric}", metric):
                figure = self.metrics.get(name)
                if isinstance(figure, float | int):
                    return figure * scale
        return None

    def number(self, metric: str, direction: DirectionName) -> float | None:
        """Another figure in the unit of its name: mean_ms, p50_us, p99_us."""
        figure = self.metrics.get(f"{direction}_{metric}", self.metrics.get(metric))
        return figure if isinstance(figure, float | int) else None

    @property
    def disks_bytes_per_s(self) -> tuple[float, ...]:
        """What each disk did, as far as it was published."""
        rates = self.metrics.get("disks_mibps", ())
        return tuple(mib_per_s * MIB for mib_per_s in rates) if isinstance(rates, tuple) else ()


def published(figures: Published, setup: Setup | None, job: str) -> Source:
    """What `figures` say of this job on this setup; None: on a single disk."""
    metrics = {}
    for key, value in figures.items():
        figure = published_key(key)
        if figure.job == job and _cell_fits(figure.where, figure.cell, setup):
            metrics[figure.metric] = value
    return Source(metrics)


def published_ratio(figures: Published, job: str, setup: Setup, base: Setup) -> float | None:
    """What this setup did over that base in the source, where it gave no more than this ratio."""
    for key, value in figures.items():
        figure = published_key(key)
        values = [(field, *value.split("/")) for field, value in figure.cell]
        cells_fit = all((str(getattr(setup, field)), str(getattr(base, field))) == (of_setup, (of_setup, *of_base)[-1])
                   for field, of_setup, *of_base in values)  # fmt: skip
        if (figure.job, figure.metric) == (job, "ratio") and cells_fit and isinstance(value, float | int):
            return value
    return None


def source_disks(figures: Published) -> int | None:
    """Of how many disks the source's arrays were, where it gives each disk's figures."""
    counts = {len(value) for value in figures.values() if isinstance(value, tuple)}
    return counts.pop() if len(counts) == 1 else None


def _cell_fits(where: str, cell: tuple[tuple[str, str], ...], setup: Setup | None) -> bool:
    if where in ("single", "array"):
        return (where == "single") == (setup is None)
    return setup is not None and all(str(getattr(setup, field)) == value for field, value in cell)
