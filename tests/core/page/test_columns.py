"""Columns of a table that has no room: the first ones stand in each part, one that fits nowhere by itself and last."""

import pytest

from raidtui.core.page.blocks import column_groups


@pytest.mark.parametrize(
    "widths, words, groups",
    [
        ([10, 10, 10], 1, [[0, 1, 2]]),
        ([10, 15, 15], 1, [[0, 1], [0, 2]]),
        ([5, 5, 15, 15], 2, [[0, 1, 2], [0, 1, 3]]),  # both words, as they leave half the room
        ([10, 40, 10], 1, [[0, 2], [0, 1]]),
        ([50], 1, [[0]]),
    ],
)
def test_which_columns_stand_beside_each_other(widths: list[int], words: int, groups: list[list[int]]) -> None:
    assert column_groups(widths, words, 36, 2) == groups
