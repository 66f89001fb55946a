"""The first screen by keys: three choices, the disks, the last answers, and the way that each leads."""

from collections.abc import Callable
from pathlib import Path
from typing import cast

import msgspec
import pytest
from textual.pilot import Pilot
from textual.strip import Strip

from raidtui.core.arrays.array import Array
from raidtui.core.disks.disk import Usability, Verdict
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.draft import Draft
from raidtui.ui.paths import DEMO, PRACTICE
from raidtui.ui.questions import QuestionCost
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.recipes import RecipesScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.screens.start import DoorLines, StartScreen
from raidtui.ui.services import Scan
from tests.screenshots.stills import reckoned
from tests.ui.machines import MIXED, SYSTEM, RecordedServices, disk, rack, unread
from tests.ui.pilots import LARGE, SIZES, SMALL, Size, listed, on_screen, opened, press, ready, said
from tests.ui.runs import view_of

LAST = Draft(disks=tuple(one.id for one in rack(4)), level="6", filesystem="xfs", repeat=3)


def app_on(count: int = 4) -> RaidtuiApp:
    return RaidtuiApp(RecordedServices(rack(count)))


async def taking(pilot: Pilot[int], door: str) -> str:
    """A choice's text, once its time is known."""
    for _ in range(600):
        assert isinstance(pilot.app, RaidtuiApp)
        if "…" not in (text := said(pilot.app, f"#{door}")):
            return text
        await pilot.pause(0.02)  # a thread makes the plan once the cursor has rested
    raise AssertionError("no time was estimated")


@pytest.mark.parametrize("size", [*SIZES, (100, 40), (120, 30)])
async def test_three_choices_with_what_they_take_and_erase_and_the_disks(size: Size) -> None:
    async with opened(app_on(), size) as pilot:
        app = pilot.app
        assert isinstance(app, RaidtuiApp)
        assert " h " in await taking(pilot, "build")  # the first sync is waited for
        assert "22 recipes" in await taking(pilot, "measure")
        assert all("erases the disks you select" in said(app, f"#{door}") for door in ("build", "measure"))
        assert "erases nothing" in said(app, "#maintain")
        assert "4 free, alike: 16.0 TB = 14.6 TiB" in said(app, "#shelf")
        assert app.focused and app.focused.id == "build"


@pytest.mark.parametrize(
    "keys, screen",
    [
        ("enter", DisksScreen),
        ("1", DisksScreen),
        ("right enter", RecipesScreen),
        ("2", RecipesScreen),
        ("left enter", RunsScreen),
        ("3", RunsScreen),
        ("R", RunsScreen),
    ],
)
async def test_where_each_choice_leads(keys: str, screen: type) -> None:
    async with opened(app := app_on()) as pilot:
        await pilot.press(*keys.split())
        assert isinstance(app.screen, screen)
        await pilot.press("escape")
        assert isinstance(app.screen, StartScreen)


