"""Counters of /proc/diskstats: every field at its place, on kernels that have fewer of them, too."""

import pytest

from raidtui.core.run.samples import Counters
from raidtui.system.block import counters_of

_READS, _WRITES = "100 2 800 30", "50 1 400 20"  # of each: ended, merged, sectors, ms
_LINE = f"   8       0 sda {_READS} {_WRITES} 0 45 50"


@pytest.mark.parametrize(
    "line, discards, flushes",
    [
        (_LINE, 0, 0),  # until Linux 4.17
        (f"{_LINE} 7 0 56 3", 7, 0),  # until Linux 5.4
        (f"{_LINE} 7 0 56 3 9 4", 7, 9),
        (f"{_LINE} 7 0 56 3 9 4 1", 7, 9),  # one of later
    ],
)
def test_every_field_is_at_its_place(line: str, discards: int, flushes: int) -> None:
    assert counters_of(line.encode()) == Counters(
        read_bytes=800 * 512,
        write_bytes=400 * 512,
        reads=100,
        writes=50,
        busy_ms=45,
        read_ms=30,
        write_ms=20,
        queue_ms=50,
        discards=discards,
        flushes=flushes,
    )


def test_a_device_that_is_not_there_has_none() -> None:
    assert counters_of(None) is None
