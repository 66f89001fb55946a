"""What a run's figures mean: one disk, all disks at once, the array, and the expected figure beside them. Pure."""

from collections.abc import Iterator, Sequence
from statistics import median

import msgspec
from msgspec.structs import replace

from raidtui.core.fio.job import Kind, directions
from raidtui.core.fio.measurement import DirectionName
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.results import disk_operations, expectation
from raidtui.core.results.causes import OFF, also_read, likely_causes, may_be_chance
from raidtui.core.results.comparison import Source, published
from raidtui.core.results.deviation import Causes, has_parity
from raidtui.core.results.differences import drift, of_figures
from raidtui.core.results.disk_operations import (
    DiskOperations,
    DisksAtWork,
    FlashState,
    Side,
    WriteCache,
    at_work,
    flash_flags,
    median_operations,
    other_way,
    simultaneous,
)
from raidtui.core.results.disk_speeds import AloneTest, alike, alone_tests, reckoned_words
from raidtui.core.results.disturbance import (
    AllAtOnce,
    all_at_once_check,
    anew_flags,
    baseline_sentences,
    disturbance,
    shared_words,
    stall_flags,
    step_flags,
    track_flags,
)
from raidtui.core.results.expectation import Expectation
from raidtui.core.results.figure import NOT_RUN, Attempt, Figure, Latency, figure, flush_percentiles, good, latency
from raidtui.core.results.numerics import built, joined
from raidtui.core.results.outliers import (
    Compared,
    Rates,
    Screening,
    SlowMember,
    disks_of,
    gap,
    gap_words,
    named,
    screen,
    tests_of,
    window,
)
from raidtui.core.run import kernel
from raidtui.core.run.disk_changes import disk_verdicts
from raidtui.core.run.state import RunState, wrong_data_words


class ResultRow(msgspec.Struct, frozen=True, kw_only=True):
    """One job in one direction on one setup; bytes/s of a sequential job, IOPS of a random one.

    `single`: first member alone; `all_at_once`: sum of all members together; `gain` = array / single; `efficiency` =
    gain / `disks`, `efficiency_slowest` against the slowest. `predicted`: the model's figure, `deviation` = array /
    predicted - 1. `operations`: disk I/Os for one of the user's; `at_work`: disks that moved anything. `little_ns` =
    queue / IOPS; `little_off`: latency contradicts it; `by_latency`: share of the figure by latency; `waits`: latencies
    in the test's time. `published`, `published_single`: the source's. `disturbed`: why one disk's figure is no
    baseline. `counted`: the kernel's rate over fio's, where these differ and the figure is fio's. `beside`: the arrays'
    figures of this test on every setup (see `differences`).
    """

    stage: int
    setup: str
    cell: Setup | None
    job: str
    baseline_job: str = ""  # of the disks' own tests
    family: str = ""  # of jobs that differ only in what a recipe varies
    varied: dict[str, int | str] = {}  # which is: fio's option -> its value
    share_of: str = ""  # the job whose rate it offers a share of
    iodepth: int | None = None
    numjobs: int | None = None
    title: str
    direction: DirectionName
    bs_bytes: int | None
    mixed: bool  # the job reads and writes; its other direction has a row of its own
    kind: Kind
    disks: int
    single: Figure
    all_at_once: Figure
    together: bool = True  # the kernel's counts bear `all_at_once` out: the disks were at work in the same seconds
    array: Figure
    gain: float | None = None
    efficiency: float | None = None
    efficiency_slowest: float | None = None
    expected: Expectation = Expectation()
    operations: DiskOperations | None = None
    at_work: DisksAtWork | None = None
    deviation: float | None = None
    latency: Latency = Latency()
    queue: int | None = None
    little_ns: float | None = None
    little_off: bool = False
    by_latency: float | None = None
    waits: float | None = None
    flags: tuple[str, ...] = ()
    causes: Causes = Causes()
    published: float | None = None
    published_single: float | None = None
    source: Source = Source({})
    disturbed: str = ""
    beside: tuple[Figure, ...] = ()
    flash_states: dict[Side, FlashState] = {}
    counted: float | None = None
    write_cache: WriteCache = ""
    flushes: dict[str, float] = {}  # percentile -> ns, of a job that waits for them
    flushes_alone: dict[str, float] = {}  # of one disk

    @property
    def tested(self) -> tuple[int, str]:
        """Its setup's stage, and its job."""
        return self.stage, self.job

    @property
    def test(self) -> tuple[str, DirectionName]:
        """The same on every setup."""
        return self.job, self.direction

    @property
    def predicted(self) -> float | None:
        return self.expected.figure

    @property
    def stood(self) -> bool:
        return self.cell is not None and self.cell.level == "existing"


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All rows of a run, the members that hold the others back, and what was said against the figures."""

    rows: tuple[ResultRow, ...]
    slow_members: tuple[SlowMember, ...]
    screen: Screening
    warnings: tuple[str, ...]
    members: int
    flash: bool
    unsure: tuple[
        tuple[int, str], ...
    ] = ()  # members of whom nobody can tell whether they are slow, with their serials
    disk_rates: tuple[Rates, ...] = ()  # that were screened


def compare(plan: Plan, state: RunState, flash: bool | None = None, theory: bool = True) -> Comparison:
    """`flash` None: by the plan's members. `theory` False: no expected values and causes, a third of the time."""
    plan = joined(plan)
    seekless = all(member.rotational is False for member in plan.disks) if flash is None else flash
    rows: list[ResultRow] = []
    compared_jobs: list[Compared] = []
    alone = alone_tests(plan)
    for number, stage in _measured_stages(plan):
        jobs = _jobs(plan, state, stage, alone)
        rows += [_row(plan, state, number, job, seekless, theory) for job in jobs]
        compared_jobs += jobs
    rows = _with_rows_beside(_with_counts(plan, state, rows))
    tests = tests_of(plan, compared_jobs, {row.job for row in rows if row.disturbed})
    screened = screen(tests)
    return Comparison(
        rows=tuple(rows),
        slow_members=named(plan, tests, screened),
        screen=screened,
        warnings=(*_warnings(plan, state), *baseline_sentences(plan, state), *_drifts(rows)),
        members=len(plan.disks),
        flash=seekless,
        unsure=tuple((member, plan.disks[member].serial or plan.disks[member].id) for member in screened.unsure),
        disk_rates=tuple(tests),
    )


