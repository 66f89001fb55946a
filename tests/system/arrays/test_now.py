"""mdcheck's folder, the kernel's log and schedules, as they lie about."""

import os
import time
from pathlib import Path

import pytest

from raidtui.system import kmsg
from raidtui.system.arrays.now import check_marks
from tests.builders.arrays import DIGITS, UUID


def test_all_marks_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "var/lib/mdcheck"
    folder.mkdir(parents=True)
    (folder / f"MD_UUID_{UUID}").write_text("2048\n")
    (folder / f"Checked_{UUID}").touch()
    os.utime(folder / f"Checked_{UUID}", (5e8, 5e8))
    (tmp_path / "etc/cron.d").mkdir(parents=True)
    (tmp_path / "etc/cron.d/mdadm").touch()
    up_us = int(time.clock_gettime(time.CLOCK_MONOTONIC) * 1e6)
    monkeypatch.setattr(kmsg, "so_far", lambda: ([f"6,1,{up_us},-;md: md0: data-check done."], "no more"))
    marks, why_not = check_marks(tmp_path)
    assert marks.done_s == {DIGITS: 5e8} and marks.paused_sectors == {DIGITS: 2048}
    assert abs(marks.ended_s["md0"] - time.time()) < 5 and marks.scheduled_by == ("/etc/cron.d/mdadm",)
    assert why_not == "no more"


def test_without_any_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kmsg, "so_far", lambda: ([], ""))
    assert check_marks(tmp_path)[0].done_s == {}
