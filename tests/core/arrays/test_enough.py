"""How many members, and which, an array can be without."""

from itertools import combinations

import pytest

from raidtui.core.arrays.enough import enough
from raidtui.core.raid.levels import survives


@pytest.mark.parametrize(
    ("level", "layout", "near", "copies"),
    [("0", None, 1, 1), ("1", None, 1, 1), ("4", None, 1, 1), ("5", None, 1, 1), ("6", None, 1, 1),
     ("10", "n2", 2, 2), ("10", "n3", 3, 3), ("10", "f2", 1, 2), ("10", "o3", 1, 3), ("linear", None, 1, 1)],
)  # fmt: skip
@pytest.mark.parametrize("slots", [4, 5, 6, 7])
def test_it_lives_through_every_loss_that_it_is_sure_of_and_not_all_of_one_more(
    level: str, layout: str | None, near: int, copies: int, slots: int
) -> None:
    sure = survives(level, layout, slots)

    def outcomes(lost: int) -> set[bool]:
        left = (set(range(slots)) - set(gone) for gone in combinations(range(slots), lost))
        return {enough(level, slots, one, near, copies) for one in left}

    assert outcomes(sure) == {True} and False in outcomes(sure + 1)


def test_raid_10_lives_while_each_pair_has_one() -> None:
    assert enough("10", 6, {0, 3, 4}, near=2, copies=2) and not enough("10", 6, {0, 1, 2, 3}, near=2, copies=2)
    assert not enough("10", 4, {0, 1}, near=1, copies=2)  # far: neighbours


def test_what_is_not_known_needs_all() -> None:
    assert enough("multipath", 2, {0, 1}) and not enough("multipath", 2, {0})
    assert not enough("10", 4, {0}, near=0, copies=0)
