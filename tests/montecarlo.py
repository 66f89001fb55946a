"""Error rates of `differences` and `outliers`, by simulation: `python -m tests.montecarlo` writes docs/statistics.md.

Takes ten minutes on two processors. A cell's seed is SEED and its name: the same table on any machine.
"""

import math
import random
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import fmean

from raidtui.core.page.blocks import PageTable
from raidtui.core.page.markdown import markdown
from raidtui.core.results.differences import Setups
from raidtui.core.results.outliers import Rates, screen

SEED = 20260101
_OUT = Path(__file__).parents[1] / "docs" / "statistics.md"
_BLOCK = 0.06  # how much one block differs from the next, as a standard deviation of logs
_NOISE = 0.05  # of a disk from test to test
_SPREADS = (0.02, 0.05)
_SETUPS = (2, 12)
_REPETITIONS = (1, 2, 3, 5, 10)
_MANY = 5  # repetitions, from which on every setup's own spread is looked at: that takes its time
_FAMILIES, _FEWER_FAMILIES = 10_000, 2000


def _random(*cell: object) -> random.Random:
    return random.Random(f"{SEED} {cell}")  # a text: the same in every process


def families(setups: int, repetitions: int, spread: float, effect: float, count: int) -> Iterable[Setups]:
    """Setups of which all are equal but the first, which is off by `effect` spreads."""
    rng = _random(setups, repetitions, spread, effect)
    for _ in range(count):
        blocks = [rng.gauss(0, _BLOCK) for _ in range(repetitions)]
        shifts = [effect * spread * (i == 0) for i in range(setups)]
        rates = [[100 * math.exp(block + rng.gauss(shift, spread)) for block in blocks] for shift in shifts]
        yield Setups([dict(enumerate(row)) for row in rates])


def any_different(judged: Setups, setups: int) -> bool:
    """Is any pair called different? Where all are judged by one spread, it is that of the largest and the smallest."""
    levels = [(judged.level(i)[0], i) for i in range(setups)]
    pairs = [(max(levels)[1], min(levels)[1])]
    if judged.wild:
        pairs = [(i, j) for i in range(setups) for j in range(i)]
    return any(judged.over(i, j).conclusion == "different" for i, j in pairs)


def differences(setups: int, repetitions: int, spread: float, count: int) -> tuple[float, float, float, float]:
    """Shares of families that are wrong and of differences of 2 and 3 spreads found, and the mean half-width."""
    wrong, widths = [], []
    for judged in families(setups, repetitions, spread, 0, count):
        wrong.append(any_different(judged, setups))
        one = judged.over(0, 1)
        assert one.low is not None and one.high is not None
        widths.append((math.log1p(one.high) - math.log1p(one.low)) / 2)
    found = [
        fmean(judged.over(0, 1).conclusion == "different"
              for judged in families(setups, repetitions, spread, effect, count))
        for effect in (2, 3)
    ]  # fmt: skip
    return fmean(wrong), found[0], found[1], fmean(widths)


def rack(rng: random.Random, disks: int, tests: int, slow: float = 1.0) -> list[Rates]:
    """Equal disks but for the first, in independent tests."""
    return [
        Rates("", tuple(math.exp(rng.gauss(0, _NOISE)) * (slow if i == 0 else 1.0) for i in range(disks)))
        for _ in range(tests)
    ]


def false_alarms(disks: int, tests: int, racks: int) -> int:
    """In how many of so many racks of healthy disks anybody is named."""
    rng = _random("healthy", disks, tests)
    return sum(bool(screen(rack(rng, disks, tests)).slow) for _ in range(racks))


def found(disks: int, tests: int, share: float, count: int) -> int:
    """How many of so many disks, each in a rack of its own and so slow, are named."""
    rng = _random("slow", disks, tests, share)
    return sum(0 in screen(rack(rng, disks, tests, share)).slow for _ in range(count))


def _difference_row(cell: tuple[int, float, int]) -> list[str]:
    setups, spread, repetitions = cell
    count = _FEWER_FAMILIES if repetitions >= _MANY else _FAMILIES
    wrong, two, three, width = differences(setups, repetitions, spread, count)
    shown = [f"{100 * one:.1f}" for one in (wrong, two, three, width)]
    return [str(setups), f"{100 * spread:.0f}", str(repetitions), str(count), *shown]


def _alarm_row(cell: tuple[int, int]) -> list[str]:
    disks, tests = cell
    alarms, of = false_alarms(disks, tests, 10_000), [found(disks, tests, share, 1000) for share in (0.8, 0.85, 0.9)]
    return [str(disks), str(tests), f"{alarms / 100:.2f}", *map(str, of)]


def _mixed(tests: int) -> int:
    """10,000 racks of 3 to 24 disks, as many of each size."""
    sizes = range(3, 25)
    return sum(false_alarms(n, tests, len(range(i, 10_000, len(sizes)))) for i, n in enumerate(sizes))


def _all(pool: ProcessPoolExecutor, row: Callable[..., list[str]], cells: Iterable[object]) -> list[list[str]]:
    return list(pool.map(row, cells))


def main() -> None:
    with ProcessPoolExecutor() as pool:
        alarms = _all(pool, _alarm_row, [(n, t) for n in (3, 4, 6, 8, 12, 24) for t in (2, 3, 4, 8)])
        mixed = [[str(n), str(count)] for n, count in zip((2, 3, 4), pool.map(_mixed, (2, 3, 4)), strict=True)]
        cells = [(k, s, r) for k in _SETUPS for s in _SPREADS for r in _REPETITIONS]
        judged = _all(pool, _difference_row, cells)
    headers = ["Setups", "Spread, %", "Repetitions", "Families", "Wrong, %", "2 spreads found, %", "3 found, %"]
    headers.append("Half-width, %")
    screens = ["Disks", "Tests", "False positives, %", "At 80 %, of 1000", "At 85 %", "At 90 %"]
    blocks = [
        "# Error rates of the statistics",
        f"Generated by `python -m tests.montecarlo`, seed {SEED}.",
        "## Differences between setups",
        f"- Results are lognormal. Passes (every setup once) differ by {100 * _BLOCK:.0f} %, the rest by the spread.\n"
        "- *Wrong*: families of equal setups with any pair called different.\n"
        "- *Found*: the one setup that differs by so many spreads, compared with an equal one.\n"
        "- *Half-width*: the mean of half the interval of a pair.\n"
        "- With one repetition a spread of 5 % is assumed. Then 2 % are never a difference.",
        markdown([PageTable(headers, judged, 0)]).rstrip(),
        "## Slow disks",
        f"Rates are lognormal with {100 * _NOISE:.0f} % of noise, independent from test to test.\n"
        "Each line has 10,000 racks of healthy disks, and 1,000 racks with one slow disk.",
        markdown([PageTable(screens, alarms, 0)]).rstrip(),
        "False positives of 10,000 racks of 3 to 24 healthy disks, equally many of each size:",
        markdown([PageTable(["Tests", "False positives"], mixed, 0)]),
    ]
    _OUT.parent.mkdir(exist_ok=True)
    _OUT.write_text("\n\n".join(blocks).rstrip() + "\n")


if __name__ == "__main__":
    main()
