"""Busy time of each CPU, from /proc/stat."""

import os
from pathlib import Path

_IDLE = (3, 4)  # of a processor's times: idle, iowait
_TIMES = 8  # those of guests, after it, are in the first already


def worked_s(stat: Path = Path("/proc/stat")) -> dict[str, float]:
    """ "cpu0" … -> seconds since boot, not idle."""
    busy_s = {}
    for line in stat.read_text().splitlines():
        name, *words = line.split()
        if name.startswith("cpu") and name != "cpu":
            times = [int(word) for word in words[:_TIMES]]
            busy_s[name] = (sum(times) - sum(times[column] for column in _IDLE)) / os.sysconf("SC_CLK_TCK")
    return busy_s
