"""Step 4 by keys: what mkfs will be told."""

from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, opened_on, said


async def test_the_geometry_that_mkfs_gets_is_shown() -> None:
    async with opened_on("File system", RecordedServices(rack(3)), LARGE) as (app, pilot):
        await pilot.press("down")
        await pilot.pause()
        assert "su=524288 sw=2" in said(app)
        await pilot.press("down")
        await pilot.pause()
        assert "stride=128, stripe-width=256" in said(app)
        await pilot.press("end")
        await pilot.pause()
        assert app.draft.filesystem == "btrfs" and "no stripe option" in said(app)
