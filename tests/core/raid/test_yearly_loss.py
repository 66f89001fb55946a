"""Loss within a year: by hand for one array, and more with more disks, longer rebuilds, and less redundancy."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.arrays.reading import enough
from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.levels import LAYOUTS_10, layout10, survives
from raidtui.core.raid.redundancy import UNDER_LOAD, YearlyLoss, rebuild, yearly_loss
from raidtui.core.units import TB


def loss(key: str, disks: int, size: int = 16 * TB, afr: float = 0.0157, layout: str | None = None) -> YearlyLoss:
    again = rebuild(key, layout, disks, capacity(key, [size] * disks, None, layout), 180e6)
    return yearly_loss(key, layout, disks, again, afr)


def test_raid_6_of_24_by_hand() -> None:
    """0.38 failures a year; two more of 23 and 22 within 74 hours each."""
    found = loss("6", 24)
    assert found.rebuild_s == pytest.approx(UNDER_LOAD * 16e12 / 180e6, rel=0.001)
    years = found.rebuild_s / (365.25 * 86400)
    rate = 0.015824
    assert found.share == pytest.approx(24 * rate * 23 * rate * years * 22 * rate * years, rel=0.001)
    assert found.share == pytest.approx(3.4e-6, rel=0.02)


def test_without_redundancy_any_failure_loses_all_and_a_mirror_only_that_of_the_other_copy() -> None:
    assert loss("0", 4).share == pytest.approx(1 - 0.9843**4, rel=1e-6) and loss("0", 4).rebuild_s == 0
    assert loss("5", 4).share / loss("10", 4, layout="n2").share == pytest.approx(3, rel=0.001)


@pytest.mark.parametrize(
    "less, more",
    [
        (loss("6", 8), loss("6", 12)), (loss("6", 8), loss("5", 8)), (loss("6", 8, 4 * TB), loss("6", 8)),
        (loss("6", 8, afr=0.005), loss("6", 8)), (loss("10", 8, layout="n3"), loss("10", 8, layout="n2")),
    ],
)  # fmt: skip
def test_more_of_what_is_risky_loses_more(less: YearlyLoss, more: YearlyLoss) -> None:
    assert less.share < more.share


def _fatal_orders(key: str, layout: str | None, disks: int) -> int:
    """Ways for one disk more than is sure to fail, one after the other, that md itself would not survive."""
    of_ten = layout10(layout)
    near, stored = (of_ten.copies if of_ten.kind == "near" else 1, of_ten.copies) if key == "10" else (1, 1)
    ways = permutations(range(disks), survives(key, layout, disks) + 1)
    return sum(not enough(key, disks, set(range(disks)) - set(gone), near, stored) for gone in ways)


@given(st.sampled_from([("1", None), ("5", None), ("6", None), *(("10", name) for name in LAYOUTS_10)]), st.data())
def test_the_loss_counts_every_order_of_failures_that_md_does_not_survive(
    setup: tuple[str, str | None], data: st.DataObject
) -> None:
    key, layout = setup
    least = {"1": 2, "5": 2, "6": 4}.get(key, layout10(layout).copies)
    disks = data.draw(st.integers(least, 5 if key == "1" else 9))
    found = loss(key, disks, layout=layout, afr=1e-6)
    year_s, rate, more = 365.25 * 86400, 1.0000005e-6, survives(key, layout, disks)
    expected = _fatal_orders(key, layout, disks) * rate * (rate * found.rebuild_s / year_s) ** more
    assert found.share == pytest.approx(expected, rel=1e-4, abs=0)


@pytest.mark.parametrize(
    "disks, layout, pairs", [(3, "n2", 3), (4, "n2", 2), (5, "n2", 5), (24, "n2", 12), (24, "f2", 24)]
)
def test_an_odd_number_of_disks_and_far_copies_have_more_fatal_pairs(disks: int, layout: str, pairs: int) -> None:
    assert loss("10", disks, layout=layout).share == pytest.approx(pairs * loss("1", 2).share, rel=1e-3, abs=0)


def test_three_disks_with_two_copies_lose_as_raid_5_does() -> None:
    assert loss("10", 3, layout="n2").share == pytest.approx(loss("5", 3).share, rel=1e-3, abs=0)
