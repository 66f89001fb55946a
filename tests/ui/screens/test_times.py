"""The newest second as iostat writes it: one key from Live, the same key back, and what an older file does not have."""

from pathlib import Path

import pytest

from raidtui.core.run.samples import Counters, Sample
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.live import LiveScreen, TimesScreen
from raidtui.ui.widgets.lines import Lines, Listing
from tests.ui.machines import RecordedServices
from tests.ui.pilots import LARGE, SMALL, Size, opened, press
from tests.ui.runs import View, view_of


def counted(view: View) -> View:
    """The same run with a second in which each disk read 200 times, 5 ms each, and never wrote."""
    before = Counters(0, 0, 0, 0, 0, read_ms=0, write_ms=0, queue_ms=0, discards=0, flushes=0)
    after = Counters(819200, 0, 200, 0, 900, read_ms=1000, write_ms=0, queue_ms=1500, discards=0, flushes=4)
    many = len(view.slots)
    history = (Sample(0, 0, (before,) * many), Sample(10**9, 10**9, (after,) * (many - 1) + (None,)))
    return View(view.plan, view.state, view.slots, history, view.alive, view.whole)


@pytest.mark.parametrize("size, ends", [(SMALL, ["90"]), (LARGE, ["90", "0", "4"])])
async def test_each_device_has_its_line(size: Size, ends: list[str]) -> None:
    app = RaidtuiApp(RecordedServices(views=[counted(view_of(3, 40))]), attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app, size) as pilot:
        await press(pilot, "i")
        assert isinstance(app.screen, TimesScreen)
        heading = app.screen.query_one("#times-heading", Lines).text.split()
        assert heading[:9] == ["device", "r/s", "w/s", "rMB/s", "wMB/s", "r_await", "w_await", "aqu-sz", "%util"]
        lines = [line.split() for line in app.screen.query_one(Listing).text.splitlines()]
        assert lines[0] == ["sda", "200", "0", "0.8", "0.0", "5.00", "-", "1.50", *ends]
        assert [line[0] for line in lines] == ["sda", "sdb", "sdc"]
        await pilot.press("i")
        assert isinstance(app.screen, LiveScreen)


async def test_what_a_file_of_the_first_schema_does_not_have_is_a_dash() -> None:
    app = RaidtuiApp(RecordedServices(views=[view_of(100, 40)]), attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app) as pilot:
        await press(pilot, "i")
        lines = [line.split() for line in app.screen.query_one(Listing).text.splitlines()]
        assert len(lines) == 100 and all(line[5:8] == ["-", "-", "-"] for line in lines)
        await pilot.press("u")
        assert "rMiB/s" in app.screen.query_one("#times-heading", Lines).text
