"""The first step by keys: the questions, what each costs, and the way that each leads."""

import pytest
from textual.pilot import Pilot

from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.draft import Draft
from raidtui.ui.messages import Scanned
from raidtui.ui.questions import Purpose
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.screens.start import StartScreen
from raidtui.ui.services import Scan
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.pick_list import PickList
from raidtui.ui.widgets.step_header import StepHeader
from tests.ui.machines import RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, ready
from tests.ui.runs import view_of

SIZES = [SMALL, LARGE, (200, 60)]


def app_on(count: int = 4) -> RaidtuiApp:
    return RaidtuiApp(RecordedServices(rack(count)))


def explained(app: RaidtuiApp) -> str:
    return " ".join(app.screen.query_one(Listing).text.split())


def row(app: RaidtuiApp) -> str:
    """The row under the cursor."""
    pick = app.screen.query_one(PickList)
    return "".join(text for text, _ in pick.rows[pick.cursor].lines[0])


async def stand_on(title: str, pilot: Pilot[int]) -> None:
    """Puts the cursor on the question that begins so."""
    pick = pilot.app.screen.query_one(PickList)
    pick.move_to(next(at for at, one in enumerate(pick.text.splitlines()[1:]) if one.strip().startswith(title)))
    await pilot.pause()


async def estimated(pilot: Pilot[int]) -> None:
    """The cost of the question under the cursor is there."""
    for _ in range(600):
        assert isinstance(pilot.app, RaidtuiApp)
        if "estimating" not in explained(pilot.app):
            return
        await pilot.pause(0.02)
    raise AssertionError("no cost was estimated")


@pytest.mark.parametrize("size", [*SIZES, (100, 30)])
async def test_no_title_is_cut_and_all_of_the_first_question_is_within_reach(size: tuple[int, int]) -> None:
    app = app_on()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await estimated(pilot)
        pick = app.screen.query_one(PickList)
        assert "…" not in pick.text and "Disks or arrays, by file system" in pick.text
        in_view = [line.strip() for line in pick.text.splitlines()[1 : 1 + pick.size.height]]
        headings = {purpose.value for purpose in Purpose} - {Purpose.AS_LAST_TIME.value}
        assert all(any(line.startswith(heading) for line in in_view) for heading in headings)


@pytest.mark.parametrize("size", SIZES)
async def test_the_first_question_stands_with_all_of_its_recipe_time_and_bytes(size: tuple[int, int]) -> None:
    app = app_on()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        assert isinstance(app.screen, StartScreen)
        listed = app.screen.query_one(PickList).text
        assert "Build an array to keep" in listed and "What is wrong with this array?" in listed
        await estimated(pilot)
        said = explained(app)
        assert "4 free disks, RAID 5" in said and "% of raw" in said
        assert "4 jobs, QD128, direct" in said and "array kept, ready" in said
        assert " h " in row(app)  # the first sync is waited for


@pytest.mark.parametrize("size", SIZES)
async def test_a_recipe_that_decides_what_is_built_asks_for_disks_and_repetitions_alone(size: tuple[int, int]) -> None:
    app = app_on()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await stand_on("Levels, sequential", pilot)
        assert "next Disks, Tests. The recipe sets the rest." in explained(app)
        header = app.screen.query_one(StepHeader)
        assert "Level" not in header.text and len(header.text) <= size[0]
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, DisksScreen) and app.draft.builds == "recipe"
        await pilot.press("a", "enter")
        await pilot.pause()
        assert isinstance(app.screen, MeasureScreen)
        assert [pick.id for pick in app.screen.query("#form PickList") if pick.display] == ["repeat"]


async def test_the_cursor_passes_over_headings_and_a_click_on_one_does_nothing() -> None:
    app = app_on()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        pick = app.screen.query_one(PickList)
        await pilot.press("up")
        assert pick.cursor == 1 and "Quick look" in row(app)
        await stand_on("Why is it slower", pilot)
        alone = pick.cursor
        await pilot.press("up")
        assert "Outer, middle, inner" in row(app) and pick.cursor == alone - 2
        await pilot.press("down")
        assert "slower than expected" in row(app) and pick.cursor == alone
        await pilot.press("down")
        assert "Does alignment matter" in row(app) and pick.cursor == alone + 2
        await pilot.press("end", "down")
        assert row(app).strip().startswith("Stripe")
        await pilot.press("home")
        assert pick.cursor == 1
        await pilot.press("down")
        await pilot.click("#questions", offset=(5, 0))
        assert pick.cursor == 2
        await pilot.press("end")
        assert row(app).strip().startswith("Stripe")


async def test_too_few_disks_for_a_recipe_are_said_and_it_is_not_begun() -> None:
    app = app_on(2)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await stand_on("RAID 5, one reader", pilot)
        assert "Needs 4 disks, 2 usable here" in explained(app)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, StartScreen)
        assert any("Needs 4 disks" in told.message for told in app._notifications)


async def test_without_a_disk_that_can_be_used_the_cost_is_one_whole_sentence() -> None:
    async with (app := app_on(0)).run_test(size=LARGE) as pilot:
        await ready(pilot)
        assert "Estimate No usable disk: no estimate." in explained(app)


