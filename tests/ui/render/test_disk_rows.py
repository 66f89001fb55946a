"""Rows of disks fit every width."""

import pytest
from rich.cells import cell_len

from raidtui.core.units import Units
from raidtui.ui.render.disk_rows import disk_sheet
from tests.ui.machines import MIXED, rack


@pytest.mark.parametrize("width", [58, 66, 79, 100, 120, 160])
@pytest.mark.parametrize("disks", [MIXED, rack(24), ()])
def test_rows_of_disks_fit_every_width(width: int, disks: tuple[object, ...]) -> None:
    sheet = disk_sheet(disks, (), width, Units.DECIMAL)  # type: ignore[arg-type]
    for line in (sheet.heading, *(row.lines[0] for row in sheet.rows)):
        assert sum(cell_len(text) for text, _ in line) <= width
