"""`explain`: the plan of an ablation is shown, and carried out with its code alone."""

from pathlib import Path

import pytest

from raidtui.core.disks import dumps
from raidtui.runs import planning
from raidtui.runs.directory import JOURNAL
from raidtui.system import doctor
from tests.cli.conftest import RECORDED, Command


def test_disks_that_are_not_here_are_refused_for_safety(command: Command, recorded_run: Path) -> None:
    status, printed, said = command("explain", recorded_run.name)
    assert status == 3 and printed == "" and "refused: no disk" in said


def test_a_trial_that_is_none_is_one_sentence(command: Command, recorded_run: Path) -> None:
    status, _, said = command("explain", recorded_run.name, "moon")
    assert status == 2 and "the run has no trial 'moon'" in said


def test_a_run_without_figures_is_told_to_name_a_trial(command: Command, recorded_run: Path) -> None:
    (recorded_run / JOURNAL).unlink()
    status, _, said = command("explain", recorded_run.name)
    assert status == 2 and "a trial" in said


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine is the one that the run was recorded on."""
    seen = dumps.read((RECORDED / "machines" / "rack-of-three.json").read_bytes())
    monkeypatch.setattr(planning, "machine_here", lambda: seen)


@pytest.mark.usefixtures("here")
def test_the_plan_says_what_is_changed_and_ends_with_the_code(command: Command, recorded_run: Path) -> None:
    status, shown, _ = command("explain", recorded_run.name)
    assert status == 0
    assert "mdadm --grow --bitmap=none" in shown and "mdadm --grow --bitmap=internal" in shown
    assert shown.count("--name=rand_write-bitmap") == 5
    assert f"raidtui explain {recorded_run.name} --confirm {shown.split()[-1]}" in shown


@pytest.mark.usefixtures("here")
def test_another_code_starts_nothing(command: Command, recorded_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "missing_for_run", lambda: "")
    status, _, said = command("explain", recorded_run.name, "--confirm", "deadbeef")
    assert status == 3 and "the code 'deadbeef' is not this plan's" in said
    assert [one.name for one in recorded_run.parent.iterdir()] == [recorded_run.name]
