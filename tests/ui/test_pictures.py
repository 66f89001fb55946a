"""Three pictures, so that a change of looks is seen: Disks, Level, and 24 disks live."""

from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from raidtui.ui.app import RaidtuiApp
from tests.ui.machines import MIXED, RecordedServices, rack
from tests.ui.pilots import SMALL, ready, wizard
from tests.ui.runs import view_of


async def _three_chosen(pilot: Pilot[int]) -> None:
    await ready(pilot)
    await pilot.press("down", "space", "down", "space", "down", "space", "down")


async def _at_level(pilot: Pilot[int]) -> None:
    await ready(pilot)
    await pilot.press("a", "enter")


def test_disks(snap_compare: Any) -> None:
    app = wizard(RecordedServices(MIXED[:6]))
    assert snap_compare(app, terminal_size=(120, 30), run_before=_three_chosen)


def test_level(snap_compare: Any) -> None:
    app = wizard(rack(3))
    assert snap_compare(app, terminal_size=SMALL, run_before=_at_level)


def test_live(snap_compare: Any) -> None:
    app = RaidtuiApp(RecordedServices(views=[view_of(24, 60)]), attach=Path("/runs/20260101T000000Z-abcd"))
    assert snap_compare(app, terminal_size=SMALL)
