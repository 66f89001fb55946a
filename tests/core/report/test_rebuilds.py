"""Rebuilds in a report: the pace beside each test, and the whole disk's time said as scaled."""

from raidtui.core.page.markdown import markdown
from raidtui.core.report.series import rebuild_blocks
from raidtui.core.results.series.rebuilds import RebuildRate
from raidtui.core.units import GB, MB, MIB


def test_the_time_of_a_whole_disk_is_said_as_scaled_and_of_a_standstill_none() -> None:
    fast = RebuildRate(stage=1, setup="RAID 5", beside="", rebuilt_bytes=GB, took_s=10.0, whole_bytes=1000 * GB)
    still = RebuildRate(stage=1, setup="RAID 5", beside="Reads", rebuilt_bytes=0, took_s=10.0, whole_bytes=1000 * MB)
    text = markdown(rebuild_blocks([fast, still], {}))
    assert "| RAID 5 | nothing " in text and "2 h 46 min" in text and "nothing was rebuilt" in text
    assert "Whole disk, scaled" in text and "scaled from the pace that was seen" in text
    assert "| RAID 5 min 1 | nothing " in markdown(rebuild_blocks([fast], {1: "RAID 5 min 1"}))
    assert list(rebuild_blocks([], {})) == []


def test_a_time_from_a_few_megabytes_is_marked() -> None:
    """4 MB of 510 MiB say little of a disk; 5 % of it do, and so does a gigabyte of any."""
    few, enough = (
        RebuildRate(stage=1, setup="RAID 10", beside="Writes", rebuilt_bytes=size, took_s=6.0, whole_bytes=510 * MIB)
        for size in (4 * MB, 40 * MB)
    )
    assert not few.scales and enough.scales
    assert "13 min 22 s †" in markdown(rebuild_blocks([few], {}))
    assert "† |" not in markdown(rebuild_blocks([enough], {}))
