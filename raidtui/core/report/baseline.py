"""The part of a report that tells what the disks do without an array: each alone, then all at once.

The parallel check stands in it: what all do at once against the sum of what each does alone.
"""

from collections.abc import Sequence

from raidtui.core.fio.job import directions, kind
from raidtui.core.fio.measurement import DirectionName
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.report.scales import SCALES
from raidtui.core.report.tables import bullets, cell, escape, number, table
from raidtui.core.results.analysis import attempt
from raidtui.core.results.attempts import Compared
from raidtui.core.results.disk_operations import simultaneous
from raidtui.core.results.disturbance import all_at_once_check, shared_words
from raidtui.core.results.figure import Attempt, figure
from raidtui.core.run.state import RunState


def baseline(plan: Plan, state: RunState) -> list[str]:
    """A line a disk, a column a test, the sum and all at once below; nothing where only one disk was measured alone."""
    trials = [trial for stage in plan.stages if stage.setup is None for trial in stage.trials]
    alone = sorted({trial.member for trial in trials if trial.member is not None})
    if len(alone) < 2:
        return []
    tests = list(
        dict.fromkeys(
            (trial.job, trial.title, trial.rw, direction_name)
            for trial in trials
            for direction_name in directions(trial.rw)
        )
    )
    measured = [_column(plan, state, trials, alone, job, rw, direction_name) for job, _, rw, direction_name in tests]
    columns = [column for column, _ in measured]
    headers = ["Disk", "Serial"]
    headers += [
        f"{escape(title)}{f' ({direction_name}s)' if len(directions(rw)) > 1 else ''}, {SCALES[kind(rw)][0]}"
        for _, title, rw, direction_name in tests
    ]
    lines = [
        [str(member + 1), escape(plan.members[member].serial) or "unknown", *(column[index] for column in columns)]
        for index, member in enumerate(alone)
    ]
    for offset, name in enumerate(("Sum of each alone", "All at once", "All at once, % of the sum"), len(alone)):
        lines.append([name, "", *(column[offset] for column in columns)])
    limits = [
        escape(f"{title} ({direction_name}s): {words}")
        for (_, title, _, direction_name), (_, words) in zip(tests, measured, strict=True)
        if words
    ]
    limits += _not_simultaneous(plan, state)
    blocks = ["## The disks without an array", table(headers, lines, word_columns=2)]
    return [*blocks, *([bullets(limits)] if limits else [])]


def _not_simultaneous(plan: Plan, state: RunState) -> list[str]:
    """A sentence for each direct test of all disks whose rate is not of the seconds in which they were counted."""
    return [
        f"{escape(trial.title)}: all at once are not of the same seconds as what the kernel counted on the disks, which"
        " was less; the figure may be too high"
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
    """The figures of one test: of each member, their sum, all at once, and the one as a share of the other.

    And what is said of a sequential one where all at once are short of the sum: see `all_at_once_check`.
    """
    _, scale = SCALES[kind(rw)]

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
    figures = [cell(figure_alone, scale) for figure_alone in figures_alone]
    total_cells = [number(total, scale), cell(together, scale), f"{100 * share:.1f}" if share is not None else ""]
    told = share is not None and check.short and compared.kind == "sequential"
    words = shared_words(f"{total_cells[-1]} % of the sum", direction_name, check.elsewhere) if told else ""
    return [*figures, *total_cells], words
