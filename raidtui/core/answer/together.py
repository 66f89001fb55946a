"""All disks at once below one disk alone: what the run's own counters of processors and disks show of it."""

from collections.abc import Sequence
from statistics import median
from typing import Literal

from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.values import Fault
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow, attempt, test_title
from raidtui.core.results.causes import of_cpu
from raidtui.core.results.deviation import disks_of
from raidtui.core.results.differences import of_sum
from raidtui.core.results.figure import good
from raidtui.core.run.state import RunState

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
    return list({(row.job, row.direction): row for row in comparison.rows}.values())


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
