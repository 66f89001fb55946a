"""A recorded run on the practice kernel: RAID 5 of 3 disks of 94 MB/s, every measurement twice, write caches off.

Its recipe stands beside it: two passes before anything is read, page caches dropped; a stripe cache of 1024 pages.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from raidtui.core.plan.validate import decode
from raidtui.core.report.provenance import measurements, measurements_csv
from raidtui.core.results.analysis import ResultRow, compare
from raidtui.core.results.outliers import gap
from raidtui.core.run import events, journal_lines
from raidtui.core.run.state import fold_all

FOLDER = Path(__file__).parents[2] / "recordings" / "runs" / "raid5-twice"
PLAN = decode((FOLDER / "plan.json").read_bytes())
JOURNAL, _ = journal_lines.read((FOLDER / "journal.jsonl").read_bytes())
STATE = fold_all(JOURNAL)


def row(job: str) -> ResultRow:
    return next(one for one in compare(PLAN, STATE).rows if one.job == job)


def test_the_kernel_counted_what_fio_says_within_5_percent() -> None:
    took = {one.trial: (one.ended_at_s or 0.0) - one.started_at_s for one in STATE.trials}
    told = [
        gap(PLAN, stage, measured, took[trial.id])
        for stage in PLAN.stages
        for trial in stage.trials
        if (measured := STATE.measured(trial.id)) and trial.target != "member"
    ]
    assert len(told) == 8
    assert all(found is None or found.fio_bytes_per_s > 0 for found in told)
    by_kernel = STATE.measured("s2-seq_read")
    assert by_kernel and by_kernel.read
    assert by_kernel.disks["array"].read_bytes_per_s == pytest.approx(by_kernel.read.bytes_per_s, rel=0.05)


def test_every_write_test_had_the_write_caches_off_and_they_were_put_back() -> None:
    writes = [trial for trial in PLAN.trials if trial.rw == "write"]
    switched = [one for one in STATE.changes if one.path.endswith("cache_type")]
    assert {(one.old, one.new) for one in switched} == {("write back", "write through")}
    assert len(switched) == sum(1 if trial.target == "member" else 3 for trial in writes)
    assert not STATE.settings and not [text for text in STATE.warnings if "write cache" in text]
    off: set[str] = set()
    for event in JOURNAL:  # of those that a trial is on, all are off while it runs, and all are on while it reads
        if isinstance(event, events.SettingChanged) and event.path.endswith("cache_type"):
            off.add(event.path)
        if isinstance(event, events.SettingRestored):
            off.discard(event.path)
        if isinstance(event, events.TrialStarted):
            trial = PLAN.trial(event.trial)
            assert trial
            assert len(off) == (0 if trial.rw == "read" else 1 if trial.target == "member" else 3)


def test_page_caches_were_written_and_dropped_right_before_each_trial() -> None:
    lines = [step.line for step in STATE.steps]
    dropped = [(before, after) for before, after in pairwise(lines) if "drop_caches" in after]
    assert len(dropped) == len(PLAN.trials)
    assert {before for before, _ in dropped} == {"sync"}


def test_the_array_was_measured_with_mds_own_thread_watched() -> None:
    assert {trial.rw for trial in PLAN.stages[-1].trials} == {"read", "write"}
    for trial in PLAN.stages[-1].trials:
        measured = STATE.measured(trial.id)
        assert measured and set(measured.cpu) == {"fio", "md127_raid5"}
        assert 0 <= measured.cpu["md127_raid5"] < 1
        assert (measured.cpu["md127_raid5"] > 0.1) is (trial.rw == "write")  # it computes parity, and reads past it


def test_operations_are_those_of_the_bytes_and_fios_figure_stands_beside() -> None:
    found = [way for one in measurements(PLAN, STATE) for way in (one.read, one.write) if way]
    assert all(way.iops == pytest.approx(way.bytes_per_s / 2**20, rel=0.01) for way in found)
    assert all(way.fio_iops and 0.95 * way.iops < way.fio_iops < way.iops for way in found)
    assert "fio_iops" in measurements_csv(measurements(PLAN, STATE))


def test_figures_are_medians_of_two_with_their_spread_and_littles_law_holds() -> None:
    for job in ("seq_write", "seq_read"):
        array = row(job).array
        assert array.runs == 2 and array.spread and 0 < array.spread < 0.2
        assert not row(job).little_off


def test_all_at_once_is_not_called_short_where_repetitions_differ_more() -> None:
    """92.5 % of the sum, but its two repetitions are 18 % apart."""
    together = row("seq_write").all_at_once
    assert together.spread and together.spread > 0.15
    assert not any("something shared" in flag for flag in row("seq_write").flags)


def test_no_read_was_of_blocks_that_the_run_had_not_written() -> None:
    assert compare(PLAN, STATE).flash
    assert not [flag for one in compare(PLAN, STATE).rows for flag in one.flags if "may not have written" in flag]
    filled = [step.line for step in STATE.steps if step.what.startswith("Fill ")]
    assert len(filled) == 2 and all("--loops=2" in line for line in filled)
