"""Results of a run with one setup: tables of figures, charts, latencies, slow disks.

The disks without an array: each alone, then all at once against the sum of them.

Latency percentiles of each test, from the median on; and of each disk while all were measured at once.
"""

from collections.abc import Iterator, Sequence
from statistics import median

import msgspec

from raidtui.core.answer import numbers
from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import Direction, DirectionName, OfTarget
from raidtui.core.page.blocks import Bar, Bars, Block, Bullets, Code, Heading, PageTable, Role, Text
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.report.context import RunContext
from raidtui.core.report.setups import (
    TIMES,
    TOO_FEW,
    Column,
    figure_cell,
    gain_cell,
    lacks_points,
    model_cell,
    operations_cell,
    row_table,
    theory_columns,
)
from raidtui.core.results.analysis import Comparison, ResultRow, attempt, test_title
from raidtui.core.results.disk_operations import simultaneous
from raidtui.core.results.disturbance import all_at_once_check, shared_words
from raidtui.core.results.expectation import LITTLE_DIFFERS
from raidtui.core.results.figure import LEFT_OUT, Attempt, Figure, figure, supported
from raidtui.core.results.figure import percentiles as of_direction
from raidtui.core.results.outliers import Compared
from raidtui.core.results.series import kind_of
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, change, format_ms, format_number, format_percent, shown_in

_BY_LITTLE = "By Little's law the mean is QD / IOPS while the queue is full"
_NOT_OFF, _OFF = ", as here within 10 %", "; (off): by over 10 %"
_HEADINGS: dict[Kind, str] = {
    "sequential": "Sequential throughput (MB/s = 10^6 bytes/s)",
    "random": "Random operations (IOPS = I/Os per second)",
}


def without_families(comparison: Comparison) -> Comparison:
    """The comparison without the rows that stand in tables of their own."""
    rows = tuple(row for row in comparison.rows if not kind_of(row.family, row.varied))
    return msgspec.structs.replace(comparison, rows=rows)


def results(run: RunContext) -> Iterator[Block]:
    """The figures of the one setup as tables and charts, then what is to be known about them."""
    comparison = without_families(run.comparison)
    for stage in dict.fromkeys(row.stage for row in comparison.rows):
        rows = [row for row in comparison.rows if row.stage == stage]
        yield Heading(f"Results: {rows[0].setup}")
        for of_what in _HEADINGS:
            if of_kind := [row for row in rows if row.kind == of_what]:
                yield Heading(_HEADINGS[of_what], 3)
                yield _result_table(of_kind, comparison.members)
                yield _chart(of_kind)
        if sentences := about_theory(rows, comparison.flash):
            yield Text(f"{sentences} A gain with ~ is rounded.")
        yield Bullets(list(dict.fromkeys(_notes(rows))))
        late = [row for row in rows if row.kind == "random" and row.latency.mean_ns is not None]
        if late := [row for row in late if not row.flushes]:  # whose mean leaves the flushes out
            yield Text(_about_latencies(late))


def _about_latencies(rows: Sequence[ResultRow]) -> str:
    all_known = all(row.by_latency is not None for row in rows)
    off = _OFF if any(row.little_off for row in rows) else _NOT_OFF if all_known else ""
    stragglers = [f"{test_title(row)}: {text}." for row in rows if (text := row.latency.straggler_words)]
    too_few = [TOO_FEW] if lacks_points([row.latency for row in rows]) else []
    return " ".join((f"{_BY_LITTLE}{off}.", *too_few, *stragglers))


def about_theory(rows: Sequence[ResultRow], flash: bool) -> str:
    """What theory's figures are made of, and how exact the simulated ones are; nothing where there are none."""
    if not any(row.predicted for row in rows):
        return ""
    media, others = ("flash, which has no seeks", "hard disks") if flash else ("hard disks", "flash")
    corrected = ", corrected by all disks at once where this is noted," if any(r.expected.shares for r in rows) else ""
    words = f"Expected values come from one disk alone{corrected} and the model of {media} ({others} differ)."
    if errors := [row.expected.error_share for row in rows if row.expected.error_share]:
        words += (
            f" Random ones are simulated at the test's queue depth (standard error at most {100 * max(errors):.1f} %);"
            " ~: no disk was measured at that depth."
        )
    return words


