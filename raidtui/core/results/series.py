"""Jobs of one family: queue depths, places on a disk or offered rates; others are shown like any jobs.

Latency by offered rate, as a share of another job's peak; percentiles by the nearest rising line.

Rebuild pace under load (the kernel's count on the new disk in the test's seconds) and alone (md's progress); time
for the whole disk is scaled from it.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Literal

import msgspec

from raidtui.core.fio.job import Kind, directions, kind, offered_iops
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.steps import Command
from raidtui.core.plan.sweep import taken
from raidtui.core.results.analysis import Comparison, ResultRow, attempt
from raidtui.core.results.differences import Difference, Setups
from raidtui.core.results.figure import Figure, Latency, direction, figure, good, value_of
from raidtui.core.results.numerics import MonotoneFit, built, joined, rising
from raidtui.core.run.state import RunState
from raidtui.core.units import GB

FamilyKind = Literal["", "depths", "zones", "loads"]


_KINDS: dict[str, FamilyKind] = {"offset": "zones", "rate_iops": "loads"}


def kind_of(family: str, varied: Mapping[str, int | str]) -> FamilyKind:
    """Of a job: "" where it has no family, or one without a table of its own."""
    if not family:
        return ""
    if set(varied) <= {"iodepth", "numjobs"}:
        return "depths"
    return next((kind for option, kind in _KINDS.items() if set(varied) == {option}), "")


# As long as at the lowest rate, from which on requests are said to wait: half of them, and the last of a hundred.
MEDIAN_TIMES, TAIL_TIMES = 1.5, 2.0
Point = Literal["50", "99"]


class OfferedRate(msgspec.Struct, frozen=True):
    """One offered rate: its share of what was done flat out, in percent, and as fio was told; None where not known."""

    percent: int
    offered_iops: float | None
    measured: Figure
    latency: Latency


class Knee(msgspec.Struct, frozen=True):
    """`held`: highest rate with p50 within 1.5x and p99 within 2x of `rest`, the lowest; `beyond`: the next, or None.
    `by`: the percentile that decided.
    """

    rest: OfferedRate
    held: OfferedRate
    beyond: OfferedRate | None
    by: Point

    @property
    def loads(self) -> tuple[OfferedRate | None, ...]:
        """Rest, held and beyond, as the latencies stand."""
        return self.rest, self.held, self.beyond


class _Line(msgspec.Struct, frozen=True):
    """A percentile over the rates that have it: the logs of its nearest rising line, by their shares."""

    shares: tuple[int, ...]
    line: MonotoneFit

    def waits(self, load: OfferedRate, times: float) -> bool:
        """Is this percentile so many times that of the lowest rate that has one, by more than chance?"""
        if load.percent not in self.shares:
            return False
        return self.line.exceeds(self.shares.index(load.percent), 0, math.log(times))


class Loads(msgspec.Struct, frozen=True, kw_only=True):
    """The rates of one test on one setup, ascending, and what it did flat out."""

    title: str
    setup: str
    direction: DirectionName
    flat_out: Figure
    flat_out_latency: Latency
    loads: tuple[OfferedRate, ...]

    @property
    def knee(self) -> Knee | None:
        """None where fewer than two rates have a median or a p99."""
        p50, p99 = self._line("50"), self._line("99")
        measured_loads = [load for load in self.loads if load.percent in (*p50.shares, *p99.shares)]
        if max(len(p50.shares), len(p99.shares)) < 2:
            return None
        rest = held = measured_loads[0]
        beyond = None
        by: Point = "50" if p50.shares else "99"
        for load in measured_loads[1:]:
            is_late = p50.waits(load, MEDIAN_TIMES)
            if is_late or p99.waits(load, TAIL_TIMES):
                beyond, by = load, "50" if is_late else "99"
                break
            held = load
        return Knee(rest, held, beyond, by)

    def _line(self, point: Point) -> _Line:
        share_latencies = [(load.percent, ns) for load in self.loads if (ns := load.latency.percentiles_ns.get(point))]
        return _Line(tuple(share for share, _ in share_latencies), rising([math.log(ns) for _, ns in share_latencies]))


def loads(plan: Plan, state: RunState, comparison: Comparison) -> list[Loads]:
    """Tests that offered a share of a job's own rate, in the recipe's order."""
    whole_rows = {(row.stage, row.job, row.direction): row for row in comparison.rows}
    tests: dict[tuple[int, str, DirectionName], list[ResultRow]] = {}
    for row in comparison.rows:
        if kind_of(row.family, row.varied) == "loads" and (row.stage, row.share_of, row.direction) in whole_rows:
            tests.setdefault((row.stage, row.family, row.direction), []).append(row)
    return [
        _loads(plan, state, whole_rows[rows[0].stage, rows[0].share_of, rows[0].direction], rows)
        for rows in tests.values()
    ]


def _loads(plan: Plan, state: RunState, whole_row: ResultRow, rows: list[ResultRow]) -> Loads:
    first = rows[0]
    by_percent = {int(str(row.varied["rate_iops"]).removesuffix("%")): row for row in rows}
    flat_out_iops = _flat_out_iops(plan, state, whole_row)
    return Loads(
        title=first.title.partition(",")[0],
        setup=first.setup,
        direction=first.direction,
        flat_out=whole_row.array,
        flat_out_latency=whole_row.latency,
        loads=tuple(
            OfferedRate(percent, _offered(flat_out_iops, percent, row.numjobs or 1), row.array, row.latency)
            for percent, row in sorted(by_percent.items())
        ),
    )


def measured_of(plan: Plan, state: RunState, row: ResultRow) -> list[Measurement]:
    return good([attempt(state, trial) for trial in plan.stages[row.stage].trials if trial.job == row.job])


def _flat_out_iops(plan: Plan, state: RunState, row: ResultRow) -> list[float]:
    """What fio said that each repetition did flat out: of that the shares were taken, not of the kernel's count."""
    by_direction = [direction(measurement, row.direction) for measurement in measured_of(plan, state, row)]
    return [transfers.iops for transfers in by_direction if transfers]