@pytest.mark.parametrize("lang", ["C.UTF-8", "C"])
@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_without_colours_the_choice_is_reversed(size: Size, lang: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("LANG", lang)

    def reversed_in(strips: list[Strip]) -> str:
        reversed_texts = [text for strip in strips for text, style, _ in strip if style and style.reverse]
        return " ".join(text for text in reversed_texts if "raidtui" not in text)

    async with opened(app_on(), size) as pilot:
        for name, other in (("Build an array", "Measure"), ("Measure", "Build an array")):
            told = reversed_in(pilot.app.screen._compositor.render_strips())
            assert name in told and other not in told
            await press(pilot, "right")


async def test_a_click_opens_a_choice() -> None:
    async with opened((app := app_on()), LARGE) as pilot:
        await pilot.click("#measure")
        await pilot.pause()
        assert isinstance(app.screen, RecipesScreen)


async def test_what_is_built_is_kept_and_every_step_is_asked() -> None:
    async with opened(app := app_on()) as pilot:
        await pilot.press("enter")
        assert (app.draft.after, app.draft.recipe, app.draft.builds) == ("keep", "quick", "chosen")
        assert {"Level", "Chunk", "File system", "Tests"} <= set(app.step_names)


async def test_states_of_disks_are_told_apart_by_words_and_counted() -> None:
    async with opened((app := RaidtuiApp(RecordedServices(MIXED))), LARGE):
        shelf = said(app, "#shelf")
        number = {one: sum(disk.verdict.standing is one for disk in MIXED) for one in Usability}
        assert shelf.count("data!") == number[Usability.WARN] and shelf.count(" free") == number[Usability.OK] + 1
        assert f"{number[Usability.WARN]} with data" in shelf and "never touched" in shelf


@pytest.mark.parametrize("size", SIZES)
async def test_without_a_usable_disk_a_demo_and_practice_are_offered_and_why_is_said(size: Size) -> None:
    async with opened((app := RaidtuiApp(RecordedServices((SYSTEM,)))), size) as pilot:
        assert "No usable disk" in said(app, "#question") and "virtual disks" in said(app, "#recent")
        assert "sda2 is mounted on /; this is the running system" in said(app, "#shelf")
        assert "A recorded run" in said(app, "#build") and "6 disks in memory" in said(app, "#measure")
        await pilot.press("w")
        why = await listed(pilot)
        assert "sda2 is mounted on /" in why and "this is the running system; choose another disk" in why
        assert "`raidtui doctor`" in why
        await pilot.press("escape", "1")
    assert app.return_value == DEMO
    async with opened((app := RaidtuiApp(RecordedServices((SYSTEM,)))), size) as pilot:
        await pilot.press("2")
    assert app.return_value == PRACTICE


@pytest.mark.parametrize("size", SIZES)
async def test_practice_that_cannot_run_is_not_opened_and_says_why(size: Size) -> None:
    services = RecordedServices((SYSTEM,), without_practice="Practice disks need Linux on x86-64.")
    async with opened((app := RaidtuiApp(services)), size) as pilot:
        assert "Practice disks need Linux on x86-64." in said(app, "#measure")
        assert "not possible here" in said(app, "#measure") and "raidtui demo: a recorded run" in said(app, "#recent")
        await pilot.press("2")
        assert [str(note.message) for note in app._notifications] == ["Practice disks need Linux on x86-64."]
        await pilot.press("w")
        assert "Practice disks need Linux on x86-64." in await listed(pilot)
    assert app.return_value is None


class OneUnwell(RecordedServices):
    def scan(self) -> Scan:
        array = Array(name="md127", node="/dev/md127", uuid="7", title="rack7:vms", health="degraded", run="one")
        return msgspec.structs.replace(super().scan(), unwell=(array,))


@pytest.mark.parametrize("size", SIZES)
async def test_an_array_that_is_not_healthy_puts_maintain_first(size: Size) -> None:
    async with opened((app := RaidtuiApp(OneUnwell(rack(4)))), size) as pilot:
        doors = list(app.screen.query(DoorLines))
        assert [door.id for door in doors] == ["maintain", "build", "measure"]
        assert "1" in str(doors[0].border_title) and "2" in str(doors[1].border_title)
        assert "rack7:vms degraded" in f"{doors[0].border_title} {doors[0].text}"
        assert app.focused is doors[0]
        await pilot.press("2")
        assert isinstance(app.screen, DisksScreen)
        await pilot.press("escape", "1")
        assert isinstance(app.screen, RunsScreen)


async def test_a_hundred_disks_have_a_bay_each() -> None:
    disks = (*rack(99), disk("sdzz", verdict=Verdict(Usability.WARN, "ext4")))
    async with opened((app := RaidtuiApp(RecordedServices(disks))), LARGE):
        shelf = said(app, "#shelf")
        assert shelf.count("□") == 99 and shelf.count("!") == 2 and "99 free, alike: 396 TB" in shelf


@pytest.mark.parametrize("key", ["enter", "2"])
async def test_what_ran_meanwhile_is_there_on_the_way_back(key: str) -> None:
    services = RecordedServices(rack(4))
    async with opened((app := RaidtuiApp(services)), LARGE) as pilot:
        assert "erases nothing" in said(app, "#maintain") and "No runs yet" in said(app, "#recent")
        await press(pilot, key)
        services.all_runs = (RunStatus(Path("/runs/one"), "finished", "", "RAID 6 of 4", 12, 12, kept=True),)
        app.begin_again()
        await ready(pilot)
        assert "erases an array you remove" in said(app, "#maintain") and "RAID 6 of 4" in said(app, "#recent")


class Broken(RecordedServices):
    """A machine that cannot be looked at."""

    def scan(self) -> Scan:
        raise OSError("/sys is not mounted")


async def test_why_the_machine_could_not_be_looked_at_is_said_and_nothing_is_begun() -> None:
    async with opened(app := RaidtuiApp(Broken())) as pilot:
        assert "/sys is not mounted" in said(app, "#question")
        await pilot.press("enter")
        assert isinstance(app.screen, StartScreen)


class Counting(RecordedServices):
    """Counts the plans that it makes."""

    made: int = 0

    def plan(self, answers: Answers, scan: Scan) -> Plan:
        self.made += 1
        return super().plan(answers, scan)


async def test_who_walks_on_at_once_waits_for_no_plan() -> None:
    services = Counting(rack(3))
    async with opened(app := RaidtuiApp(services)) as pilot:
        before = services.made
        await press(pilot, "enter")
        assert isinstance(app.screen, DisksScreen) and services.made <= before + 1


@pytest.mark.parametrize("size", SIZES)
async def test_what_was_chosen_last_time_leads_to_review_and_back(size: Size) -> None:
    services = RecordedServices(rack(5), last=LAST)
    async with opened((app := RaidtuiApp(services)), size) as pilot:
        assert "as last time RAID 6 of 4, xfs straight to Review" in said(app, "#recent")
        await press(pilot, "full_stop")
        assert isinstance(app.screen, ReviewScreen) and app.draft == LAST
        await pilot.press("escape")
        assert isinstance(app.screen, StartScreen) and app.draft == Draft()
    assert not services.started


async def test_what_is_confirmed_is_kept_for_next_time_and_what_is_not_is_not() -> None:
    services = RecordedServices(rack(4), last=LAST, views=[view_of(3, 5)])
    async with opened(RaidtuiApp(services), LARGE) as pilot:
        services.last = None
        await press(pilot, "full_stop")
        await press(pilot, "enter", *"no", "enter")
        assert services.last is None and not services.started
        await press(
            pilot, "enter", *("space" if letter == " " else letter for letter in "erase 4 disks of rack7"), "enter"
        )
        assert services.last == LAST and len(services.started) == 1


async def test_while_the_machine_is_looked_at_again_that_is_said() -> None:
    async with opened(app := app_on()) as pilot:
        looked: list[Callable[[], object]] = []
        app.rescan = lambda asker, then: looked.append(then)  # type: ignore[method-assign]
        await pilot.press("r", "enter")
        assert isinstance(app.screen, StartScreen) and "Scanning this machine" in said(app, "#question")
        app.screen.call_later(*looked)
        await ready(pilot)
        assert "Scanning" not in said(app, "#question")


@pytest.mark.parametrize("size", SIZES)
async def test_without_root_disks_are_not_checked_and_the_command_is_said(size: Size) -> None:
    command = "sudo /home/me/raidtui/.venv/bin/raidtui"
    async with opened((app := RaidtuiApp(RecordedServices(unread(4), as_root=command))), size) as pilot:
        shelf = said(app, "#shelf")
        assert "4 not checked" in shelf and "data" not in shelf
        assert f"Contents need root: `{command}`" in await on_screen(pilot)
    async with opened((app := RaidtuiApp(RecordedServices(rack(4), as_root=command))), size) as pilot:
        assert "Contents need root" not in await on_screen(pilot)


async def test_what_cannot_be_estimated_is_not_promised() -> None:
    async with opened((app := RaidtuiApp(RecordedServices(unread(4)))), LARGE) as pilot:
        await reckoned(app, pilot)
        assert "depends on the disks" not in await on_screen(pilot)
        screen = cast(StartScreen, app.screen)
        screen.costs = {draft: QuestionCost(problem="its disks cannot be read") for draft in screen.costs}
        screen.refill()
        assert (await on_screen(pilot)).count("takes   depends on the disks") == 2
