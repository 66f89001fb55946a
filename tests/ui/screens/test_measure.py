"""Measure by keys: what is asked there, and what stands beside it."""

import msgspec
import pytest
from textual.containers import VerticalScroll

from raidtui.ui.screens.details import DetailsScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.services import DrivesTold
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.named_field import TypedLine
from raidtui.ui.widgets.option_list import OptionPick
from raidtui.ui.widgets.plan_panel import PlanPanel
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, opened_on, ready, said

KEPT = {"level": "1", "filesystem": "ext4", "after": "keep"}


async def test_a_large_window_shows_each_test_with_what_it_asks_and_costs() -> None:
    async with opened_on("Tests", RecordedServices(rack(4)), LARGE, level="5") as (app, pilot):
        await ready(pilot)
        facts = app.screen.query_one("#facts", Lines).text
        assert "Sequential write" in facts and "1 job, QD32" in facts and "written" in facts
        assert facts.splitlines()[-1].strip() == "d: more"


async def test_keys_that_turn_a_page_show_the_rest_of_the_form_and_take_nothing() -> None:
    async with opened_on("Tests", RecordedServices(rack(4)), SMALL, **KEPT) as (app, pilot):
        await ready(pilot)
        form = app.screen.query_one("#form", VerticalScroll)
        before = app.draft
        assert form.max_scroll_y > 0
        for key, turned in (("pagedown", True), ("pageup", False)):
            await pilot.press(key)
            await ready(pilot)
            assert (form.scroll_y > 0) is turned, key
        assert app.draft == before


async def test_a_small_window_shows_them_on_a_page_of_their_own() -> None:
    async with opened_on("Tests", RecordedServices(rack(4)), SMALL, level="5") as (app, pilot):
        await ready(pilot)
        assert not app.screen.query_one("#facts").display
        await pilot.press("d")
        await ready(pilot)
        assert isinstance(app.screen, DetailsScreen)
        text = app.screen.query_one(Listing).text
        assert "Random 4K read" in text and "Total" in text and "Tests" in text
        await pilot.press("d")
        await pilot.pause()
        assert isinstance(app.screen, MeasureScreen)


@pytest.mark.parametrize(
    ("choices", "fields"),
    [
        (KEPT, ["mount_point", "mount_owner", "mount_mode", "mailaddr"]),
        (KEPT | {"filesystem": "none"}, ["mailaddr"]),
        ({"level": "1"}, []),
    ],
)
async def test_owner_mode_and_mail_are_asked_of_an_array_that_is_there_at_each_boot(
    choices: dict[str, str], fields: list[str]
) -> None:
    async with opened_on("Tests", RecordedServices(rack(2)), LARGE, **choices) as (app, pilot):
        names = [field.id for field in app.screen.query(TypedLine)]
        assert names == fields and not any(field.parent.display for field in app.screen.query(TypedLine))  # type: ignore[union-attr]
        if fields:
            await pilot.press("tab", "down")
            await ready(pilot)  # its fields are there
            await pilot.press("down")
            assert app.focused is app.screen.query(TypedLine).first()
            await pilot.press("up")
            assert app.focused is app.screen.query_one("#permanent")


async def test_what_is_typed_there_is_checked_and_none_of_it_has_to_be() -> None:
    async with opened_on("Tests", RecordedServices(rack(2)), SMALL, **KEPT, permanent="yes") as (app, pilot):
        app.screen.query_one("#mount_owner").focus()
        await pilot.press(*"qu", "colon")  # no key of the screen
        await ready(pilot)
        assert app.draft.mount_owner == "qu:" and "Folder owner: 'qu:' is no owner" in said(app)
        await pilot.press("enter")
        assert isinstance(app.screen, MeasureScreen)
        await pilot.press("backspace", "down", "down", *"root")
        await ready(pilot)
        assert (app.draft.mount_owner, app.draft.mount_mode, app.draft.mailaddr) == ("qu", "", "root")
        assert (app.answers.mount_owner, app.answers.mailaddr) == ("qu", "root")
        assert "tests, 6 h 12 min" in said(app)
        await pilot.press("enter")
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen)


async def test_whether_members_are_partitions_is_asked_of_an_array_that_stays() -> None:
    async with opened_on("Tests", RecordedServices(rack(2)), LARGE, **KEPT) as (app, pilot):
        await pilot.press("tab", "tab", "tab", "tab")
        assert app.focused is app.screen.query_one("#members") and not app.draft.partitioned
        before = app.screen.query_one(PlanPanel).text
        await pilot.press("down")
        await pilot.press("space")
        await ready(pilot)
        assert app.answers.setup.members == "partitions" and "tests, 6 h 12 min" in said(app)
        assert app.screen.query_one(PlanPanel).text != before
    async with opened_on("Tests", RecordedServices(rack(2)), LARGE, level="1") as (app, pilot):
        assert not app.screen.query("#members")


async def test_lvm_below_the_file_system_is_asked_of_an_array_that_stays_and_has_one() -> None:
    kept = {**KEPT, "filesystem": "ext4"}
    async with opened_on("Tests", RecordedServices(rack(2)), LARGE, **kept) as (app, pilot):
        app.screen.query_one("#between").focus()
        await pilot.press("down", "space")
        await ready(pilot)
        assert app.answers.setup.between == "lvm" and "tests, 6 h 12 min" in said(app)
        await pilot.press("enter")
        await ready(pilot)
        await pilot.press("c")
        await pilot.pause()
        review = app.screen.query_one(Listing).text
        assert "ext4 on LVM" in review and "LVM overhead" in review
    for changed in ({"filesystem": "none"}, {"after": "teardown"}):
        async with opened_on("Tests", RecordedServices(rack(2)), LARGE, **{**kept, **changed}) as (app, pilot):
            assert not app.screen.query("#between") and not app.answers.setup.between


