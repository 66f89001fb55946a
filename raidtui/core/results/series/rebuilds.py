"""Rebuild pace under load (the kernel's count on the new disk in the test's seconds) and alone (md's progress); time
for the whole disk is scaled from it."""

from collections.abc import Sequence
from statistics import mean, median

import msgspec

from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.steps import Command
from raidtui.core.plan.sweep import taken
from raidtui.core.results.analysis import attempt
from raidtui.core.results.differences import Difference, Setups
from raidtui.core.results.figure import Figure, figure, value_of
from raidtui.core.results.numerics import built, joined
from raidtui.core.results.series.families import kind_of
from raidtui.core.run.state import RunState
from raidtui.core.units import GB

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


class _RebuildPiece(msgspec.Struct, frozen=True):
    """Of one rebuild what was seen of it."""

    rebuilt_bytes: int
    took_s: float


def rebuilds(plan: Plan, state: RunState) -> list[RebuildRate]:
    """Each test's on each setup, in the recipe's order, the one by itself last; none in most runs."""
    rates = []
    for number, first in built(joined(plan)):
        if first.setup is None or not first.setup.rebuild_min_kib_s:
            continue
        stages = [(number, stage) for number, stage in enumerate(plan.stages) if stage.setup == first.setup]
        for job, title in ({trial.job: trial.title for trial in first.trials} | {"": ""}).items():
            rebuild_pieces = [
                rebuild_piece
                for number, stage in stages
                for rebuild_piece in (_beside_job(plan, state, stage, job) if job else _by_itself(state, number))
            ]
            if rebuild_pieces:
                rate = RebuildRate(
                    stage=number,
                    setup=first.title,
                    beside=title,
                    rebuilt_bytes=sum(rebuild_piece.rebuilt_bytes for rebuild_piece in rebuild_pieces),
                    took_s=sum(rebuild_piece.took_s for rebuild_piece in rebuild_pieces),
                    whole_bytes=_whole_bytes(plan, first),
                    rebuilds=len(rebuild_pieces),
                )
                rates.append(rate)
    return rates


def _beside_job(plan: Plan, state: RunState, stage: Stage, job: str) -> list[_RebuildPiece]:
    put_back = {
        index for step in stage.steps if isinstance(step, Command) and step.role == "add" for index in step.members
    }
    new, old = (
        [disk.id for index, disk in enumerate(plan.disks) if (index in put_back) is is_new] for is_new in (True, False)
    )
    measured = [state.measured(trial.id) for trial in stage.trials if trial.job == job]
    return [
        _RebuildPiece(round(pace * measurement.runtime_ms / 1000), measurement.runtime_ms / 1000)
        for measurement in measured
        if measurement
        and measurement.status == "ok"
        and measurement.runtime_ms
        and (pace := _pace(measurement, new, old)) is not None
    ]


def _pace(measured: Measurement, new: Sequence[str], old: Sequence[str]) -> float | None:
    """Bytes/s rebuilt on each new disk: its writes less the users', of which all disks get alike; None: not counted."""
    wrote = {key: disk_rates.write_bytes_per_s for key, disk_rates in measured.disks.items()}
    if not new or not old or not wrote.keys() >= {*new, *old}:
        return None
    return max(0.0, mean(wrote[key] for key in new) - median(wrote[key] for key in old))


def _by_itself(state: RunState, number: int) -> list[_RebuildPiece]:
    """Between a stage's two last looks; nothing where one is missing, or they are of two rebuilds."""
    slot_states = [rebuild_progress for rebuild_progress in state.rebuilds if rebuild_progress.stage == number][-2:]
    if len(slot_states) < 2:
        return []
    first_state, last_state = slot_states
    if last_state.at_s <= first_state.at_s or last_state.done_bytes < first_state.done_bytes:
        return []
    return [_RebuildPiece(last_state.done_bytes - first_state.done_bytes, last_state.at_s - first_state.at_s)]


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
    members = sorted({trial.member for trial in trials if trial.member is not None})
    alone = {
        member: tuple(
            _figure(state, [trial for trial in measured[place] if trial.member == member], direction_name)
            for place in places
        )
        for member in members
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
