"""The wizard as a whole: one walk by keys from Disks to Review, and what every screen has."""

import msgspec
import pytest
from rich.cells import cell_len
from textual.events import Paste
from textual.timer import Timer

from raidtui.core.documents.configuration import Configuration
from raidtui.core.raid.purposes import Workload
from raidtui.core.units import Units
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.draft import Draft
from raidtui.ui.screens.chunk import ChunkScreen
from raidtui.ui.screens.dialogs import TypedScreen
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.filesystem import FilesystemScreen
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.seeds import paired
from tests.ui.machines import MIXED, RecordedServices, rack
from tests.ui.pilots import LARGE, SIZES, SMALL, Size, listed, opened, opened_on, press, ready, said, turned_to, wizard
from tests.ui.runs import view_of


async def test_keys_alone_walk_from_disks_to_review() -> None:
    app = wizard()
    async with opened(app) as pilot:
        await pilot.press("right", "down", "space", "down", "space", "down", "space")
        assert app.draft.disks == tuple(one.id for one in MIXED[1:4])
        for screen in (DisksScreen, LevelScreen, ChunkScreen, FilesystemScreen, MeasureScreen):
            assert isinstance(app.screen, screen)
            await pilot.press("enter")
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen)
        shown = app.screen.query_one(Listing).text
        assert "steps, 4 tests" in shown
        for one in MIXED[1:4]:
            assert one.model in shown and one.serial in shown
        for _ in range(5):
            await pilot.press("escape")
        assert isinstance(app.screen, DisksScreen)


@pytest.mark.parametrize(
    "keys",
    [
        "enter a enter right right right 1 enter enter enter enter enter",  # for scratch that survives one
        "enter a enter end up up enter enter enter enter enter",  # by hand: its row
        "enter a enter end up up v enter",  # straight to Review
    ],
)
async def test_a_running_raid_10_f2_of_six_disks_takes_no_more_than_15_keys_beside_the_word(keys: str) -> None:
    services = RecordedServices(rack(6), views=[view_of(6, 5)])
    app = RaidtuiApp(services)
    pressed = [*keys.split(), "enter"]  # the last one behind the typed word
    async with opened(app) as pilot:
        for key in pressed[:-1]:
            app.simulate_key(key)
            await pilot.pause()
        await ready(pilot)
        app.post_message(Paste("erase 6 disks of rack7"))
        app.simulate_key(pressed[-1])
        await ready(pilot)
    (plan,) = services.started
    assert (plan.answers.setup.level, plan.answers.setup.layout, len(plan.members)) == ("10", "f2", 6)
    assert len(pressed) <= 15


async def test_units_switch_everywhere() -> None:
    app = wizard()
    async with opened(app) as pilot:
        disks = app.screen.query_one(PickList)
        assert "4.00 TB" in disks.text
        await pilot.press("u")
        assert "4.00 TB" not in disks.text and "3.64 TiB" in disks.text


@pytest.mark.parametrize("size", [(40, 10), (79, 24), (80, 23), (1, 1)])
async def test_too_small_says_so_and_growing_brings_it_back(size: Size) -> None:
    app = wizard()
    async with opened(app, size) as pilot:
        assert app.screen.query_one("#too-small").display
        assert not app.screen.query_one(KeyBar).display
        await pilot.resize_terminal(*SMALL)
        await pilot.pause()
        assert not app.screen.query_one("#too-small").display
        assert app.screen.query_one(PickList).rows
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert app.screen.query_one("#too-small").display


async def test_a_hidden_screen_hears_no_key() -> None:
    app = wizard(rack(3))
    async with opened(app, (60, 20)) as pilot:
        await pilot.press("a", "enter", "q")
        assert app.draft.disks == () and isinstance(app.screen, DisksScreen) and app.is_running
        await pilot.resize_terminal(*SMALL)
        await pilot.pause()
        await pilot.press("a")
        assert len(app.draft.disks) == 3


@pytest.mark.parametrize("step", ["Disks", "Level", "Review"])
async def test_a_half_filled_wizard_is_not_left_without_asking(step: str) -> None:
    async with opened_on(step) as (app, pilot):
        await pilot.press("q")
        assert isinstance(app.screen, TypedScreen) and app.is_running
        await pilot.press("enter")
        assert not isinstance(app.screen, TypedScreen) and app.draft.disks
        await pilot.press("q", "q", "enter")  # behind each other
    assert app.return_code == 0


async def test_where_nothing_was_chosen_q_leaves() -> None:
    app = wizard()
    async with opened(app) as pilot:
        await pilot.press("q")
    assert app.return_code == 0


@pytest.mark.parametrize("size", SIZES)
async def test_a_recipe_that_decides_is_not_shown_beside_choices_that_it_overrides(size: Size) -> None:
    decided = {"recipe": "levels-sequential", "builds": "recipe"}
    async with opened_on("Tests", rack(4), size=size, **decided) as (app, _):
        shown = " ".join(" ".join(lines.text for lines in app.screen.query(Lines) if lines.display).split())
        assert "Which tests? On 4 disks: Levels, sequential" in shown and "Arrays, set by the recipe level 0" in shown
        assert "usable" not in shown and "RAID 5" not in shown