async def test_what_explains_a_run_begins_with_the_runs() -> None:
    app = app_on()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await stand_on("Why is it slower", pilot)
        assert "x there" in explained(app)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, RunsScreen)


class Broken(RecordedServices):
    """A machine that cannot be looked at."""

    def scan(self) -> Scan:
        raise OSError("/sys is not mounted")


async def test_why_the_machine_could_not_be_looked_at_is_said_and_nothing_is_begun() -> None:
    app = RaidtuiApp(Broken())
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        assert explained(app) == "/sys is not mounted"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, StartScreen)


class Counting(RecordedServices):
    """Counts the plans that it makes."""

    made: int = 0

    def plan(self, answers: Answers, scan: Scan) -> Plan:
        self.made += 1
        return super().plan(answers, scan)


async def test_who_walks_on_at_once_waits_for_no_plan() -> None:
    services = Counting(rack(3))
    app = RaidtuiApp(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        before = services.made
        await pilot.press("enter")
        await pilot.pause(0.5)
        assert isinstance(app.screen, DisksScreen) and services.made <= before + 1
        assert app.draft.after == "keep"


async def test_a_long_list_of_tests_is_read_with_tab_and_the_arrows() -> None:
    app = app_on()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        before = app.screen.query_one(PickList).cursor
        await pilot.press("tab", "down", "down")
        assert app.screen.query_one(Listing).scroll_offset.y == 2
        await pilot.press("tab", "down")
        assert app.screen.query_one(PickList).cursor == before + 1


LAST = Draft(disks=tuple(one.id for one in rack(4)), level="6", filesystem="xfs", repeat=3)


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_chosen_last_time_is_offered_first_and_leads_to_review(size: tuple[int, int]) -> None:
    services = RecordedServices(rack(5), last=LAST)
    app = RaidtuiApp(services)
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await estimated(pilot)
        assert row(app).startswith("  As last time: RAID 6 of 4, xfs") and "…" not in row(app)
        assert "Estimate: sda sdb sdc sdd" in explained(app) and "repeated 3 x" in explained(app)
        assert "Estimate" in explained(app) and "measurements" in explained(app)
        await pilot.press("enter")
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen) and app.draft == LAST
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, StartScreen) and app.draft == Draft()
    assert not services.started


async def test_what_is_confirmed_is_kept_for_next_time_and_what_is_not_is_not() -> None:
    services = RecordedServices(rack(4), last=LAST, views=[view_of(3, 5)])
    app = RaidtuiApp(services)
    async with app.run_test(size=LARGE) as pilot:
        await ready(pilot)
        services.last = None
        await pilot.press("enter")
        await ready(pilot)
        await pilot.press("enter", *"no", "enter")
        await ready(pilot)
        assert services.last is None and not services.started
        await pilot.press(
            "enter", *("space" if letter == " " else letter for letter in "erase 4 disks of rack7"), "enter"
        )
        await ready(pilot)
        assert services.last == LAST and len(services.started) == 1


async def test_the_cursor_stays_on_its_question_when_what_was_chosen_last_comes_above_it() -> None:
    services = RecordedServices(rack(4))
    app = RaidtuiApp(services)
    async with app.run_test(size=LARGE) as pilot:
        await ready(pilot)
        await stand_on("Burn-in", pilot)
        services.last = LAST
        await pilot.press("r")
        await ready(pilot)
        assert app.screen.query_one(PickList).text.splitlines()[1].strip().startswith("As last time")
        assert "Burn-in" in row(app)


async def test_while_the_machine_is_looked_at_again_that_is_said() -> None:
    app = app_on()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        app.rescan = lambda asker: None  # type: ignore[method-assign]
        await pilot.press("r", "enter")
        asked = app.screen.query_one("#question", Lines)
        assert isinstance(app.screen, StartScreen) and "Scanning this machine" in asked.text
        app.screen.post_message(Scanned(app.scan, app.recipes))
        await ready(pilot)
        assert "Scanning" not in asked.text


async def test_a_look_at_the_disks_asks_for_no_array_until_every_step_is_wanted() -> None:
    app = app_on()
    async with app.run_test(size=LARGE) as pilot:
        await ready(pilot)
        pick = app.screen.query_one(PickList)
        pick.move_to(_measure(pick))
        await pilot.pause()
        assert "next Disks, Tests. The level follows from the number of disks" in explained(app)
        await pilot.press("e")
        await pilot.pause()
        assert "next Disks, Level, Chunk, File system, Tests." in explained(app)
        await pilot.press("e", "enter")
        await pilot.pause()
        assert app.draft.builds == "usual"
        await pilot.press("a", "enter")
        await pilot.pause()
        assert isinstance(app.screen, MeasureScreen)
        assert [each.id for each in app.screen.query("#form PickList") if each.display] == ["repeat"]


def _measure(pick: PickList) -> int:
    """The row of the first question of those that measure the disks."""
    return next(at for at, line in enumerate(pick.text.splitlines()) if line.strip() == Purpose.MEASURE.value)
