"""The newest run that measured a disk alone says how fast it is; of another practice machine's runs none does."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Disk
from raidtui.core.plan.model import Plan
from raidtui.core.results.disk_speeds import MeasuredSpeed
from raidtui.core.run import events
from raidtui.runs import directory, planning
from raidtui.runs.journal import Journal
from tests.builders.journals import started
from tests.ui.machines import disk
from tests.ui.runs import START_S, measurement, plan_of


def run_in(root: Path, name: str, plan: Plan, rate: float, only: str = "") -> None:
    """A run called `name` whose first disk did so many bytes/s, in these tests."""
    path = directory.create(plan, root)
    journal = Journal(path / directory.JOURNAL)
    journal.add(started(name, at_s=START_S))
    for trial in plan.trials:
        if trial.target == "member" and only in trial.rw:
            journal.add(events.TrialStarted(at_s=START_S, trial=trial.id, expected_s=5))
            journal.add(events.TrialEnded(at_s=START_S, trial=trial.id, measurement=measurement(rate, trial.rw)))
    journal.close()
    path.rename(root / name)


@pytest.mark.parametrize("elsewhere, bytes_per_s", [(False, 70e6), (True, 0.0)])
def test_the_newest_run_that_measured_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, elsewhere: bool, bytes_per_s: float
) -> None:
    monkeypatch.setattr(planning, "disks_elsewhere", lambda path, state: elsewhere)
    plan = plan_of(3)
    here = tuple(replace(disk("sdx"), id=member.id) for member in plan.members)
    stranger: Disk = disk("sdz")
    for name, rate in (("20260101T000000Z-aaaa", 50e6), ("20260102T000000Z-aaaa", 70e6)):
        run_in(tmp_path, name, plan, rate)
    broken = tmp_path / "20260103T000000Z-aaaa"
    broken.mkdir()
    (broken / directory.PLAN).write_text("{")
    known = planning.known_speeds((*here, stranger), tmp_path)
    assert {identity: measured.bytes_per_s for identity, measured in known.items()} == (
        {one.id: bytes_per_s for one in here} if bytes_per_s else {}
    )


def test_of_practice_disks_that_no_run_measured_what_they_are_held_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "disks_elsewhere", lambda path, state: False)
    monkeypatch.setenv(planning.HELD_TO, "94000000 22949")
    plan = plan_of(3)
    run_in(tmp_path, "20260101T000000Z-aaaa", plan, 50e6)
    here, stranger = replace(disk("sdx"), id=plan.members[0].id), disk("sdz")
    known = planning.known_speeds((here, stranger), tmp_path)
    assert known[stranger.id] == MeasuredSpeed(94e6, 22949.0, held=True) and known[here.id].bytes_per_s == 50e6


def test_of_a_long_history_as_many_runs_of_these_disks_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "disks_elsewhere", lambda path, state: False)
    monkeypatch.setattr(planning, "_MOST_RUNS", 2)
    whole = plan_of(3)
    others = replace(whole, members=tuple(replace(one, id=f"other-{one.id}") for one in whole.members))
    run_in(tmp_path, "20260101T000000Z-aaaa", whole, 50e6)
    for number in (2, 3):
        run_in(tmp_path, f"2026010{number}T000000Z-aaaa", others, 60e6)
    run_in(tmp_path, "20260104T000000Z-aaaa", whole, 70e6, "rand")
    here = replace(disk("sdx"), id=whole.members[0].id)
    assert planning.known_speeds((here,), tmp_path)[here.id].bytes_per_s == 50e6
    run_in(tmp_path, "20260105T000000Z-aaaa", whole, 70e6, "rand")
    assert not planning.known_speeds((here,), tmp_path)[here.id].bytes_per_s


def test_what_the_newest_run_does_not_tell_an_older_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of one random test, as that which explains another, forgets no stream."""
    monkeypatch.setattr(planning, "disks_elsewhere", lambda path, state: False)
    whole = plan_of(3)
    here = replace(disk("sdx"), id=whole.members[0].id)
    run_in(tmp_path, "20260101T000000Z-aaaa", whole, 50e6)
    run_in(tmp_path, "20260102T000000Z-aaaa", whole, 70e6, "rand")
    known = planning.known_speeds((here,), tmp_path)[here.id]
    assert (known.bytes_per_s, known.iops) == (50e6, 70.0)
