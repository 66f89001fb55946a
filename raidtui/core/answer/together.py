"""All disks at once that did less than one of them alone: what the run's own counters show of it.

Knows processors and disks as they were counted meanwhile; names nothing that was not.
"""

from collections.abc import Sequence
from statistics import median
from typing import Literal

from raidtui.core.answer import cause_words
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import Comparison, ResultRow, attempt, test_title
from raidtui.core.results.causes import of_cpu
from raidtui.core.results.deviation import disks_of
from raidtui.core.results.differences import of_sum
from raidtui.core.results.figure import good
from raidtui.core.run.state import RunState

_AT_WORK, _IDLE = 0.9, 0.5  # of the time
Limit = Literal["CPU", "disks", "above the disks"]  # where counters show it: `where` of a conclusion of this kind


def less_than_one(plan: Plan, state: RunState, comparison: Comparison) -> list[Conclusion]:
    """Each test in which all disks together surely did less than one, and a counter shows where the limit was."""
    conclusions = []
    for row in rows_of_disks(comparison):
        difference = of_sum(row.all_at_once, (row.single,))
        if len(plan.disks) < 2 or difference.conclusion != "different" or (difference.share or 0.0) >= 0:
            continue
        measured = of_all_at_once(plan, state, row)
        counters: dict[Limit, str] = {
            "CPU": cause_words.words(cpu) if (cpu := of_cpu(measured, 1 + (difference.share or 0.0))) else "",
            **_of_disks(measured),
        }
        shown: dict[Limit, str] = {limit: text for limit, text in counters.items() if text}
        if shown:
            conclusions.append(
                of_difference(
                    difference,
                    kind="limit",
                    subject="all disks at once",
                    test=test_title(row),
                    figure=row.all_at_once.value,
                    unit=unit_of(row),
                    base="one disk",
                    base_figure=row.single.value,
                    runs=row.all_at_once.runs,
                    where=next(iter(shown)),
                    evidence=tuple(shown.values()),
                )
            )
    return conclusions


def rows_of_disks(comparison: Comparison) -> list[ResultRow]:
    """One of each test in each direction: what the disks did without an array is the same in all of them."""
    return list({(row.job, row.direction): row for row in comparison.rows}.values())


def of_all_at_once(plan: Plan, state: RunState, row: ResultRow) -> list[Measurement]:
    """The good measurements of all disks at once in the test of this row."""
    return good([attempt(state, trial) for trial in plan.trials if (trial.job, trial.target) == (row.job, "members")])


def _of_disks(measured: Sequence[Measurement]) -> dict[Limit, str]:
    """Were the disks at work meanwhile, or did they wait to be asked?"""
    shares = [rates.util for measurement in measured for rates in disks_of(measurement).values()]
    if not shares:
        return {}
    share = median(shares)
    at_work = f"the disks were at work {100 * share:.0f} % of the time"
    if share >= _AT_WORK:
        return {"disks": f"{at_work}: the limit lies with them, or in what they share"}
    return {"above the disks": f"{at_work}: the limit lies above them"} if share < _IDLE else {}
