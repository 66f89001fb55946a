"""Rebuilds in a report: the pace beside each test, and the whole disk's time said as scaled."""

from raidtui.core.report.rebuilds import pages
from raidtui.core.results.series.rebuilds import RebuildRate
from raidtui.core.units import GB, MB


def test_the_time_of_a_whole_disk_is_said_as_scaled_and_of_a_standstill_never() -> None:
    fast = RebuildRate(stage=1, setup="RAID 5", beside="", rebuilt_bytes=GB, took_s=10.0, whole_bytes=1000 * GB)
    still = RebuildRate(stage=1, setup="RAID 5", beside="Reads", rebuilt_bytes=0, took_s=10.0, whole_bytes=1000 * MB)
    text = "\n".join(pages([fast, still]))
    assert "| RAID 5 | nothing " in text and "2 h 46 min" in text and "never" in text
    assert "Whole disk, scaled" in text and "scaled from the pace that was seen" in text
    assert pages([]) == []