def _offered(flat_out_iops: list[float], percent: int, jobs: int) -> float | None:
    return median(jobs * offered_iops(iops, percent, jobs) for iops in flat_out_iops) if flat_out_iops else None


_ENOUGH = 0.05  # of a disk, that its time is scaled from
_ENOUGH_BYTES = GB  # that are enough of any disk: 5 % of a large one are hours


class RebuildRate(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes rebuilt and seconds, of one setup under one trial (its title; "": alone), over all `rebuilds`, one a pass.
    `whole_bytes`: of the whole disk.
    """

    stage: int
    setup: str
    beside: str
    rebuilt_bytes: int
    took_s: float
    whole_bytes: int
    rebuilds: int = 1

    @property
    def bytes_per_s(self) -> float:
        return self.rebuilt_bytes / self.took_s

    @property
    def whole_s(self) -> float | None:
        """Of the whole disk at this pace; None where it was seen over too little to be scaled."""
        return self.whole_bytes / self.bytes_per_s if self.rebuilt_bytes and self.scales else None

    @property
    def scales(self) -> bool:
        """Seen over 5 % of the disk or 1 GB: enough to scale to the whole disk?"""
        return self.share >= _ENOUGH or self.rebuilt_bytes >= _ENOUGH_BYTES

    @property
    def share(self) -> float:
        """How much of the whole the pace was seen over, in a mean rebuild."""
        return self.rebuilt_bytes / self.rebuilds / self.whole_bytes


_Piece = tuple[int, float]  # bytes and seconds of one rebuild that were seen


def rebuilds(plan: Plan, state: RunState) -> list[RebuildRate]:
    """Each test's on each setup, in the recipe's order, the one by itself last; none in most runs."""
    rates = []
    for number, first in built(joined(plan)):
        if first.setup is None or not first.setup.rebuild_min_kib_s:
            continue
        stages = [(number, stage) for number, stage in enumerate(plan.stages) if stage.setup == first.setup]
        for job, title in ({trial.job: trial.title for trial in first.trials} | {"": ""}).items():
            pieces = [
                piece
                for number, stage in stages
                for piece in (_beside_job(plan, state, stage, job) if job else _by_itself(state, number))
            ]
            if pieces:
                rate = RebuildRate(
                    stage=number,
                    setup=first.title,
                    beside=title,
                    rebuilt_bytes=sum(size for size, _ in pieces),
                    took_s=sum(seconds for _, seconds in pieces),
                    whole_bytes=_whole_bytes(plan, first),
                    rebuilds=len(pieces),
                )
                rates.append(rate)
    return rates


def _beside_job(plan: Plan, state: RunState, stage: Stage, job: str) -> list[_Piece]:
    put_back = {
        index for step in stage.steps if isinstance(step, Command) and step.role == "add" for index in step.members
    }
    new, old = (
        [disk.id for index, disk in enumerate(plan.disks) if (index in put_back) is is_new] for is_new in (True, False)
    )
    return [
        (round(pace * measurement.runtime_ms / 1000), measurement.runtime_ms / 1000)
        for measurement in [state.complete(trial.id) for trial in stage.trials if trial.job == job]
        if measurement and measurement.runtime_ms and (pace := _pace(measurement, new, old)) is not None
    ]


def _pace(measured: Measurement, new: Sequence[str], old: Sequence[str]) -> float | None:
    """Bytes/s rebuilt on each new disk: its writes less the users', of which all disks get alike; None: not counted."""
    wrote = {key: disk_rates.write_bytes_per_s for key, disk_rates in measured.disks.items()}
    if not new or not old or not wrote.keys() >= {*new, *old}:
        return None
    return max(0.0, mean(wrote[key] for key in new) - median(wrote[key] for key in old))


def _by_itself(state: RunState, number: int) -> list[_Piece]:
    """Between a stage's two last looks; nothing where one is missing, or they are of two rebuilds."""
    looks = [look for look in state.rebuilds if look.stage == number][-2:]
    if len(looks) < 2:
        return []
    first, last = looks
    if last.at_s <= first.at_s or last.done_bytes < first.done_bytes:
        return []
    return [(last.done_bytes - first.done_bytes, last.at_s - first.at_s)]


def _whole_bytes(plan: Plan, stage: Stage) -> int:
    """What a rebuild of the smallest of its disks writes in all."""
    smallest = min(member.size_bytes for member in taken(stage.setup or Setup(), plan.members))
    return smallest - (stage.array.capacity.data_offset_bytes if stage.array else 0)


_THIRDS = ("outer", "middle", "inner")
_MOST_REPETITIONS = 10_000  # more than there may be


class Zones(msgspec.Struct, frozen=True, kw_only=True):
    """`places`: shares of a disk in the recipe's order. `alone`: figures of each member at each place; `all_at_once`:
    of all. `over`: each place over the first, over all disks; bytes/s of a sequential test, IOPS of a random one.
    """

    title: str
    kind: Kind
    direction: DirectionName
    places: tuple[str, ...]
    alone: dict[int, tuple[Figure, ...]]
    all_at_once: tuple[Figure, ...]
    over: tuple[Difference, ...]


def zones(plan: Plan, state: RunState) -> list[Zones]:
    """The tests of a joined plan that were made at several places, in its order; none in most runs."""
    trials = [trial for trial in plan.trials if kind_of(trial.family, trial.varied) == "zones"]
    tests = dict.fromkeys((trial.family, direction_name) for trial in trials for direction_name in directions(trial.rw))
    return [
        _zones(state, [trial for trial in trials if trial.family == family], direction_name)
        for family, direction_name in tests
    ]


def place_words(place: str) -> str:
    """The third of a disk in which a place lies, as people call it, and where it begins."""
    share = float(place.removesuffix("%")) / 100
    return f"{_THIRDS[min(2, int(3 * share))]} (from {place})"


def _zones(state: RunState, trials: Sequence[Trial], direction_name: DirectionName) -> Zones:
    first = trials[0]
    places = tuple(dict.fromkeys(str(trial.varied["offset"]) for trial in trials))
    measured = {place: [trial for trial in trials if str(trial.varied["offset"]) == place] for place in places}
    alone = {
        member: tuple(
            _figure(state, [trial for trial in measured[place] if trial.member == member], direction_name)
            for place in places
        )
        for member in sorted({trial.member for trial in trials if trial.member is not None})
    }
    all_at_once = tuple(
        _figure(state, [trial for trial in measured[place] if trial.target == "members"], direction_name)
        for place in places
    )
    pooled = Setups([_blocks(figures) for figures in zip(*alone.values(), strict=True)] if alone else [])
    return Zones(
        title=first.title.partition(",")[0],
        kind=kind(first.rw),
        direction=direction_name,
        places=places,
        alone=alone,
        all_at_once=all_at_once,
        over=tuple(pooled.over(place, 0) for place in range(1, len(places))),
    )


def _blocks(figures: Sequence[Figure]) -> dict[int, float]:
    """What was measured at one place: a block is one repetition on one disk."""
    return {
        disk * _MOST_REPETITIONS + repetition: value
        for disk, figure in enumerate(figures)
        for repetition, value in zip(figure.blocks or range(len(figure.values)), figure.values, strict=True)
    }


def _figure(state: RunState, trials: Sequence[Trial], direction_name: DirectionName) -> Figure:
    def value(measurement: Measurement) -> float | None:
        return value_of(measurement, direction_name, kind(measurement.rw))

    return figure([attempt(state, trial) for trial in trials], value)
