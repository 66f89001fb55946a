"""An explanation of RAID 5 of six disks in five blocks, in which each suspect has the effect that a test gives it."""

import random
from collections.abc import Mapping

from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.run.state import RunState
from tests.builders import sweeps

ARMS = ("disks", "wbt", "bitmap", "stripe-cache")
PLAN = sweeps.plan("quick", 6, level="5", jobs=("rand_write",), explain=ARMS, repeat=5, job=sweeps.SATURATED)
THEORY = 6 * 100 / 4  # of six disks of 100


def measured(
    effects: Mapping[str, float],
    base: float = THEORY,
    slow: int = -1,
    seed: int = 1,
    spread: float = 0.02,
    plan: Plan = PLAN,
) -> RunState:
    """A run in which each suspect has this effect on IOPS; blocks differ by 5 %, tests in a block by `spread`."""
    chance = random.Random(seed)
    blocks = {number: chance.gauss(1, 0.05) for number in range(1, 6)}

    def rate(stage: Stage, trial: Trial) -> float:
        if stage.setup is None:
            return (50.0 if trial.member == slow else 100.0) * (6 if trial.target == "members" else 1)
        return base * (1 + effects.get(trial.suspect, 0.0)) * blocks[trial.repetition] * chance.gauss(1, spread)

    return sweeps.state(plan, rate)
