"""What a run found, as values: a gain, a distance from theory, a difference, a limit. Answers are made of these.

Knows rows of an analysis and what the kernel counted; names a limit only where a counter shows it. No sentence is here.
"""

from collections.abc import Sequence
from statistics import median
from typing import Literal

import msgspec

from raidtui.core.answer import cause_words
from raidtui.core.fio.measurement import DiskRates, Measurement
from raidtui.core.plan import sweep
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.cell import parse
from raidtui.core.plan.model import Plan, Stage
from raidtui.core.raid import theory
from raidtui.core.raid.capacity import Capacity
from raidtui.core.raid.layers import LAYERS
from raidtui.core.results.analysis import ResultRow, attempt, test_title
from raidtui.core.results.differences import Difference, of_sum
from raidtui.core.results.figure import good
from raidtui.core.results.published import published_ratio, source_disks
from raidtui.core.run.state import RunState
from raidtui.core.units import format_bytes

Unit = Literal["", "bytes/s", "IOPS", "bytes", "ns", "s", "disk operations", "trials", "disks", "share", "rounds"]
Kind = Literal[
    "not whole", "failed", "errors", "damaged", "resumed", "disturbed", "slow disk", "unsure disk", "measured",
    "capacity", "gain", "theory", "limit", "rank", "effect", "penalty", "tail", "together", "figure",
    "steady", "emulated", "beyond", "contradicted", "drift", "unequal", "buffered",
]  # fmt: skip
Verdict = Literal["", "different", "equal", "cannot tell", "as theory", "near theory", "below theory", "above theory"]
Certainty = Literal["interval", "single run", "counted"]

AS_THEORY = 0.05
_DEEP = 4  # requests for each disk
_IDLE = 0.5  # of the work that the disks do all at once


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was found. `subject` is what it is about (a setup, a disk, a choice), `where` what else holds.

    `figure` and `base_figure` are in `unit`; `ratio` is what one is over the other, by medians where there are blocks,
    `low` to `high` its 95 % interval where there is one; `by_latency` what their latencies make of it, where these
    contradict one of the two by over 10 %. `published` is the source's figure over its base,
    `geometry` how many times that theory has for this number of disks.
    `evidence` is what was counted, in words; `runs` how often each figure was measured.
    """

    kind: Kind
    subject: str = ""
    test: str = ""
    where: str = ""
    figure: float | None = None
    unit: Unit = ""
    base: str = ""
    base_figure: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    by_latency: float | None = None
    published: float | None = None
    geometry: float = 1.0
    verdict: Verdict = ""
    certainty: Certainty = "counted"
    runs: int = 0
    repetitions: int | None = None  # of each setup that would tell
    evidence: tuple[str, ...] = ()

    @property
    def share(self) -> float | None:
        """The figure over its base as both are printed, so that a reader can make it again; else `ratio`."""
        return self.figure / self.base_figure if self.figure and self.base_figure else self.ratio


def unit_of(row: ResultRow) -> Unit:
    return "bytes/s" if row.kind == "sequential" else "IOPS"


def certainty(difference: Difference) -> Certainty:
    return "single run" if difference.assumed else "interval"


def of_difference(difference: Difference, **about: object) -> Conclusion:
    """A difference between two figures as a conclusion; `about` are its other fields."""
    fields: dict[str, object] = {
        "ratio": None if difference.share is None else difference.share + 1,
        "low": None if difference.low is None else difference.low + 1,
        "high": None if difference.high is None else difference.high + 1,
        "verdict": difference.conclusion or "",
        "certainty": certainty(difference),
        "repetitions": difference.repetitions,
    }
    return Conclusion(**(fields | about))  # type: ignore[arg-type]


def gains(rows: Sequence[ResultRow]) -> list[Conclusion]:
    """Each test's figure over one disk's; where no disk was measured alone, the figure."""
    return [
        Conclusion(
            kind="gain" if row.gain is not None else "figure",
            subject=row.setup,
            test=test_title(row),
            figure=row.array.value,
            unit=unit_of(row),
            base="one disk" if row.gain is not None else "",
            base_figure=row.single.value if row.gain is not None else None,
            ratio=row.gain,
            published=row.published / row.published_single if row.published and row.published_single else None,
            certainty="single run" if row.array.runs == 1 else "interval",
            runs=row.array.runs,
        )
        for row in rows
        if row.array.value is not None
    ]


def theories(rows: Sequence[ResultRow]) -> list[Conclusion]:
    """Each test's figure over theory's, where theory has one."""
    return [_theory(row) for row in rows if row.predicted and row.array.values]


def _theory(row: ResultRow) -> Conclusion:
    assert row.predicted
    difference = (
        of_sum(row.array, (row.single,), row.predicted / row.single.value) if row.single.value else Difference()
    )
    return of_difference(
        difference,
        kind="theory",
        subject=row.setup,
        test=test_title(row),
        figure=row.array.value,
        unit=unit_of(row),
        base="theory",
        base_figure=row.predicted,
        ratio=(row.deviation or 0.0) + 1,
        verdict=_judged(difference, row),
        runs=row.array.runs,
    )


def _judged(difference: Difference, row: ResultRow) -> Verdict:
    """By theory's interval: as it says within 5 %; off it where its causes are looked for; else near it."""
    surely_within = (
        None
        if difference.assumed or difference.low is None or difference.high is None
        else max(-difference.low, difference.high)
    )
    if surely_within is not None and surely_within <= AS_THEORY:
        return "as theory"
    if row.causes.deviation is not None and not row.causes.chance:
        return "below theory" if row.causes.deviation < 0 else "above theory"
    return "near theory"


