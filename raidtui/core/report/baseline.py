"""The disks without an array: each alone, then all at once against the sum of them."""

from collections.abc import Iterator, Sequence

from raidtui.core.fio.job import directions, kind
from raidtui.core.fio.measurement import DirectionName
from raidtui.core.page.blocks import Block, Bullets, Heading, PageTable
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.report.context import RunContext
from raidtui.core.report.setups import figure_cell
from raidtui.core.results.analysis import attempt
from raidtui.core.results.disk_operations import simultaneous
from raidtui.core.results.disturbance import all_at_once_check, shared_words
from raidtui.core.results.figure import Attempt, figure
from raidtui.core.results.outliers import Compared
from raidtui.core.run.state import RunState
from raidtui.core.units import format_number, format_percent, shown_in


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
        and (measurement := state.measured(trial.id))
        and measurement.status == "ok"
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
