"""Runs that go on or were cut off: looked at, gone on with, kept, cleared away."""

import dataclasses
import re
import threading
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.plan.model import Member
from raidtui.core.run.events import StageEnded
from raidtui.core.run.state import RunState
from raidtui.demo.recording import load
from raidtui.runs import directory, launch
from raidtui.runs.removal.decision import Consent
from raidtui.runs.removing import Removal
from raidtui.runs.status import RunStatus, status_of_run
from raidtui.ui import local
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.run_rows import about
from raidtui.ui.screens.dialogs import TypedScreen
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.level import LevelScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.looking import read_run
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.screens.side_by_side import SideBySideScreen
from raidtui.ui.services import Scan
from raidtui.ui.widgets.bars import KeyBar
from raidtui.ui.widgets.pick_list import PickList
from tests.builders import sweeps
from tests.builders.journals import started
from tests.replay import RUNS as RECORDED
from tests.runs.rig import plan_permanent, run_in
from tests.screenshots.recorded import Recorded
from tests.ui.followed import RUN, ended
from tests.ui.machines import REMOVE, ListFeed, RecordedServices
from tests.ui.pilots import SIZES, Size, listed, on_screen, opened, opened_on, press, ready, said, wizard
from tests.ui.runs import view_of

ALIVE = RunStatus(
    Path("/runs/20260101T000000Z-abcd"), "going on", "3 of 12 measured", "RAID 5", 3, 12, alive=True, begun_s=1e9
)
DEAD = RunStatus(
    Path("/runs/20260102T000000Z-dead"), "cut off", "5 of 12 measured; its worker died at: Create the array.",
    "RAID 6", 5, 12,
    unsettled=True, resumable=True,
)  # fmt: skip


async def test_runs_going_on_are_offered_first() -> None:
    services = RecordedServices(all_runs=(ALIVE,), views=[view_of(3, 5)])
    app = wizard(services)
    async with opened(app) as pilot:
        assert isinstance(app.screen, RunsScreen)
        assert "running" in app.screen.query_one(PickList).text and ALIVE.name in said(app)
        await press(pilot, "r")  # it goes on by itself
        assert services.resumed == []
        await pilot.press("enter")
        assert isinstance(app.screen, LiveScreen)


STOPPED = RunStatus(Path("/runs/20260103T000000Z-5555"), "stopped", "7 of 12 measured; stopped", "RAID 10 of 6", 7,
                    12, resumable=True, begun_s=3e9)  # fmt: skip
KEPT = RunStatus(Path("/runs/20260104T000000Z-4444"), "finished", "12 of 12 measured", "RAID 6 of 4", 12, 12, kept=True,
                 begun_s=2e9)  # fmt: skip
ENDED = RunStatus(Path("/runs/20260105T000000Z-6666"), "finished", "12 of 12 measured", "RAID 1 of 2", 12, 12)


@pytest.mark.parametrize(
    "runs, first",
    [
        ((ENDED, STOPPED), True),  # the newest can be gone on with
        ((replace(STOPPED, begun_s=1.0), KEPT), False),  # left behind on purpose
        ((ENDED, KEPT), False),
        ((), False),
    ],
)
async def test_a_stopped_run_is_offered_until_there_is_a_newer_one(runs: tuple[RunStatus, ...], first: bool) -> None:
    app = wizard(RecordedServices(all_runs=runs))
    async with opened(app):
        assert isinstance(app.screen, RunsScreen) is first


@pytest.mark.parametrize("size", SIZES)
async def test_all_runs_are_one_key_away_from_a_step_and_the_way_back_leads_there(size: Size) -> None:
    async with opened_on("Level", RecordedServices(all_runs=(KEPT, ENDED)), size=size) as (app, pilot):
        await press(pilot, "R")
        assert isinstance(app.screen, RunsScreen) and app.screen.query_one(PickList).text.count("12/12") == 2
        assert "1 kept, 1 finished" in said(app, "#asked")
        await pilot.press("escape")
        assert isinstance(app.screen, LevelScreen) and app.draft.disks
        await press(pilot, "R", "n")
        assert isinstance(app.screen, LevelScreen) and app.draft.disks  # what was half chosen is still there


