"""The wizard as a whole: one walk by keys from Disks to Review, and what every screen has."""

import pytest

from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.filesystem import FilesystemScreen
from raidtui.ui.screens.layout import LayoutScreen
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.widgets.key_bar import KeyBar
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import MIXED, RecordedServices, rack
from tests.ui.pilots import SMALL, ready, wizard


async def test_keys_alone_walk_from_disks_to_review() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("down", "space", "down", "space", "down", "space")
        assert app.draft.disks == tuple(one.id for one in MIXED[1:4])
        for screen in (DisksScreen, LevelScreen, LayoutScreen, FilesystemScreen, MeasureScreen):
            assert isinstance(app.screen, screen)
            await pilot.press("enter")
            await pilot.pause()
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen)
        shown = app.screen.query_one(Listing).text
        assert "mdadm --create" in shown
        for one in MIXED[1:4]:
            assert one.model in shown and one.serial in shown
        for _ in range(5):
            await pilot.press("escape")
            await pilot.pause()
        assert isinstance(app.screen, DisksScreen)


async def test_units_switch_everywhere() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        disks = app.screen.query_one(PickList)
        assert "4.00 TB" in disks.text
        await pilot.press("u")
        assert "4.00 TB" not in disks.text and "3.64 TiB" in disks.text


@pytest.mark.parametrize("size", [(40, 10), (79, 24), (80, 23), (1, 1)])
async def test_too_small_says_so_and_growing_brings_it_back(size: tuple[int, int]) -> None:
    app = wizard()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        assert app.screen.query_one("#too-small").display
        assert not app.screen.query_one(KeyBar).display
        await pilot.resize_terminal(*SMALL)
        await pilot.pause()
        assert not app.screen.query_one("#too-small").display
        assert app.screen.query_one(PickList).rows
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert app.screen.query_one("#too-small").display


async def test_a_hidden_screen_hears_no_key() -> None:
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=(60, 20)) as pilot:
        await ready(pilot)
        await pilot.press("a", "enter", "q")
        await pilot.pause()
        assert app.draft.disks == () and isinstance(app.screen, DisksScreen) and app.is_running
        await pilot.resize_terminal(*SMALL)
        await pilot.pause()
        await pilot.press("a")
        assert len(app.draft.disks) == 3
