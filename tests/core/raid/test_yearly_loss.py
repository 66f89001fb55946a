"""Loss within a year: by hand for one array, and more with more disks, longer rebuilds, and less redundancy."""

import pytest

from raidtui.core.raid.capacity import capacity
from raidtui.core.raid.redundancy import rebuild
from raidtui.core.raid.yearly_loss import UNDER_LOAD, YearlyLoss, yearly_loss
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
    ("less", "more"),
    [
        (loss("6", 8), loss("6", 12)), (loss("6", 8), loss("5", 8)), (loss("6", 8, 4 * TB), loss("6", 8)),
        (loss("6", 8, afr=0.005), loss("6", 8)), (loss("10", 8, layout="n3"), loss("10", 8, layout="n2")),
    ],
)  # fmt: skip
def test_more_of_what_is_risky_loses_more(less: YearlyLoss, more: YearlyLoss) -> None:
    assert less.share < more.share
