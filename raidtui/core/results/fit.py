"""Least squares of log(figure) = setup + block; where no block joins two groups of setups, blocks count as spread."""

import math
from collections.abc import Mapping
from statistics import fmean

import msgspec

Logs = Mapping[int, Mapping[int, float]]  # setup -> block -> log(figure)
_SINGULAR = 1e-9


class Fit(msgspec.Struct, frozen=True):
    """Effects as logs, blocks over the first. `spread`: SD of the rest, None without `freedom`. `shares`: of a setup's
    repetitions over the blocks but the first, `inverse`: their covariance.
    """

    setups: dict[int, float]
    blocks: dict[int, float]
    spread: float | None
    freedom: int
    counts: dict[int, int]
    shares: dict[int, tuple[float, ...]] = {}
    inverse: tuple[tuple[float, ...], ...] = ()

    def variance(self, a: int, b: int) -> float:
        """Of the difference of two setups' effects, in squares of the spread: 2 / r where all blocks are whole."""
        apart = 1 / self.counts[a] + 1 / self.counts[b]
        gaps = [x - y for x, y in zip(self.shares.get(a, ()), self.shares.get(b, ()), strict=True)]
        products = [sum(x * y for x, y in zip(row, gaps, strict=True)) for row in self.inverse] if gaps else []
        return apart + sum(x * y for x, y in zip(gaps, products, strict=True))


def fit(logs: Logs, blocks: bool) -> Fit:
    """With the blocks' effects where asked and where that leaves anything to judge the spread by; else without."""
    plain = _one_way(logs)
    if not blocks:
        return plain
    two_way = _two_way(logs)
    return two_way if two_way is not None and (two_way.freedom or not plain.freedom) else plain


def values_of(by_block: Mapping[int, float], other_setups: Fit) -> list[float]:
    """The logs of a setup less the effects of the blocks, as far as the others know these."""
    if not other_setups.blocks:
        return list(by_block.values())
    return [value - other_setups.blocks[block] for block, value in by_block.items() if block in other_setups.blocks]


def _one_way(logs: Logs) -> Fit:
    setups = {i: fmean(log.values()) for i, log in logs.items()}
    squares = sum((value - setups[i]) ** 2 for i, log in logs.items() for value in log.values())
    return _fit(setups, {}, squares, sum(len(log) - 1 for log in logs.values()), logs)


def _two_way(logs: Logs) -> Fit | None:
    """Setups eliminated, the normal equations of the blocks are few; None where they have no one solution."""
    labels = sorted({block for log in logs.values() for block in log})
    rest_blocks = labels[1:]
    means = {i: fmean(log.values()) for i, log in logs.items()}
    matrix = [
        [sum((b in log) * ((b == c) - (c in log) / len(log)) for log in logs.values()) for c in rest_blocks]
        for b in rest_blocks
    ]
    sides = [sum(log[b] - means[i] for i, log in logs.items() if b in log) for b in rest_blocks]
    inverse = _inverted(matrix)
    if inverse is None:
        return None
    effects = dict(
        zip(rest_blocks, (sum(x * y for x, y in zip(row, sides, strict=True)) for row in inverse), strict=True)
    )
    blocks = {**dict.fromkeys(labels[:1], 0.0), **effects}
    setups = {i: fmean(value - blocks[b] for b, value in log.items()) for i, log in logs.items()}
    squares = sum((value - setups[i] - blocks[b]) ** 2 for i, log in logs.items() for b, value in log.items())
    freedom = sum(map(len, logs.values())) - len(logs) - len(rest_blocks)
    shares = {i: tuple((b in log) / len(log) for b in rest_blocks) for i, log in logs.items()}
    plain = _fit(setups, blocks, squares, freedom, logs)
    return msgspec.structs.replace(plain, shares=shares, inverse=inverse)


def _fit(setups: dict[int, float], blocks: dict[int, float], squares: float, freedom: int, logs: Logs) -> Fit:
    spread = math.sqrt(squares / freedom) if freedom > 0 else None
    return Fit(setups, blocks, spread, max(0, freedom), {i: len(log) for i, log in logs.items()})


def _inverted(matrix: list[list[float]]) -> tuple[tuple[float, ...], ...] | None:
    """Gauss and Jordan with pivots; None of a singular one."""
    size = len(matrix)
    rows = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for column in range(size):
        pivot = max(range(column, size), key=lambda i: abs(rows[i][column]))
        if abs(rows[pivot][column]) < _SINGULAR:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        factor = rows[column][column]
        rows[column] = [value / factor for value in rows[column]]
        for i in range(size):
            if i != column and (times := rows[i][column]):
                rows[i] = [x - times * y for x, y in zip(rows[i], rows[column], strict=True)]
    return tuple(tuple(row[size:]) for row in rows)
