"""Collected runs on the screen: their parts, a part's table, and what is said where there is none."""

from pathlib import Path

from raidtui.core.fleet.fleet import fleet_of
from raidtui.core.fleet.sections import ReportPart, sections
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.local import LocalServices
from raidtui.ui.screens.fleet import FleetPartScreen, FleetScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.pick_list import PickList
from tests.builders import fleets
from tests.core.fleet.rack import host_run_of
from tests.ui.machines import RecordedServices
from tests.ui.pilots import opened, ready, said


def of_hosts(count: int) -> RecordedServices:
    hosts = [host_run_of(number, slow={1: 0.6} if number == 2 else None) for number in range(count)]
    return RecordedServices(parts=tuple(sections(fleet_of(hosts))))


async def test_the_answer_stands_first_and_each_part_can_be_opened() -> None:
    app = RaidtuiApp(of_hosts(200), alone=lambda: FleetScreen(Path("/collected")))
    async with opened(app) as pilot:
        assert isinstance(app.screen, FleetScreen) and "200 hosts, 1,200 disks" in said(app, "#question")
        assert "Slow disks: S2-1 (node2, slot 1)." in app.screen.query_one(PickList).text
        await pilot.press("end", "enter")
        assert isinstance(app.screen, FleetPartScreen)
        rows = app.screen.query_one(PickList)
        assert len(rows.rows) == 200 and "Random read, MB/s" not in rows.text
        await pilot.press("down", "down")
        assert "Host: node2;" in said(app) and "Random read, MB/s:" in said(app)
        await pilot.press("c", "c", "c")
        assert "Random read, MB/s" in rows.text
        await pilot.press("escape")
        assert isinstance(app.screen, FleetScreen)


async def test_a_part_of_sentences_alone_is_read() -> None:
    part = ReportPart(title="Slots and firmwares", sentences=("Firmware B (3 disks): slow.", "Slot 7: slow."))
    app = RaidtuiApp(of_hosts(3), alone=lambda: FleetScreen(Path("/collected")))
    async with opened(app) as pilot:
        app.push_screen(FleetPartScreen(part))
        await ready(pilot)
        assert app.screen.query_one(PickList).text.split("\n")[1:] == [f" {sentence}" for sentence in part.sentences]


async def test_run_folders_are_read_and_where_there_is_none_that_is_said(tmp_path: Path) -> None:
    app = RaidtuiApp(LocalServices(), alone=lambda: FleetScreen(tmp_path))
    async with opened(app) as pilot:
        assert "no run is in there" in said(app).replace(str(tmp_path), "")
        await pilot.press("enter")
        assert isinstance(app.screen, FleetScreen)
    fleets.write(tmp_path, 2)
    app = RaidtuiApp(LocalServices(), alone=lambda: FleetScreen(tmp_path))
    async with opened(app) as pilot:
        assert "2 hosts, 48 disks" in app.screen.query_one("#question", Lines).text
