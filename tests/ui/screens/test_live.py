"""The live screen and Results, fed from lists of views: no run, no clock, no waiting."""

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from textual.events import MouseDown

from raidtui.core.run import events
from raidtui.core.run.events import SyncProgress
from raidtui.core.run.samples import ARRAY
from raidtui.core.run.state import RunState, fold_all
from raidtui.core.units import Units
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.widgets.lines import Lines
from raidtui.ui.widgets.step_header import StepHeader
from tests.builders.layered import LUKS, filled, made
from tests.ui.followed import RUN, ended, live_app, text
from tests.ui.machines import ListFeed, RecordedServices
from tests.ui.pilots import SMALL, ready
from tests.ui.runs import View, view_of


async def test_it_says_what_is_measured_and_what_was() -> None:
    app = live_app(view_of(3, 20))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Test 3 of 12: Random 4K write on sda alone" in text(app, "#progress")
        assert "of about 30 s" in text(app, "#progress")
        assert "Done: 2 of 12" in text(app, "#trials")
        assert "94.0" in text(app, "#trials")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_the_newest_trials_are_listed_from_the_first_picture_on(size: tuple[int, int]) -> None:
    app = live_app(view_of(24, 40, done=10))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        trials = app.screen.query_one("#trials", Lines)
        assert len(trials.lines) == trials.size.height
        assert "Done: 10 of" in trials.text
        assert view_of(24, 40).plan.trials[9].title in trials.text.splitlines()[-1]


async def test_of_more_disks_than_fit_a_page_is_shown_and_what_was_measured_stays_in_view() -> None:
    app = live_app(view_of(100, 40, done=10))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        seen: list[str] = []
        while not seen or "to 100 of 100" not in text(app, "#panes-heading"):
            if seen:
                await pilot.press("pagedown")
                await pilot.pause()
            panes = [pane for pane in app.screen.query(".pane").results(Lines) if pane.text]
            assert all(pane.region.bottom <= 20 for pane in panes)
            assert f"disks {len(seen) + 1} to {len(seen) + len(panes)} of 100" in text(app, "#panes-heading")
            seen += [pane.text for pane in panes]
        assert len(seen) == 100
        trials = app.screen.query_one("#trials", Lines)
        assert trials.region.bottom <= SMALL[1] and "Done: 10 of" in trials.text
        await pilot.press("pagedown")
        await pilot.pause()
        assert "to 100 of 100" in text(app, "#panes-heading")
        await pilot.resize_terminal(200, 60)
        await pilot.pause()
        assert "of 100" not in text(app, "#panes-heading")  # now all fit
        await pilot.pause()
        assert len([pane for pane in app.screen.query(".pane").results(Lines) if pane.text]) == 100


async def test_a_click_on_a_pane_that_is_being_taken_away_is_none() -> None:
    app = live_app(view_of(100, 40, done=10))
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert isinstance(app.screen, LiveScreen)
        pane = app.screen.query(".pane").first()
        x, y = pane.region.offset
        app.screen.action_disks(1)
        while pane.parent is not None:
            await asyncio.sleep(0)
        assert app.get_widget_at(x, y)[0] is pane  # the picture has it yet
        await app.on_event(MouseDown(None, x, y, 0, 0, 1, False, False, False, x, y))
        await pilot.pause()
        assert "disks 1 to" not in text(app, "#panes-heading")


async def test_while_a_long_journal_is_read_the_disks_are_shown_and_no_figure_that_hangs_on_it() -> None:
    whole = view_of(3, 20)
    app = live_app(replace(whole, state=RunState(worker=whole.state.worker), whole=False))
    feed = app._feed
    assert isinstance(feed, ListFeed)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Reading the run's journal" in text(app, "#progress")
        assert not text(app, "#trials") and not text(app, "#totals")
        assert all(pane.text for pane in app.screen.query(".pane").results(Lines))
        feed.views.append(whole)
        async with asyncio.timeout(5):
            while "Test 3 of 12" not in text(app, "#progress"):
                await pilot.pause()
        assert "Done: 2 of 12" in text(app, "#trials")


async def test_an_estimate_that_is_over_is_said_to_be() -> None:
    app = live_app(view_of(3, 90_000))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        run, _, now = text(app, "#progress").splitlines()
        assert ", slower than estimated" in run and "longer than the 30 s estimated" in now


@pytest.mark.parametrize(("size", "lines"), [((80, 24), 1), ((120, 40), 2)])
async def test_all_of_24_disks_are_on_the_screen(size: tuple[int, int], lines: int) -> None:
    app = live_app(view_of(24, 40))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        panes = list(app.screen.query(".pane").results(Lines))
        assert len(panes) == 24
        assert {pane.size.height for pane in panes} == {lines}
        keys = app.screen.query_one("KeyBar").region
        assert all(pane.region.bottom <= keys.y and pane.region.right <= size[0] for pane in panes)
        assert panes[0].text.startswith("sda")


