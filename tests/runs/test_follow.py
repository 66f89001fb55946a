"""Following a run whose journal is long: the disks at once, the rest with the next look."""

import shutil
from pathlib import Path

import pytest

from raidtui.core.run import events
from raidtui.runs.directory import JOURNAL
from raidtui.runs.follow import Follower, Viewer
from tests.replay import RUNS


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RUNS / "raid5-of-3", tmp_path / "run"))


def lengthen(run: Path) -> None:
    """Put a megabyte of warnings behind the worker's start."""
    first, _, rest = (run / JOURNAL).read_bytes().partition(b"\n")
    warning = events.encode(events.Warned(at_s=1.0, text="w" * 1000))
    (run / JOURNAL).write_bytes(first + b"\n" + warning * 1100 + rest)


def test_of_a_long_journal_the_first_view_has_the_disks_and_the_next_one_all(run: Path) -> None:
    lengthen(run)
    whole = Follower(run).poll()
    viewer = Viewer(run)
    first, second = viewer.poll(), viewer.poll()
    assert whole is not None and first is not None and whole.whole and not first.whole
    assert first.state.worker == whole.state.worker is not None
    assert first.history == whole.history and not first.state.trials
    assert second == whole
    assert viewer.poll() is None


def test_a_short_journal_is_read_at_once(run: Path) -> None:
    assert Viewer(run).poll() == Follower(run).poll()


def test_the_newest_worker_tells_the_names(run: Path) -> None:
    lengthen(run)
    first = events.decode((run / JOURNAL).read_bytes().partition(b"\n")[0])
    assert isinstance(first, events.WorkerStarted)
    again = events.WorkerStarted(**{name: getattr(first, name) for name in first.__struct_fields__} | {"pid": 1})
    with (run / JOURNAL).open("ab") as file:
        file.write(events.encode(again))
    view = Viewer(run).poll()
    assert view is not None and view.state.worker == again
