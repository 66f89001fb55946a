"""The palette: what the screen beneath can do is found by any part of its words, and done there."""

import asyncio

from rich.style import Style
from textual import events
from textual.command import CommandList, CommandPalette
from textual.pilot import Pilot

from raidtui.ui.screens.dialogs import TypedScreen
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.runs import RunsScreen
from tests.ui.machines import rack
from tests.ui.pilots import SMALL, opened, press, ready, wizard


async def searched(pilot: Pilot[int], words: str) -> None:
    """Opens the palette, types `words`, and takes the first that is found."""
    await pilot.press("ctrl+p")
    assert isinstance(pilot.app.screen, CommandPalette)
    await pilot.press(*("space" if letter == " " else letter for letter in words))
    palette = pilot.app.screen
    for _ in range(50):
        if palette.query_one(CommandList).option_count:
            break
        await pilot.pause()
    await press(pilot, "down", "enter")


async def test_what_a_screen_can_do_is_found_by_what_it_does_and_done_on_it() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        await searched(pilot, "model and size")
        assert isinstance(app.screen, DisksScreen) and len(app.draft.disks) == 3
        await searched(pilot, "runs")
        assert isinstance(app.screen, RunsScreen)


async def test_a_theme_is_taken_from_the_palette() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        await searched(pilot, "raidtui-light")
        assert app.theme == "raidtui-light"


async def test_leaving_from_the_palette_asks_as_the_key_does() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        await pilot.press("a")
        await searched(pilot, "would be lost")
        assert isinstance(app.screen, TypedScreen)


async def test_what_is_typed_before_its_list_is_there_is_no_fault() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        for key in ("ctrl+p", "z", "pagedown", "pagedown"):
            app.simulate_key(key)
            for _ in range(3):  # time to take it, none to lay anything out
                await asyncio.sleep(0)
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)


async def test_a_click_beyond_a_window_that_became_smaller_is_none() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        await pilot.press("ctrl+p")
        x = SMALL[0] + 8
        app.screen.post_message(events.Click(app.screen, x, 4, 0, 0, 1, False, False, False, x, 4))
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)


async def test_a_click_on_what_the_list_no_longer_has_is_none() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        await pilot.press("ctrl+p")
        found = app.screen.query_one(CommandList)
        while not found.option_count:
            await pilot.pause()
        seen = Style(meta={"option": found.option_count})
        found.post_message(events.Click(found, 4, 4, 0, 0, 1, False, False, False, style=seen))
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)


async def test_what_is_chosen_twice_at_once_is_done_once() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        await pilot.press("ctrl+p", "r", "u", "n", "s")
        found = app.screen.query_one(CommandList)
        while not found.option_count:
            await pilot.pause()
        await pilot.press("down")
        for _ in range(2):
            found.action_select()
        await ready(pilot)
        assert isinstance(app.screen, RunsScreen)
        await pilot.press("escape")
        assert not isinstance(app.screen, RunsScreen)