async def test_the_heading_names_the_unit_and_u_switches_it() -> None:
    app = live_app(view_of(3, 40))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "MB/s" in text(app, "#panes-heading") and "its top " in text(app, "#panes-heading")
        before = text(app, ".pane")
        await pilot.press("u")
        assert app.units is Units.BINARY
        assert "MiB/s" in text(app, "#panes-heading")
        assert "MiB/s" in text(app, "#totals")
        assert text(app, ".pane") != before


async def test_a_line_that_stays_the_same_is_not_sent_again() -> None:
    app = live_app(view_of(3, 40))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        pane = next(iter(app.screen.query(".pane").results(Lines)))
        asked: list[object] = []
        pane.refresh = lambda *regions, **_: asked.extend(regions)  # type: ignore[method-assign,assignment]
        pane.show(pane.lines)
        assert not asked
        pane.show([*pane.lines[:-2], (("changed", ""),), ()])
        assert len(asked) == 1


async def test_frozen_the_picture_stands_and_the_run_is_followed() -> None:
    app = live_app(view_of(3, 40), view_of(3, 41), view_of(3, 42))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        await pilot.press("f")
        before = text(app, ".pane")
        screen.tick()
        assert text(app, ".pane") == before
        assert "FROZEN" in text(app, "#progress")
        await pilot.press("f")
        assert text(app, ".pane") != before
        assert "FROZEN" not in text(app, "#progress")


async def test_leaving_says_how_to_come_back_and_stops_nothing() -> None:
    app = live_app(view_of(3, 40))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("q")
    assert app.return_code == 0
    assert isinstance(app.services, RecordedServices)
    assert not app.services.stopped


@pytest.mark.parametrize("key", ["question_mark", "s", "R"])
async def test_leaving_right_before_and_right_behind_a_screen_that_opens_is_no_fault(key: str) -> None:
    for pressed in (("d", key), (key, "ctrl+q")):
        app = live_app(view_of(3, 5))
        async with app.run_test(size=SMALL) as pilot:
            await ready(pilot)
            for one in pressed:
                app.simulate_key(one)
            await pilot.pause()
        assert app.return_code == 0


async def test_stopping_wants_the_word() -> None:
    app = live_app(view_of(3, 40))
    services = app.services
    assert isinstance(services, RecordedServices)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("s", "enter")
        await pilot.pause()
        assert isinstance(app.screen, LiveScreen)
        await pilot.press("s", *"yes", "enter")
        assert not services.stopped and "type exactly `stop`" in text(app, "#said")
        await pilot.press(*"stop", "enter")
        await app.workers.wait_for_complete()
        assert services.stopped == [RUN]


async def test_a_dead_worker_is_said_with_what_to_do() -> None:
    view = view_of(3, 40)
    gone = View(view.plan, view.state, view.slots, view.history, alive=False)
    app = live_app(gone)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "The worker died" in text(app, "#progress")
        assert "Esc: resume, or remove the array." in text(app, "#progress")
        assert "esc runs" in app.screen.query_one("KeyBar", Lines).text
        await pilot.press("escape")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert not isinstance(app.screen, LiveScreen)


async def test_a_run_that_ended_while_frozen_leads_to_results_when_it_goes_on() -> None:
    app = live_app(view_of(3, 40))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, LiveScreen) and isinstance(screen._feed, ListFeed)
        await pilot.press("f")
        screen._feed.views.append(ended())  # not before it is frozen: the screen looks by itself, too
        screen.tick()
        assert app.screen is screen
        await pilot.press("f")
        await pilot.pause()
        assert isinstance(app.screen, ResultsScreen)


