"""The worker at 1 Hz against `iostat -xym 1`, over the same counters of 24 and of 1,000 disks: CPU, and memory.

On this side: one namespace for each number of disks, and rows of what `tests.bench.worker_room` found in it.
"""

import sys
import tempfile

import msgspec

from tests.bench.process import NotMeasured, measured
from tests.bench.table import Figures, Row, pair_ratio, verdict

_DISKS = (24, 1000)
_MOST_BYTES = 25e6


class Looks(msgspec.Struct, frozen=True):
    """What one number of disks gave: shares of a core, a pair a window; memory as resident and proportional set."""

    disks: int
    worker: tuple[float, ...]
    iostat: tuple[float, ...]
    resident_bytes: int
    proportional_bytes: int
    python_bytes: int


def worker() -> tuple[Row, ...]:
    """A row of CPU and one of memory for each number of disks."""
    return tuple(row for disks in _DISKS for row in _rows(disks))


def _rows(disks: int) -> tuple[Row, ...]:
    with tempfile.TemporaryDirectory() as folder:
        room = (sys.executable, "-m", "tests.bench.worker_room", folder, str(disks))
        namespace = ("unshare", "--map-root-user", "--mount", *room)
        try:
            looks = msgspec.json.decode(measured(namespace), type=Looks)
        except NotMeasured as why:
            missing = f"not measured: {why}"
            return (Row(f"worker, {disks:,} disks", "-", "iostat -xym 1", "-", "-", "2x; 25 MB", missing),)
    return _cpu(looks), _memory(looks)


def _cpu(looks: Looks) -> Row:
    ours, theirs = Figures(looks.worker), Figures(looks.iostat)
    ratio = pair_ratio(ours, theirs)
    return Row(
        f"worker, {looks.disks:,} disks at 1 Hz: CPU",
        ours.text("% of a core", 100, 2),
        "iostat -xym 1",
        theirs.text("%", 100, 2),
        f"{ratio:.2f}x",
        "2x",
        verdict(ratio <= 2),
    )


def _memory(looks: Looks) -> Row:
    return Row(
        f"worker, {looks.disks:,} disks: memory (RSS)",
        f"{looks.resident_bytes / 1e6:.1f} MB; PSS {looks.proportional_bytes / 1e6:.1f} MB",
        "a bare Python",
        f"{looks.python_bytes / 1e6:.1f} MB",
        f"{looks.resident_bytes / looks.python_bytes:.2f}x",
        "25 MB",
        verdict(looks.resident_bytes <= _MOST_BYTES),
    )
