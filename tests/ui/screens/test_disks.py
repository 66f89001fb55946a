"""Step 1 by keys: what may be chosen, what it leads to, and what a machine may look like."""

import re
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Disk, Usability, Verdict
from raidtui.core.disks.machine import Held
from raidtui.core.disks.verdicts import disks_of
from raidtui.core.text import clean
from raidtui.runs import directory, locks
from raidtui.runs.status import RunStatus
from raidtui.system import privilege
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.jobs import FirstLook, look_once
from raidtui.ui.local import LocalServices
from raidtui.ui.screens.dialogs import DetailsScreen
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.services import DrivesTold
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.builders.machines import device, machine
from tests.ui.machines import HOSTILE, MIXED, OLD_DATA, REMOVE, SYSTEM, RecordedServices, disk, rack, unread
from tests.ui.pilots import LARGE, SMALL, Size, at_disk, opened, opened_on, press, said, wizard
from tests.ui.runs import view_of


async def test_a_refused_disk_cannot_be_chosen_and_says_why_and_what_would_change_it() -> None:
    app = wizard()
    async with opened(app) as pilot:
        assert app.draft.disks == ()  # none is chosen beforehand
        await at_disk(app, pilot, "sda")
        await pilot.press("space", "right", "space")
        assert app.draft.disks == ()
        assert "sda2 is mounted on /" in said(app)
        assert "This is the running system; choose another disk." in said(app)
        await pilot.press("a")
        assert SYSTEM.id not in app.draft.disks and app.draft.disks
        await pilot.press("a", "A")
        assert SYSTEM.id not in app.draft.disks and OLD_DATA.id not in app.draft.disks


async def test_fewer_disks_than_the_recipe_needs_are_said_where_they_are_chosen() -> None:
    choices: dict[str, Any] = {"recipe": "levels-in-short", "builds": "recipe"}
    async with opened_on("Disks", rack(4), disks=(), **choices) as (app, pilot):
        await press(pilot, "right", "down", "space", "down", "space", "down", "space", "enter")
        assert isinstance(app.screen, DisksScreen) and said(app).endswith("needs 4 disks: select 1 more")
        await press(pilot, "down", "space", "enter")
        assert not isinstance(app.screen, DisksScreen)


async def test_a_click_cannot_choose_a_refused_disk_either() -> None:
    app = wizard()
    async with opened(app) as pilot:
        rows = app.screen.query_one(PickList)
        refused = next(n for n, row in enumerate(rows.rows) if not row.possible)
        await pilot.click("#disks", offset=(10, 1 + refused))
        assert not app.draft.disks
        await pilot.click("#disks", offset=(10, 2))  # the alike free ones, as with space
        assert app.draft.disks == tuple(one.id for one in MIXED[1:4])


KEEPER = Path("/runs/20260101T000000Z-abcd")
AT_WORK = Path("/runs/20260102T000000Z-beef")


def with_a_kept_array() -> RecordedServices:
    verdict = Verdict(Usability.REFUSE, "sdb is part of md127", "mdadm --stop /dev/md127")
    mine = disk("sdb", verdict=verdict)
    return RecordedServices((mine, disk("sdc")), keepers={mine.id: KEEPER}, views=[view_of(3, 5)])


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_disk_of_a_kept_array_names_the_run_and_its_ways_on(size: Size) -> None:
    app = wizard(with_a_kept_array())
    async with opened(app, size) as pilot:
        await at_disk(app, pilot, "sdb")
        assert KEEPER.name in said(app) and "o: open this run" in said(app) and "mdadm --stop" not in said(app)
        assert {"o", "D"} <= app.screen.active_bindings.keys()
        await at_disk(app, pilot, "sdc")
        assert not {"o", "D"} & app.screen.active_bindings.keys()
        await at_disk(app, pilot, "sdb")
        await press(pilot, "o")
        assert isinstance(app.screen, LiveScreen) and app.screen.path == KEEPER


def while_a_run_measures() -> RecordedServices:
    """The disk sdb of a run that goes on, as for a check of a kept array; sdc is free."""
    here = machine(device("sdb"), device("sdc"))
    mine, _ = disks_of(here)
    disks = disks_of(replace(here, held=(Held(disk=mine.id, run=AT_WORK.name),)))
    return RecordedServices(disks, keepers={mine.id: KEEPER}, at_work={mine.id: AT_WORK}, views=[view_of(3, 5)])


