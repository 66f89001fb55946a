"""What processors have worked, of a /proc/stat made by hand and of this machine's."""

import os
from pathlib import Path

from raidtui.system import processors

TICKS = os.sysconf("SC_CLK_TCK")


def test_idle_and_waiting_are_no_work_and_the_sum_of_all_is_no_processor(tmp_path: Path) -> None:
    stat = tmp_path / "stat"
    busy = f"cpu1 {TICKS} 0 {2 * TICKS} {9 * TICKS} {7 * TICKS} 0 0 {TICKS} {50 * TICKS} 0"
    stat.write_text(f"cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 0 0 0 500 0 0 0 0 0 0\n{busy}\nintr 7 8\n")
    assert processors.worked_s(stat) == {"cpu0": 0.0, "cpu1": 4.0}


def test_this_machine_has_worked() -> None:
    assert max(processors.worked_s().values()) > 0