def _compared(rows: Sequence[ResultRow]) -> bool:
    return any(figure.standing != "not run" for row in rows for figure in (row.single, row.all_at_once))


def _result_table(rows: Sequence[ResultRow], members: int) -> PageTable:
    """The figures beside those of one disk, all disks, theory and the source, as far as there are any."""
    unit, scale = shown_in(rows[0].kind)
    is_compared = _compared(rows)
    columns: list[Column] = [
        (f"One disk, {unit}", lambda row: figure_cell(row.single, scale) if is_compared else ""),
        (f"All {members} at once, {unit}", lambda row: figure_cell(row.all_at_once, scale) if is_compared else ""),
        (f"{_measured(rows[0])}, {unit}", lambda row: figure_cell(row.array, scale)),
        (f"Gain, {TIMES}", lambda row: gain_cell(row.gain)),
        ("Per disk, %", lambda row: format_percent(row.efficiency)),
        (f"Of slowest disk {TIMES} n, %", lambda row: format_percent(row.efficiency_slowest)),
        *theory_columns(unit, scale),
        (f"Published: one disk, {unit}", lambda row: format_number(row.published_single, scale)),
        (f"Article, {unit}", lambda row: format_number(row.published, scale)),
        (f"Published: gain, {TIMES}", _published_gain),
        ("Queue", lambda row: str(row.queue or "") if row.kind == "random" else ""),
        ("QD / IOPS, ms", lambda row: format_ms(row.little_ns) + (" (off)" if row.little_off else "")),
    ]
    return row_table(["Test"], [[test_title(row)] for row in rows], rows, columns)


def _published_gain(row: ResultRow) -> str:
    return gain_cell(row.published / row.published_single) if row.published and row.published_single else ""


def _measured(row: ResultRow) -> str:
    return "As it is" if row.stood else "Array"


def _chart(rows: Sequence[ResultRow]) -> Bars:
    unit, scale = shown_in(rows[0].kind)
    bars: list[Bar] = []
    for row in rows:
        test = test_title(row)
        figures: list[tuple[Role, str, Figure]] = [("array", _measured(row).lower(), row.array)]
        if _compared(rows):
            figures = [("one", "one disk", row.single), ("all", "all at once", row.all_at_once), *figures]
        bars += [bar_of(f"{test}, {name}", figure, row.kind, role) for role, name, figure in figures]
        if row.predicted:
            words = f"{format_number(row.predicted, scale)} {unit}"
            bars.append(Bar(f"{test}, expected", row.predicted, words, "theory"))
    return Bars(_HEADINGS[rows[0].kind].partition(" (")[0] + f", {unit}", bars)


def bar_of(name: str, figure: Figure, of_kind: Kind, role: Role) -> Bar:
    unit, scale = shown_in(of_kind)
    words = figure_cell(figure, scale) if figure.value is None else f"{format_number(figure.value, scale)} {unit}"
    return Bar(name, figure.value, words, role)


def _notes(rows: Sequence[ResultRow]) -> Iterator[str]:
    """What stands against a row's figures: failures with the tool's own words, lost repetitions, flags, reasons."""
    for row in rows:
        test = test_title(row)
        for where, given in (("one disk", row.single), ("all at once", row.all_at_once), ("array", row.array)):
            if given.error and given.standing != "ok":
                yield f"{test}, {where}: {given.standing.upper()}: {given.error}"
            elif given.lost:
                lost = f"{given.lost} of {given.lost + given.runs} repetitions have no result"
                yield f"{test}, {where}: {lost}: {given.error}"
        if off_model := numbers.lines(row.causes):
            yield f"{test}: {change(row.deviation or 0)} vs expected: {'; '.join(off_model)}"
        if (operations := operations_cell(row)) and (model := model_cell(row)):
            yield f"{test}: disk I/Os per write: {operations}, reads + writes; model: {model}"
        yield from (f"{test}: {flag}" for flag in row.flags)
        if row.latency.leaves_out:
            yield f"{test}: p99 {LEFT_OUT}: the mean is above it"
        if row.little_off:
            yield f"{test}: {LITTLE_DIFFERS} (Little's law)"


