"""Setups and blocks told apart by least squares: exact where nothing scatters, none where blocks cannot be told."""

import math

import pytest

from raidtui.core.results.fit import fit, values_of

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
