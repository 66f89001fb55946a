"""Setups in a few words that tell them apart: of the fields in which they differ, and nothing twice."""

import pytest

from raidtui.core.plan.answers import Setup
from raidtui.core.results.analysis import compare
from raidtui.core.results.grid import grids, names
from tests.builders import sweeps


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ((Setup(level="0"), Setup(level="5")), ("RAID 0", "RAID 5")),
        (
            (Setup(level="5", stripe_cache_size=256), Setup(level="5", stripe_cache_size=4096)),
            ("cache 256", "cache 4096"),
        ),
        ((Setup(level="5", chunk="64KiB"), Setup(level="5", chunk="1MiB")), ("64KiB", "1MiB")),
        ((Setup(level="5"),), ("",)),
    ],
)
def test_a_setup_is_named_by_what_differs(cells: tuple[Setup, ...], said: tuple[str, ...]) -> None:
    assert names(cells) == said


def test_each_test_has_a_row_of_every_cell_in_the_recipes_order() -> None:
    made = sweeps.plan("levels-sequential", 4)
    found = grids(compare(made, sweeps.state(made, lambda stage, trial: 100.0)))
    cells = [stage for stage in made.stages if stage.setup is not None]
    assert len(found) > 1
    for grid in found:
        assert grid.columns[0] == "level"
        assert [row.cell for row in grid.rows] == [stage.setup for stage in cells]
        assert len({grid.name(index) for index in range(len(grid.rows))}) == len(grid.rows)
