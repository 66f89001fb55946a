"""Quantiles against published tables: Student's t (Abramowitz and Stegun 26.10), the studentized range (Harter)."""

import math

import pytest

from raidtui.core.results.quantiles import normal, student, studentized_range


@pytest.mark.parametrize(
    ("probability", "freedom", "t"),
    [(0.975, 1, 12.7062), (0.975, 2, 4.30265), (0.975, 4, 2.77645), (0.975, 10, 2.22814), (0.975, 60, 2.00030),
     (0.995, 3, 5.84091), (0.95, 30, 1.69726), (0.975, math.inf, 1.95996)],
)  # fmt: skip
def test_students_t(probability: float, freedom: float, t: float) -> None:
    assert student(probability, freedom) == pytest.approx(t, rel=1e-5)


@pytest.mark.parametrize(
    ("groups", "freedom", "q"),
    [(2, 1, 17.97), (3, 1, 26.98), (20, 1, 59.56), (2, 2, 6.085), (3, 2, 8.331), (10, 2, 13.99), (4, 3, 6.825),
     (12, 11, 5.713), (10, 10, 5.599), (20, 5, 8.208), (12, 24, 5.099), (5, 60, 3.977), (3, 120, 3.356),
     (3, math.inf, 3.314), (12, math.inf, 4.622)],
)  # fmt: skip
def test_the_studentized_range(groups: int, freedom: float, q: float) -> None:
    assert studentized_range(0.95, groups, freedom) == pytest.approx(q, rel=2.5e-4)  # the tables have four digits


def test_a_spread_that_is_nearly_known_is_one_that_is_known() -> None:
    assert studentized_range(0.95, 5, 4900) == pytest.approx(studentized_range(0.95, 5, math.inf), rel=1e-3)
    assert normal(0.975) == pytest.approx(1.959964)
