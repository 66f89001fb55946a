"""The run's own file in a folder that is measured as it stands: only that one is ever removed."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from raidtui.core.plan.steps import Check
from raidtui.runs import target
from raidtui.runs.waiting import StepFailed

LOOK = Check(what="Look at the file", question="file-own")


class StageContext:
    """As much of a site as the file needs: its path, and a journal that keeps what it is told."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.own_file: int | None = None
        self.journal: Any = SimpleNamespace(state=SimpleNamespace(files={}), add=self._told)

    def existing_path(self, kind: str) -> str:
        return str(self.path)

    def _told(self, event: Any) -> None:
        self.journal.state.files[event.path] = event.inode


@pytest.fixture
def context(tmp_path: Path) -> Any:
    return StageContext(tmp_path / "raidtui-run.fio")


def test_what_is_not_there_needs_no_removal(context: Any) -> None:
    assert not target.owns_file(context)


def test_a_file_that_was_made_and_told_is_ours_however_large_it_grew(context: Any) -> None:
    context.path.touch()
    target.own_file(context, LOOK)
    context.path.write_bytes(b"x" * 100)
    assert target.owns_file(context)


def test_a_worker_that_died_before_it_told_left_an_empty_file(context: Any) -> None:
    context.path.touch()
    assert target.owns_file(context)


@pytest.mark.parametrize("told", [True, False])
def test_somebody_elses_file_of_that_name_is_left_alone(context: Any, told: bool) -> None:
    if told:
        context.path.touch()
        target.own_file(context, LOOK)
        context.path.rename(context.path.with_name("aside"))
    context.path.write_text("somebody else's")
    with pytest.raises(StepFailed, match="left alone"):
        target.owns_file(context)


def test_a_link_or_a_file_with_content_is_not_what_was_made(context: Any, tmp_path: Path) -> None:
    context.path.symlink_to(tmp_path / "precious")
    with pytest.raises(StepFailed, match="not the empty file"):
        target.own_file(context, LOOK)
    with pytest.raises(StepFailed, match="left alone"):
        target.owns_file(context)
    context.path.unlink()
    context.path.write_text("x")
    with pytest.raises(StepFailed, match="not the empty file"):
        target.own_file(context, LOOK)


def test_fio_gets_the_file_that_is_held_whatever_has_its_name_by_then(context: Any) -> None:
    """It would lengthen another one to its size, and remove it when it is ended at that."""
    context.path.touch()
    target.own_file(context, LOOK)
    context.path.rename(context.path.with_name("aside"))
    context.path.write_text("somebody else's")
    Path(target.held_path(context.own_file)).write_text("ours")
    assert context.path.read_text() == "somebody else's" and context.path.with_name("aside").read_text() == "ours"
    with pytest.raises(StepFailed):
        target.held_path(None)
