"""A cell of a result: the median of its repetitions, or why there is no number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.plan.model import Trial
from raidtui.core.results.analysis import Comparison, ResultRow, compare
from raidtui.core.results.figure import Figure, difference
from tests.builders import handmade

PLAN = handmade.plan()


def row(comparison: Comparison, job: str, direction: str | None = None) -> ResultRow:
    (found,) = [r for r in comparison.rows if r.job == job and direction in (None, r.direction)]
    return found


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


@given(st.floats(1, 1e9), st.floats(1, 1e9))
def test_a_difference_and_its_factor_agree(a: float, b: float) -> None:
    found = difference(Figure(standing="ok", value=a, runs=1), Figure(standing="ok", value=b, runs=1))
    assert found.share == pytest.approx(a / b - 1)
    assert found.within is (a == b)
