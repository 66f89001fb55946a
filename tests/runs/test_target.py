"""The run's own file in a folder that is measured as it stands: only that one is ever removed."""

from pathlib import Path

import pytest

from raidtui.core.plan.steps import Check
from raidtui.core.plan.target import Existing, Seen
from raidtui.core.units import GIB
from raidtui.runs import target as runs_target
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import Refused, StepFailed
from tests.runs.rig import Rig, plan_of_existing

LOOK = Check(what="Check the file", question="file-own")


@pytest.fixture
def context(tmp_path: Path) -> StageContext:
    data = tmp_path / "data"
    data.mkdir()
    target = Existing(path=str(data), kind="folder", identity="uuid /data", filesystem="ext4")
    rig = Rig(tmp_path, plan_of_existing(Seen(target, free_bytes=100 * GIB)))
    rig.executor.begin(0, rig.plan.stages[0])
    return rig.executor.context


@pytest.fixture
def file(context: StageContext) -> Path:
    return Path(context.existing_path("file"))


def test_what_is_not_there_needs_no_removal(context: StageContext) -> None:
    assert not runs_target.owns_file(context)


def test_a_file_that_was_made_and_told_is_ours_however_large_it_grew(context: StageContext, file: Path) -> None:
    file.touch()
    runs_target.own_file(context, LOOK)
    file.write_bytes(b"x" * 100)
    assert runs_target.owns_file(context)


def test_a_worker_that_died_before_it_told_left_an_empty_file(context: StageContext, file: Path) -> None:
    file.touch()
    assert runs_target.owns_file(context)


@pytest.mark.parametrize("told", [True, False])
def test_somebody_elses_file_of_that_name_is_left_alone(context: StageContext, file: Path, told: bool) -> None:
    if told:
        file.touch()
        runs_target.own_file(context, LOOK)
        file.rename(file.with_name("aside"))
    file.write_text("somebody else's")
    with pytest.raises(Refused, match="left alone"):
        runs_target.owns_file(context)


def test_a_link_or_a_file_with_content_is_not_what_was_made(context: StageContext, file: Path, tmp_path: Path) -> None:
    file.symlink_to(tmp_path / "precious")
    with pytest.raises(StepFailed, match="not the empty file"):
        runs_target.own_file(context, LOOK)
    with pytest.raises(Refused, match="left alone"):
        runs_target.owns_file(context)
    file.unlink()
    file.write_text("x")
    with pytest.raises(StepFailed, match="not the empty file"):
        runs_target.own_file(context, LOOK)


def test_fio_gets_the_file_that_is_held_whatever_has_its_name_by_then(context: StageContext, file: Path) -> None:
    """It would lengthen another one to its size, and remove it when it is ended at that."""
    file.touch()
    runs_target.own_file(context, LOOK)
    file.rename(file.with_name("aside"))
    file.write_text("somebody else's")
    Path(context.device_of("held")).write_text("ours")
    assert file.read_text() == "somebody else's" and file.with_name("aside").read_text() == "ours"
    context.own_file = None
    with pytest.raises(StepFailed):
        context.device_of("held")
