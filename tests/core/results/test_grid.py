"""Setups in a few words that tell them apart: of the fields in which they differ, and nothing twice."""

import pytest
from msgspec import structs

from raidtui.core.plan.answers import Setup
from raidtui.core.results.analysis import compare
from raidtui.core.results.grid import grids, names
from tests.builders import sweeps


@pytest.mark.parametrize(
    "cells, said",
    [
        ((Setup(level="0"), Setup(level="5")), ("RAID 0", "RAID 5")),
        (
            (Setup(level="5", stripe_cache_size=256), Setup(level="5", stripe_cache_size=4096)),
            ("stripe cache 256", "stripe cache 4096"),
        ),
        ((Setup(level="5", chunk="64KiB"), Setup(level="5", chunk="1MiB")), ("64KiB", "1MiB")),
        ((Setup(level="5"),), ("",)),
        (
            (Setup(level="5", wbt_lat_usec=2000, disks=3), Setup(level="0", wbt_lat_usec=0, disks=2)),
            ("RAID 5", "RAID 0"),
        ),
        (
            (Setup(level="10", wbt_lat_usec=2000), Setup(level="10", wbt_lat_usec=0), Setup(level="5")),
            ("RAID 10 n2 wbt 2 ms", "RAID 10 n2 wbt off", "RAID 5"),
        ),
        (
            (Setup(level="1"), Setup(level="1", failed=1), Setup(level="6", failed=2)),
            ("RAID 1 healthy", "RAID 1 degraded", "RAID 6 degraded (2 disks)"),
        ),
        (
            (Setup(level="5", disks=3, rebuild_min_kib_s=1000), Setup(level="5", disks=2), Setup(level="0", disks=3)),
            (
                "RAID 5 of 3 disks rebuild min 1000 KiB/s",
                "RAID 5 of 2 disks no rebuild",
                "RAID 0 of 3 disks no rebuild",
            ),
        ),
        (
            (Setup(level="btrfs-raid10"), Setup(level="0", filesystem="btrfs"), Setup(level="0", filesystem="xfs")),
            ("btrfs RAID 10", "RAID 0 btrfs", "RAID 0 xfs"),
        ),
        (
            (
                Setup(level="zfs-raidz1", allocation_unit="4KiB"),
                Setup(level="zfs-raidz1", allocation_unit="128KiB"),
                Setup(level="0", filesystem="ext4"),
            ),
            ("ZFS raidz1 recordsize 4KiB", "ZFS raidz1 recordsize 128KiB", "RAID 0 ext4"),
        ),
    ],
)
def test_a_setup_is_named_by_what_differs(cells: tuple[Setup, ...], said: tuple[str, ...]) -> None:
    assert names(cells) == said


def test_each_test_has_a_row_of_every_cell_in_the_recipes_order() -> None:
    made = sweeps.plan("levels-sequential", 4)
    found = grids(compare(made, sweeps.state(made)))
    cells = [stage for stage in made.stages if stage.setup is not None]
    assert len(found) > 1
    for grid in found:
        assert grid.columns[0] == "level"
        assert [row.cell for row in grid.rows] == [stage.setup for stage in cells]
        for short in (False, True):
            assert len({grid.name(index, short=short) for index in range(len(grid.rows))}) == len(grid.rows)


def test_a_setup_is_named_by_and_without_its_stripe_cache() -> None:
    """The stripe cache of levels with parity, beside levels that have none."""
    made = sweeps.plan("levels-sequential", 4)
    (grid, *_) = grids(compare(made, sweeps.state(made)))
    with_4096 = [i for i, row in enumerate(grid.rows) if row.cell and row.cell.stripe_cache_size == 4096]
    assert {grid.name_but_for(index, "stripe_cache_size") for index in with_4096} == {
        f"RAID {level} of {disks} disks" for level in "45" for disks in (2, 4)
    }
    above = with_4096[0]
    assert grid.name_but_for(above, "stripe_cache_size", short=True) == "RAID 4 of 4"
    assert grid.phrase(above, "stripe_cache_size", short=True) == "cache 4096"


def test_a_plan_that_tells_no_setup_has_no_grid() -> None:
    made = sweeps.plan("levels-sequential", 4)
    nameless = structs.replace(made, stages=tuple(structs.replace(stage, setup=None) for stage in made.stages))
    assert grids(compare(nameless, sweeps.state(made))) == []
