"""Step 3 by keys: several lists on one screen."""

from raidtui.ui.widgets.key_bar import KeyBar
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import opened_on


async def test_tab_goes_to_the_next_list_where_there_are_several() -> None:
    async with opened_on("File system", RecordedServices(rack(3))) as (app, pilot):
        assert "tab next list" not in app.screen.query_one(KeyBar).text
    async with opened_on("Layout", RecordedServices(rack(3))) as (app, pilot):
        assert "tab next list" in app.screen.query_one(KeyBar).text
        await pilot.press("tab")
        focused = app.focused
        assert focused is not None and focused.id == "layout"
