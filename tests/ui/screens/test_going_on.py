"""Runs that go on or were cut off: looked at, gone on with, kept, cleared away."""

from pathlib import Path

import msgspec
import pytest

from raidtui.core.plan.model import Member
from raidtui.core.run.events import WorkerStarted
from raidtui.core.run.state import RunState
from raidtui.runs.launch import of_this_boot
from raidtui.runs.status import RunStatus
from raidtui.ui import local
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.going_on import GoingOnScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import RecordedServices
from tests.ui.pilots import SMALL, ready, said, wizard
from tests.ui.runs import view_of

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


@pytest.mark.parametrize(
    ("typed", "goes_on"), [("erase 2 disks of rack7", True), ("erase 2 disks", False), ("", False)]
)
async def test_what_somebody_may_have_taken_meanwhile_is_told_before_it_is_typed(typed: str, goes_on: bool) -> None:
    warned = Member(id="wwn-1", size_bytes=1, name="sdb", serial="WD-1111", warning="holds ext4; it will be erased")
    plain = Member(id="wwn-2", size_bytes=1, name="sdc", serial="WD-2222")
    services = RecordedServices(runs_unsettled=(DEAD,), views=[view_of(3, 5)], taken=(warned, plain))
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        await ready(pilot)
        await pilot.press("r")
        await ready(pilot)
        assert services.resumed == [] and "sdb, WD-1111: holds ext4" in said(app, "#asked")
        await pilot.press(*("space" if key == " " else key for key in typed), "enter")
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
