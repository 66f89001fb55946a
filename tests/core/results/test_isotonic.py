"""The nearest rising line: it never falls, keeps the mean, and is what was measured where that rises already."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.results.isotonic import rising

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
    assert found.surely_over(4, 0, 2.0) and not found.surely_over(2, 0, 2.0)
