"""200 hosts of 24 disks in one report, from their run folders: seconds, and the largest process."""

import sys
import tempfile
from pathlib import Path

from tests.bench.process import used
from tests.bench.table import Figures, Row, verdict
from tests.builders import fleets

_HOSTS, _TIMES = 200, 3
_BUDGET_S, _BUDGET_MB = 10.0, 500.0


def fleet() -> tuple[Row, ...]:
    """A row a form. The processes that read are of the largest one's size at most, one a CPU."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        fleets.write(Path(name), _HOSTS)
        return tuple(_row(Path(name), *options) for options in ((), ("--html",), ("--json",)))


def _row(folder: Path, *options: str) -> Row:
    argv = (sys.executable, "-m", "raidtui", "fleet", str(folder), *options)
    seen = [used(argv) for _ in range(_TIMES)]
    took, largest_mb = Figures(tuple(read.wall_s for read in seen)), max(read.resident_bytes for read in seen) / 1e6
    kept = verdict(took.median < _BUDGET_S, largest_mb < _BUDGET_MB)
    measured = f"{took.text('s', digits=1)}, {largest_mb:.0f} MB"
    budget = f"{_BUDGET_S:.0f} s, {_BUDGET_MB:.0f} MB"
    return Row(" ".join((f"raidtui fleet, {_HOSTS} hosts", *options)), measured, "", "", "", budget, kept)
