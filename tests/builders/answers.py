"""Answers of sweeps made by hand: any recipe, three repetitions that lie a little apart, a rate for each trial."""

from collections.abc import Callable

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.results.analysis import compare
from tests.builders import sweeps

APART = (1.0, 1.004, 0.996)  # what repetitions of one setup are of its rate


def repeated(rate: Callable[[Stage, Trial], float]) -> Callable[[Stage, Trial], float]:
    """The rate, a little more or less in each repetition, and never the same little in two setups."""

    def of(stage: Stage, trial: Trial) -> float:
        at = trial.repetition + len(stage.title)
        return rate(stage, trial) * APART[at % len(APART)]

    return of


def alone(trial: Trial, rate: float = 100.0, disks: int = 4) -> float:
    """What the disks do without an array: one of them, or so many times that."""
    return rate * (disks if trial.target == "members" else 1)


def answered(recipe: str, disks: int, rate: Callable[[Stage, Trial], float], repeat: int = 3, **more: object) -> Answer:
    """The answer of a recipe's whole run on imagined disks."""
    made = sweeps.plan(recipe, disks, repeat=repeat, **more)  # type: ignore[arg-type]
    return of(made, repeated(rate))


def of(made: Plan, rate: Callable[[Stage, Trial], float]) -> Answer:
    state = sweeps.state(made, rate)
    return answer(made, state, compare(made, state))
