"""What a killed run left changed: the next one on those disks puts it back first, or does not begin."""

from pathlib import Path

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.plan import target
from raidtui.core.report.markdown import markdown
from raidtui.core.run import events
from raidtui.core.run.state import fold_all
from raidtui.runs import directory, stages, worker
from raidtui.runs.journal import Journal, read_state
from raidtui.runs.status import status_of_run
from tests.builders.journals import started
from tests.builders.machines import device, machine
from tests.runs.rig import SEEN, Rig, WrittenHost, plan_of, plan_of_existing

CACHE = "/sys/block/{member:1}/device/scsi_disk/*/cache_type"
WORKER = started()
CHANGED = events.SettingChanged(at_s=2.0, path=CACHE, old="write back", new="write through")


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """A run that was killed with a write cache switched off."""
    path = directory.create(plan_of(), tmp_path / "runs")
    journal = Journal(path / directory.JOURNAL)
    for event in (WORKER, CHANGED):
        journal.add(event)
    journal.close()
    return path


@pytest.fixture
def next_one(killed: Path) -> Path:
    return directory.create(plan_of(), killed.parent)


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    file = tmp_path / "cache_type"
    file.write_text("write through")
    return file


def host_with(cache: Path) -> WrittenHost:
    host = WrittenHost()
    host.settings["/sys/block/sdb/device/scsi_disk/*/cache_type"] = cache
    return host


def test_it_is_put_back_and_both_journals_tell(killed: Path, next_one: Path, cache: Path) -> None:
    assert status_of_run(killed).unsettled
    warnings: list[str] = []
    assert worker.put_back(next_one, directory.read_plan(next_one), host_with(cache), warnings.append) == ""
    assert warnings == [
        f"run {killed.name} was interrupted with settings changed; restored first: {cache} to write back"
    ]
    assert cache.read_text() == "write back"
    assert read_state(killed / directory.JOURNAL).settings == {}


def test_a_worker_that_starts_does_it_first(
    killed: Path, next_one: Path, cache: Path, as_worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def go(*_: object) -> stages.Outcome:
        seen.append(cache.read_text())
        return "finished", "", []

    monkeypatch.setattr(stages, "go", go)
    assert worker.carry_out(next_one, host_with(cache)) == "finished"
    assert seen == ["write back"]


def test_what_cannot_be_put_back_refuses(killed: Path, next_one: Path, cache: Path, as_worker: None) -> None:
    host = host_with(cache)
    host.says = "write through"
    assert worker.carry_out(next_one, host) == "failed"
    reason = read_state(next_one / directory.JOURNAL).reason
    assert f"`raidtui clean {killed.name}`" in reason and "cannot be restored" in reason
    assert read_state(killed / directory.JOURNAL).settings


def test_a_file_that_is_no_setting_is_not_written(killed: Path, next_one: Path, cache: Path) -> None:
    path = "/etc/{member:1}/../shadow"
    journal = Journal(killed / directory.JOURNAL)
    journal.add(events.SettingChanged(at_s=3.0, path=path, old="root", new="write through"))
    journal.close()
    host = host_with(cache)
    host.settings["/etc/sdb/../shadow"] = cache
    said = worker.put_back(next_one, directory.read_plan(next_one), host, pytest.fail)
    assert f"({path} is no setting of the kernel)" in said and cache.read_text() == "write through"


def test_what_somebody_changed_since_and_what_is_another_disks_stay(killed: Path, next_one: Path, cache: Path) -> None:
    cache.write_text("none")
    assert worker.put_back(next_one, directory.read_plan(next_one), host_with(cache), pytest.fail) == ""
    assert cache.read_text() == "none" and not read_state(killed / directory.JOURNAL).settings


def test_the_settings_of_disks_that_are_not_ours_are_left_to_their_own_run(killed: Path, cache: Path) -> None:
    others = machine(*(device(name) for name in ("sdx", "sdy", "sdz")))
    mine = directory.create(plan_of(seen=others), killed.parent)
    assert worker.put_back(mine, directory.read_plan(mine), host_with(cache), pytest.fail) == ""
    assert cache.read_text() == "write through" and read_state(killed / directory.JOURNAL).settings


def test_each_figure_has_the_settings_that_it_was_measured_with(tmp_path: Path, cache: Path) -> None:
    rig = Rig(tmp_path, plan_of())
    rig.settings["/sys/block/sdb/device/scsi_disk/*/cache_type"] = cache
    rig.build()
    rig.go()
    disk = rig.plan.members[1]
    assert {trial.queues[disk.id]["write cache"] for trial in rig.journal.state.trials} == {"write through"}
    assert len(rig.journal.state.queues) == 1
    assert "### Measured with other settings" not in markdown(rig.plan, rig.journal.state)
    now = events.QueuesRead(at_s=3.0, disks={disk.id: {"write cache": "write back"}})
    last = events.TrialStarted(at_s=4.0, trial=rig.plan.trials[-1].id, expected_s=1.0)
    shown = markdown(rig.plan, fold_all([now, last], rig.journal.state)).replace("\\", "")
    words = f"{rig.plan.trials[-1].title} on arrays"
    assert f"{disk.serial}: write cache write back, write through before the run: {words}\n" in shown


def test_a_disk_beneath_what_was_measured_as_it_stands_is_put_back_too(
    tmp_path: Path, next_one: Path, cache: Path
) -> None:
    seen = target.device(SEEN, "/dev/sdb", SEEN.devices[1].devnum, disks_of(SEEN))
    path = directory.create(plan_of_existing(seen), tmp_path / "runs")
    journal = Journal(path / directory.JOURNAL)
    throttle = tmp_path / "wbt_lat_usec"
    throttle.write_text("0")
    named = "/sys/block/{beneath:0}/queue/wbt_lat_usec"
    for event in (WORKER, events.SettingChanged(at_s=2.0, path=named, old="75000", new="0")):
        journal.add(event)
    journal.close()
    host = host_with(cache)
    host.settings["/sys/block/sdb/queue/wbt_lat_usec"] = throttle
    assert worker.put_back(next_one, directory.read_plan(next_one), host, lambda said: None) == ""
    assert throttle.read_text() == "75000" and not read_state(path / directory.JOURNAL).settings
