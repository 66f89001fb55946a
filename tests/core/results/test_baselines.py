"""Blocks beside each other by what the disks did without an array: who is off, by how much, and what is said of it."""

import pytest

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.results import disturbance
from raidtui.core.run import events
from tests.builders import sweeps


def plan(repeat: int = 3) -> Plan:
    return sweeps.plan("quick", 4, repeat=repeat, axes=Axes(level=("0", "10")))


def found(*factors: float) -> tuple[disturbance.Block, ...]:
    def rate(stage: Stage, trial: Trial) -> float:
        return 100 * (factors[trial.block - 1] if stage.setup is None else 1.0)

    return disturbance.blocks(made := plan(len(factors)), sweeps.state(made, rate))


@pytest.mark.parametrize(
    "factors, shares",
    [
        ((1.0, 1.0, 0.9), (0.0, 0.0, -0.1)),  # one that is off makes no other so
        ((1.0, 1.2, 1.0, 1.0, 1.0), (0.0, 0.2, 0.0, 0.0, 0.0)),
        ((1.0, 1.1), (1 / 1.1 - 1, 0.1)),
        ((1.0,), ()),
    ],
)
def test_a_block_beside_the_others(factors: tuple[float, ...], shares: tuple[float, ...]) -> None:
    assert [one.share for one in found(*factors)] == pytest.approx(list(shares), abs=1e-6)


def test_what_is_said_of_one_that_was_asked_for_again() -> None:
    asked = events.TrialsRepeated(at_s=0.0, trials=("a",), why="baseline", block=2, share=0.07)
    assert disturbance.words(asked) == (
        "block 2 was measured again: without an array its disks did 7 % more than in the others"
    )