def test_a_scan_knows_where_the_run_that_has_a_disk_can_be_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = machine(device("sdb"), device("sdc"), device("sdd"))
    first, second, _ = (found.id for found in disks_of(here))
    held = (Held(disk=first, run="here"), Held(disk=second, run="below-another-folder"))
    (tmp_path / "here").mkdir()
    monkeypatch.setattr(locks, "machine_here", lambda: replace(here, held=held))
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    scan = LocalServices().scan()
    assert [disk.run for disk in scan.disks] == ["here", "below-another-folder", ""]
    assert scan.at_work == {first: tmp_path / "here"}


@pytest.mark.parametrize("root, command", [(True, ""), (False, "sudo raidtui")])
def test_a_scan_without_root_has_the_command_that_sees_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: bool, command: str
) -> None:
    monkeypatch.setattr(locks, "machine_here", lambda: replace(machine(device("sdb", read=root)), root=root))
    monkeypatch.setattr(directory, "runs_root", lambda: tmp_path)
    monkeypatch.setattr(privilege, "as_root", lambda: "sudo raidtui")
    assert LocalServices().scan().as_root == command


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_disk_that_a_run_measures_now_is_not_free_and_leads_to_that_run(size: Size) -> None:
    app = wizard(while_a_run_measures())
    async with opened(app, size) as pilot:
        await at_disk(app, pilot, "sdb")
        assert f"in use by the run {AT_WORK.name}." in said(app) and "Runs (R) does: wait for its end" in said(app)
        assert "o" in app.screen.active_bindings and "D" not in app.screen.active_bindings
        await pilot.press("space", "a")
        assert [one.name for one in app.scan.disks if one.id in app.draft.disks] == ["sdc"]
        await at_disk(app, pilot, "sdb")
        await press(pilot, "o")
        assert isinstance(app.screen, LiveScreen) and app.screen.path == AT_WORK


async def test_a_kept_array_is_taken_down_from_the_disks_once_that_is_typed() -> None:
    services = with_a_kept_array()
    app = wizard(services)
    async with opened(app) as pilot:
        await at_disk(app, pilot, "sdb")
        await press(pilot, "D")
        await press(pilot, "enter")
        assert services.cleaned == []
        await press(pilot, "D")
        await press(pilot, *REMOVE)
        assert services.cleaned == [KEEPER]


async def test_nothing_chosen_is_no_next_step() -> None:
    app = wizard()
    async with opened(app) as pilot:
        await pilot.press("enter")
        assert isinstance(app.screen, DisksScreen)
        assert "then space" in said(app)


async def test_capacity_follows_the_choice_in_tb_and_tib() -> None:
    app = wizard()
    async with opened(app, LARGE) as pilot:
        panel = app.screen.query_one("#sum", Lines)
        assert "No disk selected" in panel.text
        await pilot.press("a")
        assert "= 10.9 TiB, 3 disks" in panel.text
        assert re.search(r"RAID 5 +8\.00 TB = 7\.28 TiB\n.*survives any 1", panel.text) and "RAID 6" not in panel.text
        await at_disk(app, pilot, "sde")
        await pilot.press("space")
        assert re.search(r"RAID 6 +8\.00 TB = 7\.28 TiB\n.*survives any 2", panel.text)
        assert re.search(r"RAID 5 +12\.0 TB = 10\.9 TiB", panel.text) and re.search(r"RAID 10 +8\.00 TB", panel.text)
        await pilot.press("space")
        assert "RAID 6" not in panel.text


async def test_where_there_is_no_room_the_total_is_two_lines() -> None:
    app = wizard()
    async with opened(app) as pilot:
        lines = app.screen.query_one("#sum-line", Lines)
        assert lines.text.strip() == "No disk selected" and not app.screen.query_one("#side").display
        await pilot.press("a")
        assert "Total 12.0 TB = 10.9 TiB, 3 disks" in lines.text
        assert "RAID 5 8.00 TB = 7.28 TiB, survives 1" in lines.text
        assert max(len(line) for line in lines.text.splitlines()) <= 80