@pytest.mark.parametrize(
    "run, key, word, done",
    [
        (STOPPED, "F", "forget", "forgotten"),
        (KEPT, "D", "remove vms", "cleaned"),
        (ALIVE, "s", "stop", "stopped"),
        (STOPPED, "r", "continue", "resumed"),
    ],
)
async def test_what_can_be_done_to_a_run_is_done_once_it_is_typed(
    run: RunStatus, key: str, word: str, done: str
) -> None:
    services = RecordedServices(all_runs=(run,), views=[view_of(3, 5)])
    async with opened_on("Disks", services) as (app, pilot):
        if not isinstance(app.screen, RunsScreen):
            await pilot.press("R")
        await ready(pilot)
        await press(pilot, key)
        await press(pilot, "enter")  # no is the default
        assert getattr(services, done) == [] and isinstance(app.screen, RunsScreen)
        await press(pilot, key)
        await press(pilot, *("space" if letter == " " else letter for letter in word), "enter")
        assert getattr(services, done) == [run.path] and (done == "cleaned" or not services.cleaned)


@pytest.mark.parametrize("typed, done", [("persistent on rack7", True), ("continue", False), ("", False)])
async def test_a_kept_array_is_made_permanent_once_that_is_typed_and_no_disk_is_erased(typed: str, done: bool) -> None:
    due = replace(KEPT, resumable=True, unsettled=True)
    members = Member(id="wwn-1", size_bytes=1, name="sdb"), Member(id="wwn-2", size_bytes=1, name="", serial="WD-2222")
    services = RecordedServices(all_runs=(due,), views=[view_of(3, 5)], taken=members)
    app = wizard(services)
    async with opened(app) as pilot:
        await press(pilot, "r")
        assert services.made_permanent == [] and isinstance(app.screen, TypedScreen)
        assert "kept on sdb, and not erased" in said(app, "#asked") and "Missing: WD-2222." in said(app, "#asked")
        await press(pilot, *("space" if letter == " " else letter for letter in typed), "enter")
        assert services.made_permanent == ([due.path] if done else []) and services.resumed == []


@pytest.mark.parametrize("run, key", [(KEPT, "F"), (ALIVE, "F"), (ENDED, "D"), (KEPT, "r"), (ENDED, "s")])
async def test_what_cannot_be_done_to_a_run_is_said_and_not_asked(run: RunStatus, key: str) -> None:
    others = (STOPPED, replace(DEAD, begun_s=1.0))  # for them the key is there
    async with opened_on("Disks", RecordedServices(all_runs=(run, *others, ALIVE))) as (app, pilot):
        await press(pilot, "R")
        assert isinstance(app.screen, RunsScreen)
        app.screen.query_one(PickList).move_to(app.screen._place(run.path))
        await pilot.pause()
        await press(pilot, key)
        assert isinstance(app.screen, RunsScreen) and run.name not in said(app)


async def test_two_marked_runs_are_compared() -> None:
    async with opened_on("Disks", RecordedServices(all_runs=(KEPT, ENDED))) as (app, pilot):
        await press(pilot, "R")
        await pilot.press("space", "down", "b")
        assert isinstance(app.screen, RunsScreen)  # there is only one yet
        await press(pilot, "space", "b")
        assert isinstance(app.screen, SideBySideScreen) and KEPT.name in await listed(pilot)


async def test_marks_outlive_a_look_at_one_of_the_runs_and_help_names_the_key_before_them() -> None:
    services = RecordedServices(all_runs=(KEPT, ENDED), views=[view_of(3, 5)])
    async with opened_on("Disks", services) as (app, pilot):
        await press(pilot, "R")
        assert "b compare" not in app.screen.query_one(KeyBar).text
        await pilot.press("f1")
        assert "Compare the two marked runs" in await listed(pilot)
        await press(pilot, "escape", "space", "down", "space", "enter")
        assert isinstance(app.screen, LiveScreen)
        await press(pilot, "R")
        assert "b compare" in app.screen.query_one(KeyBar).text
        await press(pilot, "b")
        assert isinstance(app.screen, SideBySideScreen)


async def test_a_run_that_ends_under_the_list_of_runs_does_not_take_it_away() -> None:
    app = RaidtuiApp(RecordedServices(all_runs=(ENDED,), views=[view_of(3, 5)]), attach=RUN)
    async with opened(app) as pilot:
        live = app.screen
        assert isinstance(live, LiveScreen) and isinstance(live._feed, ListFeed)
        await press(pilot, "R")
        live._feed.views.append(ended())
        live.tick()
        await ready(pilot)
        assert isinstance(app.screen, RunsScreen)
        await press(pilot, "escape")
        assert isinstance(app.screen, ResultsScreen)


