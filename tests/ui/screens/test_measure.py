"""Measure by keys: what is asked there, and what stands beside it."""

import msgspec
import pytest
from textual.containers import VerticalScroll

from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.services import DrivesTold
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import OptionPick, PickList
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, Size, on_screen, opened_on, press, ready, said

KEPT = {"level": "1", "filesystem": "ext4", "after": "keep"}


async def test_each_test_stands_with_its_targets_and_what_it_asks() -> None:
    async with opened_on("Tests", rack(4), LARGE, level="5") as (app, pilot):
        await ready(pilot)
        facts = " ".join(app.screen.query_one("#facts", Lines).text.split())
        assert "1 disk all array" in facts and "Sequential write 1M QD32 5 s ● ● ●" in facts
        assert "build initial resync 6 h" not in said(app, "#time")  # skipped where nothing is kept
        assert "build" in said(app, "#time") and "tests" in said(app, "#time")


async def test_of_a_kept_array_every_set_of_tests_that_leaves_it_alone_has_its_cost() -> None:
    services = RecordedServices(rack(4))
    async with opened_on("Tests", services, LARGE, **KEPT) as (app, pilot):
        await ready(pilot)
        table = app.screen.query_one("#sets", PickList)
        names = [line.strip("▸◆ ").split("  ")[0] for line in table.text.splitlines()[1:]]
        assert names == [
            "Quick look", "Latency under load", "Proof: every block comes back",
            "Queue depth × jobs, 4K", "Sync writes",
        ]  # fmt: skip
        assert "estimating" not in table.text and "▸◆ Quick look" in table.text
        assert "(writes " in said(app, "#time")
        await press(pilot, "down")
        assert app.draft.recipe == "latency-at-load" and "22 tests." in said(app)
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewScreen) and app.answers.recipe == "latency-at-load"
    async with opened_on("Tests", services, LARGE, recipe="raid0-gain", builds="recipe") as (app, pilot):
        assert len(app.screen.query_one("#sets", PickList).rows) == 1  # what Start asked


async def test_keys_that_turn_a_page_show_the_rest_of_the_form_and_take_nothing() -> None:
    async with opened_on("Tests", rack(4), SMALL, **KEPT) as (app, pilot):
        await ready(pilot)
        await pilot.press("o")
        form = app.screen.query_one("#form", VerticalScroll)
        before = app.draft
        assert form.max_scroll_y > 0
        for key, turned in (("pagedown", True), ("pageup", False)):
            await press(pilot, key)
            assert (form.scroll_y > 0) is turned, key
        assert app.draft == before


async def test_an_array_can_be_kept_or_removed_afterwards() -> None:
    async with opened_on("Tests", rack(4), LARGE, level="5") as (app, pilot):
        await ready(pilot)
        assert "remove" in said(app, "#why") and not app.screen.query_one("#spares").display
        await press(pilot, "a", "down")
        assert app.draft.after == "keep" and app.focused is app.screen.query_one("#after")
        assert app.screen.query_one("#spares").display and len(app.screen.query_one("#sets", PickList).rows) == 5
        assert "array kept, ready to use" in said(app, "#why") and "a tests" not in said(app)


async def test_a_small_window_shows_them_on_a_page_of_their_own() -> None:
    async with opened_on("Tests", rack(4), SMALL, level="5") as (app, pilot):
        await ready(pilot)
        await press(pilot, "d")
        assert isinstance(app.screen, DetailsScreen)
        text = app.screen.query_one(Listing).text
        assert "Random 4K read" in text and "Total" in text and "Tests" in text
        await pilot.press("d")
        assert isinstance(app.screen, MeasureScreen)


async def test_mail_is_asked_of_an_array_that_is_there_at_each_boot() -> None:
    services = RecordedServices(rack(2))
    for permanent in ("", "yes"):
        async with opened_on("Tests", services, SMALL, **KEPT, permanent=permanent) as (app, pilot):
            await ready(pilot)
            await pilot.press("m")
            field = app.screen.query_one("#mailaddr")
            assert field.has_focus == bool(permanent)
            if permanent:
                await press(pilot, *"ro", "at", *"x y")
                assert "Mail alerts to: " in said(app)
                await pilot.press("enter", "enter")
                assert isinstance(app.screen, MeasureScreen)
                await press(pilot, "m", "end", *["backspace"] * 6, *"root", "enter", "enter")
                assert (
                    isinstance(app.screen, ReviewScreen) and app.answers.mailaddr == "roroot"[2:]
                ) or app.answers.mailaddr


