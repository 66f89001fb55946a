"""Rounds of the same jobs until one is in steady state; a round is a repetition, the rule is in `steady`."""

import msgspec

from raidtui.core.fio.job import Kind, directions, kind
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.results.figure import compared_by, direction
from raidtui.core.results.numerics import Steady, steady
from raidtui.core.run.state import RunState


class Rounds(msgspec.Struct, frozen=True, kw_only=True):
    """`figures` of one job's rounds in order (bytes/s or IOPS, both directions of a mix); None: no figure. `ended`: it
    was steady, the other rounds were skipped.
    """

    title: str
    setup: str
    kind: Kind
    figures: tuple[float | None, ...]
    most_rounds: int
    steady: Steady | None
    ended: bool


def rounds(plan: Plan, state: RunState) -> list[Rounds]:
    """Every job in rounds, in the plan's order; none in most runs."""
    series = []
    for stage in plan.stages:
        for job in dict.fromkeys(trial.job for trial in stage.trials if trial.rounds):
            trials = [trial for trial in stage.trials if trial.job == job]
            figures = _figures(trials, state)
            series.append(
                Rounds(
                    title=trials[0].title,
                    setup=stage.title,
                    kind=kind(trials[0].rw),
                    figures=figures,
                    most_rounds=trials[0].rounds,
                    steady=steady([figure for figure in figures if figure is not None]),
                    ended=any(trial.id in state.passed_over for trial in trials),
                )
            )
    return series


def until_steady(stage: Stage, state: RunState, job: str) -> Steady | None:
    """SNIA's judgement of the last rounds of a stage's job; None while there are too few."""
    figures = _figures([trial for trial in stage.trials if trial.job == job], state)
    return steady([figure for figure in figures if figure is not None])


def _figures(trials: list[Trial], state: RunState) -> tuple[float | None, ...]:
    measured = [measurement for trial in trials if (measurement := state.measured(trial.id))]
    return tuple(_value(measurement) if measurement.status == "ok" else None for measurement in measured)


def _value(measurement: Measurement) -> float | None:
    by_direction = [transfers for name in directions(measurement.rw) if (transfers := direction(measurement, name))]
    if not by_direction:
        return None
    return sum(compared_by(transfers, kind(measurement.rw)) for transfers in by_direction)
