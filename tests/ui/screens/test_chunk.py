"""Step 3 by keys: several lists on one screen."""

from typing import Any

import pytest

from raidtui.ui.widgets.key_bar import KeyBar
from raidtui.ui.widgets.option_list import OptionPick
from raidtui.ui.widgets.plan_panel import PlanPanel
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import opened_on, said, turned_to


async def test_tab_goes_to_the_next_list_where_there_are_several() -> None:
    async with opened_on("File system", RecordedServices(rack(3))) as (app, pilot):
        assert "tab next list" not in app.screen.query_one(KeyBar).text
    async with opened_on("Chunk", RecordedServices(rack(3))) as (app, pilot):
        assert "tab next list" in app.screen.query_one(KeyBar).text
        await pilot.press("tab")
        focused = app.focused
        assert focused is not None and focused.id == "layout"


async def test_a_partial_parity_log_is_offered_where_it_can_be() -> None:
    async with opened_on("Chunk", RecordedServices(rack(4)), level="5") as (app, pilot):
        picks = app.screen.query_one("#bitmap", OptionPick)
        assert "partial parity log" in picks.text
        picks.focus()
        await pilot.press("home", "down", "down", "enter")
        await pilot.pause()
        assert app.draft.bitmap == "ppl"
        await turned_to("Chunk", app, pilot, level="6")
        assert "partial parity log" not in app.screen.query_one("#bitmap", OptionPick).text


async def test_a_journal_is_offered_for_an_array_that_stays_where_a_disk_is_left_for_it() -> None:
    async with opened_on("Chunk", RecordedServices(rack(4)), level="5", after="keep") as (app, pilot):
        picks = app.screen.query_one("#bitmap", OptionPick)
        picks.focus()
        before = app.screen.query_one(PlanPanel).text
        await pilot.press("end", "enter")
        await pilot.pause()
        assert app.draft.bitmap == "journal" and app.draft.array_disks == 3
        assert app.screen.query_one(PlanPanel).text != before and "3 disks" in app.screen.query_one(PlanPanel).text
        assert app.answers.setup.bitmap == "journal"

    for level, after in (("5", "teardown"), ("1", "keep")):
        async with opened_on("Chunk", RecordedServices(rack(4)), level=level, after=after) as (app, _):
            assert "journal" not in app.screen.query_one("#bitmap", OptionPick).text


@pytest.mark.parametrize(
    ("disks", "choices", "why"), [(4, {"level": "6"}, "RAID 6 needs"), (4, {"level": "5", "spares": 2}, "RAID 5 needs")]
)
async def test_why_a_journal_cannot_be_stands_beside_it(disks: int, choices: dict[str, Any], why: str) -> None:
    async with opened_on("Chunk", RecordedServices(rack(disks)), after="keep", **choices) as (app, pilot):
        picks = app.screen.query_one("#bitmap", OptionPick)
        assert picks.text.count(why) == 1
        picks.focus()
        await pilot.press("end", "enter")
        await pilot.pause()
        assert app.screen.query_one("#bitmap") is picks and why in said(app)
