"""Where a file begins on a grid of its device, by its extents; nothing where they do not agree."""

import pytest

from raidtui.core.disks.extents import Extent, start_on_grid
from raidtui.core.units import KIB, MIB


@pytest.mark.parametrize(
    "extents, grid, start",
    [
        ((Extent(0, 4 * KIB, 64 * MIB),), 8 * KIB, 4 * KIB),
        ((Extent(0, 4 * KIB, 64 * MIB),), 4 * KIB, 0),
        ((Extent(0, 8 * MIB, 32 * MIB), Extent(32 * MIB, 80 * MIB, 32 * MIB)), 8 * KIB, 0),
        ((Extent(4 * KIB, 8 * MIB, 64 * MIB),), 8 * KIB, 4 * KIB),  # its first bytes have no address
        ((Extent(0, 8 * MIB, 32 * MIB), Extent(32 * MIB, 80 * MIB + 4 * KIB, 32 * MIB)), 8 * KIB, None),
        ((Extent(0, 4 * KIB, 8 * KIB), Extent(8 * KIB, 8 * MIB + 8 * KIB, 64 * MIB)), 8 * KIB, 0),  # all but a crumb
        ((), 8 * KIB, None),
    ],
)
def test_the_start_that_most_of_the_file_has(extents: tuple[Extent, ...], grid: int, start: int | None) -> None:
    assert start_on_grid(extents, grid) == start
