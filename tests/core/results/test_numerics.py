"""Quantiles against published tables (Abramowitz and Stegun 26.10; Harter), least squares, the nearest rising line."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.results.numerics import fit, normal, rising, student, studentized_range, values_of


@pytest.mark.parametrize(
    "probability, freedom, t",
    [(0.975, 1, 12.7062), (0.975, 2, 4.30265), (0.975, 4, 2.77645), (0.975, 10, 2.22814), (0.975, 60, 2.00030),
     (0.995, 3, 5.84091), (0.75, 4, 0.740697), (0.6, 10, 0.260185), (0.95, 30, 1.69726), (0.975, math.inf, 1.95996)],
)  # fmt: skip
def test_students_t(probability: float, freedom: float, t: float) -> None:
    assert student(probability, freedom) == pytest.approx(t, rel=1e-5)


@pytest.mark.parametrize(
    "groups, freedom, q",
    [(2, 1, 17.97), (3, 1, 26.98), (20, 1, 59.56), (2, 2, 6.085), (3, 2, 8.331), (10, 2, 13.99), (4, 3, 6.825),
     (12, 11, 5.713), (10, 10, 5.599), (20, 5, 8.208), (12, 24, 5.099), (5, 60, 3.977), (3, 120, 3.356),
     (3, math.inf, 3.314), (12, math.inf, 4.622)],
)  # fmt: skip
def test_the_studentized_range(groups: int, freedom: float, q: float) -> None:
    assert studentized_range(0.95, groups, freedom) == pytest.approx(q, rel=2.5e-4)  # the tables have four digits


def test_a_spread_that_is_nearly_known_is_one_that_is_known() -> None:
    assert studentized_range(0.95, 5, 4900) == pytest.approx(studentized_range(0.95, 5, math.inf), rel=1e-3)
    assert normal(0.975) == pytest.approx(1.959964)


SETUPS, BLOCKS = {0: 1.0, 1: 1.5, 2: 0.2}, {0: 0.0, 1: 0.1, 2: -0.3}
WHOLE = {i: {b: setup + block for b, block in BLOCKS.items()} for i, setup in SETUPS.items()}


def without(*left_out: tuple[int, int]) -> dict[int, dict[int, float]]:
    return {i: {b: value for b, value in one.items() if (i, b) not in left_out} for i, one in WHOLE.items()}


@pytest.mark.parametrize("left_out", [(), ((0, 0),), ((0, 0), (1, 2), (2, 1))])
def test_effects_are_found_again_also_where_blocks_miss_setups(left_out: tuple[tuple[int, int], ...]) -> None:
    found = fit(without(*left_out), blocks=True)
    assert found.setups == pytest.approx(SETUPS)
    assert found.blocks == pytest.approx(BLOCKS)
    assert found.spread == pytest.approx(0.0, abs=1e-9)
    assert found.freedom == 9 - len(left_out) - 3 - 2


def test_without_blocks_they_are_spread() -> None:
    found = fit(WHOLE, blocks=False)
    mean = sum(BLOCKS.values()) / 3
    assert found.setups == pytest.approx({i: setup + mean for i, setup in SETUPS.items()})
    squares = 3 * sum((block - mean) ** 2 for block in BLOCKS.values())
    assert found.spread == pytest.approx(math.sqrt(squares / 6))
    assert found.freedom == 6 and not found.blocks


def test_setups_that_share_no_block_leave_blocks_to_the_spread() -> None:
    found = fit({0: {0: 1.0, 1: 1.1}, 1: {2: 2.0, 3: 2.1}}, blocks=True)
    assert not found.blocks and found.freedom == 2


def test_one_repetition_each_tells_no_spread() -> None:
    found = fit({0: {0: 1.0}, 1: {0: 2.0}}, blocks=False)
    assert (found.spread, found.freedom) == (None, 0)


def test_a_difference_over_whole_blocks_varies_by_two_over_their_number_and_by_more_where_some_miss() -> None:
    assert fit(WHOLE, blocks=True).variance(0, 1) == pytest.approx(2 / 3)
    assert fit(without((0, 0), (1, 2)), blocks=True).variance(0, 1) > 1.0


def test_a_setup_less_what_the_blocks_did_scatters_no_more() -> None:
    others = fit({i: WHOLE[i] for i in (0, 1)}, blocks=True)
    assert values_of(WHOLE[2], others) == pytest.approx([0.2, 0.2, 0.2])
    assert values_of({7: 5.0}, others) == []


VALUES = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=12)


@given(VALUES)
def test_it_never_falls_and_keeps_the_mean(measured: list[float]) -> None:
    found = rising(measured)
    assert list(found.values) == sorted(found.values)
    assert sum(found.values) == pytest.approx(sum(measured), abs=1e-6)


@given(VALUES)
def test_what_rises_stays_as_it_was_measured(measured: list[float]) -> None:
    apart = sorted(set(measured))
    found = rising(apart)
    assert list(found.values) == apart and found.spread == 0.0 and set(found.pooled) == {1}


def test_what_falls_is_pooled_and_what_is_left_is_its_spread() -> None:
    found = rising([2.0, 1.0, 5.0, 3.0, 7.0])
    assert found.values == (1.5, 1.5, 4.0, 4.0, 7.0) and found.pooled == (2, 2, 2, 2, 1)
    assert found.spread == pytest.approx((2.5 / 2) ** 0.5)
    assert found.exceeds(4, 0, 2.0) and not found.exceeds(2, 0, 2.0)
