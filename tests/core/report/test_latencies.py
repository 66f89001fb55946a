"""Latencies in cells: marked where a mean is no middle, at least where the histogram ends, named where two differ."""

import pytest

from raidtui.core.report.cells import lacks_points, latency_cells, latency_heads
from raidtui.core.results.figure import Latency
from raidtui.core.units import format_ms


def test_a_mean_above_p99_is_marked() -> None:
    assert latency_cells(Latency(5e6, {"99": 4e6}), [])[0] == "5.00 (above p99)"
    assert latency_cells(Latency(3e6, {"99": 4e6}), [])[0] == "3.00"


def test_the_top_of_the_histogram_is_at_least() -> None:
    assert format_ms(17_112_760_320) == "≥17112.8"
    assert format_ms(16_978_542_592) == "16978.5"


@pytest.mark.parametrize(
    ("names", "headers"),
    [(("lat", "clat"), ["Mean (lat), ms", "p99 (clat), ms", "Max (lat), ms"]),
     (("lat", "lat"), ["Mean, ms", "p99, ms", "Max, ms"]), (("", ""), ["Mean, ms", "p99, ms", "Max, ms"])],
)  # fmt: skip
def test_fios_two_latencies_are_named_apart(names: tuple[str, str], headers: list[str]) -> None:
    assert latency_heads([Latency(1e6, {"99": 4e6}, 9e6, *names)]) == headers


def test_a_percentile_is_missing_where_another_has_it_and_something_was_measured() -> None:
    both, one = Latency(1e6, {"50": 1e6, "99": 4e6}), Latency(1e6, {"50": 1e6})
    assert lacks_points([both, one]) and not lacks_points([both, both]) and not lacks_points([one, one])
    assert not lacks_points([both, Latency()])
