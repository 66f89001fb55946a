"""Step 6 by keys: nothing starts but by the typed answer."""

from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input

from raidtui.core.plan.confirmation import UNSEEN
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines, Listing
from tests.ui.machines import OLD_DATA, RecordedServices, disk, rack
from tests.ui.pilots import LARGE, opened_on, press, said
from tests.ui.runs import view_of

PHRASE = (*"erase", "space", "3", "space", *"disks", "space", *"of", "space", *"rack7")


async def test_the_answer_to_erasing_is_no_unless_typed_exactly() -> None:
    services = RecordedServices(rack(3), views=[view_of(3, 5)])
    async with opened_on("Review", services) as (app, pilot):
        assert "erase 3 disks of rack7" in said(app)
        await pilot.press("enter", "enter", "enter")
        assert "Type erase 3 disks of rack7 and press Enter; anything else starts nothing." in said(app)
        await pilot.press(*"yes", "enter")
        assert "Nothing was started" in said(app)
        await press(pilot, *"erase", "space", *"4", "space", *"disks", "space", *"of", "space", *"rack7", "enter")
        assert not services.started
        assert isinstance(app.screen, ReviewScreen)
        await press(pilot, *PHRASE, "enter")
        assert len(services.started) == 1
        assert isinstance(app.screen, LiveScreen)


async def test_what_boot_mounts_is_shown_and_a_key_takes_it_back_or_wishes_for_it() -> None:
    kept: dict[str, Any] = {"after": "keep", "permanent": "yes", "array_name": "store", "mount_point": "/srv/store"}
    services = RecordedServices(rack(3), views=[view_of(3, 5)])
    async with opened_on("Review", services, **kept) as (app, pilot):
        assert app.answers.permanent and "m mount at boot" in app.screen.query_one(KeyBar).text
        assert "not mounted at boot (see Notes)" in app.screen.query_one(Listing).text  # of an unknown distribution
        await press(pilot, "m")
        assert not app.answers.permanent and app.answers.array_name == "store"
        assert "Array store kept, not mounted at boot (m: at boot)" in app.screen.query_one(Listing).text
        await press(pilot, "m", "m", "enter", *PHRASE, "enter")  # typed for the last plan
        assert [plan.answers.permanent for plan in services.started] == [False]
    async with opened_on("Review", services) as (app, pilot):
        assert "mount at boot" not in app.screen.query_one(KeyBar).text  # nothing is kept


async def test_a_doubtful_disk_is_listed_with_what_is_lost_and_one_phrase_is_typed_for_all() -> None:
    disks = (disk("sdb"), disk("sdc"), OLD_DATA)
    services = RecordedServices(disks, views=[view_of(3, 5)])
    async with opened_on("Review", services, disks=tuple(one.id for one in disks)) as (app, pilot):
        text = app.screen.query_one(Listing).text
        await press(pilot, "enter", *PHRASE, "enter")
        assert "ext4 on sdf1 (backup)" in text and OLD_DATA.serial in text
        assert len(services.started) == 1


async def test_nothing_can_be_typed_before_the_list_of_what_is_lost_was_shown_to_its_end() -> None:
    """Of 24 disks with something on them; a jump to the end of the plan shows not the list."""
    disks = tuple(disk(f"sd{letter}", verdict=OLD_DATA.verdict) for letter in "bcdefghijklmnopqrstuvwxy")
    services = RecordedServices(disks, views=[view_of(3, 5)])
    typed = (*"erase", "space", *"24", "space", *"disks", "space", *"of", "space", *"rack7", "enter")
    async with opened_on("Review", services, disks=tuple(one.id for one in disks)) as (app, pilot):
        field = app.screen.query_one(Input)
        for keys in ((), ("end",), ("home",)):
            await press(pilot, *keys, "enter", "x", "enter")
            assert field.disabled and not services.started
            assert "read their list to its end" in said(app)
        await pilot.press(*["pagedown"] * 8)
        assert not field.disabled
        await press(pilot, "enter", *typed)
        assert len(services.started) == 1


async def test_what_raidtui_cannot_see_is_said_above_the_field_and_nothing_falls_off_the_screen() -> None:
    async with opened_on("Review", rack(3)) as (app, pilot):
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
        await press(pilot, "enter", *PHRASE, "enter")
        assert not services.started
        assert app.screen.query_one(Input).disabled


