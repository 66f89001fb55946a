"""The recorded runs: what a fold, the report, a follower and the screens make of real journals and samples."""

from pathlib import Path

import pytest

from raidtui.core.report.markdown import markdown
from raidtui.demo.recording import load
from raidtui.runs.directory import JOURNAL, REPORT, SAMPLES
from raidtui.runs.follow import Follower, View
from raidtui.runs.journal import read_state
from raidtui.ui.app import RaidtuiApp
from raidtui.ui.screens.live import LiveScreen
from raidtui.ui.screens.results import ResultsScreen
from tests.replay import RUNS, draw_out
from tests.ui.followed import disks_text, live_text
from tests.ui.machines import RecordedServices
from tests.ui.pilots import LARGE, SMALL, Size, on_screen, opened

RECORDINGS = {"rack-of-24": 24, "raid5-of-3": 3}
SIZES = [SMALL, LARGE]
every_recording = pytest.mark.parametrize("name", RECORDINGS)
every_size = pytest.mark.parametrize("size", SIZES, ids=str)


def app_of(view: View) -> RaidtuiApp:
    return RaidtuiApp(RecordedServices(views=[view]), attach=Path("/runs") / view.state.run)


@every_recording
def test_the_journal_folds_to_a_finished_run_of_twelve_measurements(name: str) -> None:
    state = read_state(RUNS / name / JOURNAL)
    assert (state.outcome, state.left, state.settings) == ("finished", (), {})
    killed = {"members-seq_write", "members-seq_read"} if name == "rack-of-24" else set()
    found = {trial.trial: trial.measurement and trial.measurement.status for trial in state.trials}
    assert found == {trial: "failed" if trial in killed else "ok" for trial in found} and len(found) == 12
    assert {step.error for step in state.steps} == {None}


@every_recording
def test_every_measurement_knows_the_rates_of_every_disk(name: str) -> None:
    state = read_state(RUNS / name / JOURNAL)
    members = {member.id for member in load(RUNS / name).plan.members}
    assert all(trial.measurement and members <= set(trial.measurement.disks) for trial in state.trials)


@pytest.mark.parametrize("name", [*RECORDINGS, "raid5-twice"])
def test_the_report_of_a_recorded_run_stays_as_it_is(name: str) -> None:
    """Where the report is changed on purpose: `raidtui report FOLDER/ > FOLDER/report.md`."""
    recording = load(RUNS / name)
    assert markdown(recording.plan, recording.view().state) == (RUNS / name / REPORT).read_text()


@every_recording
def test_a_follower_sees_every_disk_and_the_array(name: str) -> None:
    follower = Follower(RUNS / name)
    view = follower.poll()
    assert view is not None
    assert view.slots == (*(member.id for member in view.plan.members), "array")
    assert len(view.slots) == RECORDINGS[name] + 1
    assert view.state.ended and not view.alive
    assert all(len(sample.counters) == len(view.slots) for sample in view.history)
    assert follower.poll() is None


@every_recording
def test_at_a_moment_of_the_past_it_is_going_on(name: str) -> None:
    recording = load(RUNS / name)
    view = recording.view(recording.at_s("filesystem-seq_read", 0.5))
    assert view.alive and view.state.trial is not None and view.state.trial.trial == "filesystem-seq_read"
    assert view.state.array is not None and view.state.filesystems
    assert len([trial for trial in view.state.trials if trial.measurement]) == 9


@every_size
@every_recording
async def test_live_shows_every_disk_while_it_is_measured(name: str, size: Size) -> None:
    recording = load(RUNS / name)
    app = app_of(recording.view(recording.at_s("filesystem-seq_read", 0.6)))
    async with opened(app, size):
        assert isinstance(app.screen, LiveScreen)
        shown = disks_text(app)
        assert all(f"{member.name} " in shown for member in recording.plan.members)
        assert "Test 10 of 12: Sequential read on the file system" in live_text(app)


@every_size
@every_recording
async def test_results_show_all_figures(name: str, size: Size) -> None:
    app = app_of(load(RUNS / name).view())
    async with opened(app, size) as pilot:
        shown = await on_screen(pilot)
        assert isinstance(app.screen, ResultsScreen)
        assert "Finished after" in shown and shown.count("× one disk") == 4 and "1[Results]" in shown


def test_a_run_drawn_out_is_followed_as_one_that_goes_on(tmp_path: Path) -> None:
    draw_out(load(RUNS / "raid5-of-3"), tmp_path / "run", 600)
    view = Follower(tmp_path / "run").poll()
    assert view is not None and view.alive and not view.state.ended
    assert len(view.state.trials) > 12
    assert len(view.history) == 300
    assert (tmp_path / "run" / SAMPLES).stat().st_size > (RUNS / "raid5-of-3" / SAMPLES).stat().st_size


@every_size
async def test_a_target_measured_as_it_stands_is_shown_live_and_as_results(size: Size) -> None:
    """Its plan has no members; the disks beneath have the panes."""
    recording = load(RUNS / "existing-folder")
    app = app_of(recording.view(recording.at_s("s1-rand_read", 0.6)))
    async with opened(app, size) as pilot:
        assert isinstance(app.screen, LiveScreen)
        assert "4 disks" in live_text(app) and all(f"sd{letter} " in disks_text(app) for letter in "abcd")
        assert "Random 4K read" in live_text(app)
    app = app_of(recording.view())
    async with opened(app, size) as pilot:
        shown = await on_screen(pilot)
        assert isinstance(app.screen, ResultsScreen)
        assert "Finished" in shown and "as it is" in shown and "existing" in shown and " array " not in shown


def test_its_report_says_that_nothing_was_touched() -> None:
    text = markdown((recording := load(RUNS / "existing-folder")).plan, recording.view().state)
    assert "### Disks below, not touched" in text and "Nothing else was changed" in text
    assert "As it is, MB/s" in text and "All is cleared away" not in text
