"""Run in a mount namespace of its own, in which the kernel's files show as many disks as wanted.

`python -m tests.bench.worker_room FOLDER DISKS`. The worker reads /proc/diskstats, iostat /sys/block/*/stat: the same
counters stand in both, as files. What the kernel takes to write them out is so left out, for both alike. Worker and
iostat run side by side; each window is a pair. CPU is the scheduler's own account, in nanoseconds.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from tests.bench.terminal import cpu_s
from tests.bench.worker import Looks

_SETTLED_S, _WINDOW_S, _WINDOWS = 3, 8, 5
_COUNTERS = "4821 12 617088 20514 91734 611 11742080 402133 0 190211 422647 0 0 0 0 0 0"
_BARE = (sys.executable, "-c", "import time; time.sleep(1000)")
_IOSTAT = ("iostat", "-xym", "1")


def furnish(folder: Path, names: tuple[str, ...]) -> None:
    """Put files with counters of these disks in the place of the kernel's, in this namespace only."""
    counters = folder / "diskstats"
    counters.write_text("".join(f"   8 {16 * i:7d} {name} {_COUNTERS}\n" for i, name in enumerate(names)))
    subprocess.run(("mount", "--bind", str(counters), "/proc/diskstats"), check=True)
    subprocess.run(("mount", "-t", "tmpfs", "none", "/sys/block"), check=True)
    for name in names:
        (Path("/sys/block") / name).mkdir()
        (Path("/sys/block") / name / "stat").write_text(f"{_COUNTERS}\n")


def looks(folder: Path, names: tuple[str, ...]) -> Looks:
    """Worker and iostat over these disks."""
    shown = subprocess.run(("iostat", "-xm"), check=True, capture_output=True, text=True).stdout
    missing = [name for name in names if f"\n{name} " not in shown]
    assert not missing, f"iostat does not show {len(missing)} of them, {missing[0]} the first"
    loop = (sys.executable, "-m", "tests.bench.worker_loop", str(folder), "1.0", *names)
    with _started(loop) as worker, _started(_IOSTAT) as iostat, _started(_BARE) as bare:
        time.sleep(_SETTLED_S)
        windows = [_window(worker, iostat) for _ in range(_WINDOWS)]
        return Looks(
            disks=len(names),
            worker=tuple(ours for ours, _ in windows),
            iostat=tuple(theirs for _, theirs in windows),
            resident_bytes=_memory_bytes(worker, "Rss"),
            proportional_bytes=_memory_bytes(worker, "Pss"),
            python_bytes=_memory_bytes(bare, "Rss"),
        )


def _window(*pids: int) -> tuple[float, ...]:
    """The share of a core that each takes over one window."""
    before, began_s = [cpu_s(pid) for pid in pids], time.perf_counter()
    time.sleep(_WINDOW_S)
    took_s = time.perf_counter() - began_s
    return tuple((cpu_s(pid) - first) / took_s for pid, first in zip(pids, before, strict=True))


@contextmanager
def _started(argv: tuple[str, ...]) -> Iterator[int]:
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _memory_bytes(pid: int, kind: str) -> int:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return 1024 * int(rollup.partition(f"\n{kind}:")[2].split()[0])


def main() -> None:
    folder, names = Path(sys.argv[1]), tuple(f"disk{number}" for number in range(int(sys.argv[2])))
    furnish(folder, names)
    sys.stdout.buffer.write(msgspec.json.encode(looks(folder, names)))


if __name__ == "__main__":
    main()
