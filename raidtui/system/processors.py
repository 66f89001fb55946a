"""How busy the machine's processors and an array's own threads are: two readings, and what lies between them."""

import os
from collections.abc import Mapping
from pathlib import Path

from raidtui.core.measurement import BUSIEST

_IDLE = (3, 4)  # of the times that /proc/stat has for a processor: idle, iowait
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")

# Name -> (seconds at work, seconds that have passed for it; 0 for a thread, which lives on all processors' time)
Reading = Mapping[str, tuple[float, float]]


def read(array: str | None = None, root: Path = Path("/proc")) -> Reading:
    """Each processor ("cpu0" …) and each kernel thread of the array ("md0_raid5") since they began."""
    found: dict[str, tuple[float, float]] = {}
    for line in (root / "stat").read_text().splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name != "cpu":
            times = [int(word) / _TICKS_PER_S for word in words[:8]]
            found[name] = (sum(times) - sum(times[at] for at in _IDLE), sum(times))
    if array:
        for thread in root.glob("[0-9]*/comm"):
            try:
                name = thread.read_text().strip()
                if name.startswith(f"{array}_"):
                    words = thread.with_name("stat").read_text().rpartition(") ")[2].split()
                    found[name] = (sum(int(word) for word in words[11:13]) / _TICKS_PER_S, 0.0)  # utime, stime
            except OSError:  # it has ended meanwhile
                continue
    return found


def shares(before: Reading, after: Reading) -> dict[str, float]:
    """How much of the time between two readings the busiest processor was at work, and each thread; 0 to 1."""
    worked = {name: after[name][0] - before[name][0] for name in before.keys() & after.keys()}
    passed = {name: after[name][1] - before[name][1] for name in worked if after[name][1]}
    if not passed or max(passed.values()) <= 0:
        return {}
    whole_s = max(passed.values())
    busiest = max(worked[name] / passed[name] for name in passed if passed[name] > 0)
    threads = {name: worked[name] / whole_s for name in sorted(worked) if name not in passed}
    return {BUSIEST: busiest, **threads}