async def test_a_worker_that_never_starts_is_said_and_only_after_a_while() -> None:
    view = view_of(3, 0)
    app = live_app(View(view.plan, RunState(), view.slots, (), alive=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        assert "Starting the worker" in text(app, "#progress")
        assert "did not start" not in text(app, "#progress")
        for _ in range(12):
            screen.tick()
        assert "worker.log" in text(app, "#progress")


def test_a_run_that_cannot_be_read_is_said_before_the_terminal_is_taken(tmp_path: Path) -> None:
    from raidtui.ui.local import LocalServices

    with pytest.raises(ValueError, match=r"plan\.json"):
        RaidtuiApp(LocalServices(), attach=tmp_path)


async def test_escape_shows_the_runs_and_stops_nothing() -> None:
    app = live_app(view_of(3, 40))
    services = app.services
    assert isinstance(services, RecordedServices)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen = app.screen
        await pilot.press("escape")
        await ready(pilot)
        assert isinstance(app.screen, RunsScreen) and app.is_running and not services.stopped
        await pilot.press("escape")
        await pilot.pause()
        assert app.screen is screen


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_leaving_practice_ends_the_run_and_wants_the_word(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    app = live_app(view_of(3, 40))
    app.services.all_runs = (RunStatus(RUN, "going on", "", "RAID 5", 3, 12, alive=True),)  # type: ignore[attr-defined]
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "q end practice" in app.screen.query_one("KeyBar", Lines).text
        await pilot.press(key)
        await ready(pilot)
        assert "ends the practice machine" in text(app, "#asked")
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, LiveScreen) and app.is_running
        await pilot.press("s", "ctrl+q")
        await ready(pilot)
        assert "ends the practice machine" in text(app, "#asked")
        await pilot.press("escape", key)
        await ready(pilot)
        await pilot.press(*"leave", "enter")
        await pilot.pause()
        assert not app.is_running or app.return_code == 0
    assert app.return_code == 0


async def test_every_step_says_that_it_is_practice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    app = live_app(view_of(3, 40))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        header = app.screen.query_one(StepHeader).text
        assert " PRACTICE " in header and "8/9 ✓Review › ●Live › Results" in header
        assert len(header.rstrip()) < 80  # the last column is never painted


async def test_what_is_left_is_corrected_on_the_way_and_the_bytes_written_stand_beside_it() -> None:
    app = live_app(view_of(3, 20))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        run = text(app, "#progress").splitlines()[0]
        assert "19 s, about" in run and "; total writes assumed " in run
        assert "times over" not in run  # disks that do not wear


async def test_the_wear_of_disks_that_wear_is_said_as_times_over() -> None:
    view = view_of(3, 20)
    members = tuple(msgspec.structs.replace(one, rotational=False) for one in view.plan.members)
    raw = sum(one.size_bytes for one in members)
    plan = msgspec.structs.replace(view.plan, members=members)
    state = msgspec.structs.replace(view.state, written_bytes=raw // 2)
    app = live_app(replace(view, plan=plan, state=state))
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()
        assert ", 0.50 times over" in text(app, "#progress").splitlines()[0]


@pytest.mark.parametrize(("share", "of_what"), [(1, "per disk"), (2, "of the array")])
async def test_a_sync_says_whose_bytes_it_goes_through(share: int, of_what: str) -> None:
    view = view_of(3, 20)
    size = view.plan.members[0].size_bytes
    sync = SyncProgress(at_s=9.0, action="resync", done_bytes=size // 4, total_bytes=size * share, bytes_per_s=1e6)
    app = live_app(replace(view, state=msgspec.structs.replace(view.state, sync=sync, trials=())))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert f" {of_what}, " in text(app, "#progress")


@pytest.mark.parametrize(("failed", "title"), [(0, "Initial resync (md: recover)"), (1, "Sync (md: recover)")])
async def test_the_sync_of_a_new_array_is_called_so(failed: int, title: str) -> None:
    view = view_of(3, 20)
    stages = list(view.plan.stages)
    number, setup = next((number, stage.setup) for number, stage in enumerate(stages) if stage.setup)
    stages[number] = msgspec.structs.replace(stages[number], setup=msgspec.structs.replace(setup, failed=failed))
    sync = SyncProgress(at_s=9.0, action="recover", done_bytes=1, total_bytes=2, bytes_per_s=1e6)
    state = msgspec.structs.replace(view.state, sync=sync, trials=(), stage=number)
    app = live_app(replace(view, plan=msgspec.structs.replace(view.plan, stages=tuple(stages)), state=state))
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        assert title in text(app, "#progress")


def waiting() -> View:
    """A run that waits for a person: two trials are over, and its third stage encrypts its array."""
    plan = filled(made(LUKS))
    state = fold_all([
        events.WorkerStarted(at_s=1.0, schema=1, run="r", boot_id="b", pid=1, start_ticks=1),
        events.StepStarted(at_s=2.0, stage=len(plan.stages) - 1, what="Make it", line="", role="encrypt"),
    ])  # fmt: skip
    return View(plan, state, (*(member.id for member in plan.members), ARRAY), ())


async def test_while_it_waits_for_a_person_it_says_so_and_a_key_lends_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    goes_on = replace(waiting(), state=fold_all([events.StepEnded(at_s=3.0, what="Make it")], waiting().state))
    app = live_app(waiting())
    services = app.services
    assert isinstance(services, RecordedServices)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause()
        assert "p: enter the LUKS passphrase. The run waits" in text(app, "#progress")
        await pilot.press("p")
        await pilot.pause()
        assert services.typed == [] and any(  # a pilot's terminal cannot be lent
            f"raidtui passphrase {RUN.name}" in notification.message for notification in app._notifications
        )
        monkeypatch.setattr(app, "suspend", nullcontext)
        await pilot.press("p")
        assert services.typed == [RUN]
        screen = app.screen
        assert isinstance(screen, LiveScreen) and isinstance(screen._feed, ListFeed)
        screen._feed.views.append(goes_on)  # not before: the screen looks by itself, too
        screen.tick()
        await pilot.pause()
        assert "passphrase" not in text(app, "#progress") and not screen.check_action("passphrase", ())
        await pilot.press("p")
        assert services.typed == [RUN]
