"""Processors and threads between two readings of /proc, made by hand."""

from pathlib import Path

import pytest

from raidtui.core.measurement import BUSIEST
from raidtui.system import processors


def proc(folder: Path, busy: int, idle: int, thread: int) -> Path:
    """Of /proc: an idle processor and another, and a thread of md0's with a name that has spaces and brackets near."""
    (folder / "99").mkdir(parents=True)
    lines = ["cpu  1 1 1 1 1 0 0 0 0 0", "cpu0 0 0 0 500 0 0 0 0 0 0", f"cpu1 {busy} 0 0 {idle} 0 0 0 0 0 0", "intr 7"]
    (folder / "stat").write_text("\n".join(lines))
    (folder / "99/comm").write_text("md0_raid5\n")
    (folder / "99/stat").write_text(f"99 (md0_raid5) S 2 0 0 0 -1 69238880 0 0 0 0 {thread} 1 0 0 20 0 1 0 5 0 0\n")
    return folder


def test_the_busiest_processor_and_the_arrays_threads_have_their_share_of_the_time(tmp_path: Path) -> None:
    before = processors.read("md0", proc(tmp_path / "a", 100, 100, 50))
    after = processors.read("md0", proc(tmp_path / "b", 190, 110, 110))
    assert processors.shares(before, after) == pytest.approx({BUSIEST: 0.9, "md0_raid5": 0.6})


def test_other_arrays_threads_are_none_of_ours_and_without_time_there_is_no_share(tmp_path: Path) -> None:
    before = processors.read("md1", proc(tmp_path / "a", 100, 100, 50))
    assert set(before) == {"cpu0", "cpu1"}
    assert processors.shares(before, before) == {}


def test_this_machine_has_processors() -> None:
    assert processors.read()