async def test_whether_members_are_partitions_is_asked_of_an_array_that_stays() -> None:
    async with opened_on("Tests", rack(2), LARGE, **KEPT) as (app, pilot):
        await pilot.press("o", "tab", "tab", "tab", "tab")
        assert app.focused is app.screen.query_one("#members") and not app.draft.partitioned
        await pilot.press("down")
        await press(pilot, "space")
        assert (
            app.answers.setup.members == "partitions" and "6 h 24 min" in app.screen.query_one("#sets", PickList).text
        )
        assert "partitions replacements may be slightly smaller" in said(app, "#why")
    async with opened_on("Tests", rack(2), LARGE, level="1") as (app, pilot):
        assert not app.screen.query_one("#members").display


async def test_a_disk_waits_as_a_spare_in_an_array_that_stays_and_may_lose_one() -> None:
    async with opened_on("Tests", rack(4), LARGE, level="5", after="keep") as (app, pilot):
        await pilot.press("o", "tab", "tab", "tab")
        assert app.focused is app.screen.query_one("#spares")
        before = said(app, "#question")
        await press(pilot, "down", "space")
        assert app.answers.setup.spares == 1 and "6 h 18 min" in app.screen.query_one("#sets", PickList).text
        assert said(app, "#question") != before and "3 disks" in said(app, "#question")
        await press(pilot, "enter", "enter")
        assert "RAID 5 of 3 disks" in app.screen.query_one(Listing).text
        await pilot.press("c")
        assert "1 more disk: spare" in await on_screen(pilot)
    for choices in ({"level": "0", "after": "keep"}, {"level": "5"}):
        async with opened_on("Tests", rack(4), LARGE, **choices) as (app, pilot):
            assert not app.screen.query_one("#spares").display


async def test_drives_that_cannot_be_asked_offer_no_self_test_in_a_small_window_either() -> None:
    services = RecordedServices(rack(6))
    async with opened_on("Tests", services, level="5", after="keep") as (app, pilot):
        app.screen.query_one("#self_test").scroll_visible()
        await press(pilot, "o")
        assert app.screen.query_one("#self_test", OptionPick).text.count("drives cannot be queried") == 2
        assert isinstance(app.screen, MeasureScreen)
        app.screen.change(self_test="short")
        await pilot.press("enter")
        assert isinstance(app.screen, MeasureScreen) and "choose none" in said(app)
    told = RecordedServices(rack(6), drives=DrivesTold())
    async with opened_on("Tests", told, level="5", after="keep") as (app, _):
        assert "cannot be asked" not in app.screen.query_one("#self_test", OptionPick).text


async def test_a_second_way_back_takes_no_other_screen_away() -> None:
    async with opened_on("Tests", rack(4), SMALL, level="5") as (app, pilot):
        await ready(pilot)
        await press(pilot, "d")
        details = app.screen
        assert isinstance(details, DetailsScreen)
        details.action_back()
        details.action_back()  # two keys in a row, both on their way to it
        details.refill()  # what was asked for it comes late
        await ready(pilot)
        assert isinstance(app.screen, MeasureScreen)


async def test_a_key_that_comes_before_the_next_screen_has_its_widgets_does_nothing() -> None:
    async with opened_on("Tests", rack(4), SMALL, level="5") as (app, pilot):
        app.push_screen(ReviewScreen())
        assert not await app.run_action("plan_by(1)", app.screen)
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen) and await app.run_action("plan_by(1)", app.screen)


@pytest.mark.parametrize(
    "level, after, goes_on", [("10", "keep", False), ("5", "keep", False), ("10", "teardown", True)]
)
async def test_an_array_that_stays_has_its_first_sync(level: str, after: str, goes_on: bool) -> None:
    choices = {"level": level, "after": after, "first_sync": "skip"}
    async with opened_on("Tests", rack(6), SMALL, **choices) as (app, pilot):
        await ready(pilot)
        assert ("a kept array needs it; choose default or wait" in said(app)) is not goes_on
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewScreen) is goes_on


async def test_what_cannot_be_a_plan_goes_no_further() -> None:
    services = RecordedServices(rack(2))
    async with opened_on("Tests", services, SMALL, **KEPT, spares=1) as (app, pilot):
        await ready(pilot)
        refused = said(app)
        assert "needs 2 disks; choose 1 more" in refused
        await press(pilot, "enter")
        assert isinstance(app.screen, MeasureScreen) and said(app) == refused
        assert any("choose 1 more" in told.message for told in app._notifications), (
            "what stood there already is no echo"
        )
        app.draft = msgspec.structs.replace(app.draft, spares=0)
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewScreen)


