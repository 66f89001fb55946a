"""A search: nothing of what is typed is lost, and the field is there as long as it searches."""

from raidtui.ui.widgets.named_field import SearchField
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import rack
from tests.ui.pilots import opened, wizard


async def test_it_is_seen_while_it_searches_and_gives_the_keys_back_to_the_list() -> None:
    app = wizard(rack(3))
    async with opened(app) as pilot:
        field, disks = app.screen.query_one(SearchField), app.screen.query_one(PickList)
        assert not field.display and disks.has_focus
        await pilot.press(*"/sdb")
        assert field.value == "sdb" and len(disks.rows) == 2  # with its heading
        await pilot.press("down")
        assert field.display and disks.has_focus
        await pilot.press("slash", "escape")
        assert not field.display and disks.has_focus and len(disks.rows) == 2  # alike ones as one
        await pilot.press("slash", "enter")  # nothing was searched for
        assert not field.display and disks.has_focus