@pytest.mark.parametrize("count, size", [(10, SMALL), (10, LARGE), (24, SMALL), (60, LARGE), (1000, SMALL)])
async def test_every_bay_of_the_shelf_tells_its_state_without_a_colour(count: int, size: Size) -> None:
    app = wizard(RecordedServices((SYSTEM, OLD_DATA, *(disk(f"d{number}") for number in range(count)))))
    async with opened(app, size) as pilot:
        shelf = app.screen.query_one("#shelf", Lines)
        assert shelf.border_title == f"Shelf  {count:,} free · 1 with data · 1 in use"
        assert ("free" in shelf.text) == (count == 10) and ("○" in shelf.text) == (count != 10)
        await pilot.press("a")
        text = shelf.text
        assert ("no.10" in text) == (count == 10) and ("●" in text) == (count != 10)
        assert len(text.splitlines()) <= 6 and ("more disks" in text) == (count == 1000)
        assert "data!" in text or ("!f" in text and "–a" in text)


@pytest.mark.parametrize(
    "device, step, where",
    [(HOSTILE, "Disks", PickList), (replace(HOSTILE, serial=clean(HOSTILE.serial)), "Review", Listing)],
)
async def test_device_text_is_shown_as_it_is_and_never_obeyed(
    device: Disk, step: str, where: type[PickList | Listing]
) -> None:
    """A plan is made of cleaned texts alone; markup is left in them."""
    services = RecordedServices((device, disk("sdh"), disk("sdi")))
    async with opened_on(step, services, LARGE) as (app, _):
        shown = app.screen.query_one(where).text
        assert "X[/]Y :cd:" in shown
        drawn = app.export_screenshot()
        assert "\x1b" not in shown + drawn and "\x07" not in shown + drawn


async def test_24_disks_scroll_and_the_cursor_stays_in_view() -> None:
    app = wizard(rack(24))
    async with opened(app) as pilot:
        await pilot.press("right", "end", "space")
        disks = app.screen.query_one(PickList)
        last = disks.rows[-1].lines[0]
        assert last[0][0].strip() == "[1]"
        row = disks.cursor - disks.scroll_offset.y
        assert 0 <= row < disks.size.height - 1
        await pilot.press("home")
        assert disks.scroll_offset.y == 0


async def test_a_machine_without_a_free_disk_says_so() -> None:
    app = wizard(RecordedServices((SYSTEM,)))
    async with opened(app):
        assert "No free disk" in said(app)


async def test_a_disk_that_is_gone_after_a_rescan_is_no_longer_chosen() -> None:
    services = RecordedServices(rack(3))
    app = wizard(services)
    async with opened(app) as pilot:
        await pilot.press("a")
        services.disks = rack(2)
        await press(pilot, "r")
        assert app.draft.disks == tuple(one.id for one in rack(2))


async def test_what_was_seen_before_the_first_picture_is_used_once() -> None:
    services = RecordedServices(rack(3))
    first: FirstLook = Future()
    first.set_result(look_once(services))
    app = RaidtuiApp(services, first_look=first, first_step="Disks")
    async with opened(app) as pilot:
        assert len(app.screen._entries[1].disks) == 3  # type: ignore[attr-defined]
        services.disks = rack(2)
        await press(pilot, "r")
        assert len(app.screen._entries[1].disks) == 2  # type: ignore[attr-defined]


def test_the_recorded_disks_cover_every_standing() -> None:
    assert {one.verdict.standing for one in MIXED} == set(Usability)


async def test_a_search_shows_some_disks_and_what_is_chosen_among_them_stays_when_it_ends() -> None:
    small = disk("sdx", model="Micron 5300", size_bytes=960_197_124_096)
    app = wizard(RecordedServices((*rack(12), small)))
    async with opened(app) as pilot:
        disks = app.screen.query_one(PickList)
        await pilot.press(*"/960", "space", *"gb")  # typed right behind
        assert len(disks.rows) == 2 and "Micron" in disks.text and "Micron" in said(app)
        await pilot.press("enter", "a")
        assert app.draft.disks == (small.id,)
        await pilot.press("slash", *"zz")  # it takes the place of what was searched for
        assert not disks.rows and "None of the 13 disks matches" in said(app)
        await pilot.press("enter", "space", "A", "o", "s")  # on no disk
        await pilot.press("escape")
        assert len(disks.rows) == 3 and isinstance(app.screen, DisksScreen) and app.draft.disks == (small.id,)


