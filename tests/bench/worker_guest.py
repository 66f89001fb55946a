"""Run as root in the practice kernel: what one look of the worker costs, and one of iostat, with 24 and 1,000 disks.

The kernel's clock of CPU time has steps of 10 ms there, and a program that looks once a second is mostly told as
nothing. So the worker looks as often as it can, and its CPU time is shared out over the looks; of iostat, which cannot
be hurried, one report is timed, and what `iostat -V` takes to start is taken off. The kernel has one CPU and idles.
System calls are dear there, and iostat makes several a device: the ratio flatters the worker beside a real machine's.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from raidtui.core import samples
from tests.bench.terminal import cpu_s
from tests.bench.worker import FOUND, Looks

_SETTLED_S, _MEASURED_S = 3, 10
_MANY = 1000
_PAIRS = 40
_OUT = Path("/var/lib/raidtui")


def looks(disks: tuple[str, ...]) -> Looks:
    """The worker over these disks; iostat over all that it finds, these among them."""
    with TemporaryDirectory() as folder:
        record = Path(folder) / "samples.bin"
        width = samples.record_bytes(len(disks) + 1)
        with _started(_loop(folder, 0.0005, disks)) as worker:
            while not record.exists():
                time.sleep(0.1)
            worker_s = _per_look(worker, lambda: record.stat().st_size // width)
    iostat_s, shown = _report()
    missing = [name for name in disks if f"\n{name} " not in shown]
    assert not missing, f"iostat does not show {len(missing)} of them, {missing[0]} the first"
    with TemporaryDirectory() as folder, _started(_loop(folder, 1.0, disks)) as worker, _started(_BARE) as bare:
        time.sleep(_SETTLED_S)
        return Looks(len(disks), worker_s, iostat_s, _resident_bytes(worker), _resident_bytes(bare))


_BARE = (sys.executable, "-c", "import time; time.sleep(1000)")


def _loop(folder: str, interval_s: float, disks: tuple[str, ...]) -> tuple[str, ...]:
    return (sys.executable, "-m", "tests.bench.worker_loop", folder, str(interval_s), *disks)


def _per_look(pid: int, count: Callable[[], int]) -> float:
    """CPU seconds of a look, over all looks of the measured time."""
    for seconds in (_SETTLED_S, _MEASURED_S):
        took_s, seen = cpu_s(pid), count()
        time.sleep(seconds)
        took_s, seen = cpu_s(pid) - took_s, count() - seen
    return took_s / seen


def _report() -> tuple[float, str]:
    """Seconds that one report of iostat takes beyond its start, and the report. Pairs; the median of differences."""
    differences = []
    for _ in range(_PAIRS):
        began_s = time.perf_counter()
        shown = subprocess.run(("iostat", "-xm"), check=True, capture_output=True, text=True).stdout
        between_s = time.perf_counter()
        subprocess.run(("iostat", "-V"), check=True, capture_output=True)
        differences.append(2 * between_s - began_s - time.perf_counter())
    return statistics.median(differences), shown


@contextmanager
def _started(argv: tuple[str, ...]) -> Iterator[int]:
    process = subprocess.Popen(argv)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _resident_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


def _used(kind: str) -> tuple[str, ...]:
    """The disks of a kind, each read once: iostat leaves out what was never used."""
    found = tuple(sorted(path.name for path in Path("/sys/block").glob(f"{kind}*")))
    for name in found:
        descriptor = os.open(f"/dev/{name}", os.O_RDONLY)
        os.pread(descriptor, 4096, 0)
        os.close(descriptor)
    return found


def _make_many() -> None:
    """So many device-mapper devices: they count as disks do, which ram disks do not. udev need not look at each."""
    subprocess.run(("udevadm", "control", "--stop-exec-queue"), check=True)
    table = ";".join(f"many{number},,,rw,0 8 zero" for number in range(_MANY))
    subprocess.run(("dmsetup", "create", "--noudevsync", "--noudevrules", "--concise", table), check=True)


def main() -> None:
    found = [looks(_used("sd"))]
    _make_many()
    found.append(looks(_used("dm-")))
    (_OUT / FOUND).write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