def _with_rows_beside(rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Each with the arrays' figures of its test on every setup."""
    tests: dict[tuple[str, DirectionName], list[Figure]] = {}
    for row in rows:
        tests.setdefault(row.test, []).append(row.array)
    shared = {test: tuple(figures) for test, figures in tests.items()}
    return [replace(row, beside=shared[row.test]) for row in rows]


def _took_s(state: RunState) -> dict[str, float]:
    return {
        trial_state.trial: trial_state.ended_at_s - trial_state.started_at_s
        for trial_state in state.trials
        if trial_state.ended_at_s
    }


def _with_counts(plan: Plan, state: RunState, rows: Sequence[ResultRow]) -> list[ResultRow]:
    """Rates of fio's beside the kernel's; a deviation that is none by the kernel's is within noise."""
    took_s_of_trial, counted = _took_s(state), []
    for row in rows:
        stage = plan.stages[row.stage]
        measured = [
            (one, took_s_of_trial.get(trial.id, 0.0))
            for trial in stage.trials
            if trial.job == row.job and not row.mixed and (one := state.complete(trial.id))
        ]
        gaps = [gap(plan, stage, one, took_s) for one, took_s in measured]
        ratio = median([found.ratio if found and not found.by_kernel else 1.0 for found in gaps] or [1.0])
        off = row.causes.deviation
        by_kernel = (1 + off) * ratio - 1 if off is not None else 0.0
        undecided = off is not None and (off * by_kernel <= 0 or abs(by_kernel) <= OFF)
        causes = Causes(off, chance=True) if undecided else row.causes
        counted.append(row if ratio == 1 else replace(row, counted=ratio, causes=causes))
    return counted


def _drifts(rows: Sequence[ResultRow]) -> list[str]:
    tests = {row.test: row for row in rows}
    return [
        f"{test_title(row)}: {drift_of_test.words}: compare within a pass only"
        for row in tests.values()
        if (drift_of_test := drift(of_figures(row.beside)))
    ]


def _measured_stages(plan: Plan) -> list[tuple[int, Stage]]:
    """The stages with an array to compare; of a plan that has none, the first of its baselines."""
    measured = [(number, stage) for number, stage in enumerate(plan.stages) if stage.trials]
    return built(plan) or measured[:1]


def attempt(state: RunState, trial: Trial) -> Attempt:
    running = state.trial is not None and state.trial.trial == trial.id and not state.ended
    measured = None if running else state.measured(trial.id)
    if measured and not simultaneous(measured):  # the disks' rates are of other seconds: nothing is made of them
        measured = replace(measured, disks={})
    return Attempt(measured, running, max(1, trial.block), repeated=state.times_measured(trial.id) > 1)


def _jobs(plan: Plan, state: RunState, stage: Stage, tests: Sequence[AloneTest]) -> list[Compared]:
    baselines = [trial for stage in plan.stages if stage.setup is None for trial in stage.trials]
    own_trials = stage.trials if stage.setup is not None else ()
    compared = []
    bare = {trial.of_job for trial in stage.trials if trial.bare == "start"}  # their file tests have no figures beside
    for trial in {trial.job: trial for trial in reversed(stage.trials) if not trial.state}.values():
        alone: dict[int, list[Attempt]] = {}
        beside = [] if trial.job in bare else [other for other in baselines if other.job == trial.baseline_job]
        for other in beside:
            if other.target == "member" and other.member is not None:
                alone.setdefault(other.member, []).append(attempt(state, other))
        all_at_once = [attempt(state, other) for other in beside if other.target == "members"]
        array = window([attempt(state, other) for other in own_trials if other.job == trial.job], trial.rounds)
        options = options_of(stage, trial.id)
        like = tuple(
            (alone_test, [attempt(state, alone_test.trial)])
            for alone_test in tests
            if alike(alone_test, trial, options)
        )
        compared += [Compared(trial, name, alone, all_at_once, array, like) for name in directions(trial.rw)]
    # The recipe's, where it has some; then inner tracks, then files of which there is a test on the bare array.
    order = list(dict.fromkeys(trial.recipe_job for trial in (*baselines, *stage.trials)))
    return sorted(
        compared,
        key=lambda job: (job.trial.job in bare, job.trial.bare == "end", order.index(job.trial.recipe_job)),
    )


def _row(plan: Plan, state: RunState, number: int, job: Compared, flash: bool, theory: bool) -> ResultRow:
    stage, chosen = plan.stages[number], len(plan.disks)
    members = stage.setup.disks or chosen if stage.setup else chosen
    alone = {index: figure(attempts, job.value) for index, attempts in sorted(job.alone.items()) if index < members}
    single = next(iter(alone.values()), NOT_RUN)
    speeds = [figure_alone.value for figure_alone in alone.values() if figure_alone.value]
    slowest = min(speeds) if speeds and len(speeds) == members else None
    array = figure(job.array, job.value)
    all_at_once = figure(job.all_at_once, job.value)
    disturbed = disturbance(plan, state, job, all_at_once)
    placed = state.placed.get(number, ()) if job.trial.target == "filesystem" else ()
    kernel = state.worker.tools.get("kernel", "") if state.worker else ""
    expected = Expectation()
    if theory:
        expected = expectation.expected(plan, stage, job, flash, bool(disturbed), placed, kernel)
    beside_disk = not (disturbed or job.trial.file_test)
    gain = _ratio(array.value, single.value) if beside_disk else None
    against_slowest = _ratio(array.value, slowest) if beside_disk else None
    ratio = _ratio(array.value, expected.figure)
    direct = options_of(stage, job.trial.id).get("direct", "1") != "0"
    # A page cache has queues of its own.
    little = expectation.little(good(job.array)) if direct else expectation.Little()
    deviation = None if ratio is None else ratio - 1
    alone_figures = [figure(attempts, job.value) for attempts in job.alone.values()]
    check = all_at_once_check(plan, state, job, alone_figures, all_at_once)
    short = check.share if check.is_limit else None
    chance = deviation is not None and may_be_chance(deviation, array, single)
    likely = likely_causes(plan, state, number, job, deviation, short, flash, chance, expected)
    flash_states = disk_operations.flash_states(plan, state, number, job) if flash else {}
    cache = "" if flash else disk_operations.write_cache(plan, stage, job)
    source = published(plan.published, stage.setup, job.trial.job)
    return ResultRow(
        stage=number,
        setup=stage.title,
        cell=stage.setup,
        job=job.trial.job,
        baseline_job=job.trial.baseline_job,
        family=job.trial.family,
        varied=job.trial.varied,
        share_of=job.trial.share_of,
        iodepth=job.trial.iodepth,
        numjobs=job.trial.numjobs,
        title=job.trial.title,
        direction=job.name,
        bs_bytes=job.trial.bs_bytes,
        mixed=job.mixed,
        kind=job.kind,
        disks=members,
        single=single,
        all_at_once=all_at_once,
        together=all(measurement.disks for measurement in good(job.all_at_once)),
        array=array,
        gain=gain,
        efficiency=gain / members if gain is not None else None,
        efficiency_slowest=against_slowest / members if against_slowest is not None else None,
        expected=expected,
        operations=median_operations(good(job.array)) if job.kind == "random" else None,
        deviation=deviation,
        at_work=at_work(good(job.array)),
        latency=latency(job.array, job.name),
        queue=little.queue,
        little_ns=little.expected_ns,
        little_off=little.off,
        by_latency=little.by_latency,
        waits=little.waits,
        disturbed=disturbed,
        flags=(
            *((disturbed,) if disturbed else ()),
            *stall_flags(state, stage, job),
            *anew_flags(plan, state, stage, job),
            *expected.words,
            *_flags(plan, job, check, bool(likely.evident), has_parity(stage), deviation),
            *step_flags(state, stage, job),
            *(
                flash_flags(flash_states, job, array, gain, emulated=any(disk.emulator for disk in plan.disks))
                if flash
                else track_flags(plan, job)
            ),
            *disk_operations.cache_flags(cache),
            *disk_operations.discard_flags(plan, stage, job),
        ),
        causes=likely,
        flash_states=flash_states,
        write_cache=cache,
        flushes=flush_percentiles(job.array),
        flushes_alone=flush_percentiles(next(iter(job.alone.values()), [])),
        published=source.value(job.kind, job.name),
        published_single=published(plan.published, None, job.trial.job).value(job.kind, job.name),
        source=source,
    )


def _ratio(part: float | None, of_all: float | None) -> float | None:
    return part / of_all if part is not None and of_all else None


def _flags(
    plan: Plan, job: Compared, check: AllAtOnce, explained: bool, parity: bool, deviation: float | None
) -> Iterator[str]:
    """What the reader of this row should know, each as a sentence."""
    emulated = any(disk.emulator for disk in plan.disks)
    if job.kind == "sequential" and check.share is not None and check.short:
        yield shared_words(f"{100 * check.share:.0f} % of {check.of}", job.name, check.elsewhere)
    share = other_way(good(job.array))
    if share and job.name == "read":
        yield f"disks also wrote {100 * share:.0f} % as many I/Os as they read: not from this test"
    if share and job.name == "write" and not explained and not (parity and job.kind == "random"):  # read to be modified
        near = "; still near expected" if deviation is not None and abs(deviation) <= OFF else ""
        why = " (emulated disks may limit reads and writes apart)" if near and emulated else ""
        yield f"{also_read(share, parity)}{near}{why}"


def _warnings(plan: Plan, state: RunState) -> tuple[str, ...]:
    """The run's own warnings, then those of its measurements with the trial's name before them."""
    warnings = [
        *state.warnings,
        *([] if disk_verdicts(plan, state) else wrong_data_words(plan, state)),
        *reckoned_words(plan, state),
    ]
    several = sum(stage.setup is not None for stage in plan.stages) > 1
    took_s_of_trial = _took_s(state)
    for stage in plan.stages:
        for trial in stage.trials:
            if measurement := state.measured(trial.id):
                where = disks_of(trial) or (stage.title if several and stage.setup else trial.target)
                texts = (
                    *measurement.warnings,
                    kernel.words(state.kernel.get(trial.id, ())),
                    gap_words(plan, stage, gap(plan, stage, measurement, took_s_of_trial.get(trial.id, 0.0))),
                )
                warnings += [f"{trial.title} ({where}): {text}" for text in texts if text]
    return tuple(dict.fromkeys(warnings))


def test_title(row: ResultRow) -> str:
    return f"{row.title} ({row.direction}s)" if row.mixed or row.direction not in row.title.lower() else row.title
