"""The worker's loop against `iostat -xym`, in the practice kernel, with 24 SCSI disks and with 1,000 block devices.

On this side: boots the kernel and makes rows of what `tests.bench.worker_guest` found there.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from tests.bench.table import Row, verdict

FOUND = "bench-worker.json"
_MOST_BYTES = 25e6


class Looks(msgspec.Struct, frozen=True):
    """What one number of disks gave: seconds of CPU of one look of each, memory as the resident set in bytes."""

    disks: int
    worker_s: float
    iostat_s: float
    worker_bytes: int
    python_bytes: int


def worker() -> tuple[Row, ...]:
    """A row of CPU for each number of disks, and one of memory."""
    with tempfile.TemporaryDirectory() as out:
        guest = (sys.executable, "-m", "tests.bench.worker_guest")
        kernel = (sys.executable, "-m", "raidtui.practice", "-n", "24", "-s", "8", "-o", out, "--", *guest)
        done = subprocess.run(kernel, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
            return (Row("worker at 1 Hz", "-", "iostat -xym 1", "-", "-", "2x; 25 MB", f"not measured: {said}"),)
        found = msgspec.json.decode((Path(out) / FOUND).read_bytes(), type=list[Looks])
    most = max(found, key=lambda looks: looks.worker_bytes)
    return (*map(_cpu, found), _memory(most))


def _cpu(looks: Looks) -> Row:
    ratio = looks.worker_s / looks.iostat_s
    return Row(
        f"worker, {looks.disks:,} disks: CPU at 1 Hz",
        f"{looks.worker_s:.3%} of a core",
        "a report of iostat -xm, both in UML",
        f"{looks.iostat_s:.3%}",
        f"{ratio:.2f}x",
        "2x",
        verdict(ratio <= 2),
    )


def _memory(looks: Looks) -> Row:
    return Row(
        f"worker, {looks.disks:,} disks: memory",
        f"{looks.worker_bytes / 1e6:.1f} MB",
        "a bare Python",
        f"{looks.python_bytes / 1e6:.1f} MB",
        f"{looks.worker_bytes / looks.python_bytes:.2f}x",
        "25 MB",
        verdict(looks.worker_bytes <= _MOST_BYTES),
    )
