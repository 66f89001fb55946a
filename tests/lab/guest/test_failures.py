"""Members that fail on purpose, with real md: measured without them, rebuilt beside a test, and nothing left of it."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.results.series import rebuilds
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.system import md
from raidtui.system.discovery import read_machine
from tests.lab.guest.brief_runs import code, measured, newest, raidtui, start, wait_for, write_answers

RACK = dict(disks=4, size_mib=200, mbps=20)
SHORT = {"runtime": "2s", "ramp_time": 0}

pytestmark = pytest.mark.usefixtures("nothing_left")


def answers(folder: Path, recipe: str, jobs: list[str], **axes: Any) -> Path:
    one = {"level": ["5"], "first_sync": ["skip"], **axes}
    return write_answers(folder, recipe, {}, jobs=jobs, axes=[one], fio=SHORT, repeat=1)


def test_an_array_is_measured_with_and_without_a_disk(tmp_path: Path) -> None:
    path = answers(tmp_path, "degraded", ["seq_read"], level=["6"], failed=[0, 1, 2])
    report = raidtui("run", str(path), "--confirm", code(path))
    state = read_state(newest() / directory.JOURNAL)
    assert (state.outcome, state.left) == ("finished", ())
    assert {one["status"] for one in measured(newest().name)} == {"ok"}
    assert len(state.arrays) == 3 and "setups.md" in report
    assert "Failed disks" in (newest() / "attachments/setups.md").read_text()


def test_a_rebuild_goes_on_beside_each_test_and_its_settings_are_put_back(tmp_path: Path) -> None:
    path = answers(tmp_path, "rebuild", ["rand_read", "rand_write"], failed=[1], rebuild_min_kib_s=[1000])
    report = raidtui("run", str(path), "--confirm", code(path))
    state = read_state(newest() / directory.JOURNAL)
    assert (state.outcome, state.left, state.settings) == ("finished", (), {})
    assert [one["status"] for one in measured(newest().name)] == ["ok", "ok"]
    comparison = rebuilds(directory.read_plan(newest()), state)
    assert [bool(one.beside) for one in comparison] == [True, True, False] and "## Rebuilds" in report
    assert all(one.rebuilt_bytes > 0 for one in comparison)
    assert not [text for text in state.warnings if "sync_speed" in text]


def test_a_kill_during_the_rebuild_is_cleared_away(tmp_path: Path) -> None:
    path = write_answers(
        tmp_path,
        "rebuild",
        {},
        jobs=["rand_read"],
        axes=[{"level": ["5"], "first_sync": ["skip"], "failed": [1], "rebuild_min_kib_s": [1000]}],
        fio={"runtime": "1h", "ramp_time": 0},
    )
    run = start(path)
    state = wait_for(run, lambda state: state.trial)
    assert state.worker
    (array,) = (path.name for path in Path("/sys/block").glob("md*"))
    assert md.sync(array) is not None
    os.kill(state.worker.pid, signal.SIGKILL)
    raidtui("clean", run.name, typed=directory.read_plan(run).code + "\n")
    assert {disk.found for disk in disks_of(read_machine())} <= {"blank", "unknown data"}
    assert read_state(run / directory.JOURNAL).settings == {}
