"""Step 2 by keys: every level is there, and what is not possible says why."""

from textual.events import Key

from raidtui.ui.screens.chunk import ChunkScreen
from raidtui.ui.screens.filesystem import FilesystemScreen
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, opened_on, ready, said, wizard


async def test_every_level_is_listed_and_impossible_ones_say_what_they_take() -> None:
    async with opened_on("Level", RecordedServices(rack(2))) as (app, pilot):
        levels = app.screen.query_one(PickList)
        assert "RAID 6 needs 4 disks; choose 2 more." in " ".join(levels.text.split())
        await pilot.press("home", *["down"] * 4)
        assert app.draft.level == "6"
        await pilot.press("enter")
        assert isinstance(app.screen, LevelScreen)
        assert "choose 2 more" in said(app)


async def test_a_level_that_was_not_chosen_follows_the_number_of_disks_and_a_chosen_one_stays() -> None:
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("space", "enter")
        await pilot.pause()
        assert app.answers.setup.level == "jbod"
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("escape", "escape")
        await pilot.pause()
        await pilot.press("down", "space", "enter")
        await pilot.pause()
        assert app.answers.setup.level == "1"
        await pilot.press("home")
        assert app.answers.setup.level == "0"
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("down", "space", "enter")
        await pilot.pause()
        assert app.answers.setup.level == "0"


async def test_a_level_without_layout_and_chunk_goes_on_to_the_file_system() -> None:
    async with opened_on("Level", RecordedServices(rack(2))) as (app, pilot):
        await pilot.press("end")
        assert app.draft.level == "jbod"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, FilesystemScreen)


async def test_what_was_chosen_right_before_enter_is_what_the_next_step_is_about() -> None:
    async with opened_on("Level", RecordedServices(rack(6)), LARGE, level="5") as (app, pilot):
        for key in ("up", "enter", "enter"):  # at once, as over a slow line: 4, which has no layouts
            app.post_message(Key(key, None))
        await ready(pilot)
        assert isinstance(app.screen, ChunkScreen) and app.draft.level == "4"
        assert not app.screen.query("#layout") and len(app.screen_stack) == 3


async def test_a_key_behind_enter_changes_nothing_on_the_step_that_is_left() -> None:
    async with opened_on("Level", RecordedServices(rack(6)), LARGE, level="5") as (app, pilot):
        for key in ("enter", "home", "end", "up"):
            app.post_message(Key(key, None))
        await ready(pilot)
        assert isinstance(app.screen, ChunkScreen) and app.draft.level == "5"
