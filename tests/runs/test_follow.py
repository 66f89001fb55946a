"""Following a run: of a long journal the disks at once, and as ended when all of it is there, or nobody writes more."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.report.markdown import markdown
from raidtui.core.run import events, journal_lines
from raidtui.demo.recording import load
from raidtui.runs import follow, journal
from raidtui.runs.child import started
from raidtui.runs.directory import JOURNAL, REPORT, SAMPLES
from raidtui.runs.follow import Follower, View, Viewer
from raidtui.runs.journal import read_state
from raidtui.runs.progress import watch
from raidtui.runs.status import status_of_run
from raidtui.system import block
from tests.replay import RUNS, draw_out


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RUNS / "raid5-of-3", tmp_path / "run"))


def lengthen(recorded: Path) -> None:
    """Put a megabyte of warnings behind the worker's start."""
    first, _, rest = (recorded / JOURNAL).read_bytes().partition(b"\n")
    warning = journal_lines.encode(events.Warned(at_s=1.0, text="w" * 1000))
    (recorded / JOURNAL).write_bytes(first + b"\n" + warning * 1100 + rest)


def test_of_a_long_journal_the_first_view_has_the_disks_and_the_next_one_all(recorded: Path) -> None:
    lengthen(recorded)
    whole = Follower(recorded).poll()
    viewer = Viewer(recorded)
    first, second = viewer.poll(), viewer.poll()
    assert whole is not None and first is not None and whole.whole and not first.whole
    assert first.state.worker == whole.state.worker is not None
    assert first.history == whole.history and not first.state.trials
    assert second == whole
    assert viewer.poll() is None


def test_a_short_journal_is_read_at_once(recorded: Path) -> None:
    assert Viewer(recorded).poll() == Follower(recorded).poll()


