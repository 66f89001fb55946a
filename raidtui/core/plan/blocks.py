"""Repetitions as blocks: each holds everything once in an order of its own, so that drift affects all alike."""

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from raidtui.core.digest import sha256

# Of so many setups: with these a pair's interval is about two standard deviations wide to each side.
_USUAL = {1: 1, 2: 5, 3: 4}
_USUAL_OF_MANY = 3
MOST = 100  # the interval narrows with the square root of their number: beyond this hardly
Arm = TypeVar("Arm")


def usual(setups: int) -> int:
    """Default number of blocks for so many compared setups."""
    return _USUAL.get(setups, _USUAL_OF_MANY)


def orders(
    arms: Sequence[Arm], blocks: int, seed: str, group: Callable[[Arm], Hashable] | None = None
) -> tuple[tuple[Arm, ...], ...]:
    """The order of the arms per block, random by `seed`. Arms of one `group` stay together, in random order."""
    groups: dict[Hashable, list[int]] = {}
    for index, arm in enumerate(arms):
        groups.setdefault(index if group is None else group(arm), []).append(index)

    def draw(*drawn_for: object) -> bytes:
        return sha256(f"{seed} {drawn_for}".encode()).digest()

    def order(block: int) -> tuple[Arm, ...]:
        groups_in_order = sorted(groups.values(), key=lambda indices: draw(block, "group", indices[0]))
        return tuple(
            arms[i] for indices in groups_in_order for i in sorted(indices, key=lambda index: draw(block, index))
        )

    return tuple(order(block) for block in range(1, blocks + 1))
