"""Latency percentiles of each test, from the median on; and of each disk while all were measured at once."""

from collections.abc import Iterator, Sequence
from statistics import median

from raidtui.core.fio.measurement import Direction, OfTarget
from raidtui.core.page.blocks import Block, Code, Heading, PageTable, Text
from raidtui.core.plan.model import Trial
from raidtui.core.report.context import RunContext
from raidtui.core.report.setups import TIMES
from raidtui.core.results.figure import percentiles as of_direction
from raidtui.core.results.figure import supported
from raidtui.core.units import format_ms

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
        measured = run.state.measured(trial.id)
        if measured is None or measured.status != "ok":
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
    count = max(one.read_bytes, one.written_bytes) / bs_bytes if bs_bytes else 0
    return supported(one.percentiles_ns, count)


def of_disks(run: RunContext) -> Iterator[Block]:
    """A table for each test of all disks at once whose jobs told them apart."""
    for trial in run.joined_plan.trials:
        measured = run.state.measured(trial.id)
        if trial.target != "members" or measured is None or measured.status != "ok":
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
