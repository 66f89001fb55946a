"""Figures over the model's, and where a counter shows the limit of those that differ from it.

What the recipe's source has beside this run: ratios, for its disks are others.
"""

from collections.abc import Sequence
from math import log
from statistics import median

import msgspec

from raidtui.core.answer.beyond_disks import of_all_at_once
from raidtui.core.answer.effects import unit_of
from raidtui.core.answer.facts import AnswerFacts
from raidtui.core.answer.values import NEAR, Closeness, Effect, Expected, Gain, Model, Over, Rank, SourceRatios, judged
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.raid import theory
from raidtui.core.raid.layers import LAYERS
from raidtui.core.results.analysis import ResultRow, test_title
from raidtui.core.results.comparison import published_ratio, source_disks
from raidtui.core.results.differences import Difference, of_sum
from raidtui.core.results.series import measured_of
from raidtui.core.run.state import RunState

_DEEP = 4  # requests for each disk
_IDLE = 0.5  # of the work that the disks do all at once


def expected_of(rows: Sequence[ResultRow]) -> list[Expected]:
    """Each test's figure over the model's, where that has one."""
    return [_expected(row) for row in rows if row.predicted and row.array.values]


def _expected(row: ResultRow) -> Expected:
    assert row.predicted
    over = of_sum(row.array, (row.single,), row.predicted / row.single.value) if row.single.value else Difference()
    fields = judged(over) | {"ratio": (row.deviation or 0.0) + 1}
    return Expected(
        subject=row.setup,
        test=test_title(row),
        figure=row.array.value,
        unit=unit_of(row),
        base="expected",
        base_figure=row.predicted,
        runs=row.array.runs,
        suspects=row.causes.suspects,
        closeness=_closeness(over, row),
        **fields,
    )


def _closeness(over: Difference, row: ResultRow) -> Closeness:
    """By the interval: within 5 %; different where its causes are looked for; else not significant."""
    sure = not over.assumed and row.counted is None
    if sure and over.low is not None and over.high is not None and max(-over.low, over.high) <= NEAR:
        return "as expected"
    if row.causes.deviation is not None and not row.causes.chance:
        return "below" if row.causes.deviation < 0 else "above"
    return "n.s."


def model(facts: AnswerFacts) -> Model | None:
    """All figures over the model's; of the furthest that differs (of one setup of all) its limit by the counters."""
    figures = expected_of(facts.rows)
    differing = sorted(
        (value for value in figures if value.closeness in ("below", "above")),
        key=lambda value: -abs(log(value.ratio or 1.0)),
    )
    setups = len({row.stage for row in facts.rows}) > 1
    off = tuple(_limited(facts, value) for value in (differing[:1] if setups else differing))
    return Model(tuple(figures), off, setups) if figures else None


def row_of(facts: AnswerFacts, value: Expected) -> ResultRow:
    return next(row for row in facts.rows if (row.setup, test_title(row)) == (value.subject, value.test))


def _limited(facts: AnswerFacts, off: Expected) -> Expected:
    """With its limit by what the kernel counted; a suspect is none."""
    row = row_of(facts, off)
    named = msgspec.structs.replace(off, subject=facts.names.get(row.stage, ""))
    if off.closeness != "below":
        return named
    deep = (row.iodepth or 1) * (row.numjobs or 1) >= _DEEP * row.disks  # else disks idle for want of requests
    share = busiest(facts.plan, facts.state, row) if deep and row.disks == len(facts.plan.disks) else None
    idle = share if share is not None and share < _IDLE and not row.causes.of_a_disk else None
    above = _above_disks(facts.plan.stages[row.stage]) if idle is not None else ()
    return msgspec.structs.replace(named, limits=row.causes.evident, idle=idle, above=above)


def _above_disks(stage: Stage) -> tuple[str, ...]:
    """What a request goes through before it is a disk's."""
    layer = LAYERS[stage.layer.kind].title if stage.layer else ""
    return tuple(filter(None, ("file system" if stage.filesystem else "", layer, "md" if stage.array else "", "CPU")))


def busiest(plan: Plan, state: RunState, row: ResultRow) -> float | None:
    """Largest (work under the array / work of all disks without it) of any disk; None: the kernel did not
    count each.
    """
    under = measured_of(plan, state, row)
    without = of_all_at_once(plan, state, row)
    shares = []
    for disk in plan.disks:
        own, most = (
            [
                _work(measurement.disks[disk.id], row.kind == "random")
                for measurement in measurements
                if disk.id in measurement.disks
            ]
            for measurements in (under, without)
        )
        if not own or not most or not median(most):
            return None
        shares.append(median(own) / median(most))
    return max(shares, default=None)


def _work(rates: DiskRates, random: bool) -> float:
    """Reads and writes together: operations/s of a random test, bytes/s of a sequential one, or without operations."""
    if random and rates.reads_per_s is not None and rates.writes_per_s is not None:
        return rates.reads_per_s + rates.writes_per_s
    return rates.read_bytes_per_s + rates.write_bytes_per_s


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
                theory.predict(setup.level, disks, 1.0, 1.0, setup.layout or None, groups=setup.groups),
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
