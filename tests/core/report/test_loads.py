"""Latency by load in a report: a row a rate, and the rate up to which p99 holds."""

import pytest

from raidtui.core.page.markdown import markdown
from raidtui.core.report.series import load_blocks
from raidtui.core.results.figure import Figure, Latency
from raidtui.core.results.series.loads import Loads, OfferedRate


def told(*p99_ms: float | None) -> str:
    """Rates of 10 %, 20 % …, with these p99."""
    figure = Figure(standing="ok", value=100.0, runs=1)
    latencies = [Latency(percentiles_ns={"99": ms * 1e6} if ms else {}) for ms in p99_ms]
    rates = tuple(OfferedRate(10 * n, 10.0 * n, figure, late) for n, late in enumerate(latencies, 1))
    whole = Loads(
        title="Reads", setup="RAID 0", direction="read", flat_out=figure, flat_out_latency=Latency(), loads=rates
    )
    return markdown(load_blocks([whole]))


@pytest.mark.parametrize(
    ("p99_ms", "sentence"),
    [
        (
            (1, 1.5, 1.9),
            "At every rate up to 30 % requests hardly wait: the median is less than 1.5 times that at 10 %",
        ),
        ((1, 1.5, 3), "Up to 20 % of what was done flat out requests hardly wait"),
        ((1, 5), "Up to 10 % of what was done flat out"),
    ],
)
def test_the_rate_up_to_which_p99_holds(p99_ms: tuple[float, ...], sentence: str) -> None:
    assert sentence in told(*p99_ms)


def test_without_percentiles_nothing_is_said_of_them() -> None:
    text = told(None, None)
    assert "hardly wait" not in text and "by offered rate" not in text and "| flat out" in text
