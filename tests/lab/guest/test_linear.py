"""Arrays of level linear, which a newer kernel may be built without: tested as all others."""

from pathlib import Path

import pytest

from raidtui.core.plan.answers import Setup
from raidtui.core.units import GB, MB, TB
from tests.lab.guest.built import leave_blank_members
from tests.lab.guest.loops import Loops, hold_to_the_byte, take_geometry

RACK = dict(disks=3, size_mib=320, mbps=94)


def test_it_is_built_and_leaves_blank_members(tmp_path: Path) -> None:
    leave_blank_members(Setup(level="linear", filesystem="xfs"), (0, 0), tmp_path, members=3)


@pytest.mark.parametrize("sizes", [[4 * TB, 200 * MB], [300 * MB + 512, 1 * TB - 512 * 3, 20 * GB]])
def test_it_holds_to_the_byte_what_was_promised(loops: Loops, sizes: list[int]) -> None:
    hold_to_the_byte(loops, "linear", sizes)


def test_a_file_system_on_it_is_told_of_no_stripe(loops: Loops) -> None:
    take_geometry(loops, "linear", 2, None, None)