def published_over(plan: Plan, row: ResultRow, base: ResultRow) -> float | None:
    """What this test's figure is of the other's in the source."""
    if row.published and base.published:
        return row.published / base.published
    return published_ratio(plan.published, row.job, row.cell, base.cell) if row.cell and base.cell else None


def by_geometry(plan: Plan, row: ResultRow, base: ResultRow) -> float:
    """How many times the source's ratio theory has for ours, where that is of another number of disks; else 1."""
    disks = source_disks(plan.published)
    if not disks or disks == row.disks or not row.cell or not base.cell:
        return 1.0
    article_model, own_model = (_model_ratio(row, row.cell, base.cell, count) for count in (disks, row.disks))
    return own_model / article_model if article_model and own_model else 1.0


def _model_ratio(row: ResultRow, mine: Setup, base: Setup, disks: int) -> float | None:
    """What theory has of one setup over another on so many disks, in a test like the row's."""
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


def capacity_of(plan: Plan, setup: Setup) -> Capacity | None:
    """What a setup holds on the plan's disks; None where that cannot be said."""
    try:
        return parse(setup, [member.size_bytes for member in sweep.taken(setup, plan.disks)], "4.2").capacity
    except ValueError:
        return None


def capacity(stage: Stage) -> Conclusion | None:
    """The usable bytes of what its disks hold, and where the rest went."""
    if stage.array is None:
        return None
    holds = stage.array.capacity
    lost = (
        ("parity", holds.lost.parity_bytes),
        ("further copies", holds.lost.mirror_bytes),
        ("the larger disks' rest", holds.lost.unequal_bytes),
        ("the partitions' tables and room at the end", holds.lost.outside_bytes),
        (f"md's metadata ({format_bytes(holds.data_offset_bytes)} of each disk)", holds.lost.metadata_bytes),
        ("rounding", holds.lost.rounding_bytes),
    )
    return of_capacity(
        stage.title,
        holds,
        tuple(
            name for name, size in sorted(lost, key=lambda name_size: -name_size[1]) if size > holds.raw_bytes / 1000
        ),
    )


def of_capacity(subject: str, holds: Capacity, evidence: tuple[str, ...] = ()) -> Conclusion:
    return Conclusion(
        kind="capacity",
        subject=subject,
        figure=holds.array_bytes,
        unit="bytes",
        base="raw",
        base_figure=holds.raw_bytes,
        ratio=holds.array_bytes / holds.raw_bytes,
        evidence=evidence,
    )


def limits(plan: Plan, state: RunState, row: ResultRow) -> list[Conclusion]:
    """What the kernel counted while this was measured that tells where the limit lies, or where it does not.

    Causes with their evidence alone: what could be one is no conclusion.
    """
    limits_shown = [_limit(row, "cause", None, cause_words.words(cause)) for cause in row.causes.evident]
    deep = (row.iodepth or 1) * (row.numjobs or 1) >= _DEEP * row.disks  # else disks idle for want of requests
    share = busiest(plan, state, row) if deep and row.disks == len(plan.disks) else None
    if share is not None and share < _IDLE:
        work_words = f"more than {100 * share:.0f} % of what it does while all work without the array"
        limit_words = (
            f"yet no disk did {work_words}"
            if row.causes.of_a_disk
            else f"the disks are not the limit, for none did {work_words}: the limit lies above"
            f" them ({_above_disks(plan.stages[row.stage])})"
        )
        limits_shown.append(_limit(row, "not the disks", share, limit_words))
    return limits_shown


def _above_disks(stage: Stage) -> str:
    """What a request goes through before it is a disk's."""
    parts = ("the file system" if stage.filesystem else "", LAYERS[stage.layer.kind].title if stage.layer else "",
             "md and its settings" if stage.array else "", "the CPU")  # fmt: skip
    return ", ".join(filter(None, parts))


def busiest(plan: Plan, state: RunState, row: ResultRow) -> float | None:
    """Of the disk that is nearest to it: its work under the array, of its work while all work without one.

    One slow disk may hold back all of them. None where the kernel did not count each.
    """
    under = measured_of(plan, state, row)
    without = good(
        [attempt(state, trial) for trial in plan.trials if (trial.job, trial.target) == (row.job, "members")]
    )
    shares = []
    for disk in plan.disks:
        own, most = (
            [
                work_of(measurement.disks[disk.id], row.kind == "random")
                for measurement in measurements
                if disk.id in measurement.disks
            ]
            for measurements in (under, without)
        )
        if not own or not most or not median(most):
            return None
        shares.append(median(own) / median(most))
    return max(shares, default=None)


def work_of(rates: DiskRates, random: bool) -> float:
    """Reads and writes together: operations/s of a random test, bytes/s of a sequential one, or where none are told."""
    if random and rates.reads_per_s is not None and rates.writes_per_s is not None:
        return rates.reads_per_s + rates.writes_per_s
    return rates.read_bytes_per_s + rates.write_bytes_per_s


def _limit(row: ResultRow, subject: str, share: float | None, evidence: str) -> Conclusion:
    return Conclusion(
        kind="limit",
        subject=subject,
        test=test_title(row),
        where=row.setup,
        figure=share,
        unit="" if share is None else "share",
        evidence=(evidence,),
    )


def measured_of(plan: Plan, state: RunState, row: ResultRow) -> list[Measurement]:
    """The good measurements behind a row's figure of its setup."""
    return good([attempt(state, trial) for trial in plan.stages[row.stage].trials if trial.job == row.job])
