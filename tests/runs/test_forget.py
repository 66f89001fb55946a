"""A run's folder is deleted when nothing needs it any more, and not before."""

import os
from contextlib import nullcontext
from pathlib import Path

import msgspec
import pytest

from raidtui.core.run import events
from raidtui.runs import directory, forget
from raidtui.runs.forget import NotForgotten
from raidtui.runs.journal import Journal
from raidtui.runs.status import status_of_run
from raidtui.system import block
from tests.builders.journals import started
from tests.runs.rig import plan_of

WORKER = started()
ALIVE = msgspec.structs.replace(WORKER, boot_id=block.boot_id(), start_ticks=block.start_ticks(1))
CHANGED = events.SettingChanged(at_s=2.0, path="/sys/x", old="1", new="2")


def ended(outcome: str = "finished", **more: object) -> events.RunEnded:
    return events.RunEnded(at_s=9.0, outcome=outcome, **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def without_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forget, "_lock", lambda path: nullcontext())


def run_in(root: Path, *told: events.AnyEvent) -> Path:
    path = directory.create(plan_of(), root)
    journal = Journal(path / directory.JOURNAL)
    for event in told:
        journal.add(event)
    journal.close()
    return path


@pytest.mark.parametrize(
    "told, why",
    [
        ((ALIVE,), "is running"),
        ((), "is running"),  # it was planned this moment: its worker is on its way
        ((WORKER,), "needed to undo"),
        ((WORKER, ended(kept=True)), "keeps an array"),
        ((WORKER, ended("failed", left=("md127 is busy",))), "needed to undo"),
        ((WORKER, CHANGED, ended("failed")), "needed to undo"),
    ],
)
def test_a_run_that_is_needed_yet_is_not_forgotten(tmp_path: Path, told: tuple[events.AnyEvent, ...], why: str) -> None:
    path = run_in(tmp_path, *told)
    with pytest.raises(NotForgotten, match=why):
        forget.forget(path)
    assert (path / directory.PLAN).exists() and not status_of_run(path).settled


@pytest.mark.parametrize("holds", [b"\x00\xffnothing\n" * 3, b"\x00" * 4096])
def test_a_run_of_which_nothing_can_be_read_is_not_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holds: bytes
) -> None:
    """What it told may have been of an array that stands."""
    path = run_in(tmp_path)
    (path / directory.JOURNAL).write_bytes(holds)
    os.utime(path / directory.PLAN, (1.0, 1.0))
    run = status_of_run(path)
    assert (run.word, run.resumable, run.settled) == ("unreadable", False, False)
    with pytest.raises(NotForgotten, match=rf"of the {len(holds)} bytes .* none can be read.*raidtui clean"):
        forget.forget(path)
    assert (path / directory.PLAN).exists()
    monkeypatch.setattr(directory, "on_practice_disks", lambda path: True)
    assert forget.why_not(path).endswith(f"if its practice machine has ended, delete {path}")


def test_what_can_be_read_counts_though_its_first_line_cannot(tmp_path: Path) -> None:
    path = run_in(tmp_path, WORKER, ended(kept=True))
    _, *others = (path / directory.JOURNAL).read_bytes().splitlines(keepends=True)
    (path / directory.JOURNAL).write_bytes(b"\xff\n" + b"".join(others))
    os.utime(path / directory.PLAN, (1.0, 1.0))
    run = status_of_run(path)
    assert (run.word, run.kept) == ("finished", True) and run.damage.startswith("1 line of its journal")


@pytest.mark.parametrize("outcome", ["finished", "stopped", "failed"])
def test_of_a_settled_run_nothing_stays(tmp_path: Path, outcome: str) -> None:
    path = run_in(tmp_path, WORKER, ended(outcome))
    forget.forget(path)
    assert not path.exists()


@pytest.mark.parametrize("outcome", ["finished", "stopped", "failed"])
def test_what_ended_with_its_practice_machine_keeps_nothing_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outcome: str
) -> None:
    for name in ("RAIDTUI_PRACTICE", "RAIDTUI_PRACTICE_RESULTS"):
        monkeypatch.setenv(name, "1")
    path = run_in(tmp_path, WORKER, CHANGED, ended(outcome, kept=outcome == "finished", left=("md127 is busy",)))
    told = status_of_run(path)
    assert not (told.kept or told.unsettled or told.resumable) and "another practice machine" in told.sentence
    forget.forget(path)
    assert not path.exists()


def test_a_run_of_another_practice_machine_may_go_on_there_and_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = run_in(tmp_path, WORKER, CHANGED)
    assert status_of_run(path).word == "cut off" and status_of_run(path).unsettled
    for name in ("RAIDTUI_PRACTICE", "RAIDTUI_PRACTICE_RESULTS"):
        monkeypatch.setenv(name, "1")
    told = status_of_run(path)
    assert told.word == "elsewhere" and "another practice machine" in told.sentence and "stand" not in told.sentence
    assert not (told.unsettled or told.resumable or told.settled)
    with pytest.raises(NotForgotten, match="may be running"):
        forget.forget(path)


def test_nothing_is_deleted_below_a_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = run_in(tmp_path, WORKER, ended())
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"36 35 9:127 / {path}/mnt rw - xfs /dev/md127 rw\n")
    monkeypatch.setattr(forget, "_MOUNTS", mounts)
    with pytest.raises(NotForgotten, match="mounted at"):
        forget.forget(path)
    assert path.exists()
