"""The worker's loop at 1 Hz against `iostat -xym 1`, both at once, in the practice kernel: 24 and 1,000 disks.

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


class Loop(msgspec.Struct, frozen=True):
    """What one disk count gave: CPU in seconds over `elapsed_s`, memory as the resident set in bytes."""

    disks: int
    elapsed_s: float
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
        found = msgspec.json.decode((Path(out) / FOUND).read_bytes(), type=list[Loop])
    most = max(found, key=lambda loop: loop.worker_bytes)
    return (*map(_cpu, found), _memory(most))


def _cpu(loop: Loop) -> Row:
    ratio = loop.worker_s / loop.iostat_s if loop.iostat_s else float("inf")
    return Row(
        f"worker at 1 Hz, {loop.disks:,} disks: CPU over {loop.elapsed_s:.0f} s",
        f"{loop.worker_s / loop.elapsed_s:.2%} of a core",
        "iostat -xym 1, same time",
        f"{loop.iostat_s / loop.elapsed_s:.2%}",
        f"{ratio:.2f}x",
        "2x",
        verdict(ratio <= 2),
    )


def _memory(loop: Loop) -> Row:
    return Row(
        f"worker, {loop.disks:,} disks: memory",
        f"{loop.worker_bytes / 1e6:.1f} MB",
        "a bare Python",
        f"{loop.python_bytes / 1e6:.1f} MB",
        f"{loop.worker_bytes / loop.python_bytes:.2f}x",
        "25 MB",
        verdict(loop.worker_bytes <= _MOST_BYTES),
    )
