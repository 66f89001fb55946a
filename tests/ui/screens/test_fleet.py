"""Collected runs on the screen: how each host stands, the odd ones first, and one of them with its tests and disks."""

from pathlib import Path

from raidtui.core.fleet.fleet import fleet_of
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.local import LocalServices
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.fleet import FleetScreen, HostScreen
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.builders import fleets
from tests.core.fleet.rack import host_run_of
from tests.ui.machines import RecordedServices
from tests.ui.pilots import opened, said


def of_hosts(count: int) -> RecordedServices:
    hosts = [host_run_of(number, slow={1: 0.6} if number == 2 else None) for number in range(count)]
    return RecordedServices(hosts=fleet_of(hosts))


async def test_the_odd_host_is_the_first_row_and_opens_with_its_slow_disk() -> None:
    app = RaidtuiApp(of_hosts(200), alone=lambda: FleetScreen(Path("/collected")))
    async with opened(app) as pilot:
        assert isinstance(app.screen, FleetScreen) and app.screen.place == "200 hosts · 1,200 disks"
        assert said(app, "#fleet").startswith("▼ 1 slow disk ✓ 199 alike ▼✓✓")
        rows = app.screen.query_one(PickList)
        assert len(rows.rows) == 200 and rows.text.split("\n")[1].startswith(" ▼ node2")
        assert "S2-1:" in said(app) and "tests and disks of node2" in said(app)
        await pilot.press("down")
        assert "tests and disks of node0" in said(app)
        await pilot.press("home", "enter")
        assert isinstance(app.screen, HostScreen)
        assert "\n ▼ S2-1 " in app.screen.query_one(Listing).text
        await pilot.press("escape", "d")
        assert isinstance(app.screen, DetailsScreen) and "Host by host" in app.screen.query_one(Listing).text


async def test_run_folders_are_read_and_where_there_is_none_that_is_said(tmp_path: Path) -> None:
    app = RaidtuiApp(LocalServices(), alone=lambda: FleetScreen(tmp_path))
    async with opened(app) as pilot:
        assert "no run is in there" in said(app, "#fleet").replace(str(tmp_path), "")
        await pilot.press("enter", "d")
        assert isinstance(app.screen, FleetScreen)
    fleets.write(tmp_path, 2)
    app = RaidtuiApp(LocalServices(), alone=lambda: FleetScreen(tmp_path))
    async with opened(app):
        assert app.screen.query_one("#fleet", Lines).text.startswith("· 2 not compared")