async def test_results_of_a_stopped_run_have_a_way_on() -> None:
    services = RecordedServices(views=[ended("stopped", done=3)])
    app = RaidtuiApp(services, attach=RUN)
    async with opened(app) as pilot:
        assert isinstance(app.screen, ResultsScreen) and "r: run the missing tests" in said(app)
        await press(pilot, "r")
        await press(pilot, *"continue", "enter")
        assert services.resumed == [RUN]


async def test_a_run_going_on_need_not_be_watched() -> None:
    app = wizard(RecordedServices(all_runs=(ALIVE,)))
    async with opened(app) as pilot:
        await pilot.press("n")
        assert isinstance(app.screen, DisksScreen)


async def test_a_run_that_was_cut_off_says_where_and_is_gone_on_with() -> None:
    services = RecordedServices(all_runs=(ALIVE, DEAD), views=[view_of(3, 5)])
    app = wizard(services)
    async with opened(app) as pilot:
        await pilot.press("down")
        assert "its worker died at: Create the array" in said(app)
        await press(pilot, "r")
        assert services.resumed == []  # not before it is typed
        await press(pilot, *"continue", "enter")
        assert services.resumed == [DEAD.path]
        assert isinstance(app.screen, LiveScreen)


@pytest.mark.parametrize("typed, goes_on", [("erase 2 disks of rack7", True), ("erase 2 disks", False), ("", False)])
async def test_what_somebody_may_have_taken_meanwhile_is_told_before_it_is_typed(typed: str, goes_on: bool) -> None:
    warned = Member(id="wwn-1", size_bytes=1, name="sdb", serial="WD-1111", warning="holds ext4; it will be erased")
    plain = Member(id="wwn-2", size_bytes=1, name="sdc", serial="WD-2222")
    services = RecordedServices(all_runs=(DEAD,), views=[view_of(3, 5)], taken=(warned, plain))
    app = wizard(services)
    async with opened(app) as pilot:
        await press(pilot, "r")
        assert services.resumed == [] and "sdb, WD-1111: holds ext4" in said(app, "#asked")
        await press(pilot, *("space" if key == " " else key for key in typed), "enter")
        assert services.resumed == ([DEAD.path] if goes_on else [])


@pytest.mark.parametrize("key", ["K", "D"])
async def test_what_it_left_is_kept_or_cleared_away_and_the_way_is_free(key: str) -> None:
    services = RecordedServices(all_runs=(DEAD,))
    app = wizard(services)
    async with opened(app) as pilot:
        await press(pilot, key)
        if key == "D":
            assert services.cleaned == []  # not before it is typed
            await press(pilot, *REMOVE)
        assert (services.kept, services.cleaned) == (([DEAD.path], []) if key == "K" else ([], [DEAD.path]))
        assert isinstance(app.screen, RunsScreen) and not app.screen.query_one(PickList).rows
        await pilot.press("escape")
        assert isinstance(app.screen, DisksScreen)


async def test_why_something_could_not_be_cleared_away_stays_to_be_read() -> None:
    services = RecordedServices(all_runs=(KEPT,))

    def refuses(path: Path, agreed: Removal) -> None:
        raise ValueError("its array is mounted")

    services.remove = refuses  # type: ignore[method-assign]
    app = wizard(services)
    async with opened(app) as pilot:
        await press(pilot, "R")
        await press(pilot, "D")
        await press(pilot, *REMOVE)
        assert "its array is mounted" in said(app)


@pytest.mark.parametrize("over", [(), ("question_mark",)], ids=["", "help"])
async def test_what_results_had_asked_for_is_seen_in_the_list_over_it(over: tuple[str, ...]) -> None:
    may_end = threading.Event()
    view = ended()
    view = dataclasses.replace(view, state=replace(view.state, kept=True))
    services = RecordedServices(views=[view], all_runs=(replace(KEPT, path=RUN),))
    remove = services.remove

    def slowly(path: Path, agreed: Removal) -> None:
        may_end.wait(30)
        remove(path, agreed)

    services.remove = slowly  # type: ignore[method-assign]
    app = RaidtuiApp(services, attach=RUN)
    async with opened(app) as pilot:
        assert isinstance(app.screen, ResultsScreen)
        assert "Your array is ready" in await on_screen(pilot)
        await press(pilot, "D")
        await pilot.press(*REMOVE)
        await pilot.pause()
        assert isinstance(app.screen, ResultsScreen)
        assert not any("Your array is ready" in strip.text for strip in app.screen._compositor.render_strips())
        await pilot.press("R")
        runs = app.screen
        assert isinstance(runs, RunsScreen)
        while "kept" not in runs.query_one(PickList).text:  # looked up while it is being cleared away
            await pilot.pause()
        await pilot.press(*over)
        may_end.set()
        await ready(pilot)
        assert not runs.query_one(PickList).rows


