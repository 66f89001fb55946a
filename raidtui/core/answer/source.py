"""What the recipe's source has beside this run: ratios, for its disks are others."""

from collections.abc import Sequence

from raidtui.core.answer.values import Effect, Gain, Over, Rank, SourceRatios
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.raid import theory
from raidtui.core.results.analysis import ResultRow
from raidtui.core.results.published import published_ratio, source_disks

_FAR = 1.2  # times as much, or as little: the source has other disks and another machine


def published_over(plan: Plan, row: ResultRow, base: ResultRow) -> float | None:
    """The source's ratio of one test's figure over the other's."""
    if row.published and base.published:
        return row.published / base.published
    return published_ratio(plan.published, row.job, row.cell, base.cell) if row.cell and base.cell else None


def by_geometry(plan: Plan, row: ResultRow, base: ResultRow) -> float:
    """The model's ratio for this number of disks over its ratio for the source's; 1 where that is the same."""
    disks = source_disks(plan.published)
    if not disks or disks == row.disks or not row.cell or not base.cell:
        return 1.0
    of_source, own = (_model_ratio(row, row.cell, base.cell, count) for count in (disks, row.disks))
    return own / of_source if of_source and own else 1.0


def _model_ratio(row: ResultRow, mine: Setup, base: Setup, disks: int) -> float | None:
    """The model's figure of one setup over another's on so many disks, in a test like the row's."""
    kind, unit = ("seq", "bytes_per_s") if row.kind == "sequential" else ("rand", "iops")
    try:
        of_mine, of_base = (
            getattr(
                theory.predict(setup.level, disks, 1.0, 1.0, setup.layout or None),
                f"{kind}_{row.direction}_{unit}",
            )
            for setup in (mine, base)
        )
    except ValueError:
        return None
    return of_mine / of_base if of_base else None


def source(plan: Plan, values: Sequence[Over]) -> SourceRatios | None:
    """The source's ratios beside ours; refuted is what is neither near nor within our interval."""
    compared = [over for over in values if isinstance(over, Gain | Rank | Effect) and over.published and over.share]
    if not compared or not plan.source:
        return None
    refuted = sorted((over for over in compared if _times_apart(over) > _FAR and not _may_be(over)), key=_times_apart)
    disks = source_disks(plan.published)
    other = disks if disks and disks != len(plan.disks) else None
    return SourceRatios(plan.source, tuple(compared), tuple(reversed(refuted)), other)


def _may_be(over: Over) -> bool:
    return over.low is not None and over.high is not None and over.low <= _claimed(over) <= over.high


def _claimed(over: Over) -> float:
    """The source's ratio on this number of disks."""
    return (over.published or 1.0) * over.geometry


def _times_apart(over: Over) -> float:
    ratio = (over.share or 1.0) / _claimed(over)
    return max(ratio, 1 / ratio)