async def test_the_answers_are_written_and_no_file_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    async with opened_on("Review", rack(3), LARGE) as (app, pilot):
        await pilot.press("w", "w")
        assert "--confirm CODE`" in said(app) and "Press Enter, then type erase 3 disks of rack7" in said(app)
        assert (tmp_path / "answers-2.toml").exists()
        from raidtui.runs.planning import read_answers

        assert read_answers(tmp_path / "answers.toml") == app.answers


async def test_a_phrase_typed_right_behind_enter_is_whole() -> None:
    services = RecordedServices(rack(3))
    async with opened_on("Review", services) as (_, pilot):
        await press(pilot, "enter", *("space" if key == " " else key for key in "erase 3 disks of rack7"), "enter")
        assert len(services.started) == 1


async def test_what_was_typed_before_going_back_does_not_stand_there_again() -> None:
    async with opened_on("Review", rack(3)) as (app, pilot):
        await pilot.press("enter", *"erase", "escape", "enter")
        assert app.screen.query_one(Input).value == "" and app.screen.query_one(Input).has_focus


async def test_the_plan_can_be_read_while_the_answer_is_asked_for() -> None:
    async with opened_on("Review") as (app, pilot):
        listing, field = app.screen.query_one(Listing), app.screen.query_one(Input)
        await pilot.press("tab")
        assert field.has_focus
        await pilot.press("end")
        assert listing.scroll_offset.y == listing.max_scroll_y > 0
        await pilot.press("home", "pagedown", "up")
        assert 0 < listing.scroll_offset.y < listing.max_scroll_y
        await pilot.press(*"erase", "home", "x")
        assert field.value == "xerase"


async def test_s_adds_every_command_c_the_bytes_and_while_typing_both_are_letters() -> None:
    async with opened_on("Review", rack(3)) as (app, pilot):
        listing, keys = app.screen.query_one(Listing), app.screen.query_one("KeyBar", Lines)
        assert "# Create" not in listing.text and "TiB raw" not in listing.text
        await pilot.press("s", "c")
        assert "mdadm " in listing.text and "TiB raw" in listing.text and "s all steps" in keys.text
        await pilot.press("s", "enter", *"sc")
        assert app.screen.query_one(Input).value == "sc" and "mdadm " not in listing.text
        assert not {"s", "w", "c"} & {word for word in keys.text.split() if len(word) == 1}


async def test_the_typed_part_of_the_phrase_is_underlined_and_safety_stands_directly_above_the_field() -> None:
    async with opened_on("Review", rack(3)) as (app, pilot):
        await pilot.press("enter", *"erase")
        detail, field = app.screen.query_one("#detail", Lines), app.screen.query_one(Input)
        assert ("erase", "*_accent") in detail.lines[-1] and (" 3 disks of rack7", "*accent") in detail.lines[-1]
        assert "Type  erase 3 disks of rack7  and press Enter" in detail.text and field.region.y == detail.region.bottom
        await pilot.press("x")
        assert ("erase 3 disks of rack7", "*accent") in detail.lines[-1]
        await pilot.resize_terminal(100, 30)
        assert detail.text.splitlines()[-1].strip() == (
            "Type  erase 3 disks of rack7  and press Enter; anything else starts nothing."
        )


async def test_no_condition_of_the_phrase_is_cut_where_the_host_has_a_long_name() -> None:
    class Somebodys(RecordedServices):
        def host(self) -> str:
            return "practice-of-somebody"

    async with opened_on("Review", Somebodys(rack(3))) as (app, pilot):
        await pilot.press("enter")
        *question, asked = app.screen.query_one("#detail", Lines).text.splitlines()
        assert asked.strip() == "Type  erase 3 disks of practice-of-somebody  and press Enter"
        assert " ".join(" ".join(question).split()).endswith("Anything else starts nothing.")


async def test_what_was_read_to_its_end_stays_read_when_the_commands_are_shown() -> None:
    disks = (disk("sdb"), disk("sdc"), OLD_DATA)
    async with opened_on("Review", RecordedServices(disks), LARGE, disks=tuple(one.id for one in disks)) as (
        app,
        pilot,
    ):
        assert not app.screen.query_one(Input).disabled
        await pilot.press("s")
        assert not app.screen.query_one(Input).disabled
