"""Recipes by keys: what each costs, what it asks next, and where it leads."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from raidtui.ui.app import RaidtuiApp
from raidtui.ui.questions import LISTED
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.recipes import RecipesScreen
from raidtui.ui.screens.start import StartScreen
from raidtui.ui.widgets.bars import StepHeader
from raidtui.ui.widgets.lines import Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SIZES, SMALL, Size, opened, press, ready


@asynccontextmanager
async def recipes(size: Size, count: int = 4) -> AsyncIterator[tuple[RaidtuiApp, Pilot[int]]]:
    """The list of a machine with so many free disks."""
    app = RaidtuiApp(RecordedServices(rack(count)))
    async with opened(app, size) as pilot:
        await press(pilot, "2")
        yield app, pilot


def explained(app: RaidtuiApp) -> str:
    return " ".join(app.screen.query_one(Listing).text.split())


def row(app: RaidtuiApp) -> str:
    """The row under the cursor."""
    pick = app.screen.query_one(PickList)
    return "".join(text for text, _ in pick.rows[pick.cursor].lines[0])


async def stand_on(title: str, pilot: Pilot[int]) -> None:
    """Puts the cursor on the recipe that begins so."""
    pick = pilot.app.screen.query_one(PickList)
    pick.move_to(next(at for at, one in enumerate(pick.text.splitlines()[1:]) if one.strip().startswith(title)))
    await pilot.pause()


async def estimated(pilot: Pilot[int]) -> None:
    """The cost of the recipe under the cursor is there."""
    for _ in range(600):
        assert isinstance(pilot.app, RaidtuiApp)
        if "…" not in row(pilot.app):
            return
        await pilot.pause(0.02)  # a thread makes the plan once the cursor has rested
    raise AssertionError("no cost was estimated")


@pytest.mark.parametrize("size", [*SIZES, (100, 32)])
async def test_no_title_is_cut_and_every_recipe_has_its_line(size: Size) -> None:
    async with recipes(size) as (app, pilot):
        await estimated(pilot)
        pick = app.screen.query_one(PickList)
        assert "JBOD vs RAID 0, by file system" in pick.text and sum(one.possible for one in pick.rows) >= 19
        assert [line for line in pick.text.splitlines() if line.strip() in {one.value for one in LISTED}]


@pytest.mark.parametrize("size", [LARGE, (200, 60)])
async def test_a_recipe_stands_with_its_tests_time_and_bytes(size: Size) -> None:
    async with recipes(size) as (app, pilot):
        await estimated(pilot)
        said = explained(app)
        assert "4 free disks, RAID 5 unless changed" in said and "% of raw" in said
        assert (
            "1 job per disk, QD4 (HDD) or QD32 (flash) per disk, direct" in said
            and "array removed, disks left blank" in said
        )
        assert " min " in row(app) and row(app).endswith("GB")


async def test_in_a_narrow_window_all_of_it_is_one_key_away() -> None:
    async with recipes(SMALL) as (app, pilot):
        await press(pilot, "d")
        assert isinstance(
            app.screen, DetailsScreen
        ) and "1 job per disk, QD4 (HDD) or QD32 (flash) per disk, direct" in explained(app)


@pytest.mark.parametrize("size", SIZES)
async def test_a_recipe_that_decides_what_is_built_asks_for_disks_and_repetitions_alone(size: Size) -> None:
    async with recipes(size) as (app, pilot):
        await stand_on("Levels, sequential", pilot)
        header = app.screen.query_one(StepHeader)
        assert "Level" not in header.text and len(header.text) <= size[0]
        await pilot.press("enter")
        assert isinstance(app.screen, DisksScreen) and app.draft.builds == "recipe"
        await pilot.press("a", "enter")
        assert isinstance(app.screen, MeasureScreen)
        assert [pick.id for pick in app.screen.query("#form PickList") if pick.display] == ["repeat"]


async def test_the_cursor_passes_over_headings_and_a_click_on_one_does_nothing() -> None:
    async with recipes(SMALL) as (app, pilot):
        pick = app.screen.query_one(PickList)
        await pilot.press("up")
        assert pick.cursor == 1 and "Quick look" in row(app)
        await stand_on("Burn-in", pilot)
        first_of_health = pick.cursor
        await pilot.press("up")
        assert "Outer to inner tracks" in row(app) and pick.cursor == first_of_health - 2
        await pilot.press("down", "end", "down")
        assert row(app).strip().startswith("Stripe")
        await pilot.press("home", "down")
        await pilot.click("#questions", offset=(5, 1))
        assert pick.cursor == 2


async def test_too_few_disks_for_a_recipe_are_said_and_it_is_not_begun() -> None:
    async with recipes(LARGE, 2) as (app, pilot):
        await stand_on("RAID 5, 1 to n", pilot)
        assert "Needs 4 disks, 2 usable here" in explained(app)
        await pilot.press("enter")
        assert isinstance(app.screen, RecipesScreen)
        assert any("Needs 4 disks" in told.message for told in app._notifications)


async def test_without_a_disk_that_can_be_used_the_cost_is_one_whole_sentence() -> None:
    app = RaidtuiApp(RecordedServices(rack(0)))
    async with opened(app, LARGE) as pilot:
        app.push_screen(RecipesScreen())  # Start offers a demo and practice in its place
        await ready(pilot)
        assert "Estimate No usable disk: no estimate." in explained(app)


async def test_a_long_list_of_tests_is_read_with_tab_and_the_arrows() -> None:
    async with recipes((100, 24)) as (app, pilot):
        before = app.screen.query_one(PickList).cursor
        await pilot.press("tab", "down", "down")
        assert app.screen.query_one(Listing).scroll_offset.y == 2
        await pilot.press("tab", "down")
        assert app.screen.query_one(PickList).cursor == before + 1


async def test_a_look_at_the_disks_asks_for_no_array_until_every_step_is_wanted() -> None:
    async with recipes(LARGE) as (app, pilot):
        assert "asks Disks, Tests. The level follows from the number of disks" in explained(app)
        await pilot.press("e")
        assert "asks Disks, Level, Chunk, File system, Tests." in explained(app)
        await pilot.press("e", "enter")
        assert app.draft.builds == "usual"
        await pilot.press("a", "enter")
        assert isinstance(app.screen, MeasureScreen)
        assert [each.id for each in app.screen.query("#form PickList") if each.display] == ["repeat"]


async def test_the_way_back_leads_to_the_first_screen() -> None:
    async with recipes(SMALL) as (app, pilot):
        await pilot.press("escape")
        assert isinstance(app.screen, StartScreen)
