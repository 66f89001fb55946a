"""Differences of figures in doubt: what rates and latencies both tell is told, and nothing is equal."""

import msgspec
import pytest

from raidtui.core.answer.doubt import of_rows
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.differences import Difference
from tests.builders import sweeps

ALIKE = Difference(share=0.0, low=-0.02, high=0.02, conclusion="equal")
LESS = Difference(share=-0.2, low=-0.3, high=-0.1, conclusion="different", repetitions=None)
UNSURE = Difference(share=-0.2, low=-0.5, high=0.3, conclusion="cannot tell", repetitions=7)


def row(by_latency: float) -> ResultRow:
    made = sweeps.plan("levels-random-4k", 6)
    first = next(iter(compare(made, sweeps.state(made, lambda stage, trial: 100.0)).rows))
    return msgspec.structs.replace(first, by_latency=by_latency, little_off=abs(1 / by_latency - 1) > 0.1)


@pytest.mark.parametrize(
    ("difference", "mine", "base", "verdict", "by_latency"),
    [
        (LESS, 1.0, 1.0, "different", None),
        (LESS, 0.95, 1.05, "different", None),  # neither is in doubt
        (LESS, 1.0, 0.85, "cannot tell", 0.8 / 0.85),  # by its latency the interval ends at 6 % more
        (LESS, 1.0, 1.3, "different", 0.8 / 1.3),
        (ALIKE, 1.0, 0.85, "cannot tell", 1 / 0.85),
        (UNSURE, 1.0, 0.85, "cannot tell", 0.8 / 0.85),
    ],
)
def test_what_holds_by_rates_and_latencies(
    difference: Difference, mine: float, base: float, verdict: str, by_latency: float | None
) -> None:
    told = of_rows(difference, [(row(mine), row(base))], kind="effect")
    assert told.verdict == verdict
    assert told.by_latency == (None if by_latency is None else pytest.approx(by_latency))
    assert told.low is not None and told.high is not None and told.low <= (told.by_latency or 1.0) * 1.001
    assert told.repetitions == (7 if difference is UNSURE and by_latency is None else None)
