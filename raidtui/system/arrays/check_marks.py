"""What this machine remembers of checks of its arrays, read: mdcheck's files, this boot's kernel log, schedules."""

import time
from pathlib import Path

from raidtui.core.arrays import checks
from raidtui.core.arrays.checks import CheckMarks
from raidtui.system import doctor, kmsg

_MDCHECK = "var/lib/mdcheck"
_MOST_FILES = 1000
_MOST_BYTES = 64  # of a file that holds one sector's number


def read(base: Path = Path("/")) -> tuple[CheckMarks, str]:
    """The marks, and why the kernel's log could not be read ("" where it could)."""
    records, why_not = kmsg.so_far()
    booted_s = time.time() - time.clock_gettime(time.CLOCK_MONOTONIC)  # the log's clock stands still in a sleep, too
    marks = CheckMarks(ended_s=checks.of_kernel_log(records, booted_s), scheduled_by=doctor.scheduled_checks(base))
    return checks.latest_of((marks, *_of_mdcheck(base / _MDCHECK))), why_not


def _of_mdcheck(folder: Path) -> list[CheckMarks]:
    marks = []
    try:
        for path in sorted(folder.iterdir())[:_MOST_FILES]:
            with path.open("rb") as file:
                marks.append(checks.of_mdcheck(path.name, file.read(_MOST_BYTES), path.stat().st_mtime))
    except OSError:  # there is none, or a check that has just ended took its file away
        pass
    return marks
