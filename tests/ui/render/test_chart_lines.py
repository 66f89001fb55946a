"""What the charts of a test are of: lines over an axis, each disk over the time of a trial."""

from pathlib import Path

import pytest

from raidtui.core.units import Units
from raidtui.runs.follow import View, window
from raidtui.ui.render.chart_lines import chart_lines, disks_over_time, trial_of, when
from tests.replay import RUNS, load
from tests.ui.pages import page_of, sweep_view, texts


def test_lines_over_the_chunk_are_named_by_what_they_are_of() -> None:
    view = sweep_view()
    page = page_of(view)
    laid = chart_lines(page, page.named[0], page.named[1], (), Units.DECIMAL, 80, False)
    lines = texts(laid)
    at = lines.index(" By chunk, IOPS")
    bars = lines[:at]
    assert sum(line.startswith("   one disk ") for line in bars) == 1 and bars[1].startswith("   one disk ")
    assert sum(line.startswith("   array ") for line in bars) == len(page.named)
    assert any("4K" in line and "1M" in line and "64K" in line for line in lines[at:])
    assert {"RAID 0", "RAID 10 n2", "RAID 5", "RAID 6"} <= {line.strip()[2:] for line in lines[at:]}
    assert any(line.startswith(" Latency by percentile, ms") for line in lines)
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize(("name", "lines"), [("raid5-of-3", 3), ("rack-of-24", 3)])
def test_each_disk_over_a_trials_time_from_the_runs_samples(name: str, lines: int) -> None:
    """Of 24 disks the busiest, the middle and the idlest; the mean of all points is what the disks did."""
    recording = load(RUNS / name)
    view = recording.view()
    page = page_of(View(recording.plan, view.state, (), (), False))
    row = next(row for name, row in page.named if row.job == "seq_read")
    trial = trial_of(recording.plan, row)
    assert trial
    found = when(view.state, trial)
    assert found and found.ended_at_s
    slots, history = window(RUNS / name, found.started_at_s, found.ended_at_s)
    assert slots == recording.header.slots
    assert [s.wall_ns for s in history] == [
        s.wall_ns for s in recording.samples if found.started_at_s <= s.wall_ns / 1e9 <= found.ended_at_s
    ]
    measured = found.measurement
    assert measured
    drawn = disks_over_time(recording.plan, slots, history, measured.disks, Units.DECIMAL)
    assert len(drawn) == lines
    names = {
        f"{disk.name} {disk.serial}, mean {measured.disks[disk.id].read_bytes_per_s / 1e6:.1f}"
        for disk in recording.plan.disks
    }
    assert {curve.name.rpartition("est: ")[2].removeprefix("the middle: ") for curve in drawn} <= names
    fastest = max(disk.read_bytes_per_s for key, disk in measured.disks.items() if key != "array") / 1e6
    assert max(value for _, value in drawn[0].points) == pytest.approx(fastest, rel=0.35)


def test_no_samples_are_no_window(tmp_path: Path) -> None:
    assert window(tmp_path, 0, 1e12) == ((), ())
    (tmp_path / "samples.bin").write_bytes(b"{ torn")
    assert window(tmp_path, 0, 1e12) == ((), ())
