"""Keys of the person's own: they are in force wherever they are shown, and what cannot be is one sentence."""

from pathlib import Path

import pytest

from raidtui.ui import keys
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.widgets.bars import KeyBar
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, opened, wizard

ROOT = Path(__file__).parents[2]


async def test_another_key_does_it_and_is_the_one_that_is_shown() -> None:
    app = wizard(RecordedServices(rack(3), own_keys={"disks.all": "f5", "disks.sort": "a"}))
    async with opened(app, LARGE) as pilot:
        bar = app.screen.query_one(KeyBar).text
        assert "f5 all free  " in bar and "a sort" in bar
        await pilot.press("a")
        assert app.draft.disks == ()
        await pilot.press("f5")
        assert len(app.draft.disks) == 3
        assert not app._notifications


@pytest.mark.parametrize(
    "wished, said",
    [
        ({"disks.al": "x"}, "did you mean 'disks.all'?"),
        ({"frobnicate": "x"}, "docs/commands.md lists them"),
        ({"disks.all": "hold x"}, "'hold x': not a key"),
        ({"disks.all": ""}, "'': not a key"),
        ({"app.quit": "x"}, "also works in input fields"),
    ],
)
async def test_what_cannot_be_is_said_and_the_usual_key_stays(wished: dict[str, str], said: str) -> None:
    app = wizard(RecordedServices(rack(3), own_keys=wished))
    async with opened(app) as pilot:
        assert [said in notice.message for notice in app._notifications] == [True]
        await pilot.press("a")
        assert isinstance(app.screen, DisksScreen) and len(app.draft.disks) == 3


def test_every_key_is_in_the_document() -> None:
    table = (ROOT / "docs" / "commands.md").read_text()
    assert (bindings := keys.all_bindings()) and [name for name in bindings if f"`{name}`" not in table] == []
