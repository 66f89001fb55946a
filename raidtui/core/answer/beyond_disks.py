"""Setups that gave more than their disks do without them: not the disks alone gave it, and nothing of it is praised.
A yardstick that most setups exceed, by their disks' own work, is excluded instead.

All disks at once below one disk alone: what the run's own counters of processors and disks show of it.
"""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

import msgspec

from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.numbers import number
from raidtui.core.answer.values import Fault
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow, attempt, test_title
from raidtui.core.results.causes import of_cpu
from raidtui.core.results.differences import of_sum
from raidtui.core.results.disk_operations import disks_of
from raidtui.core.results.figure import Figure, good, mean
from raidtui.core.run.state import RunState
from raidtui.core.units import format_rate

_MORE_THAN_DISKS = 0.10
_LESS_THAN_USERS = 0.95  # of what users got
_AT_ONCE = "disks at once"
_MOST, _FEWEST = 0.5, 3  # share of setups above a yardstick, of so many, that refutes it
Tested = tuple[int, str]  # a setup's stage, and a job


class BeyondDisks(msgspec.Struct, frozen=True):
    """`results`: excluded ones. `yardsticks`: of a job all disks at once, where that is what is excluded."""

    results: dict[Tested, Fault] = {}
    yardsticks: dict[str, Fault] = {}


def beyond_disks(rows: Sequence[ResultRow], members: int, names: Mapping[int, str]) -> BeyondDisks:
    """Each job that gave a setup over 10 % more than its disks all at once (else n times one disk), significantly.

    Reads and writes of a mix count together. Where most setups of a job exceed all disks at once, and their disks did
    that work, n times one disk judges it.
    """
    jobs: dict[Tested, list[ResultRow]] = {}
    for row in rows:
        jobs.setdefault(row.tested, []).append(row)
    yardsticks = {
        job: fault
        for job in dict.fromkeys(job for _, job in jobs)
        if (fault := _refuted([own for (_, of), own in jobs.items() if of == job], members))
    }
    results = {
        tested: fault
        for tested, job_rows in jobs.items()
        if (fault := _job_beyond_disks(job_rows, members, names.get(tested[0], ""), tested[1] in yardsticks))
    }
    return BeyondDisks(results, yardsticks)


def _refuted(setups: Sequence[Sequence[ResultRow]], members: int) -> Fault | None:
    """All disks at once, where more than half of three setups or more exceed it with no less work of their disks."""
    judged = [rows for rows in setups if not rows[0].stood and all(row.array.value for row in rows)]
    faults = [(rows, fault) for rows in judged if (fault := _job_beyond_disks(rows, members, "", False))]
    over = [rows for rows, fault in faults if fault.base.endswith(_AT_ONCE) and not _less_work(rows)]
    if len(judged) < _FEWEST or len(over) <= _MOST * len(judged):
        return None
    return Fault(
        name="yardstick",
        subject="all disks at once",
        test=over[0][0].title,
        figure=_sum([row.all_at_once for row in over[0]]),
        unit=unit_of(over[0][0]),
        runs=over[0][0].all_at_once.runs,
        evidence=(f"exceeded by {len(over)} of {len(judged)} setups",),
    )


def _job_beyond_disks(rows: Sequence[ResultRow], members: int, name: str, is_refuted: bool) -> Fault | None:
    first = rows[0]
    disks_left = first.disks - (first.cell.failed if first.cell else 0)
    at_work = min(disks_left, first.at_work.disks) if first.at_work else disks_left
    all_at_once = (
        not is_refuted and at_work == disks_left and all(row.all_at_once.value and row.together for row in rows)
    )
    disk_shares = disks_left / members if all_at_once else at_work
    bases = [row.all_at_once if all_at_once else row.single for row in rows]
    if (
        first.stood
        or any(row.disturbed or not row.array.value for row in rows)
        or not all(figure.value for figure in bases)
    ):
        return None
    over = of_sum(mean([row.array for row in rows]), (mean(bases),), disk_shares)
    if over.conclusion != "different" or (over.share or 0.0) <= _MORE_THAN_DISKS:
        return None
    idle = () if at_work == disks_left else (f"{at_work} of {disks_left} disks active",)
    return Fault(
        name="beyond",
        subject=name,
        test=first.title,
        figure=_sum([row.array for row in rows]),
        unit=unit_of(first),
        where=_of_each_direction(rows),
        base=_base(disks_left, members, at_work, all_at_once),
        of=disk_shares * _sum(bases),
        runs=first.array.runs,
        evidence=(*idle, *_less_work(rows)),
    )