@pytest.mark.parametrize("kept", [True, False])
def test_going_on_tells_the_worker_what_was_agreed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    plan = plan_permanent()
    told = [StageEnded(at_s=2, stage=plan.kept_stage or 0, kept=True)] if kept else []
    path = run_in(tmp_path, plan, "20260101T000000Z-abcd", *told)
    resumed: list[tuple[Consent, bool]] = []
    monkeypatch.setattr(launch, "resume", lambda path, consent, *, erases: resumed.append((consent, erases)))
    monkeypatch.setattr(local.LocalServices, "scan", lambda services: Scan(()))
    services = local.LocalServices()
    found = services.resumption(path)
    assert found.kept is kept and [one.id for one in found.members] == [one.id for one in plan.members]
    services.resume(path, erases=not found.kept, named=("raidtui-1",))
    assert resumed == [(Consent(arrays=("raidtui-1",)), not kept)]


def test_what_blocks_of_two_compared_runs_have_in_common_is_their_number_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that lie 20 % apart are no conditions that the two runs shared, of bare disks either."""
    plan = sweeps.plan("raid0-gain", 4, repeat=3)

    def of(times: float) -> RunState:
        return sweeps.state(plan, lambda stage, trial: 100.0 * times * (1 + 0.2 * trial.block))

    states = {"a": of(1.0), "b": of(1.05)}
    monkeypatch.setattr(directory, "read_plan", lambda path: plan)
    monkeypatch.setattr("raidtui.runs.journal.read_state", lambda path: states[path.parent.name])
    compared = local.LocalServices().compare(Path("a"), Path("b"))
    judged = {
        group.heading: {test.entries[1].over_base.conclusion for test in group.tests} for group in compared.groups
    }
    assert judged["One disk"] == judged["All disks at once"] == {"cannot tell"}
    assert all(conclusions == {"cannot tell"} for conclusions in judged.values())


def test_an_explanation_has_the_name_there_that_it_has_on_results(tmp_path: Path) -> None:
    plan = sweeps.plan("quick", 6, level="5", jobs=("rand_write",), explain=("wbt",))
    began = started("r")
    for name, told in (("began", (began,)), ("planned", ())):
        assert about(status_of_run(run_in(tmp_path, plan, name, *told))).startswith(
            "Bottleneck of Random 4K write: RAID 5"
        )


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_runs_are_judged_one_after_the_other_and_the_chosen_one_has_its_bars_beside(
    size: Size,
) -> None:
    app = RaidtuiApp(Recorded())
    async with opened(app, size) as pilot:
        await press(pilot, "R")
        text = app.screen.query_one(PickList).text
        signs = {name: marks for marks, name in re.findall(r"tests  ([✓▲▼✗·]+) +(\S+)$", text, re.MULTILINE)}
        assert signs == {
            "raid10-of-6": "✓✓▼▼", "queue-by-jobs": "▼✓✓✓✓✓✓", "raid5-twice": "✓✓", "existing-folder": "·····",
            "rack-of-24": "▼✓✗▼", "raid5-of-3": "▼✓▼▼", "raid6-of-6": "✓✓✓✓", "slow-of-24": "▼▼✓✓",
        }  # fmt: skip
        wide = size[0] >= 100
        await press(pilot, "down", "down")  # behind two newer ones
        assert ("46 % below expected" in await on_screen(pilot)) is wide
        assert ("enter  results, charts, report" in await on_screen(pilot)) is wide
        await press(pilot, "down", "down", "down", "down")
        assert ("slower than one disk" in await on_screen(pilot)) is wide and "rack-of-24" in said(app)


def test_a_run_is_read_without_its_screen_which_may_be_gone_by_then() -> None:
    """Outside of any app, as in a thread whose screen was left."""
    assert read_run(RecordedServices(views=[]), Path("/runs/20260101T000000Z-abcd")) is None
    recorded = load(RECORDED / "raid5-of-3").view()
    found = read_run(RecordedServices(views=[recorded]), Path("/runs/20260101T000000Z-abcd"))
    assert found is not None and found.plan == recorded.plan