async def test_of_luks_it_is_said_who_types_the_passphrase_and_how_often() -> None:
    kept = {**KEPT, "filesystem": "ext4"}
    async with opened_on("Tests", RecordedServices(rack(2)), LARGE, **kept) as (app, pilot):
        pick = app.screen.query_one("#between")
        pick.focus()
        await pilot.press("down", "down", "space")
        await ready(pilot)
        assert app.answers.setup.between == "luks"
        await pilot.press("enter")
        await ready(pilot)
        review = app.screen.query_one(Listing).text
        assert "ext4 on LUKS" in review and "asks for the passphrase 3 times" in " ".join(review.split())


async def test_a_disk_waits_as_a_spare_in_an_array_that_stays_and_may_lose_one() -> None:
    async with opened_on("Tests", RecordedServices(rack(4)), LARGE, level="5", after="keep") as (app, pilot):
        await pilot.press("tab", "tab", "tab")
        assert app.focused is app.screen.query_one("#spares")
        before = app.screen.query_one(PlanPanel).text
        await pilot.press("down", "space")
        await ready(pilot)
        assert app.answers.setup.spares == 1 and "tests, 6 h 12 min" in said(app)
        assert app.screen.query_one(PlanPanel).text != before and "3 disks" in app.screen.query_one(PlanPanel).text
        await pilot.press("enter")
        await ready(pilot)
        await pilot.press("c")
        await pilot.pause()
        review = app.screen.query_one(Listing).text
        assert "RAID 5 of 3 disks and 1 spare" in review and "1 more disk: spare" in review
    for choices in ({"level": "0", "after": "keep"}, {"level": "5"}):
        async with opened_on("Tests", RecordedServices(rack(4)), LARGE, **choices) as (app, pilot):
            assert not app.screen.query("#spares")


async def test_drives_that_cannot_be_asked_offer_no_self_test_in_a_small_window_either() -> None:
    services = RecordedServices(rack(6))
    async with opened_on("Tests", services, level="5", after="keep") as (app, pilot):
        assert app.screen.query_one("#self_test", OptionPick).text.count("drives cannot be queried") == 2
        assert isinstance(app.screen, MeasureScreen)
        app.screen.change(self_test="short")
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, MeasureScreen) and "choose none" in said(app)
    told = RecordedServices(rack(6), drives=DrivesTold())
    async with opened_on("Tests", told, level="5", after="keep") as (app, _):
        assert "cannot be asked" not in app.screen.query_one("#self_test", OptionPick).text


async def test_a_second_way_back_takes_no_other_screen_away() -> None:
    async with opened_on("Tests", RecordedServices(rack(4)), SMALL, level="5") as (app, pilot):
        await ready(pilot)
        await pilot.press("d")
        await ready(pilot)
        details = app.screen
        assert isinstance(details, DetailsScreen)
        details.action_back()
        details.action_back()  # two keys in a row, both on their way to it
        details.refill()  # what was asked for it comes late
        await ready(pilot)
        assert isinstance(app.screen, MeasureScreen)


async def test_a_key_that_comes_before_the_next_screen_has_its_widgets_does_nothing() -> None:
    async with opened_on("Tests", RecordedServices(rack(4)), SMALL, level="5") as (app, pilot):
        app.go_to(ReviewScreen())
        assert not await app.run_action("plan_by(1)", app.screen)
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen) and await app.run_action("plan_by(1)", app.screen)


@pytest.mark.parametrize(
    ("level", "after", "goes_on"), [("10", "keep", False), ("5", "keep", False), ("10", "teardown", True)]
)
async def test_an_array_that_stays_has_its_first_sync(level: str, after: str, goes_on: bool) -> None:
    choices = {"level": level, "after": after, "first_sync": "skip"}
    async with opened_on("Tests", RecordedServices(rack(6)), SMALL, **choices) as (app, pilot):
        await ready(pilot)
        assert ("a kept array needs it; choose default or wait" in said(app)) is not goes_on
        await pilot.press("enter")
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen) is goes_on


async def test_what_cannot_be_a_plan_goes_no_further() -> None:
    services = RecordedServices(rack(2))
    async with opened_on("Tests", services, SMALL, **KEPT, spares=1) as (app, pilot):
        await ready(pilot)
        refused = said(app)
        assert "needs 2 disks; choose 1 more" in refused
        await pilot.press("enter")
        await ready(pilot)
        assert isinstance(app.screen, MeasureScreen) and said(app) == refused
        assert any("choose 1 more" in told.message for told in app._notifications), (
            "what stood there already is no echo"
        )
        app.draft = msgspec.structs.replace(app.draft, spares=0)
        await pilot.press("enter")
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen)


@pytest.mark.parametrize(
    ("choices", "usual"),
    [
        ({"recipe": "levels-in-short", "builds": "recipe"}, "1x (set by the recipe)"),
        ({"recipe": "quick", "level": "5"}, "1x (set by the recipe)"),
        ({"recipe": "nvme-array", "builds": "recipe"}, "3 passes, each rebuilds all setups"),
        ({"recipe": "latency-at-load", "level": "5"}, "1x"),
    ],
)
async def test_what_is_usual_is_what_this_plan_does(choices: dict[str, str], usual: str) -> None:
    async with opened_on("Tests", RecordedServices(rack(6)), LARGE, **choices) as (app, pilot):
        await ready(pilot)
        pick = app.screen.query_one("#repeat", OptionPick)
        assert pick.option.words == usual