def _of_each_direction(rows: Sequence[ResultRow]) -> str:
    """Of a mix what each direction gave, for these are what stands in tables."""
    directions = [f"{number(row.array.value, unit_of(row))} {row.direction}s" for row in rows]
    return " + ".join(directions) if len(directions) > 1 else ""


def _base(disks_left: int, members: int, at_work: int, all_at_once: bool) -> str:
    if all_at_once:
        return f"its {_AT_ONCE}" if disks_left == members else f"{disks_left} of {members} {_AT_ONCE}"
    return f"{at_work} \N{MULTIPLICATION SIGN} one disk"


def _less_work(rows: Sequence[ResultRow]) -> tuple[str, ...]:
    """What the disks did less than users got, as the kernel counted it; nothing where they did as much."""
    first = rows[0]
    if first.operations and first.operations.total < _LESS_THAN_USERS:
        return (f"{first.operations.total:.1f} disk I/Os for each of the user's",)
    if (
        first.kind == "sequential"
        and first.at_work
        and first.at_work.bytes_per_s < _LESS_THAN_USERS * _sum([row.array for row in rows])
    ):
        return (f"disks moved {format_rate(first.at_work.bytes_per_s)}",)
    return ()


def _sum(figures: Sequence[Figure]) -> float:
    return sum(figure.value or 0.0 for figure in figures)


_BUSY, _IDLE = 0.9, 0.5  # of the time
Limit = Literal["", "CPU", "disks", "above the disks"]  # where counters show it: `where` of a fault of this name


def less_than_one(plan: Plan, state: RunState, comparison: Comparison) -> list[Fault]:
    """Each test in which all disks together surely did less than one, and a counter shows where the limit was."""
    faults = []
    for row in rows_of_disks(comparison):
        difference = of_sum(row.all_at_once, (row.single,))
        if len(plan.disks) < 2 or difference.conclusion != "different" or (difference.share or 0.0) >= 0:
            continue
        measured = of_all_at_once(plan, state, row)
        cpu, busy = of_cpu(measured, 1 + (difference.share or 0.0)), _busy(measured)
        limit: Limit = "CPU" if cpu else _limit_of(busy)
        if limit:
            faults.append(
                Fault(
                    name="limit",
                    subject="all disks at once",
                    test=test_title(row),
                    figure=row.all_at_once.value,
                    unit=unit_of(row),
                    base="one disk",
                    of=row.single.value,
                    runs=row.all_at_once.runs,
                    where=limit,
                    cause=cpu,
                    evidence=(f"disks {100 * busy:.0f} % busy",) if busy is not None and _limit_of(busy) else (),
                )
            )
    return faults


def rows_of_disks(comparison: Comparison) -> list[ResultRow]:
    """One of each test in each direction: what the disks did without an array is the same in all of them."""
    return list({row.test: row for row in comparison.rows}.values())


def of_all_at_once(plan: Plan, state: RunState, row: ResultRow) -> list[Measurement]:
    name = row.baseline_job or row.job
    return good([attempt(state, trial) for trial in plan.trials if (trial.job, trial.target) == (name, "members")])


def _busy(measured: Sequence[Measurement]) -> float | None:
    """Of the time, the median over disks and measurements."""
    return median(shares) if (shares := [rates.util for m in measured for rates in disks_of(m).values()]) else None


def _limit_of(busy: float | None) -> Limit:
    if busy is None:
        return ""
    return "disks" if busy >= _BUSY else "above the disks" if busy < _IDLE else ""
