"""Step 3 by keys: several lists on one screen."""

from raidtui.ui.widgets.key_bar import KeyBar
from raidtui.ui.widgets.option_list import OptionPick
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import opened_on, turned_to


async def test_tab_goes_to_the_next_list_where_there_are_several() -> None:
    async with opened_on("File system", RecordedServices(rack(3))) as (app, pilot):
        assert "tab next list" not in app.screen.query_one(KeyBar).text
    async with opened_on("Layout", RecordedServices(rack(3))) as (app, pilot):
        assert "tab next list" in app.screen.query_one(KeyBar).text
        await pilot.press("tab")
        focused = app.focused
        assert focused is not None and focused.id == "layout"


async def test_a_partial_parity_log_is_offered_where_it_can_be() -> None:
    async with opened_on("Layout", RecordedServices(rack(4)), level="5") as (app, pilot):
        picks = app.screen.query_one("#bitmap", OptionPick)
        assert "partial parity log" in picks.text
        picks.focus()
        await pilot.press("end", "enter")
        await pilot.pause()
        assert app.draft.bitmap == "ppl"
        await turned_to("Layout", app, pilot, level="6")
        assert "partial parity log" not in app.screen.query_one("#bitmap", OptionPick).text
