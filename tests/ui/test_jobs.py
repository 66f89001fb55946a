"""Every answer reaches the screen that asked for it, whatever lies on top of it when the answer comes."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.answers import Answers
from raidtui.core.plan.model import Plan
from raidtui.core.run.events import RunEnded
from raidtui.runs.removing import Removal
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.dialogs import TypedScreen
from raidtui.ui.screens.disks import DisksScreen
from raidtui.ui.screens.help import HelpScreen
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.measure import MeasureScreen
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.screens.review import ReviewScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.screens.start import StartScreen
from raidtui.ui.screens.steps import screen_of
from raidtui.ui.services import Resumption, RunView, Scan
from raidtui.ui.widgets.bars import KeyBar, StepHeader
from raidtui.ui.widgets.lines import Lines, Listing
from raidtui.ui.widgets.pick_list import PickList
from tests.ui.machines import FOUND, REMOVE, RecordedServices, rack
from tests.ui.pilots import LARGE, SMALL, on_screen, opened, opened_on, press, ready, said, wizard
from tests.ui.runs import START_S, view_of

FIRST, SECOND = (
    RunStatus(
        Path(f"/runs/2026010{day}T000000Z-dead"),
        "cut off",
        "its worker died",
        "RAID 6",
        5,
        12,
        unsettled=True,
        resumable=True,
    )
    for day in (1, 2)
)
_LONGEST_S = 60  # a test that fails leaves no thread behind for ever


@dataclass
class HeldServices(RecordedServices):
    """Does one thing, `holds`, only when `answer` is set; then it fails with `fails`, if that says anything."""

    disks: tuple[Disk, ...] = rack(3)
    holds: str = ""
    fails: str = ""
    answer: threading.Event = field(default_factory=threading.Event)

    def _hold(self, job: str) -> None:
        if job == self.holds:
            self.answer.wait(_LONGEST_S)
            if self.fails:
                raise ValueError(self.fails)

    def scan(self) -> Scan:
        self._hold("scan")
        return super().scan()

    def plan(self, answers: Answers, scan: Scan) -> Plan:
        self._hold("plan")
        return super().plan(answers, scan)

    def start(self, plan: Plan) -> Path:
        self._hold("start")
        return super().start(plan)

    def stop(self, path: Path) -> None:
        self._hold("stop")
        super().stop(path)

    def remove(self, path: Path, agreed: Removal) -> None:
        self._hold("clean")
        super().remove(path, agreed)

    def keep(self, path: Path) -> None:
        self._hold("keep")
        super().keep(path)

    def resumption(self, path: Path) -> Resumption:
        self._hold("members")
        return super().resumption(path)


async def answered_under_help(pilot: Pilot[int], services: HeldServices) -> None:
    """Help lies on the screen that waits when its answer comes, in a window that has another size by then."""
    await pilot.press("question_mark")
    await pilot.resize_terminal(120, 40)
    assert isinstance(pilot.app.screen, HelpScreen)
    services.answer.set()
    await ready(pilot)
    assert isinstance(pilot.app.screen, HelpScreen)
    await pilot.press("escape")


@asynccontextmanager
async def held(services: HeldServices, step: str = "") -> AsyncIterator[tuple[RaidtuiApp, Pilot[int]]]:
    """The wizard at its start, or with all disks on `step`; its answer is not awaited."""
    app = wizard(services)
    async with app.run_test(size=SMALL) as pilot:
        if step:
            await ready(pilot)
            app.draft = replace(app.draft, disks=tuple(disk.id for disk in app.scan.disks))
            app.push_screen(screen_of(step))
        await pilot.pause()
        yield app, pilot


async def confirm(pilot: Pilot[int]) -> None:
    """Types what Review asks for of three disks."""
    await pilot.press("enter", *"erase", "space", *"3", "space", *"disks", "space", *"of", "space", *"rack7", "enter")


async def test_disks_shows_the_machine() -> None:
    services = HeldServices(holds="scan")
    async with held(services) as (app, pilot):
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, DisksScreen)
        assert "[0/3]" in app.screen.query_one(PickList).text and "Looking" not in said(app)


async def test_disks_shows_why_the_machine_could_not_be_looked_at() -> None:
    services = HeldServices(holds="scan", fails="/sys is not mounted")
    async with held(services) as (app, pilot):
        await answered_under_help(pilot, services)
        assert said(app) == "/sys is not mounted"


async def test_no_step_is_taken_on_disks_that_are_being_looked_at() -> None:
    services = HeldServices()
    app = wizard(services)
    async with opened(app) as pilot:
        await pilot.press("a")
        services.holds, services.disks = "scan", rack(2)
        await pilot.press("r", "enter")
        assert isinstance(app.screen, DisksScreen) and said(app) == "Scanning the disks…"
        services.answer.set()
        await ready(pilot)
        assert len(app.draft.disks) == 2
        await pilot.press("enter")
        assert not isinstance(app.screen, DisksScreen)


async def test_measure_shows_the_estimate() -> None:
    services = HeldServices(holds="plan")
    async with held(services, "Tests") as (app, pilot):
        assert said(app) == "Estimating…"
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, MeasureScreen)
        assert "12 tests. Writes " in said(app)


async def test_measure_shows_its_estimate_to_one_who_went_on_before_it_came_and_is_back() -> None:
    services = HeldServices(holds="plan")
    async with held(services, "Tests") as (app, pilot):
        await pilot.press("enter")
        services.answer.set()
        await ready(pilot)
        assert isinstance(app.screen, ReviewScreen) and "steps, 4 tests" in app.screen.query_one(Listing).text
        await pilot.press("escape")
        assert isinstance(app.screen, MeasureScreen) and "12 tests. Writes " in said(app)


async def test_measure_shows_the_estimate_of_what_was_chosen_last() -> None:
    services = HeldServices(holds="plan")
    async with held(services, "Tests") as (app, pilot):
        await pilot.press("n")
        assert app.focused is app.screen.query_one("#repeat", PickList)
        await pilot.press("down", "down")
        await answered_under_help(pilot, services)
        assert app.draft.repeat == 3 and f"{12 * 3} tests. 3 passes of " in said(app)
        assert "3 passes of" in said(app)


async def costed(pilot: Pilot[int], levels: PickList, row: str) -> None:
    """Its plan is asked for a moment after the tick: on a busy machine no worker is there yet to be waited for."""
    for _ in range(400):
        if row in levels.text:
            return
        await ready(pilot)
        await asyncio.sleep(0.05)
    raise AssertionError(levels.text)


async def test_a_level_just_ticked_has_no_figures_and_no_reason_until_its_plan_comes() -> None:
    services = HeldServices(rack(4), holds="plan")
    services.answer.set()
    async with opened_on("Tests", services, recipe="levels-in-short", builds="recipe") as (app, pilot):
        levels = app.screen.query_one("#levels", PickList)
        await press(pilot, "s", "down")
        await costed(pilot, levels, "[x] RAID 0     4")
        services.answer.clear()
        await pilot.press("space")
        rows = [line.split() for line in levels.text.splitlines()]
        assert rows[1] == ["[x]", "RAID", "0"] and rows[2] == ["[x]", "RAID", "1"] and said(app) == "Estimating…"
        services.answer.set()
        await costed(pilot, levels, "[x] RAID 1     4")


async def test_a_run_is_read_to_its_end_behind_a_screen_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    app, asked = wizard(RecordedServices(rack(3), views=[view_of(3, 5)])), []
    async with opened(app) as pilot:
        monkeypatch.setattr(app, "ask", lambda asker, job, then, failed: asked.append(job))
        app.push_screen(RunsScreen((replace(FIRST, word="finished", resumable=False, unsettled=False),)))
        await pilot.pause()
        app.pop_screen()
        await pilot.pause()
        with ThreadPoolExecutor() as others:
            assert [job for job in asked if others.submit(job).result() is not None]


async def test_review_shows_the_plan_and_asks() -> None:
    services = HeldServices(holds="plan")
    async with held(services, "Review") as (app, pilot):
        assert said(app) == "Making the plan…"
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, ReviewScreen)
        detail = app.screen.query_one("#detail", Lines)
        assert "steps, 4 tests" in app.screen.query_one(Listing).text and "erase 3 disks of rack7" in said(app)
        assert detail.size.height >= len(detail.lines)
        await confirm(pilot)
        await ready(pilot)
        assert len(services.started) == 1


async def test_review_shows_why_there_is_no_plan() -> None:
    services = HeldServices(holds="plan", fails="These disks are too small.")
    async with held(services, "Review") as (app, pilot):
        await answered_under_help(pilot, services)
        assert said(app) == "Not possible: These disks are too small."


async def test_a_plan_for_a_review_that_was_left_is_dropped() -> None:
    services = HeldServices(holds="plan")
    async with held(services, "Review") as (app, pilot):
        await pilot.press("escape")
        before = said(app)
        services.answer.set()
        await ready(pilot)
        assert isinstance(app.screen, DisksScreen) and said(app) == before


@pytest.mark.parametrize("keys", [("question_mark",), ("escape", "escape")])
async def test_a_run_that_was_started_is_shown_whatever_lies_on_review_or_though_it_was_left(
    keys: tuple[str, ...],
) -> None:
    services = HeldServices(holds="start", views=[view_of(3, 5)])
    async with held(services, "Review") as (app, pilot):
        await ready(pilot)
        await confirm(pilot)
        assert said(app) == "Starting the run…"
        await pilot.press(*keys)
        assert isinstance(app.screen, DisksScreen) is (keys[0] == "escape")
        services.answer.set()
        await ready(pilot)
        assert isinstance(app.screen, LiveScreen)


async def test_review_shows_why_the_worker_did_not_start() -> None:
    services = HeldServices(holds="start", fails="no room for the run in /var")
    async with held(services, "Review") as (app, pilot):
        await ready(pilot)
        await confirm(pilot)
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, ReviewScreen)
        assert said(app).startswith("Not started: no room for the run in /var") and "erase 3 disks of rack7" in said(
            app
        )


async def test_the_disks_of_a_run_that_was_cut_off_are_asked_for_once_help_is_left() -> None:
    services = HeldServices(holds="members", all_runs=(FIRST,), views=[view_of(3, 5)])
    app = wizard(services)
    async with opened(app) as pilot:
        await pilot.press("r")
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, TypedScreen)
        await press(pilot, *"continue", "enter")
        assert services.resumed == [FIRST.path] and isinstance(app.screen, LiveScreen)


async def test_runs_cut_off_show_why_one_cannot_be_gone_on_with() -> None:
    services = HeldServices(holds="members", fails="plan.json is gone", all_runs=(FIRST,))
    app = wizard(services)
    async with opened(app) as pilot:
        await pilot.press("r")
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, RunsScreen) and said(app) == "plan.json is gone"


async def test_the_last_run_cut_off_being_kept_the_list_says_so_once_help_is_left() -> None:
    services = HeldServices(holds="keep", all_runs=(FIRST,))
    app = wizard(services)
    async with opened(app) as pilot:
        await pilot.press("K")
        await answered_under_help(pilot, services)
        await ready(pilot)
        assert services.kept == [FIRST.path] and isinstance(app.screen, RunsScreen)
        assert not app.screen.query_one(PickList).rows


async def test_of_two_runs_cut_off_that_one_goes_from_the_list_that_was_cleared_away() -> None:
    services = HeldServices(holds="clean", all_runs=(FIRST, SECOND))
    app = wizard(services)
    async with opened(app) as pilot:
        await press(pilot, "D")
        await pilot.press(*REMOVE, "down")
        await answered_under_help(pilot, services)
        await ready(pilot)
        rows = app.screen.query_one(PickList)
        assert services.cleaned == [SECOND.path]  # the newest stands first
        assert rows.text.count("tests") == 1 and FIRST.name in said(app)


async def test_results_shows_that_the_array_was_cleared_away() -> None:
    end = RunEnded(at_s=START_S + 90, outcome="finished", kept=True, reason="")
    services = HeldServices(holds="clean", views=[view_of(3, 40, end, done=100, after="keep")])
    app = RaidtuiApp(services, attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app) as pilot:
        assert "Your array is ready" in await on_screen(pilot) and "D remove" in app.screen.query_one(KeyBar).text
        await press(pilot, "D")
        asked = app.screen.query_one("#asked", Lines).text
        assert asked.splitlines()[1:3] == [
            " Remove vms, of run 20260101T000000Z-abcd?",
            " - stop vms, erase what is on its 3 disks",
        ]
        assert asked.endswith(" vms is planned to be kept. All data on it is lost; the results are kept.")
        await pilot.press(*REMOVE)
        await pilot.pause()
        assert "removing vms 0 s · looking at it again" in app.screen.query_one(StepHeader).text
        assert not any("Your array" in strip.text for strip in app.screen._compositor.render_strips())
        assert "D remove" not in app.screen.query_one(KeyBar).text
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, ResultsScreen)
        assert [note.message for note in app._notifications] == ["vms removed; the results are kept."]
        assert "removing" not in app.screen.query_one(StepHeader).text


@pytest.mark.parametrize("fails", ["", "/dev/md127 is in use."])
async def test_a_new_run_waits_for_the_array_that_is_taken_apart_and_hears_what_became_of_it(fails: str) -> None:
    end = RunEnded(at_s=START_S + 90, outcome="finished", kept=True, reason="")
    services = HeldServices(holds="clean", fails=fails, views=[view_of(3, 40, end, done=100, after="keep")])
    app = RaidtuiApp(services, attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app, LARGE) as pilot:
        await press(pilot, "D")
        await pilot.press(*REMOVE, "n")
        assert isinstance(app.screen, StartScreen) and not app.scanned
        assert "Removing an array first" in said(app, "#question")
        assert "removing vms" in app.screen.query_one(StepHeader).text
        await pilot.press("question_mark")
        assert "removing vms" in app.screen.query_one(KeyBar).text or app.screen.query(StepHeader)
        await pilot.press("escape")
        services.answer.set()
        await ready(pilot)
        assert app.scanned and len(app.scan.disks) == 3
        (note,) = (note.message for note in app._notifications)
        assert note == (fails or "vms removed; the results are kept.")


async def test_a_look_that_changed_is_asked_about_on_the_screen_where_the_person_is_by_then() -> None:
    end = RunEnded(at_s=START_S + 90, outcome="finished", kept=True, reason="")
    used = replace(FOUND, found="holds 'letters', which this run did not write")
    views: list[RunView] = [view_of(3, 40, end, done=100, after="keep")]
    services = HeldServices(holds="clean", views=views, looks=[FOUND, used])
    app = RaidtuiApp(services, attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app, LARGE) as pilot:
        await press(pilot, "D")
        await pilot.press(*REMOVE, "R", "D")
        assert isinstance(app.screen, RunsScreen)  # one removal at a time
        services.answer.set()
        await ready(pilot)
        assert isinstance(app.screen, TypedScreen) and services.cleaned == []
        asked = said(app, "#asked")
        assert asked.startswith("This changed meanwhile. Remove vms?") and "vms holds 'letters', which" in asked
        await press(pilot, *REMOVE)
        assert services.cleaned == [Path("/runs/20260101T000000Z-abcd")] and isinstance(app.screen, RunsScreen)


async def test_whether_a_screen_is_still_there_is_asked_in_the_loop() -> None:
    asked_in: list[int] = []

    class Asker(RunsScreen):
        @property
        def is_attached(self) -> bool:
            asked_in.append(threading.get_ident())
            return super().is_attached

    app = RaidtuiApp(HeldServices())
    answers: list[int] = []
    async with opened(app) as pilot:
        await app.push_screen(asker := Asker())
        asked_in.clear()
        app.ask(asker, lambda: 7, answers.append, answers.append)
        await app.workers.wait_for_complete()
        await ready(pilot)
        assert answers == [7] and set(asked_in) == {threading.get_ident()}


async def test_live_says_why_a_run_could_not_be_stopped() -> None:
    services = HeldServices(holds="stop", fails="The worker died.", views=[view_of(3, 40)])
    app = RaidtuiApp(services, attach=Path("/runs/20260101T000000Z-abcd"))
    async with opened(app) as pilot:
        await pilot.press("s", *"stop", "enter")
        await answered_under_help(pilot, services)
        assert isinstance(app.screen, LiveScreen)
        assert "The worker died." in [note.message for note in app._notifications]
