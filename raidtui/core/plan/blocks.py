"""The order in which several arms are measured in blocks: each once a block, in an order of chance that is always the
same for the same seed.

Neighbours in time share what the machine does meanwhile: measured one after the other, arms would differ by that.
"""

import random
from collections.abc import Sequence
from typing import TypeVar

Each = TypeVar("Each")


def interleaved(arms: Sequence[Each], blocks: int, seed: str) -> tuple[tuple[Each, ...], ...]:
    """`blocks` orders of all `arms`; the same `seed` gives the same ones."""
    chance = random.Random(seed)
    return tuple(tuple(chance.sample(arms, len(arms))) for _ in range(blocks))