@pytest.mark.parametrize("piece_bytes", [1, 4096])
def test_a_journal_is_read_in_pieces_that_may_be_shorter_than_a_line(
    recorded: Path, piece_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, torn = Follower(recorded).poll(), b'{"event":"warned",'
    monkeypatch.setattr(follow, "_PIECE_BYTES", piece_bytes)
    with (recorded / JOURNAL).open("ab") as file:
        file.write(torn)
    follower = Follower(recorded)
    assert follower.poll() == whole and follower.poll() is None


def test_the_newest_worker_tells_the_names(recorded: Path) -> None:
    lengthen(recorded)
    first = journal_lines.decode((recorded / JOURNAL).read_bytes().partition(b"\n")[0])
    assert isinstance(first, events.WorkerStarted)
    again = events.WorkerStarted(**{name: getattr(first, name) for name in first.__struct_fields__} | {"pid": 1})
    with (recorded / JOURNAL).open("ab") as file:
        file.write(journal_lines.encode(again))
    view = Viewer(recorded).poll()
    assert view is not None and view.state.worker == again


@pytest.fixture
def worker() -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends when its input does."""
    with subprocess.Popen(("cat",), stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


@pytest.fixture
def run(recorded: Path, worker: subprocess.Popen[bytes]) -> Path:
    """The recorded run with a whole journal; its worker is that process, and has written no report yet."""
    (recorded / REPORT).unlink()
    first, _, rest = (recorded / JOURNAL).read_bytes().partition(b"\n")
    told = journal_lines.decode(first)
    assert isinstance(told, events.WorkerStarted)
    lives = {"pid": worker.pid, "start_ticks": started(worker.pid), "boot_id": block.boot_id()}
    (recorded / JOURNAL).write_bytes(journal_lines.encode(replace(told, **lives)) + rest)
    return recorded


class Watched(Follower):
    """A follower beside whose second look something happens, between its looks at the journal and at the worker."""

    def __init__(self, path: Path, happens: Callable[[], None]) -> None:
        super().__init__(path)
        self._happens, self._looks = happens, 0

    def _read_samples(self) -> bool:
        self._looks += 1
        if self._looks == 2:
            self._happens()
        return super()._read_samples()


def ended(worker: subprocess.Popen[bytes]) -> None:
    assert worker.stdin
    worker.stdin.close()
    worker.wait()


def watched(run: Path, happens: Callable[[], None]) -> View:
    return watch(Watched(run, happens), lambda line: None)


def test_a_live_viewer_holds_all_figures_at_the_end_alone(run: Path, worker: subprocess.Popen[bytes]) -> None:
    viewer, whole = Viewer(run, live=True), Follower(run).poll()
    view = viewer.poll()
    assert view and whole and view.alive and whole.alive
    assert len(view.state.steps) < len(whole.state.steps) == sum(step.times for step in view.state.steps)
    ended(worker)
    assert viewer.poll() == Follower(run).poll() != view and viewer.poll() is None


def test_who_waits_for_the_end_gets_the_report_too(run: Path, worker: subprocess.Popen[bytes]) -> None:
    def writes_and_ends() -> None:
        (run / REPORT).write_text("all of it")
        ended(worker)

    view = watched(run, writes_and_ends)
    assert (view.state.outcome, view.alive) == ("finished", False) and (run / REPORT).read_text() == "all of it"


def test_a_worker_that_is_killed_before_its_report_keeps_nobody_waiting(
    run: Path, worker: subprocess.Popen[bytes]
) -> None:
    def dies() -> None:
        worker.kill()
        worker.wait()

    view = watched(run, dies)
    assert view.state.outcome == "finished" and not (run / REPORT).exists()
    assert "Finished." in markdown(view.plan, view.state)


def test_a_run_goes_on_until_its_worker_is_gone(run: Path, worker: subprocess.Popen[bytes]) -> None:
    follower = Follower(run)
    view = follower.poll()
    assert view and view.alive and not view.state.ended and read_state(run / JOURNAL).ended
    assert status_of_run(run).word == "going on" and status_of_run(run).alive
    ended(worker)
    view = follower.poll()
    assert view and not view.alive and view.state == read_state(run / JOURNAL)
    assert status_of_run(run).word == "finished" and follower.poll() is None


def test_what_a_worker_writes_while_it_is_looked_for_is_not_lost(run: Path, worker: subprocess.Popen[bytes]) -> None:
    """Else a run that finished would be called cut off."""
    journal = (run / JOURNAL).read_bytes()
    before, last = journal.splitlines(keepends=True)[:-1], journal.splitlines(keepends=True)[-1]
    (run / JOURNAL).write_bytes(b"".join(before))

    def writes_its_end() -> None:
        with (run / JOURNAL).open("ab") as file:
            file.write(last)
        ended(worker)

    assert watched(run, writes_its_end).state.outcome == "finished"


def test_the_end_of_an_earlier_worker_is_no_end_where_another_came(run: Path, worker: subprocess.Popen[bytes]) -> None:
    ended(worker)
    follower = Follower(run)
    first = follower.poll()
    assert first and first.state.ended
    with subprocess.Popen(("cat",), stdin=subprocess.PIPE) as another:
        worker_started = read_state(run / JOURNAL).worker
        assert worker_started
        lives = {"pid": another.pid, "start_ticks": started(another.pid)}
        with (run / JOURNAL).open("ab") as file:
            file.write(journal_lines.encode(replace(worker_started, **lives)))
        view = follower.poll()
        assert view and view.alive and not view.state.ended and journal.going_on(view.state)
        ended(another)


def test_of_a_run_of_any_length_the_sample_at_a_moment_is_found_in_the_file(tmp_path: Path) -> None:
    draw_out(load(RUNS / "raid5-of-3"), tmp_path / "run", 5000)
    follower = Follower(tmp_path / "run")
    view = follower.poll()
    assert view is not None
    newest_s = view.history[-1].wall_ns / 1e9
    found = follower.at([newest_s - 4000.4, newest_s - 10, newest_s + 99])
    assert [round(newest_s - one.wall_ns / 1e9) for one in found if one] == [4000, 10, 0]
    assert found[0] and found[0].wall_ns / 1e9 >= newest_s - 4000.4
    assert Follower(tmp_path / "run").at([]) == ()
    (tmp_path / "run" / SAMPLES).unlink()
    assert follower.at([newest_s]) == (None,)
