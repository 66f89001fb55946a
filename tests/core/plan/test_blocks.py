"""The order of arms in blocks: each once a block, by chance, and the same again."""

from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.plan.blocks import interleaved


@given(st.lists(st.integers(), unique=True, max_size=6), st.integers(1, 8), st.text())
def test_every_block_has_every_arm_and_the_same_seed_the_same_order(arms: list[int], blocks: int, seed: str) -> None:
    found = interleaved(arms, blocks, seed)
    assert len(found) == blocks and all(sorted(block) == sorted(arms) for block in found)
    assert interleaved(arms, blocks, seed) == found


def test_no_arm_always_comes_first() -> None:
    assert len({block[0] for block in interleaved("abcd", 20, "seed")}) == 4
