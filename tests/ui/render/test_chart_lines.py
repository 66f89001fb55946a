"""What the charts of a test are of: lines over an axis, each disk over the time of a trial."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from raidtui.core.results.analysis import compare
from raidtui.core.run.samples import Sample
from raidtui.core.units import Units
from raidtui.demo.recording import load
from raidtui.runs.follow import View, samples_at, window
from raidtui.ui.render.cells import MONO
from raidtui.ui.render.chart_lines import (
    _moved,
    against_median,
    by_chunk,
    disks_over_time,
    latency,
    pieces,
    throughput,
    trial_of,
    when,
)
from tests.replay import RUNS
from tests.ui.glyphs import drawn_in
from tests.ui.pages import page_of, sweep_view, texts

RAID5, RAID10 = load(RUNS / "raid5-of-3"), load(RUNS / "raid10-of-6")


def test_lines_over_the_chunk_are_named_by_what_they_are_of() -> None:
    page = page_of(sweep_view())
    chart = by_chunk(page, Units.DECIMAL, 78, 14)
    assert chart and (chart.title, chart.beside) == ("By chunk, IOPS", page.heading)
    lines = texts(chart.lines)
    assert any("4K" in line and "1M" in line and "64K" in line for line in lines)
    assert all(name in " ".join(lines) for name in ("RAID 0", "RAID 10 n2", "RAID 5", "RAID 6"))
    assert max(map(len, lines)) <= 78 and len(lines) <= 14
    assert by_chunk(page_of(RAID5.view()), Units.DECIMAL, 78, 14) is None


@pytest.mark.parametrize("width, height", [(78, 19), (68, 24), (56, 20)])
def test_latencies_of_all_tests_are_one_chart_with_p50_and_p99(width: int, height: int) -> None:
    rows = compare(RAID5.plan, RAID5.view().state).rows
    for logarithmic, word in ((True, "logarithmic (l)"), (False, "linear (l)")):
        chart = latency(rows, width, height, logarithmic=logarithmic)
        lines = texts(chart.lines)
        assert chart.beside == word and len(lines) <= height and max(map(len, lines)) <= width
        assert "3 Random 4K write  p50 459.3, p99 868.2" in "\n".join(lines) and "p99" in "".join(lines[-7:])
    assert texts(latency((), width, height, logarithmic=True).lines) == ["No latencies were recorded."]


def _seen(run: Path, times_s: Sequence[float]) -> tuple[tuple[str, ...], dict[float, Sample | None]]:
    slots, found = samples_at(run, times_s)
    return slots, dict(zip(times_s, found, strict=True))


@pytest.mark.parametrize("name, done", [("raid5-of-3", 12), ("rack-of-24", 12)])
def test_each_test_is_a_piece_of_the_axis_with_its_mean_below(name: str, done: int) -> None:
    recording = load(RUNS / name)
    state = recording.view().state
    axis = pieces(recording.plan, state, 2, 116)
    assert len(axis) == done and all(len(piece.times_s) == len(axis[0].times_s) for piece in axis)
    slots, seen = _seen(RUNS / name, [time_s for piece in axis for time_s in piece.times_s])
    assert slots == recording.header.slots and None not in seen.values()
    with drawn_in(MONO):
        chart = throughput(recording.plan, state, axis, slots, seen, Units.DECIMAL, 8)
    lines = texts(chart.lines)
    assert len(lines) == 8 + 3 and max(map(len, lines)) <= 116 and chart.beside == "12 of 12 tests, mean below"
    assert "MB/s" in lines[0] and "IOPS" in lines[1] and "one disk" in lines[-1] and "array" in lines[-1]
    assert ("✗" in lines[-2]) is (name == "rack-of-24")
    drawn = "".join(lines[:8])
    assert drawn.count("█") > 100


def test_a_column_of_the_axis_is_what_the_kernel_counted() -> None:
    state = RAID5.view().state
    axis = pieces(RAID5.plan, state, 1, 116)
    of_array = next(piece for piece in axis if piece.trial.id == "filesystem-seq_read")
    slots, seen = _seen(RUNS / "raid5-of-3", of_array.times_s)
    first, last = seen[of_array.times_s[-3]], seen[of_array.times_s[-2]]
    assert first and last
    at = slots.index("array")
    moved = last.counters[at].read_bytes - first.counters[at].read_bytes  # type: ignore[union-attr]
    seconds = (last.monotonic_ns - first.monotonic_ns) / 1e9
    read, _ = _moved(of_array, slots, seen, *of_array.times_s[-3:-1])
    assert read == pytest.approx(moved / seconds) and read == pytest.approx(282e6, rel=0.1)


def test_where_not_all_tests_have_room_the_heading_counts_them() -> None:
    view = sweep_view()
    axis = pieces(view.plan, view.state, 1, 78)
    assert axis and len(axis) < len([trial for stage in view.plan.stages for trial in stage.trials])
    chart = throughput(view.plan, view.state, axis, (), {}, Units.DECIMAL, 5)
    assert chart.beside == f"{len(axis)} of {len(view.state.trials)} tests, mean below"
    assert throughput(view.plan, view.state, (), (), {}, Units.DECIMAL, 5).lines == ()


@pytest.mark.parametrize("width, columns", [(46, 8), (24, 4)])
def test_each_disk_stands_beside_the_median_of_its_test(width: int, columns: int) -> None:
    state = RAID10.view().state
    with drawn_in(MONO):
        chart = against_median(RAID10.plan, state, len(RAID10.plan.stages) - 1, width, 20)
    lines = texts(chart.lines)
    rows = [line.split() for line in lines[2:] if line]
    assert [row[0] for row in rows] == [disk.name for disk in RAID10.plan.disks]
    assert {len(row) - 1 for row in rows} == {columns} and max(map(len, lines)) <= width
    assert [row[1] for row in rows] == ["+1", "+1", "−1", "+1", "−11", "−1"]
    loud = [look for line in chart.lines for text, look in line if "−11" in text]
    assert loud == ["*strong"]


@pytest.mark.parametrize("name, lines", [("raid5-of-3", 3), ("rack-of-24", 3)])
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
    assert window(tmp_path, 0, 1e12) == ((), ()) and samples_at(tmp_path, (1.0, 2.0)) == ((), (None, None))
    (tmp_path / "samples.bin").write_bytes(b"{ torn")
    assert window(tmp_path, 0, 1e12) == ((), ())
