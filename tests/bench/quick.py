"""What a whole `quick` run takes beside its fio: six practice disks, from the start of a process to its end.

Beside what fio measures and fills, and what md syncs; own are planning, looks, programs that build, settling, reports.
"""

import sys
import tempfile
from pathlib import Path

import msgspec

from raidtui.core.run.progress import seconds_taken
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from tests.bench import practice
from tests.bench.process import measured
from tests.bench.table import Figures, Row

_TIMES, _BUDGET = 3, 0.5
_RACK = ("-n", "6", "-s", "512")


def quick() -> Row:
    """Seconds of its own beside fio's and md's, by the run's journal."""
    return practice.row("a quick run on 6 disks: own time", "fio and md in it", "tests.bench.quick", _RACK, _BUDGET)


def _taken_s() -> tuple[float, float]:
    """Its own seconds, and those of fio and md."""
    listed = msgspec.json.decode(measured((sys.executable, "-m", "raidtui", "disks", "--json")))["disks"]
    disks = [disk["id"] for disk in listed]
    with tempfile.TemporaryDirectory() as folder:
        took_s = practice.run_s(Path(folder), {"recipe": "quick", "setup": {"level": "5"}, "disks": disks})
    run = directory.list_runs(directory.runs_root())[-1]
    parts = seconds_taken(read_state(run / directory.JOURNAL))
    theirs_s = parts["trial"] + parts["fill"] + parts["sync"]
    return took_s - theirs_s, theirs_s


def main() -> None:
    """In the practice kernel."""
    found = [_taken_s() for _ in range(_TIMES)]
    practice.tell(Figures(tuple(own for own, _ in found)), Figures(tuple(theirs for _, theirs in found)))


if __name__ == "__main__":
    main()
