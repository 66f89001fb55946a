"""The wizard by keys, on machines written down: from Disks to the typed confirmation."""

from concurrent.futures import Future
from pathlib import Path

import msgspec
import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from raidtui.core.disks.disk import Standing
from raidtui.core.plan.model import Member
from raidtui.core.run.events import WorkerStarted
from raidtui.core.run.state import RunState
from raidtui.runs.launch import of_this_boot
from raidtui.runs.status import RunStatus
from raidtui.ui import local
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.jobs import Look, look_once
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.filesystem import FilesystemScreen
from raidtui.ui.screens.going_on import GoingOnScreen
from raidtui.ui.screens.help import HelpScreen
from raidtui.ui.screens.layout import LayoutScreen
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.widgets.key_bar import KeyBar
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.listing import Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import HOSTILE, MIXED, OLD_DATA, SYSTEM, RecordedServices, disk, rack
from tests.ui.runs import view_of

SMALL, LARGE = (80, 24), (120, 40)


def wizard(services: RecordedServices | None = None) -> RaidtuiApp:
    return RaidtuiApp(services or RecordedServices())


def said(app: RaidtuiApp, selector: str = "#detail") -> str:
    return " ".join(app.screen.query_one(selector, Lines).text.split())


async def ready(pilot: Pilot[int]) -> None:
    """All that was asked of threads has come back."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def to_review(pilot: Pilot[int]) -> None:
    await ready(pilot)
    await pilot.press("a", "enter", "enter", "enter", "enter", "enter")
    await ready(pilot)


async def test_keys_alone_walk_from_disks_to_review() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("down", "space", "down", "space", "down", "space")
        assert app.draft.disks == tuple(one.id for one in MIXED[1:4])
        for screen in (DisksScreen, LevelScreen, LayoutScreen, FilesystemScreen, MeasureScreen):
            assert isinstance(app.screen, screen)
            await pilot.press("enter")
            await pilot.pause()
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen)
        shown = app.screen.query_one(Listing).text
        assert "mdadm --create" in shown
        for one in MIXED[1:4]:
            assert one.model in shown and one.serial in shown
        for _ in range(5):
            await pilot.press("escape")
            await pilot.pause()
        assert isinstance(app.screen, DisksScreen)


async def test_a_refused_disk_cannot_be_chosen_and_says_why_and_what_would_change_it() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("space")
        assert app.draft.disks == ()
        assert "sda2 is mounted on /" in said(app)
        assert "This is the running system; choose another disk." in said(app)
        await pilot.press("a")
        assert SYSTEM.id not in app.draft.disks


async def test_a_click_cannot_choose_a_refused_disk_either() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.click("#disks", offset=(10, 1))
        assert app.draft.disks == ()
        await pilot.click("#disks", offset=(10, 2))
        assert app.draft.disks == (MIXED[1].id,)


async def test_nothing_chosen_is_no_next_step() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("enter")
        assert isinstance(app.screen, DisksScreen)
        assert "press space" in said(app)


async def test_capacity_follows_the_choice_in_tb_and_tib() -> None:
    app = wizard()
    async with app.run_test(size=LARGE) as pilot:
        await ready(pilot)
        panel = app.screen.query_one("#plan-panel", Lines)
        assert "No disk chosen" in panel.text
        await pilot.press("down", "space", "down", "space", "down", "space")
        assert "RAID 5 over 3 disks" in panel.text
        assert "8.00 TB" in panel.text and "7.28 TiB" in panel.text and "Any 1 disk may fail" in panel.text
        await pilot.press("down", "space")
        assert "RAID 5 over 4 disks" in panel.text and "12.0 TB" in panel.text and "unequal" in panel.text
        await pilot.press("space")
        assert "8.00 TB" in panel.text and "unequal" not in panel.text


async def test_where_there_is_no_room_the_plan_is_two_lines() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("a")
        lines = app.screen.query_one("#plan-line", Lines)
        assert not app.screen.query_one("#plan-panel").display
        assert "TB = " in lines.text and ", 1 may fail" in lines.text
        assert max(len(line) for line in lines.text.splitlines()) <= 80


async def test_every_level_is_listed_and_impossible_ones_say_what_they_take() -> None:
    app = wizard(RecordedServices(rack(2)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("a", "enter")
        await pilot.pause()
        levels = app.screen.query_one(PickList)
        assert "RAID 6 needs 4 disks; choose 2 more." in " ".join(levels.text.split())
        await pilot.press("home", *["down"] * 4)
        assert app.draft.level == "6"
        await pilot.press("enter")
        assert isinstance(app.screen, LevelScreen)
        assert "choose 2 more" in said(app)


async def test_a_level_that_was_not_chosen_follows_the_number_of_disks_and_a_chosen_one_stays() -> None:
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("space", "enter")
        await pilot.pause()
        assert app.answers.setup.level == "jbod"
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("escape", "escape")
        await pilot.pause()
        await pilot.press("down", "space", "enter")
        await pilot.pause()
        assert app.answers.setup.level == "1"
        await pilot.press("home")
        assert app.answers.setup.level == "0"
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("down", "space", "enter")
        await pilot.pause()
        assert app.answers.setup.level == "0"


async def test_tab_goes_to_the_next_list_where_there_are_several() -> None:
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        assert "tab next list" not in app.screen.query_one(KeyBar).text
        await pilot.press("a", "enter")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert "tab next list" in app.screen.query_one(KeyBar).text
        await pilot.press("tab")
        focused = app.focused
        assert focused is not None and focused.id == "layout"


async def test_a_level_without_layout_and_chunk_goes_on_to_the_file_system() -> None:
    app = wizard(RecordedServices(rack(2)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("a", "enter")
        await pilot.pause()
        await pilot.press("end")
        assert app.draft.level == "jbod"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, FilesystemScreen)


async def test_the_geometry_that_mkfs_gets_is_shown() -> None:
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=LARGE) as pilot:
        await ready(pilot)
        await pilot.press("a", "enter")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("down")
        await pilot.pause()
        assert "su=524288 sw=2" in said(app)
        await pilot.press("down")
        await pilot.pause()
        assert "stride=128, stripe-width=256" in said(app)


async def test_the_answer_to_erasing_is_no_unless_typed_exactly() -> None:
    services = RecordedServices(rack(3), views=[view_of(3, 5)])
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await to_review(pilot)
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
    services = RecordedServices((disk("sdb"), disk("sdc"), OLD_DATA), views=[view_of(3, 5)])
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("a", "end", "space", "enter", "enter", "enter", "enter", "enter")
        await ready(pilot)
        await pilot.press("enter", *"erase", "space", *"3", "space", *"disks", "enter")
        await ready(pilot)
        assert not services.started
        assert "ext4 on sdf1 (backup)" in said(app)
        await pilot.press(*"no", "enter")
        assert not services.started
        await pilot.press(*OLD_DATA.serial[-4:], "enter")
        await ready(pilot)
        assert len(services.started) == 1


async def test_not_root_says_so_and_cannot_start() -> None:
    services = RecordedServices(rack(3), hindrances=("Only root may build arrays: start it with sudo.",))
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await to_review(pilot)
        assert "Only root may build arrays" in said(app)
        await pilot.press("enter", *"erase", "space", *"3", "space", *"disks", "enter")
        await ready(pilot)
        assert not services.started
        assert app.screen.query_one(Input).disabled


async def test_the_answers_are_written_and_no_file_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=LARGE) as pilot:
        await to_review(pilot)
        await pilot.press("w", "w")
        assert "--confirm CODE" in said(app) and "Press Enter, then type erase 3 disks" in said(app)
        assert (tmp_path / "answers-2.toml").exists()
        from raidtui.runs.planning import read_answers

        assert read_answers(tmp_path / "answers.toml") == app.answers


async def test_units_switch_everywhere() -> None:
    app = wizard()
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        disks = app.screen.query_one(PickList)
        assert "4.00 TB" in disks.text
        await pilot.press("u")
        assert "4.00 TB" not in disks.text and "3.64 TiB" in disks.text


@pytest.mark.parametrize("size", [(40, 10), (79, 24), (80, 23), (1, 1)])
async def test_too_small_says_so_and_growing_brings_it_back(size: tuple[int, int]) -> None:
    app = wizard()
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
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
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=(60, 20)) as pilot:
        await ready(pilot)
        await pilot.press("a", "enter", "q")
        await pilot.pause()
        assert app.draft.disks == () and isinstance(app.screen, DisksScreen) and app.is_running
        await pilot.resize_terminal(*SMALL)
        await pilot.pause()
        await pilot.press("a")
        assert len(app.draft.disks) == 3


async def test_help_shows_each_key_once_and_none_of_textuals_own() -> None:
    app = wizard(RecordedServices(rack(3)))
    async with app.run_test(size=LARGE) as pilot:
        await to_review(pilot)
        await pilot.press("f1")
        await pilot.pause()
        lines = app.screen.query_one(Listing).text.splitlines()
        keys = [line.split("  ")[1].strip() for line in lines if line.startswith("   ")]
        named = [key for row in keys for key in row.split(", ")]
        assert len(named) == len(set(named)) and "super+c" not in named
        assert any("write answers.toml  For" in line for line in lines)


async def test_what_is_expected_is_said_to_rest_on_an_assumption() -> None:
    app = wizard(RecordedServices(tuple(disk(name, rotational=False) for name in ("sdb", "sdc", "sdd"))))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("a")
        assert "assumed: one disk 450 MB/s, 50.0k IOPS" in said(app, "#plan-line")


async def test_device_text_is_shown_as_it_is_and_never_obeyed() -> None:
    app = wizard(RecordedServices((HOSTILE, disk("sdh"), disk("sdi"))))
    async with app.run_test(size=LARGE) as pilot:
        await ready(pilot)
        disks = app.screen.query_one(PickList)
        assert "X[/]Y :cd:" in disks.text
        await to_review(pilot)
        shown = app.screen.query_one(Listing).text
        assert "X[/]Y :cd:" in shown
        drawn = app.export_screenshot()
        assert "\x1b" not in shown + drawn and "\x07" not in shown + drawn


async def test_24_disks_scroll_and_the_cursor_stays_in_view() -> None:
    app = wizard(RecordedServices(rack(24)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("end", "space")
        disks = app.screen.query_one(PickList)
        last = disks.rows[-1].lines[0]
        assert last[0][0].strip() == "[1]"
        row = disks.cursor - disks.scroll_offset.y
        assert 0 <= row < disks.size.height - 1
        await pilot.press("home")
        assert disks.scroll_offset.y == 0


async def test_a_machine_without_a_free_disk_says_so() -> None:
    app = wizard(RecordedServices((SYSTEM,)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        assert "No free disk" in said(app)


async def test_a_disk_that_is_gone_after_a_rescan_is_no_longer_chosen() -> None:
    services = RecordedServices(rack(3))
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("a")
        services.disks = rack(2)
        await pilot.press("r")
        await ready(pilot)
        assert app.draft.disks == tuple(one.id for one in rack(2))


async def test_what_was_seen_before_the_first_picture_is_used_once() -> None:
    services = RecordedServices(rack(3))
    first: Look = Future()
    first.set_result(look_once(services))
    app = RaidtuiApp(services, first_look=first)
    async with app.run_test(size=SMALL) as pilot:
        assert len(app.screen.query_one(PickList).rows) == 3
        services.disks = rack(2)
        await pilot.press("r")
        await ready(pilot)
        assert len(app.screen.query_one(PickList).rows) == 2


ALIVE = RunStatus(Path("/runs/20260101T000000Z-abcd"), "going on", "3 of 12 measured", "RAID 5", 3, 12, alive=True)
DEAD = RunStatus(
    Path("/runs/20260102T000000Z-dead"), "cut off", "5 of 12 measured; its worker died at: Create the array.",
    "RAID 6", 5, 12,
    unsettled=True,
)  # fmt: skip


async def test_runs_going_on_are_offered_first() -> None:
    services = RecordedServices(runs_unsettled=(ALIVE,), views=[view_of(3, 5)])
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        assert isinstance(app.screen, GoingOnScreen)
        assert ALIVE.name in app.screen.query_one(PickList).text
        await pilot.press("r")  # it needs no help
        await ready(pilot)
        assert services.resumed == []
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, LiveScreen)


async def test_a_run_going_on_need_not_be_watched() -> None:
    app = wizard(RecordedServices(runs_unsettled=(ALIVE,)))
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("n")
        await pilot.pause()
        assert isinstance(app.screen, DisksScreen)


async def test_a_run_that_was_cut_off_says_where_and_is_gone_on_with() -> None:
    services = RecordedServices(runs_unsettled=(ALIVE, DEAD), views=[view_of(3, 5)])
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("down")
        await pilot.pause()
        assert "its worker died at: Create the array" in said(app)
        await pilot.press("r")
        await ready(pilot)
        assert services.resumed == []  # not before it is typed
        await pilot.press(*"go", "space", *"on", "enter")
        await ready(pilot)
        assert services.resumed == [DEAD.path]
        assert isinstance(app.screen, LiveScreen)


@pytest.mark.parametrize(("typed", "goes_on"), [("1111", True), ("1112", False), ("", False)])
async def test_what_somebody_may_have_taken_meanwhile_is_asked_for_by_itself(typed: str, goes_on: bool) -> None:
    warned = Member(id="wwn-1", size_bytes=1, name="sdb", serial="WD-1111", warning="holds ext4; it will be erased")
    plain = Member(id="wwn-2", size_bytes=1, name="sdc", serial="WD-2222")
    services = RecordedServices(runs_unsettled=(DEAD,), views=[view_of(3, 5)], taken=(warned, plain))
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("r")
        await ready(pilot)
        await pilot.press(*"go", "space", *"on", "enter")
        await ready(pilot)
        assert services.resumed == [] and "holds ext4" in said(app, "#asked")
        await pilot.press(*typed, "enter")
        await ready(pilot)
        assert services.resumed == ([DEAD.path] if goes_on else [])


@pytest.mark.parametrize("key", ["s", "c"])
async def test_what_it_left_is_kept_or_cleared_away_and_the_way_is_free(key: str) -> None:
    services = RecordedServices(runs_unsettled=(DEAD,))
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press(key)
        await ready(pilot)
        if key == "c":
            assert services.cleaned == []  # not before it is typed
            await pilot.press(*"clear", "space", *"away", "enter")
            await ready(pilot)
        assert (services.kept, services.cleaned) == (([DEAD.path], []) if key == "s" else ([], [DEAD.path]))
        assert isinstance(app.screen, DisksScreen)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_every_step_shows_its_keys_and_has_help(size: tuple[int, int]) -> None:
    app = wizard(RecordedServices(rack(24)))
    async with app.run_test(size=size) as pilot:
        await ready(pilot)
        await pilot.press("a")
        for _ in range(6):
            keys = app.screen.query_one(KeyBar)
            assert keys.region.bottom == size[1]
            assert "? help" in keys.text and "q quit" in keys.text
            await pilot.press("f1")
            await pilot.pause()
            assert isinstance(app.screen, HelpScreen)
            await pilot.press("escape")
            await pilot.pause()
            await pilot.press("enter")
            await ready(pilot)


def test_the_recorded_disks_cover_every_standing() -> None:
    assert {one.verdict.standing for one in MIXED} == set(Standing)


@pytest.mark.parametrize(
    ("session", "boot", "offered"), [(True, "old", False), (True, "now", True), (False, "old", True)]
)
def test_what_ended_with_an_earlier_practice_machine_is_not_offered_in_the_next(
    monkeypatch: pytest.MonkeyPatch, session: bool, boot: str, offered: bool
) -> None:
    worker = WorkerStarted(at_s=1.0, schema=1, run="x", boot_id=boot, pid=1, start_ticks=1)
    monkeypatch.setattr("raidtui.system.block.boot_id", lambda: "now")
    dead = msgspec.structs.replace(DEAD, of_this_boot=of_this_boot(RunState(worker=worker)))
    monkeypatch.setattr(local, "all_standing", lambda root: (dead,))
    if session:
        monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
        monkeypatch.setenv("RAIDTUI_PRACTICE_RESULTS", "/home/me/practice")
    assert local.LocalServices().unsettled() == ((dead,) if offered else ())