async def test_the_cursor_stays_on_its_disk_when_the_list_is_sorted() -> None:
    app = wizard(RecordedServices(MIXED))
    async with opened(app) as pilot:
        await at_disk(app, pilot, "sdc")
        await pilot.press("s")
        assert said(app) == "Sorted by size."
        await pilot.press("space")
        assert app.draft.disks == (MIXED[2].id,)


async def test_all_alike_are_chosen_with_one_key_and_let_go_with_it() -> None:
    app = wizard(RecordedServices(MIXED))
    async with opened(app) as pilot:
        await pilot.press("a")
        assert app.draft.disks == tuple(one.id for one in MIXED[1:4])  # sde is larger, sdf holds something
        await pilot.press("a")
        assert not app.draft.disks
        await at_disk(app, pilot, "sde")
        await pilot.press("a")
        assert app.draft.disks == (MIXED[4].id,)
        await pilot.press("A")
        assert set(app.draft.disks) == {one.id for one in MIXED if one.verdict.standing is Usability.OK}


async def test_alike_disks_are_one_row_that_unfolds_and_folds() -> None:
    app = wizard(rack(4))
    async with opened(app) as pilot:
        rows = app.screen.query_one(PickList)
        assert "[0/4]" in rows.text and "sda … sdd" in rows.text and rack(4)[2].serial not in rows.text
        await pilot.press("right", "down", "down", "space")
        assert app.draft.disks == (rack(4)[1].id,) and "[1/4]" in rows.text and rack(4)[2].serial in rows.text
        await pilot.press("left")
        assert rack(4)[2].serial not in rows.text and app.draft.disks == (rack(4)[1].id,)
        await pilot.press("space")
        assert app.draft.disks == tuple(rack(4)[number].id for number in (1, 0, 2, 3))  # the order of choosing


def with_health(count: int) -> RecordedServices:
    disks = rack(count)
    run = RunStatus(KEEPER, "finished", "12 of 12 measured", "RAID 1 of 2", 12, 12, members=(disks[1].id,))
    lines: dict[str, tuple[str, ...]] = {disks[1].id: ("watch", "- 3 reallocated sectors")}
    return RecordedServices(disks, drives=DrivesTold(lines, "smartctl answers root alone"), all_runs=(run,))


async def test_a_large_window_shows_all_of_the_disk_under_the_cursor() -> None:
    async with opened_on("Disks", with_health(3), LARGE) as (app, pilot):
        facts = app.screen.query_one("#facts", Lines)
        assert "smartctl answers root alone" in facts.text and "none" in facts.text
        await at_disk(app, pilot, "sdb")
        assert rack(3)[1].id in facts.text
        assert "- 3 reallocated sectors" in facts.text and "RAID 1 of 2: 12 of 12 measured" in facts.text


async def test_a_small_window_shows_it_on_a_page_of_its_own_and_asks_the_drives_no_sooner() -> None:
    async with opened_on("Disks", with_health(3), SMALL) as (app, pilot):
        assert app.drives_seen is None
        await at_disk(app, pilot, "sdb")
        await press(pilot, "d")
        assert isinstance(app.screen, DetailsScreen)
        assert "- 3 reallocated sectors" in app.screen.query_one(Listing).text
        await pilot.press("escape")
        assert isinstance(app.screen, DisksScreen)
        await press(pilot, "r")
        assert app.drives_seen is None  # it told of the disks that were there


async def test_where_no_disk_can_be_read_none_is_offered_as_free() -> None:
    async with opened_on("Disks", (SYSTEM, *unread(3)[1:]), LARGE) as (app, _):
        bar = app.screen.query_one(KeyBar).text
        assert "all alike" not in bar and "all free" not in bar and "space select" in bar
        assert "? not checked: contents" in app.screen.query_one(PickList).text and "free" not in said(app, "#sum")
