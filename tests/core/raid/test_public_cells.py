"""The model against public measurements that are not its own evidence."""

import pytest

from raidtui.core.raid.confidence import NEAR
from tests.public_cells import compared, share_within


@pytest.mark.parametrize("second, cells, sources, near", [(False, 35, 9, 26), (True, 34, 9, 22)])
def test_so_many_cells_lie_within_30_percent(second: bool, cells: int, sources: int, near: int) -> None:
    """The rest is listed in docs/theory.md. Before the terms of threads, lock, submitters: 13 of the first 35; before
    the end of chunks: 20, and 17 of the second 34.
    """
    found = [cell for cell in compared() if cell.source.second is second]
    assert (len(found), len({cell.source.title for cell in found})) == (cells, sources)
    assert share_within(found, 0.30) * cells == pytest.approx(near)


def test_what_is_called_confirmed_is_near_the_measured_rates() -> None:
    confirmed, upper = ([cell for cell in compared() if cell.confirmed is known] for known in (True, False))
    near, all_of_them = NEAR
    assert len(confirmed) == all_of_them and share_within(confirmed, 0.30) * all_of_them == pytest.approx(near)
    assert sum(cell.ratio > 1.3 for cell in upper) == 1
