"""The same test at several places of each disk over the first place; every disk is a block."""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.results.analysis import attempt
from raidtui.core.results.differences import Difference, Setups
from raidtui.core.results.figure import Figure, figure, value_of
from raidtui.core.results.series.families import kind_of
from raidtui.core.run.state import RunState

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
