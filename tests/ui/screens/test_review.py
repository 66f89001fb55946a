"""Step 6 by keys: nothing starts but by the typed answer."""

from pathlib import Path

import pytest
from textual.widgets import Input

from raidtui.core.plan.confirmation import UNSEEN
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from tests.ui.machines import OLD_DATA, RecordedServices, disk, rack
from tests.ui.pilots import LARGE, opened_on, ready, said
from tests.ui.runs import view_of


async def test_the_answer_to_erasing_is_no_unless_typed_exactly() -> None:
    services = RecordedServices(rack(3), views=[view_of(3, 5)])
    async with opened_on("Review", services) as (app, pilot):
        assert "erase 3 disks" in said(app)
        await pilot.press("enter", "enter", "enter")
        assert "Type erase 3 disks and press Enter; anything else starts nothing." in said(app)
        await pilot.press(*"yes", "enter")
        assert "Nothing was started" in said(app)
        await pilot.press(*"erase", "space", *"4", "space", *"disks", "enter")
        await ready(pilot)
        assert not services.started
        assert isinstance(app.screen, ReviewScreen)
        await pilot.press(*"erase", "space", *"3", "space", *"disks", "enter")
        await ready(pilot)
        assert len(services.started) == 1
        assert isinstance(app.screen, LiveScreen)


async def test_a_doubtful_disk_is_asked_for_by_its_serial() -> None:
    disks = (disk("sdb"), disk("sdc"), OLD_DATA)
    services = RecordedServices(disks, views=[view_of(3, 5)])
    async with opened_on("Review", services, disks=tuple(one.id for one in disks)) as (app, pilot):
        await pilot.press("enter", *"erase", "space", *"3", "space", *"disks", "enter")
        await ready(pilot)
        assert not services.started
        assert "ext4 on sdf1 (backup)" in said(app)
        await pilot.press(*"no", "enter")
        assert not services.started
        await pilot.press(*OLD_DATA.serial[-4:], "enter")
        await ready(pilot)
        assert len(services.started) == 1


async def test_what_raidtui_cannot_see_is_said_above_the_field_and_nothing_falls_off_the_screen() -> None:
    async with opened_on("Review", RecordedServices(rack(3))) as (app, pilot):
        await pilot.press("enter")
        assert UNSEEN in said(app)
        await pilot.press(*"yes", "enter")  # one line more above it
        assert "Nothing was started" in said(app) and UNSEEN in said(app)
        detail, field = app.screen.query_one("#detail", Lines), app.screen.query_one(Input)
        assert detail.size.height >= len(detail.text.splitlines())
        assert detail.region.bottom <= field.region.y < field.region.bottom <= app.size.height - 1  # keys are below
        assert app.screen.query_one(Listing).size.height >= 10


async def test_not_root_says_so_and_cannot_start() -> None:
    services = RecordedServices(rack(3), hindrances=("Only root may build arrays: start it with sudo.",))
    async with opened_on("Review", services) as (app, pilot):
        assert "Only root may build arrays" in said(app)
        await pilot.press("enter", *"erase", "space", *"3", "space", *"disks", "enter")
        await ready(pilot)
        assert not services.started
        assert app.screen.query_one(Input).disabled


async def test_the_answers_are_written_and_no_file_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened_on("Review", RecordedServices(rack(3)), LARGE) as (app, pilot):
        await pilot.press("w", "w")
        assert "--confirm CODE" in said(app) and "Press Enter, then type erase 3 disks" in said(app)
        assert (tmp_path / "answers-2.toml").exists()
        from raidtui.runs.planning import read_answers

        assert read_answers(tmp_path / "answers.toml") == app.answers