@pytest.mark.parametrize("size", SIZES)
async def test_what_will_be_written_is_said_before_it_is_begun(size: Size) -> None:
    async with opened_on("Tests", rack(3), size=size) as (app, pilot):
        await pilot.pause()
        assert "Writes " in said(app) and "% of raw) at 180 MB/s and 150 IOPS per disk (assumed)" in said(app)
    async with opened_on("Review", rack(3), size=size) as (_, pilot):
        shown = " ".join((await listed(pilot)).split())
        assert "writes 7.70 GB" in shown and "Results are valid without it" in shown


@pytest.mark.parametrize("size", SIZES)
async def test_no_choice_is_cut(size: Size) -> None:
    async with opened_on("Level", rack(8), size=size, level="5", after="keep") as (app, pilot):
        for step in ("Level", "Chunk", "File system", "Tests"):
            for level in ("5", "6", "10") if step == "Chunk" else ("5",):
                await turned_to(step, app, pilot, level=level, after="keep")
                told = [pick.text for pick in app.screen.query(PickList)]
                assert told and not any("…" in text for text in told)


async def test_in_a_low_window_the_level_under_the_cursor_is_told_whole_below() -> None:
    async with opened_on("Level", rack(8), level="10") as (app, _):
        assert "n2: 2 adjacent copies, the usual choice." in said(app)
        assert len(app.screen.query_one(PickList).rows[0].lines) == 1


@pytest.mark.parametrize("step", ["Level", "Chunk", "File system", "Tests"])
async def test_in_a_window_of_another_size_every_line_is_broken_for_that_size(step: str) -> None:
    services = RecordedServices(rack(8))
    async with opened_on(step, services, level="10", after="keep", use=Workload.DATABASES) as (app, pilot):
        await ready(pilot)
        for size in (LARGE, (200, 60), SMALL, (100, 32)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            for lines in app.screen.query(Lines):
                wide = [line for line in lines.text.splitlines() if cell_len(line) > lines.size.width]
                assert not wide or not lines.display or not lines.size, (lines.id, size)


@pytest.mark.parametrize("step", ["Disks", "Chunk", "Tests"])
async def test_the_terminals_own_cursor_stands_on_the_row_that_has_the_focus(step: str) -> None:
    async with opened_on(step, rack(30), level="10") as (app, pilot):
        for keys in ((), ("down", "down"), ("tab", "down"), ("end",)):
            for key in keys:
                app.simulate_key(key)
            await ready(pilot)
            here = app.focused
            assert isinstance(here, PickList)
            row = "".join(text for text, _ in here.rows[here.cursor].lines[0])
            for _ in range(100):  # what holds the list scrolls once it has the focus: on a busy machine after a pause
                line = here.render_line(app.cursor_position.y - here.content_region.y).text
                if line.rstrip() == row.rstrip():
                    break
                await pilot.pause()
            assert app.cursor_position.x == here.content_region.x and line.rstrip() == row.rstrip()


async def test_every_size_is_taken_also_when_a_timer_of_textuals_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer that looks at the clock for the first time when it should be over ends, and calls nobody."""
    run = Timer._run

    async def run_late(timer: Timer) -> None:
        if timer._interval > 0.1:
            await run(timer)

    monkeypatch.setattr(Timer, "_run", run_late)
    app = wizard()
    async with opened(app) as pilot:
        for size, looks in ((LARGE, {"-wide", "-high"}), ((90, 24), {"-narrow", "-low"}), ((120, 24), {"-wide"})):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert looks <= app.screen.classes


@pytest.mark.parametrize("size, step", paired([SMALL, LARGE], ["Level", "Chunk", "File system", "Tests"]))
async def test_every_step_of_the_walk_is_drawn_without_colours_and_in_ascii(
    monkeypatch: pytest.MonkeyPatch, step: str, size: Size
) -> None:
    for lang in ("C.UTF-8", "C"):
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("LANG", lang)
        async with opened_on(step, rack(8), size, level="6", after="keep") as (app, pilot):
            await ready(pilot)
            drawn = [strip.text for strip in app.screen._compositor.render_strips()]
            assert any("24.0 TB = 21.8 TiB" in line for line in drawn)
            assert lang != "C" or all(line.isascii() for line in drawn)


async def test_it_begins_with_what_config_toml_has() -> None:
    configured = Configuration(theme="raidtui-light", units="binary", mailaddr="a@example.org", mount_options="noatime")
    app = wizard(RecordedServices(rack(3), configured=configured))
    async with opened(app):
        assert (app.theme, app.units) == ("raidtui-light", Units.BINARY)
        assert (app.draft.mailaddr, app.draft.mount_options) == ("a@example.org", "noatime")
        assert app.answers.mailaddr == ""  # of an array that is mounted at boot alone
        app.draft = msgspec.structs.replace(app.draft, level="1")
        app.begin_again()
        assert app.draft == app.first_draft() != Draft()


@pytest.mark.parametrize("recipe, told", [("proof", 0), ("nosuch", 1)])
async def test_a_recipe_of_config_toml_that_keeps_no_array_is_told_once(recipe: str, told: int) -> None:
    app = wizard(RecordedServices(rack(3), configured=Configuration(recipe=recipe)))
    async with opened(app) as pilot:
        await press(pilot, "r")
        assert sum("`recipe` is 'nosuch'" in one.message for one in app._notifications) == told