@pytest.mark.parametrize(
    "choices, usual",
    [
        ({"recipe": "levels-in-short", "builds": "recipe"}, "1x (set by the recipe)"),
        ({"recipe": "quick", "level": "5"}, "1x (set by the recipe)"),
        ({"recipe": "nvme-array", "builds": "recipe"}, "3 passes, each rebuilds all setups"),
        ({"recipe": "latency-at-load", "level": "5"}, "1x"),
    ],
)
async def test_what_is_usual_is_what_this_plan_does(choices: dict[str, str], usual: str) -> None:
    async with opened_on("Tests", rack(6), LARGE, **choices) as (app, pilot):
        await ready(pilot)
        pick = app.screen.query_one("#repeat", OptionPick)
        assert pick.option.words == usual


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
async def test_levels_and_chunks_are_ticked_with_tests_time_and_bytes_beside_them(size: Size) -> None:
    recipe = {"recipe": "levels-in-short", "builds": "recipe"}
    async with opened_on("Tests", rack(5), size, **recipe) as (app, pilot):
        await ready(pilot)
        assert "s sweep" in app.screen.query_one(KeyBar).text
        assert "space tick" not in app.screen.query_one(KeyBar).text
        await press(pilot, "s")
        levels, chunks = (app.screen.query_one(name, PickList) for name in ("#levels", "#chunks"))
        assert "space tick" in app.screen.query_one(KeyBar).text and app.focused is levels
        rows = [" ".join(line.split()) for line in levels.text.splitlines()]
        assert rows[0] == "tests time written" and rows[2] == "[ ] RAID 1"
        assert rows[1] == "[x] RAID 0 4 2 min 25 s 5.81 GB"
        await press(pilot, "space", "end", "up", "up", "space", "space")  # RAID 0 off; RAID 10 off and on
        assert app.draft.axes[0].level == ("10", "5", "6")
        assert "[ ] RAID 0" in levels.text and "RAID 0  4" not in levels.text
        await press(pilot, "right", "down", "space")
        assert app.focused is chunks and app.draft.axes[0].chunk == ("64KiB", "512KiB")
        rows = [" ".join(line.split()) for line in chunks.text.splitlines()]
        assert rows[2].startswith("[x] 64 KiB 12 7 min ") and rows[5].startswith("[x] 512 KiB 12 7 min ")
        assert said(app).startswith("6 setups: 32 tests. Writes ")
        assert "RAID 10 n2 of 5 disks, chunk 64 KiB" in said(app, "#facts")
        await press(pilot, "enter")  # back to the tests, then on
        assert "as ticked" in said(app, "#facts") and isinstance(app.screen, MeasureScreen)
        await press(pilot, "enter")
        assert isinstance(app.screen, ReviewScreen) and app.answers.axes == app.draft.axes
        text = app.screen.query_one(Listing).text
        assert all(f"RAID {level} of 5 disks, chunk {chunk} KiB" in text for level in (5, 6) for chunk in (64, 512))


async def test_what_cannot_be_built_is_dim_with_its_reason_on_tests_and_review() -> None:
    async with opened_on("Tests", rack(3), SMALL, recipe="levels-sequential", builds="recipe") as (app, pilot):
        await ready(pilot)
        await press(pilot, "s", *["down"] * 4)
        levels = app.screen.query_one("#levels", PickList)
        row = levels.rows[levels.cursor]
        looks = {look for text, look in row.lines[0] if text.strip()}
        assert not row.possible and looks == {"dim"} and "needs 4 disks" in levels.text
        assert said(app) == "RAID 6 needs 4 disks; choose 1 more."
        await press(pilot, "space")
        assert not app.draft.axes and said(app) == "RAID 6 needs 4 disks; choose 1 more."
        reason = "left out: RAID 10 n3 of 2 disks, chunk 512 KiB, no file system: RAID 10 n3 needs 3 disks"
        assert reason in said(app, "#facts")
        await press(pilot, "v")
        assert isinstance(app.screen, ReviewScreen)
        text = " ".join(app.screen.query_one(Listing).text.split())
        assert reason in text and "Setups" in text and "RAID 10 n3 of 3 disks, chunk 512 KiB" in text


async def test_a_click_ticks_and_a_kept_array_has_no_boxes() -> None:
    async with opened_on("Tests", rack(4), LARGE, recipe="levels-in-short", builds="recipe") as (app, pilot):
        await ready(pilot)
        await press(pilot, "s")
        await pilot.click("#chunks", offset=(5, 3))
        await ready(pilot)
        assert app.draft.axes[0].chunk == ("64KiB", "512KiB")
    async with opened_on("Tests", rack(4), LARGE, level="5") as (app, pilot):
        await ready(pilot)
        await press(pilot, "s", "down", "space")
        assert app.draft.axes and "Level" not in app.step_names and "File system" in app.step_names
        await press(pilot, "enter", "a")  # no array of a sweep can be kept
        assert app.draft.after == "teardown" and not app.screen.query_one("#after").display
    async with opened_on("Tests", rack(4), LARGE, **KEPT) as (app, pilot):
        await ready(pilot)
        before = app.draft
        await press(pilot, "s", "space", "tab", "tab")
        assert app.draft == before and "s sweep" not in app.screen.query_one(KeyBar).text
        assert not app.screen.query_one("#sweep").display
