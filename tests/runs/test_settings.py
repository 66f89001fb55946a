"""A setting of the kernel: its old value is journalled before the change, what the kernel says is read after it."""

from pathlib import Path

import pytest

from raidtui.core.arrays.array import Sync
from raidtui.core.plan import member_steps
from raidtui.core.plan.steps import Wait, Write
from raidtui.core.report.markdown import whole
from raidtui.core.run.events import SettingChanged
from tests.runs.rig import Rig, plan_of

STEP = Write(
    what="Switch the write cache off",
    path="/sys/block/{member:1}/device/scsi_disk/*/cache_type",
    value="write through",
    optional=True,
)


@pytest.fixture
def setting(tmp_path: Path) -> Path:
    file = tmp_path / "cache_type"
    file.write_text("write back\n")
    return file


@pytest.fixture
def rig(tmp_path: Path, setting: Path) -> Rig:
    made = Rig(tmp_path, plan_of())
    made.settings["/sys/block/sdb/device/scsi_disk/*/cache_type"] = setting
    return made


def shown(rig: Rig) -> str:
    return whole(rig.plan, rig.journal.state).replace("\\", "")


def test_it_is_changed_put_back_and_both_stand_in_the_report(rig: Rig, setting: Path) -> None:
    rig.executor.carry_out(STEP)
    (changed,) = rig.journal.state.changes
    assert isinstance(changed, SettingChanged) and (changed.old, changed.new) == ("write back", "write through")
    assert setting.read_text() == "write through"
    where = f"{rig.plan.members[1].serial}/device/scsi_disk/*/cache_type was write back, set to write through"
    assert f"{where}, NOT put back" in shown(rig)
    rig.executor.restore_settings()
    assert setting.read_text() == "write back"
    assert f"{where}, put back" in shown(rig)
    assert not rig.journal.state.warnings


def test_a_setting_that_the_kernel_does_not_take_is_told(rig: Rig) -> None:
    """Some disks answer that their cache is off, and leave it on."""
    rig.says = "write back"
    rig.executor.carry_out(STEP)
    assert rig.journal.state.warnings == ("Switch the write cache off: the kernel says 'write back' afterwards",)


def test_a_setting_that_is_another_disks_too_is_left_alone(rig: Rig, setting: Path) -> None:
    """The write cache of an NVMe controller with a namespace that the plan does not name."""
    rig.shared = ("sdc", "sdx", "sdy")
    rig.executor.carry_out(STEP)
    (warned,) = rig.journal.state.warnings
    assert warned == (
        "Switch the write cache off: sdx, sdy have it too, which are no disks of this plan; it stays as it is"
    )
    assert setting.read_text() == "write back\n" and not rig.journal.state.changes


def test_a_setting_that_only_the_plans_disks_share_is_changed(rig: Rig, setting: Path) -> None:
    rig.shared = ("sdc",)
    rig.executor.carry_out(STEP)
    assert setting.read_text() == "write through" and not rig.journal.state.warnings


def test_of_several_values_the_chosen_one_counts(rig: Rig) -> None:
    rig.says = "mq-deadline [write through] none"
    rig.executor.carry_out(STEP)
    assert rig.journal.state.changes[0].old == "write through" and not rig.journal.state.warnings


def test_where_a_disk_has_no_such_switch_a_warning_says_so_and_nothing_is_to_be_put_back(rig: Rig) -> None:
    rig.settings.clear()
    rig.executor.carry_out(STEP)
    assert rig.journal.state.warnings == (
        "Switch the write cache off: the kernel has no such setting; it stays as it is",
    )
    assert not rig.journal.state.changes and not rig.journal.state.settings


def test_what_cannot_be_read_could_not_be_put_back_and_is_left_alone(rig: Rig, setting: Path) -> None:
    setting.write_text("")
    rig.executor.carry_out(STEP)
    assert setting.read_text() == "" and not rig.journal.state.settings
    (said,) = rig.journal.state.warnings
    assert "its value cannot be read; it stays as it is" in said


LIMIT = "/sys/block/md127/md/sync_speed_max"
WAIT = Wait(what="Wait for the initial resync", condition="sync-finished")


@pytest.fixture
def limited(tmp_path: Path) -> Rig:
    """Its array stands, with the kernel's limit."""
    made = Rig(tmp_path, plan_of())
    file = tmp_path / "sync_speed_max"
    file.write_text("200000 (system)\n")
    made.settings[LIMIT], made.array = file, "md127"
    made.executor.begin(len(made.plan.stages) - 1, made.plan.stages[-1])
    return made


def lift(rig: Rig) -> str:
    """What stands in the kernel after the limit was lifted."""
    rig.executor.carry_out(member_steps.unlimited(WAIT)[0])
    return rig.settings[LIMIT].read_text()


def test_the_limit_of_a_resync_is_lifted_and_put_back(limited: Rig) -> None:
    assert lift(limited) == "10000000"
    limited.executor.carry_out(member_steps.unlimited(WAIT)[2])
    assert limited.settings[LIMIT].read_text() == "system" and not limited.journal.state.settings
    limited.executor.carry_out(member_steps.unlimited(WAIT)[2])  # in the teardown once more: nothing is left to do
    assert not limited.journal.state.warnings


@pytest.mark.parametrize("limit", ["50000 (system)", "200000 (local)", "1000000 (system)"])
def test_a_limit_that_somebody_set_stays(limited: Rig, limit: str) -> None:
    limited.settings[LIMIT].write_text(limit)
    assert lift(limited) == limit
    assert f"it was set to {limit}; it stays as it is" in limited.journal.state.warnings[0]
    limited.executor.restore_settings()
    assert limited.settings[LIMIT].read_text() == limit


def test_while_another_array_syncs_the_limit_stays(limited: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    found = limited.matching
    arrays = [Path(f"/sys/block/{name}/md") for name in ("md127", "md9")]
    monkeypatch.setattr(limited, "matching", lambda path: arrays if path.endswith("md*/md") else found(path))
    assert lift(limited) == "10000000"
    limited.executor.restore_settings()
    limited.settings[LIMIT].write_text("200000 (system)")
    limited.syncing = Sync("resync", 1, 2, 3.0)
    assert lift(limited) == "200000 (system)" and "md9 is syncing, too" in limited.journal.state.warnings[0]
