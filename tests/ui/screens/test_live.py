"""The live screen and Results, fed from lists of views: no run, no clock, no waiting."""

import asyncio
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from rich.console import Console
from textual.events import MouseDown

from raidtui.core.fio.measurement import Measurement
from raidtui.core.run import events
from raidtui.core.run.events import SyncProgress
from raidtui.core.run.samples import ARRAY, Counters, Sample
from raidtui.core.run.state import RunState, TrialState, fold_all
from raidtui.core.units import Units
from raidtui.demo.recording import load
from raidtui.runs.status import RunStatus
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.results import ResultsScreen
from raidtui.ui.screens.runs import RunsScreen
from raidtui.ui.widgets.bars import StepHeader
from raidtui.ui.widgets.lines import Lines, Sliced
from tests.builders.journals import started
from tests.builders.layered import LUKS, filled, made
from tests.replay import RUNS
from tests.seeds import paired
from tests.ui.followed import RUN, disks_text, ended, live_app, live_text, sliced_text, text
from tests.ui.machines import ListFeed, RecordedServices
from tests.ui.pilots import LARGE, SIZES, SMALL, Size, opened, press
from tests.ui.runs import View, view_of


def slowed(view: View, number: int, share: float) -> View:
    """Every disk at 100 MB/s, the one of that number at a share of it."""
    slots = len(view.slots)

    def counters(second: int, slot: int) -> Counters:
        count = int(second * 100e6 * (share if slot == number else 1.0))
        return Counters(count, 0, count // 2**20, 0, second * 900)

    history = tuple(
        Sample(sample.wall_ns, sample.monotonic_ns, tuple(counters(second, slot) for slot in range(slots)))
        for second, sample in enumerate(view.history)
    )
    trials = (*view.state.trials[:-1], msgspec.structs.replace(view.state.trials[-1], trial=view.plan.trials[13].id))
    return replace(view, history=history, state=msgspec.structs.replace(view.state, trials=trials, stage=1))


def replace_measurement(trial: TrialState, measurement: Measurement) -> TrialState:
    return msgspec.structs.replace(trial, measurement=measurement)


async def test_it_says_what_is_measured_and_what_was() -> None:
    app = live_app(view_of(3, 20))
    async with opened(app):
        assert "Test 3 of 16: Random 4K write on sda alone" in live_text(app)
        assert "of about 30 s" in live_text(app)
        assert "Done: 2 of 16" in live_text(app)
        assert re.search(r"Sequential write on sda alone +94\.0", live_text(app))


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_the_newest_trials_are_listed_from_the_first_picture_on(size: Size) -> None:
    app = live_app(view_of(24, 40, done=10))
    async with opened(app, size):
        trials = app.screen.query_one("#trials", Lines)
        assert len(trials.lines) == trials.size.height
        assert "Done: 10 of" in trials.text
        assert view_of(24, 40).plan.trials[9].title in trials.text.splitlines()[-1]


async def test_of_more_disks_than_fit_a_page_is_shown_and_what_was_measured_stays_in_view() -> None:
    view = view_of(100, 40, done=10)
    app = live_app(view)
    async with opened(app) as pilot:
        seen = 0
        while seen < 100:
            if seen:
                await pilot.press("pagedown")
            shown = re.search(r"disks (\d+) to (\d+) of 100", live_text(app))
            assert shown and int(shown[1]) == seen + 1
            assert app.screen.query_one("#disks").region.bottom <= 22
            seen = int(shown[2])
            assert disks_text(app).count("▏") == 2 * (seen - int(shown[1]) + 1)  # name and rate
        trials = app.screen.query_one("#trials", Lines)
        assert trials.region.bottom <= SMALL[1] and "Done: 10 of" in trials.text
        await pilot.press("pagedown")
        assert "to 100 of 100" in live_text(app)
        await pilot.resize_terminal(200, 60)
        await pilot.pause()
        assert "to 100 of" not in live_text(app)  # now all fit
        await pilot.pause()
        assert disks_text(app).count("▏") == 200


async def test_a_click_on_a_piece_that_is_being_taken_away_is_none() -> None:
    app = live_app(view_of(6, 40, done=10))
    async with opened(app) as pilot:
        assert isinstance(app.screen, LiveScreen)
        piece = app.screen.query("#disks .slice").last()
        x, y = piece.region.offset
        app.screen.action_form()
        app.screen.action_form()  # tiles have no pieces
        async with asyncio.timeout(5):
            while piece.parent is not None:
                await asyncio.sleep(0)
        assert app.get_widget_at(x, y)[0] is piece  # the picture has it yet
        await app.on_event(MouseDown(None, x, y, 0, 0, 1, False, False, False, x, y))
        await pilot.pause()
        assert "6 disks" in live_text(app)


@pytest.mark.parametrize(
    "count, size, forms",
    [(6, SMALL, ["rows", "graphs", "tiles", "rows"]), (24, SMALL, ["halves", "graphs", "tiles", "halves"]),
     (6, LARGE, ["graphs", "tiles", "rows", "graphs"]), (24, LARGE, ["rows", "graphs", "tiles", "rows"]),
     (100, LARGE, ["tiles", "rows", "graphs", "tiles"]), (40, LARGE, ["halves", "graphs", "tiles", "halves"])],
)  # fmt: skip
async def test_as_many_disks_so_they_are_drawn_and_g_changes_it(count: int, size: Size, forms: list[str]) -> None:
    app = live_app(view_of(count, 40, done=10))
    async with opened(app, size) as pilot:
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        for number, form in enumerate(forms):
            if number:
                await pilot.press("g")
            assert screen._axis.form.kind == form
            disks = screen.query_one("#disks")
            assert disks.region.bottom <= size[1] - 2 and disks.region.height == screen._axis.form.height
            assert "sda" in disks_text(app)


async def test_a_disk_under_the_cursor_tells_what_it_is() -> None:
    view = view_of(24, 40, done=10)
    app = live_app(view)
    async with opened(app) as pilot:
        assert view.plan.members[1].serial not in live_text(app)
        await pilot.press("down", "down")
        said = text(app, "#trials")
        assert said.startswith(" sdb  ST4000NM0035-1V4107 " + view.plan.members[1].serial) and "% busy" in said
        await pilot.press("up", "up")
        assert view.plan.members[0].serial not in live_text(app) and "Done: 10 of" in live_text(app)
        await pilot.press(*["down"] * 30)
        assert view.plan.members[23].serial in live_text(app)  # the last one, not beyond


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_disk_that_differs_in_this_second_is_named_with_its_figure_and_never_called_slow(
    size: Size,
) -> None:
    app = live_app(slowed(view_of(24, 40, done=10), 16, 0.6))
    async with opened(app, size):
        assert "▼ 1 differs from the median: sdq 57 IOPS, −41 %" in live_text(app)
        row = next(line for line in disks_text(app).splitlines() if "sdq" in line)
        assert "▼" in row and "slow" not in (live_text(app) + disks_text(app)).replace("slower than", "")
    app = live_app(slowed(view_of(24, 40, done=10), 16, 0.8))
    async with opened(app, size):
        assert "✓ 24 alike now  76 to 96 IOPS" in live_text(app) and "▼" not in disks_text(app)


async def test_a_failed_test_is_hatched_and_its_reason_is_on_the_screen() -> None:
    view = view_of(24, 40, done=10)
    failed = Measurement(name="x", status="failed", rw="read", error="fio: out of paper")
    trials = (*view.state.trials[:6], replace_measurement(view.state.trials[6], failed), *view.state.trials[7:])
    app = live_app(replace(view, state=msgspec.structs.replace(view.state, trials=trials)))
    async with opened(app):
        assert "✗ 1 failed: fio: out of paper" in live_text(app) and "✗" in text(app, "#axis")
        assert all(
            "\N{BOX DRAWINGS LIGHT DIAGONAL UPPER RIGHT TO LOWER LEFT}" in line for line in disks_text(app).splitlines()
        )


@pytest.mark.parametrize("run, size", paired(["rack-of-24", "raid10-of-6"], SIZES))
async def test_without_colours_and_in_ascii_every_word_and_figure_is_there(
    run: str, size: Size, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording = load(RUNS / run)
    trial = "s2-rand_write" if run == "raid10-of-6" else "filesystem-rand_write"

    async def words() -> set[str]:
        app = live_app(recording.view(recording.at_s(trial, 0.6)))
        async with opened(app, size):
            shown = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        return set(re.findall(r"[A-Za-z0-9][A-Za-z0-9.:]*", shown))

    coloured = await words()
    monkeypatch.setenv("NO_COLOR", "1")
    assert coloured <= await words()
    monkeypatch.setenv("LANG", "C")
    monkeypatch.delenv("LC_ALL", raising=False)
    assert {word.lstrip("x") for word in coloured} <= {word.lstrip("x") for word in await words()}  # ✗ is x there


@pytest.mark.usefixtures("looked_at")
@pytest.mark.parametrize("disks, most", [(6, 3000), (24, 5000), (100, 9000), (1000, 9000)])
async def test_a_second_costs_a_line_no_more_than_its_budget(disks: int, most: int) -> None:
    """Counted in 256 colours on a painted ground: what the widgets ask to be sent again."""
    views = [view_of(disks, seconds, done=10) for seconds in range(40, 47)]
    app = live_app(*views)
    console = Console(color_system="256", force_terminal=True, width=120, height=40)
    async with opened(app, LARGE):
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        sent = []
        for _ in views[1:]:
            screen.tick()
            regions = [
                region.translate(widget.region.offset)
                for widget in screen.query("*")
                for region in widget._exchange_repaint_regions()
            ]
            screen._compositor._dirty_regions.update(regions)
            made = screen._compositor.render_partial_update()
            sent.append(len(made.render_segments(console).encode()) if made else 0)
        assert 0 < sum(sent) / len(sent) <= most


async def test_while_a_long_journal_is_read_the_disks_are_shown_and_no_figure_that_hangs_on_it() -> None:
    whole = view_of(3, 20)
    app = live_app(replace(whole, state=RunState(worker=whole.state.worker), whole=False))
    feed = app._feed
    assert isinstance(feed, ListFeed)
    async with opened(app) as pilot:
        assert "Reading the run's journal" in live_text(app)
        assert not text(app, "#trials") and " left" not in live_text(app) and "Test " not in live_text(app)
        assert all(f"{name} " in disks_text(app) for name in ("sda", "sdb", "sdc"))
        feed.views.append(whole)
        async with asyncio.timeout(5):
            while "Test 3 of 16" not in live_text(app):
                await pilot.pause()
        assert "Done: 2 of 16" in live_text(app)


async def test_before_the_first_sample_no_rate_is_made_up() -> None:
    view = view_of(3, 0)
    app = live_app(view)
    async with opened(app):
        assert "3 disks   no samples yet" in live_text(app) and "Test 3 of 16" in live_text(app)
        assert "–" in sliced_text(app.screen.query_one("#hero", Sliced))


async def test_an_estimate_that_is_over_is_said_to_be() -> None:
    app = live_app(view_of(3, 90_000))
    async with opened(app):
        assert ": tests slower" in live_text(app) and "longer than the 30 s estimated" in live_text(app)


@pytest.mark.parametrize("size, lines", [(SMALL, 12), (LARGE, 24)])
async def test_all_of_24_disks_are_on_the_screen(size: Size, lines: int) -> None:
    view = view_of(24, 40)
    app = live_app(view)
    async with opened(app, size):
        disks = app.screen.query_one("#disks")
        assert disks.region.height == lines == len(disks_text(app).splitlines())
        assert disks.region.bottom <= app.screen.query_one("KeyBar").region.y and disks.region.right <= size[0]
        assert all(f"{member.name} " in disks_text(app) for member in view.plan.members)


async def test_both_scales_are_named_and_u_switches_the_unit() -> None:
    app = live_app(view_of(3, 40, done=1))
    async with opened(app, LARGE) as pilot:
        hero = app.screen.query_one("#hero", Sliced)
        assert "MB/s" in sliced_text(hero) and " IOPS" in sliced_text(hero)
        before = disks_text(app)
        await pilot.press("u")
        assert app.units is Units.BINARY
        assert "MiB/s" in sliced_text(hero) and "MiB/s" in live_text(app) + disks_text(app)
        assert disks_text(app) != before


async def test_a_line_that_stays_the_same_is_not_sent_again() -> None:
    app = live_app(view_of(3, 40))
    async with opened(app):
        pane = app.screen.query_one("#status", Lines)
        asked: list[object] = []
        pane.refresh = lambda *regions, **_: asked.extend(regions)  # type: ignore[method-assign,assignment]
        pane.show(pane.lines)
        assert not asked
        pane.show([(("changed", ""),)])
        assert len(asked) == 1


async def test_disks_have_the_names_by_which_the_newest_worker_has_them() -> None:
    """After a boot another node may be the same disk."""
    before = view_of(3, 20)
    assert before.state.worker
    renamed = {member.id: f"/dev/sdx{n}" for n, member in enumerate(before.plan.members)}
    worker = msgspec.structs.replace(before.state.worker, resolved=renamed)
    after = replace(
        view_of(3, 21), plan=before.plan, state=msgspec.structs.replace(view_of(3, 21).state, worker=worker)
    )
    app = live_app(before, after)
    async with opened(app):
        screen = app.screen
        assert isinstance(screen, LiveScreen) and "sdx0" not in disks_text(app)
        screen.tick()
        assert "sdx0" in disks_text(app) and "sdx2" in disks_text(app)


async def test_frozen_the_picture_stands_and_the_run_is_followed() -> None:
    app = live_app(view_of(3, 40), view_of(3, 41), view_of(3, 42))
    async with opened(app) as pilot:
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        await pilot.press("f")
        before = disks_text(app)
        screen.tick()
        assert disks_text(app) == before
        assert "FROZEN" in live_text(app)
        await pilot.press("f")
        assert disks_text(app) != before
        assert "FROZEN" not in live_text(app)


async def test_leaving_says_how_to_come_back_and_stops_nothing() -> None:
    app = live_app(view_of(3, 40))
    async with opened(app) as pilot:
        await pilot.press("q")
    assert app.return_code == 0
    assert isinstance(app.services, RecordedServices)
    assert not app.services.stopped


@pytest.mark.parametrize("key", ["question_mark", "s", "R"])
async def test_leaving_right_before_and_right_behind_a_screen_that_opens_is_no_fault(key: str) -> None:
    for pressed in (("d", key), (key, "ctrl+q")):
        app = live_app(view_of(3, 5))
        async with opened(app) as pilot:
            for one in pressed:
                app.simulate_key(one)
            await pilot.pause()
        assert app.return_code == 0


async def test_stopping_wants_the_word() -> None:
    app = live_app(view_of(3, 40))
    services = app.services
    assert isinstance(services, RecordedServices)
    async with opened(app) as pilot:
        await pilot.press("s", "enter")
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
    async with opened(app) as pilot:
        assert "The worker died" in live_text(app)
        assert "Esc: resume, or remove the array." in live_text(app)
        assert "esc runs" in app.screen.query_one("KeyBar", Lines).text
        await pilot.press("escape")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert not isinstance(app.screen, LiveScreen)


async def test_a_run_that_ended_while_frozen_leads_to_results_when_it_goes_on() -> None:
    app = live_app(view_of(3, 40))
    async with opened(app) as pilot:
        screen = app.screen
        assert isinstance(screen, LiveScreen) and isinstance(screen._feed, ListFeed)
        await pilot.press("f")
        screen._feed.views.append(ended())  # not before it is frozen: the screen looks by itself, too
        screen.tick()
        assert app.screen is screen
        await pilot.press("f")
        assert isinstance(app.screen, ResultsScreen)


async def test_a_worker_that_never_starts_is_said_and_only_after_a_while() -> None:
    view = view_of(3, 0)
    app = live_app(View(view.plan, RunState(), view.slots, (), alive=False))
    async with opened(app):
        screen = app.screen
        assert isinstance(screen, LiveScreen)
        assert "Starting the worker" in live_text(app)
        assert "did not start" not in live_text(app)
        for _ in range(12):
            screen.tick()
        assert "worker.log" in live_text(app)


def test_a_run_that_cannot_be_read_is_said_before_the_terminal_is_taken(tmp_path: Path) -> None:
    from raidtui.ui.local import LocalServices

    with pytest.raises(ValueError, match=r"plan\.json"):
        RaidtuiApp(LocalServices(), attach=tmp_path)


async def test_escape_shows_the_runs_and_stops_nothing() -> None:
    app = live_app(view_of(3, 40))
    services = app.services
    assert isinstance(services, RecordedServices)
    async with opened(app) as pilot:
        screen = app.screen
        await press(pilot, "escape")
        assert isinstance(app.screen, RunsScreen) and app.is_running and not services.stopped
        await pilot.press("escape")
        assert app.screen is screen


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_leaving_practice_ends_the_run_and_wants_the_word(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    app = live_app(view_of(3, 40))
    app.services.all_runs = (RunStatus(RUN, "going on", "", "RAID 5", 3, 12, alive=True),)  # type: ignore[attr-defined]
    async with opened(app) as pilot:
        assert "q end practice" in app.screen.query_one("KeyBar", Lines).text
        await press(pilot, key)
        assert "ends the practice machine" in text(app, "#asked")
        await pilot.press("escape")
        assert isinstance(app.screen, LiveScreen) and app.is_running
        await press(pilot, "s", "ctrl+q")
        assert "ends the practice machine" in text(app, "#asked")
        await press(pilot, "escape", key)
        await pilot.press(*"leave", "enter")
        assert not app.is_running or app.return_code == 0
    assert app.return_code == 0


async def test_every_step_says_that_it_is_practice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAIDTUI_PRACTICE", "1")
    app = live_app(view_of(3, 40))
    async with opened(app):
        header = app.screen.query_one(StepHeader).text
        assert " PRACTICE " in header and "8/9 ✓Review › ●Live › Results" in header
        assert len(header.rstrip()) < 80  # the last column is never painted


async def test_what_is_left_is_corrected_on_the_way_and_the_bytes_written_stand_beside_it() -> None:
    app = live_app(view_of(3, 20))
    async with opened(app, LARGE):
        assert "19 s" in live_text(app) and re.search(r"≈ [^│]* left", live_text(app))
        assert re.search(r"−1 min \d\d s: tests faster", live_text(app))  # each took a second
        assert "· total writes assumed " in live_text(app)
        assert "times over" not in live_text(app)  # disks that do not wear


async def test_the_wear_of_disks_that_wear_is_said_as_times_over() -> None:
    view = view_of(3, 20)
    members = tuple(msgspec.structs.replace(one, rotational=False) for one in view.plan.members)
    raw = sum(one.size_bytes for one in members)
    plan = msgspec.structs.replace(view.plan, members=members)
    state = msgspec.structs.replace(view.state, written_bytes=raw // 2)
    app = live_app(replace(view, plan=plan, state=state))
    async with opened(app, (200, 60)):
        assert "· 0.50 times over" in live_text(app)


@pytest.mark.parametrize("share, of_what", [(1, "per disk"), (2, "of the array")])
async def test_a_sync_says_whose_bytes_it_goes_through(share: int, of_what: str) -> None:
    view = view_of(3, 20)
    size = view.plan.members[0].size_bytes
    sync = SyncProgress(at_s=9.0, action="resync", done_bytes=size // 4, total_bytes=size * share, bytes_per_s=1e6)
    app = live_app(replace(view, state=msgspec.structs.replace(view.state, sync=sync, trials=())))
    async with opened(app, LARGE):
        assert re.search(r"(25\.0|12\.5) %, ", live_text(app)) and f" {of_what} · 1.00 MB/s" in live_text(app)


@pytest.mark.parametrize("failed, title", [(0, "Initial resync (md: recover)"), (1, "Sync (md: recover)")])
async def test_the_sync_of_a_new_array_is_called_so(failed: int, title: str) -> None:
    view = view_of(3, 20)
    stages = list(view.plan.stages)
    number, setup = next((number, stage.setup) for number, stage in enumerate(stages) if stage.setup)
    stages[number] = msgspec.structs.replace(stages[number], setup=msgspec.structs.replace(setup, failed=failed))
    sync = SyncProgress(at_s=9.0, action="recover", done_bytes=1, total_bytes=2, bytes_per_s=1e6)
    state = msgspec.structs.replace(view.state, sync=sync, trials=(), stage=number)
    app = live_app(replace(view, plan=msgspec.structs.replace(view.plan, stages=tuple(stages)), state=state))
    async with opened(app, LARGE):
        assert title in live_text(app)


def waiting() -> View:
    """A run that waits for a person: two trials are over, and its third stage encrypts its array."""
    plan = filled(made(LUKS))
    state = fold_all([
        started("r"),
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
    async with opened(app) as pilot:
        assert "p: enter the LUKS passphrase. The run waits" in live_text(app)
        await pilot.press("p")
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
        assert "passphrase" not in live_text(app) and not screen.check_action("passphrase", ())
        await pilot.press("p")
        assert services.typed == [RUN]