def slow_members(run: RunContext) -> Iterator[Block]:
    comparison, lines = run.comparison, []
    for member in dict.fromkeys(slow.member for slow in comparison.slow_members):
        mine = [slow for slow in comparison.slow_members if slow.member == member]
        tests = [
            f"{slow.job} {format_number(slow.bytes_per_s, MB)} MB/s"
            f" (median {format_number(slow.median_bytes_per_s, MB)})"
            for slow in mine
        ]
        serial = mine[0].serial or "unknown"
        lines.append(f"Disk {member + 1} ({mine[0].model}, serial {serial}): {'; '.join(tests)}")
    if unsure := [f"{member + 1} ({name})" for member, name in comparison.unsure]:
        lines.append(f"Possibly slow (below 90 % of the median in two tests, n.s.): {', '.join(unsure)}")
    limits = comparison.screen.words
    if lines or limits:
        yield Heading("Slow disks (in two tests or more, by over 10 %, significant)")
        if lines:
            yield Bullets(lines)
        elif comparison.screen.is_tested:
            yield Text("No disk is slow.")
        if limits:
            yield Text(limits)


def warnings(run: RunContext) -> Iterator[Block]:
    """What is to be known of the plan and its figures, and what of the recipe was left out."""
    if texts := dict.fromkeys((*run.plan.notes, *run.comparison.warnings)):
        yield Heading("Warnings")
        yield Bullets(list(texts))
    if run.plan.pruned:
        yield Heading("Left out")
        yield Bullets(run.plan.pruned)


def baseline(run: RunContext) -> Iterator[Block]:
    """A line a disk, a column a test, the sum and all at once below; nothing where only one disk was measured alone."""
    plan, state = run.joined_plan, run.state
    trials = [trial for stage in plan.stages if stage.setup is None for trial in stage.trials]
    alone = sorted({trial.member for trial in trials if trial.member is not None})
    if len(alone) < 2:
        return
    tests = list(
        dict.fromkeys((trial.job, trial.title, trial.rw, name) for trial in trials for name in directions(trial.rw))
    )
    columns = [_column(plan, state, trials, alone, job, rw, name) for job, _, rw, name in tests]
    heads = [
        f"{title}{f' ({name}s)' if len(directions(rw)) > 1 else ''}, {shown_in(kind(rw))[0]}"
        for _, title, rw, name in tests
    ]
    named = [[str(member + 1), plan.members[member].serial or "unknown"] for member in alone]
    named += [[name, ""] for name in ("Sum of each alone", "All at once", "All at once, % of the sum")]
    yield Heading("The disks without an array")
    rows = [[*names, *(cells[index] for cells, _ in columns)] for index, names in enumerate(named)]
    yield PageTable(["Disk", "Serial", *heads], rows, 2)
    limits = zip(tests, columns, strict=True)
    shared = [f"{title} ({name}s): {words}" for (_, title, _, name), (_, words) in limits if words]
    yield Bullets([*shared, *_not_simultaneous(plan, state)])


def _not_simultaneous(plan: Plan, state: RunState) -> list[str]:
    """A sentence for each direct test of all disks whose rate is not of the seconds in which they were counted."""
    return [
        f"{trial.title}: fio's seconds are not those that the kernel counted; all at once may be too high"
        for stage in plan.stages
        for trial in stage.trials
        if stage.setup is None
        and trial.target == "members"
        and options_of(stage, trial.id).get("direct", "1") != "0"
        and (measurement := state.complete(trial.id))
        and not simultaneous(measurement)
    ]


def _column(
    plan: Plan,
    state: RunState,
    trials: Sequence[Trial],
    members: Sequence[int],
    job: str,
    rw: str,
    direction_name: DirectionName,
) -> tuple[list[str], str]:
    """The figures of one test: each member, their sum, all at once, its share of the sum, and what limits it."""
    _, scale = shown_in(kind(rw))

    def attempts_on(member: int | None) -> list[Attempt]:
        return [attempt(state, trial) for trial in trials if (trial.job, trial.member) == (job, member)]

    trial = next(trial for trial in trials if trial.job == job)
    alone = {member: attempts_on(member) for member in members}
    compared = Compared(trial, direction_name, alone, attempts_on(None), [])
    figures_alone = [figure(attempts, compared.value) for attempts in alone.values()]
    together = figure(compared.all_at_once, compared.value)
    values = [figure_alone.value for figure_alone in figures_alone if figure_alone.value is not None]
    total = sum(values) if len(values) == len(figures_alone) else None
    check = all_at_once_check(plan, state, compared, figures_alone, together)
    share = check.share if total else None
    figures = [figure_cell(figure_alone, scale) for figure_alone in figures_alone]
    total_cells = [format_number(total, scale), figure_cell(together, scale), format_percent(share, 1)]
    told = share is not None and check.short and compared.kind == "sequential"
    words = shared_words(f"{total_cells[-1]} % of the sum", direction_name, check.elsewhere) if told else ""
    return [*figures, *total_cells], words


