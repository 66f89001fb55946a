"""Setups that gave more than their disks do without them: not the disks alone gave it, and nothing of it is praised."""

from collections.abc import Mapping, Sequence

from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.numbers import number
from raidtui.core.answer.values import Fault
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_sum
from raidtui.core.results.figure import Figure, mean
from raidtui.core.units import format_rate

_MORE_THAN_DISKS = 0.10
_LESS_THAN_USERS = 0.95  # of what users got
Tested = tuple[int, str]  # a setup's stage, and a job


def beyond_disks(rows: Sequence[ResultRow], members: int, names: Mapping[int, str]) -> dict[Tested, Fault]:
    """Each job that gave a setup over 10 % more than its disks all at once (else n times one disk), significantly.

    Reads and writes of a mix count together.
    """
    jobs: dict[Tested, list[ResultRow]] = {}
    for row in rows:
        jobs.setdefault((row.stage, row.job), []).append(row)
    return {
        tested: fault
        for tested, job_rows in jobs.items()
        if (fault := _job_beyond_disks(job_rows, members, names.get(tested[0], "")))
    }


def _job_beyond_disks(rows: Sequence[ResultRow], members: int, name: str) -> Fault | None:
    first = rows[0]
    disks_left = first.disks - (first.cell.failed if first.cell else 0)
    at_work = min(disks_left, first.at_work.disks) if first.at_work else disks_left
    all_at_once = at_work == disks_left and all(row.all_at_once.value and row.together for row in rows)
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
        return "its disks at once" if disks_left == members else f"{disks_left} of {members} disks at once"
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
