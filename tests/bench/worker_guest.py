"""Run as root in the practice kernel: the worker's loop and iostat over the same seconds, for 24 and 1,000 disks."""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from tests.bench.terminal import cpu_s
from tests.bench.worker import FOUND, Loop

_SETTLED_S, _MEASURED_S = 3, 30
_MANY = 1000
_OUT = Path("/var/lib/raidtui")


def names(kind: str) -> tuple[str, ...]:
    """The whole disks of a kind, each read once: iostat leaves out what was never used."""
    found = tuple(sorted(path.name for path in Path("/sys/block").glob(f"{kind}*")))
    for name in found:
        descriptor = os.open(f"/dev/{name}", os.O_RDONLY)
        os.pread(descriptor, 4096, 0)
        os.close(descriptor)
    return found


def loop(disks: tuple[str, ...]) -> Loop:
    """Both watched at the same time, with whatever else they find in /proc/diskstats."""
    with TemporaryDirectory() as folder:
        longest = str(_SETTLED_S + _MEASURED_S + 10)
        printed = Path(folder) / "iostat"
        with printed.open("wb") as file:
            worker = subprocess.Popen((sys.executable, "-m", "tests.bench.worker_loop", folder, longest, *disks))
            iostat = subprocess.Popen(("iostat", "-xym", "1"), stdout=file)
            bare = subprocess.Popen((sys.executable, "-c", "import time; time.sleep(1000)"))
            started = (worker, iostat, bare)
            try:
                time.sleep(_SETTLED_S)
                before, began_s = [cpu_s(one.pid) for one in started], time.monotonic()
                time.sleep(_MEASURED_S)
                elapsed_s = time.monotonic() - began_s
                took = [cpu_s(one.pid) - was for one, was in zip(started, before, strict=True)]
                memory = [_resident_bytes(one.pid) for one in started]
            finally:
                for one in started:
                    one.kill()
                    one.wait()
        shown = printed.read_text().rpartition("Device")[0].rpartition("Device")[2]
        missing = [name for name in disks if f"\n{name} " not in shown]
        assert not missing, f"iostat does not show {len(missing)} of them, {missing[0]} the first"
    return Loop(len(disks), elapsed_s, took[0], took[1], memory[0], memory[2])


def _resident_bytes(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(status.partition("VmRSS:")[2].split()[0])


def main() -> None:
    found = [loop(names("sd"))]
    subprocess.run(("modprobe", "brd", f"rd_nr={_MANY}", "rd_size=64"), check=True)
    subprocess.run(("udevadm", "settle", "--timeout=60"), check=True)
    found.append(loop(names("ram")))
    (_OUT / FOUND).write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