_ABOUT = "In ms. A dash: too few operations, or jobs that cannot be merged. As CSV: "
_POINTS = {"50": "p50, ms", "99": "p99, ms", "99.9": "p99.9, ms", "100": "Max, ms"}
_TAIL = "99.9"  # a disk that fails slowly shows here first
_TAIL_WORDS = "The last column is a disk's p99.9 over the median of all."
_FROM = 50.0  # what is below says nothing of waiting
_Row = tuple[list[str], Direction]


def percentiles(run: RunContext) -> Iterator[Block]:
    """A table of the disks without an array, and of each setup; nothing where no test has any."""
    tables = [
        (stage.title if stage.setup else "Disks without an array", list(_rows(run, stage.trials)))
        for stage in run.joined_plan.stages
    ]
    if not any(rows for _, rows in tables):
        return
    yield Text((_ABOUT, Code("raidtui report --csv"), "."))
    for title, rows in tables:
        if rows:
            yield Heading(title)
            yield _table(rows)


def _rows(run: RunContext, trials: Sequence[Trial]) -> Iterator[_Row]:
    for trial in trials:
        measured = run.state.complete(trial.id)
        if measured is None:
            continue
        told = [
            (name, rates)
            for name, rates in (("read", measured.read), ("write", measured.write))
            if rates and rates.lat_percentiles_ns
        ]
        for name, rates in told:
            direction = f" ({name}s)" if len(told) > 1 else ""
            repeated = f", repetition {trial.repetition}" if trial.repetition > 1 else ""
            yield [f"{trial.title}{direction}{repeated}", _disk(run, trial)], rates


def _disk(run: RunContext, trial: Trial) -> str:
    if trial.member is None:
        return "all at once" if trial.target == "members" else ""
    member = run.plan.members[trial.member]
    return member.serial or member.id


def _table(rows: Sequence[_Row]) -> PageTable:
    named = 2 if any(disk for (_, disk), _ in rows) else 1
    points = sorted({point for _, rates in rows for point in of_direction(rates) if float(point) >= _FROM}, key=float)
    cells = [
        [*names[:named], *(format_ms(of_direction(rates).get(point)) for point in points), format_ms(rates.lat_max_ns)]
        for names, rates in rows
    ]
    return PageTable([*["Test", "Disk"][:named], *(f"p{point}" for point in points), "Max"], cells, named)


def _of_disk(one: OfTarget, bs_bytes: int | None) -> dict[str, float]:
    """By its bytes: fio counts no operations of a target."""
    return supported(one.percentiles_ns, max(one.read_bytes, one.written_bytes) / bs_bytes if bs_bytes else 0)


def of_disks(run: RunContext) -> Iterator[Block]:
    """A table for each test of all disks at once whose jobs told them apart."""
    for trial in run.joined_plan.trials:
        measured = run.state.complete(trial.id)
        if trial.target != "members" or measured is None:
            continue
        each = {disk: points for disk, one in measured.each.items() if (points := _of_disk(one, measured.bs_bytes))}
        if len(each) < 2:
            continue
        tails = [points[_TAIL] for points in each.values() if _TAIL in points]
        usual_ns = median(tails) if len(tails) == len(each) else 0.0
        rows = [
            [
                str(number),
                member.serial or member.id,
                *(format_ms(points.get(point)) for point in _POINTS),
                f"{points[_TAIL] / usual_ns:.1f}{TIMES}" if usual_ns else "",
            ]
            for number, member in enumerate(run.plan.members, 1)
            for points in [each.get(member.id, {})]
            if points
        ]
        repeated = f", repetition {trial.repetition}" if trial.repetition > 1 else ""
        yield Heading(f"Latency of each disk, all at once: {trial.title}{repeated}")
        yield PageTable(["Disk", "Serial", *_POINTS.values(), "p99.9 / median"], rows, 2)
        if usual_ns:
            yield Text(_TAIL_WORDS)
