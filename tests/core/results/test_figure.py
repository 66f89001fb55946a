"""A cell of a result: the median of its repetitions, or why there is no number; no percentile of too few operations."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import Flushes, Measurement
from raidtui.core.plan.model import Trial
from raidtui.core.results.analysis import compare
from raidtui.core.results.figure import (
    NOT_RUN,
    Attempt,
    Figure,
    Latency,
    figure,
    flush_percentiles,
    latency,
    mean,
    percentiles,
    supported,
)
from tests.builders import handmade
from tests.builders.compared import row

PLAN = handmade.plan()


@pytest.mark.parametrize("status", ["failed", "interrupted", "incomplete"])
def test_what_did_not_run_to_its_end_is_never_a_number(status: str) -> None:
    state = handmade.state(PLAN, filesystem_seq_read={"status": status, "error": "it broke"})
    found = row(compare(PLAN, state), "seq_read")
    assert (found.array.value, found.array.standing, found.array.error) == (None, status, "it broke")
    assert found.gain is found.efficiency is found.deviation is None
    assert found.predicted


def test_repetitions_give_the_median_and_the_spread() -> None:
    plan = handmade.plan(repeat=3)
    rates = {"filesystem_seq_read": 180, "filesystem_seq_read_2": 200, "filesystem_seq_read_3": 190}
    odd: dict[str, dict[str, object]] = {}
    for trial, rate in rates.items():
        one = plan.trial(trial.replace("_", "-", 1).removesuffix("_2").removesuffix("_3"))
        assert isinstance(one, Trial)
        odd[trial] = {"read": handmade.measurement(one, rate).read}
    found = row(compare(plan, handmade.state(plan, **odd)), "seq_read").array
    assert (found.value, found.spread, found.runs) == pytest.approx((190e6, 20 / 190, 3))
    odd["filesystem_seq_read_3"] = {"status": "failed", "error": "no"}
    found = row(compare(plan, handmade.state(plan, **odd)), "seq_read").array
    assert found.value == pytest.approx(190e6)
    assert (found.runs, found.lost, found.error) == (2, 1, "no")


JOB = ("rand_read", "Random 4K read", "randread", 4096, 32, 4)


def attempt(iops: float, block: int = 0, **changes: Any) -> Attempt:
    """Of a trial of five seconds, with percentiles 1, 50 and 99."""
    measured = handmade.measurement(handmade.trial("array", JOB), iops)
    assert measured.read
    return Attempt(replace(measured, read=replace(measured.read, **changes)), False, block)


def iops(measurement: Measurement) -> float | None:
    return measurement.read.iops if measurement.read else None


def test_a_figure_keeps_its_repetitions_with_their_blocks() -> None:
    found = figure([attempt(100, 1), Attempt(None, block=2), attempt(104, 3)], iops)
    assert (found.values, found.blocks) == ((100, 104), (1, 3))
    assert found.deviation == pytest.approx(0.0277, abs=1e-4)
    assert figure([attempt(100), attempt(104)], iops).blocks == ()


@pytest.mark.parametrize("operations_a_second, points", [(200, ["1", "50", "99"]), (199, ["1", "50"]), (3, ["1"])])
def test_a_percentile_has_ten_operations_beyond_it(operations_a_second: float, points: list[str]) -> None:
    measured = attempt(operations_a_second).measurement
    assert measured and measured.read
    assert list(percentiles(measured.read)) == points


@pytest.mark.parametrize(
    "count, points",
    [(66, ["50"]), (999, ["50"]), (1_000, ["50", "99"]), (9_999, ["50", "99"]), (10_000, ["50", "99", "99.9"])],
)
def test_percentiles_of_flushes_need_as_many(count: int, points: list[str]) -> None:
    table = dict.fromkeys(("50", "99", "99.9"), 1e6)
    flushed = Measurement(name="x", status="ok", flushes=Flushes(count=count, mean_ns=1e6, percentiles_ns=table))
    assert list(flush_percentiles([Attempt(flushed)])) == points
    assert list(supported(table | {"100": 2e6}, count)) == [*points, "100"]


def test_a_percentile_that_one_repetition_is_too_short_for_is_none_of_all() -> None:
    assert list(latency([attempt(300), attempt(100)], "read").percentiles_ns) == ["1", "50"]


@pytest.mark.parametrize(
    "max_ns, nearly_all_ns, told",
    [
        (5.82e9, 358.6e6, "its slowest request took 5.82 s, where 999 of 1000 took 359 ms at most"),
        (0.9e9, 1e6, ""),
        (5.82e9, 1.5e9, ""),
        (5.82e9, None, ""),
        (None, 1e6, ""),
    ],
)
def test_a_request_that_took_far_longer_than_nearly_all_is_told(
    max_ns: float | None, nearly_all_ns: float | None, told: str
) -> None:
    percentiles = {"99": 1e6} | ({"99.9": nearly_all_ns} if nearly_all_ns else {})
    assert Latency(percentiles_ns=percentiles, max_ns=max_ns).straggler_words == told


def test_a_mean_above_p99_is_no_middle() -> None:
    assert latency([attempt(300, lat_mean_ns=9e12)], "read").mean_above_p99


def test_the_maximum_is_that_of_all_repetitions() -> None:
    found = latency([attempt(300, lat_max_ns=7e6), attempt(300, lat_max_ns=9e6), attempt(300, lat_max_ns=8e6)], "read")
    assert found.max_ns == 9e6


def of_values(*values: float, blocks: tuple[int, ...] = ()) -> Figure:
    return Figure(standing="ok", value=values[0], values=values, runs=len(values), blocks=blocks)


def test_in_a_mean_every_test_counts_the_same_whatever_its_unit() -> None:
    both = mean([of_values(100.0, 121.0, blocks=(1, 2)), of_values(4.0, 4.0, blocks=(1, 2))])
    assert both.values == pytest.approx((20.0, 22.0))
    assert (both.blocks, both.runs) == ((1, 2), 2)


def test_without_one_of_its_figures_there_is_no_mean() -> None:
    assert mean([of_values(1.0), NOT_RUN]).value is None
