"""The nearest rising line by least squares: pool adjacent violators (Barlow, Bartholomew, Bremner, Brunk 1972)."""

import math
from collections.abc import Sequence

import msgspec


class Rising(msgspec.Struct, frozen=True):
    """`values` never fall; `pooled` is how many measured ones are in each. `spread` is the standard deviation of what
    is left of the measured ones, and 0 where nothing is.
    """

    values: tuple[float, ...]
    pooled: tuple[int, ...]
    spread: float

    def surely_over(self, index: int, base: int, step: float) -> bool:
        """Is one value over another by more than `step` and than chance, two standard errors?"""
        error = self.spread * math.sqrt(1 / self.pooled[index] + 1 / self.pooled[base])
        return self.values[index] - self.values[base] > step + 2 * error


def rising(measured: Sequence[float]) -> Rising:
    pools: list[list[float]] = []
    for value in measured:
        pools.append([value])
        while len(pools) > 1 and _mean(pools[-2]) >= _mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    values = tuple(_mean(pool) for pool in pools for _ in pool)
    squares = sum((value - fitted) ** 2 for value, fitted in zip(measured, values, strict=True))
    freedom = len(measured) - len(pools)
    return Rising(
        values, tuple(len(pool) for pool in pools for _ in pool), math.sqrt(squares / freedom) if freedom else 0.0
    )


def _mean(pool: Sequence[float]) -> float:
    return math.fsum(pool) / len(pool)
