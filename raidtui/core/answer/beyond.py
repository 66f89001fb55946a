"""Setups that gave more than their disks do without them: not the disks alone gave it, and nothing of it is praised."""

from collections.abc import Mapping, Sequence

from raidtui.core.answer.cells import number
from raidtui.core.answer.conclusions import Conclusion, of_difference, unit_of
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.differences import of_sum
from raidtui.core.results.figure import Figure, mean
from raidtui.core.units import format_rate

_MORE = 0.10
_LESS = 0.95  # of what users got
Tested = tuple[int, str]  # a setup's stage, and a job


def beyond(rows: Sequence[ResultRow], members: int, names: Mapping[int, str]) -> dict[Tested, Conclusion]:
    """Each job that gave a setup over 10 % more than its disks did all at once, and not by chance.

    Reads and writes of a mix count together. Where the disks were not measured all at once, or did not all work, so
    many times one of them.
    """
    jobs: dict[Tested, list[ResultRow]] = {}
    for row in rows:
        jobs.setdefault((row.stage, row.job), []).append(row)
    return {
        tested: conclusion
        for tested, of in jobs.items()
        if (conclusion := _beyond(of, members, names.get(tested[0], "")))
    }


def _beyond(rows: Sequence[ResultRow], members: int, name: str) -> Conclusion | None:
    first = rows[0]
    left = first.disks - (first.cell.failed if first.cell else 0)
    worked = min(left, first.at_work.disks) if first.at_work else left
    together = worked == left and all(row.all_at_once.value for row in rows)
    times = left / members if together else worked
    bases = [row.all_at_once if together else row.single for row in rows]
    if (
        first.stood
        or any(row.disturbed or not row.array.value for row in rows)
        or not all(figure.value for figure in bases)
    ):
        return None
    over = of_sum(mean([row.array for row in rows]), (mean(bases),), times)
    if over.conclusion != "different" or (over.share or 0.0) <= _MORE:
        return None
    return of_difference(
        over,
        kind="beyond",
        subject=name,
        test=first.title,
        figure=_sum([row.array for row in rows]),
        unit=unit_of(first),
        where=_ways(rows),
        base=_base(left, members, worked, together),
        base_figure=times * _sum(bases),
        runs=first.array.runs,
        evidence=_work(rows),
    )


def _ways(rows: Sequence[ResultRow]) -> str:
    """Of a mix what each direction gave, for these are what stands in tables."""
    ways = [f"{number(row.array.value, unit_of(row))} {row.direction}s" for row in rows]
    return " + ".join(ways) if len(ways) > 1 else ""


def _base(left: int, members: int, worked: int, together: bool) -> str:
    if together:
        return "its disks all at once do" if left == members else f"{left} of {members} disks all at once do"
    of_them = "" if worked == left else f"only {worked} of its {left} disks did anything, and "
    return f"{of_them}{worked} times one disk is"


def _work(rows: Sequence[ResultRow]) -> tuple[str, ...]:
    """What the disks did less than users got, as the kernel counted it; nothing where they did as much."""
    first = rows[0]
    if first.operations and first.operations.total < _LESS:
        return (f"the disks did {first.operations.total:.1f} operations for each of the user's",)
    if (
        first.kind == "sequential"
        and first.at_work
        and first.at_work.bytes_per_s < _LESS * _sum([r.array for r in rows])
    ):
        return (f"the disks moved {format_rate(first.at_work.bytes_per_s)} in all",)
    return ()


def _sum(figures: Sequence[Figure]) -> float:
    return sum(figure.value or 0.0 for figure in figures)
