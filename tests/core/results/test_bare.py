"""Bare array and file: figures of disks are beside the first alone, and nothing sets the two side by side."""

import pytest
from msgspec.structs import replace

from raidtui.core.answer import acceptance
from raidtui.core.answer.acceptance import RunValues
from raidtui.core.answer.expected import expected_of
from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.fleet.fleet import fleet_of
from raidtui.core.fleet.host_run import host_run
from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.report.markdown import markdown
from raidtui.core.results import comparison
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState
from tests.builders import sweeps
from tests.builders.compared import row

DISK, ALL, FILE, OUTER, INNER, IOPS = 200.0, 1100.0, 3000.0, 950.0, 500.0, 400.0
ON_ARRAY = {"": FILE, "start": OUTER, "end": INNER}


def rate(stage: Stage, trial: Trial) -> float:
    if trial.rw.startswith("rand"):
        return IOPS
    return {"member": DISK, "members": ALL}.get(trial.target) or ON_ARRAY[trial.bare]


def run(flash: bool = False, **more: object) -> tuple[Plan, RunState]:
    given = {"setup": Setup(level="5", filesystem="xfs"), "after": "keep", **more}
    plan = sweeps.plan("quick", 6, flash, **given)  # type: ignore[arg-type]
    return plan, sweeps.state(plan, rate)


def earlier(*, marked: bool = True) -> tuple[Plan, RunState]:
    """A run of before: sequential tests on the file alone, with or without the mark of a file test."""
    plan, _ = run(jobs=("seq_read", "seq_write"))
    stages = []
    for stage in plan.stages:
        trials = [trial for trial in stage.trials if not trial.bare]
        if not marked:
            trials = [replace(trial, file_test=False) for trial in trials]
        stages.append(replace(stage, trials=tuple(trials)))
    plan = replace(plan, stages=tuple(stages))
    return plan, sweeps.state(plan, rate)


PLAN, STATE = run()


def test_gain_and_expected_value_are_of_the_bare_array() -> None:
    found = compare(PLAN, STATE)
    outer, inner, file = (row(found, name) for name in ("seq_read-bare", "seq_read-inner", "seq_read"))
    assert (outer.single.value, outer.all_at_once.value, outer.array.value) == pytest.approx((200e6, 1100e6, 950e6))
    assert outer.gain == pytest.approx(950 / 200) and outer.predicted and outer.deviation is not None
    assert "outer tracks: the fastest part of rotating disks" in outer.flags
    for beside, value in ((inner, 500e6), (file, 3000e6)):
        assert beside.array.value == pytest.approx(value)
        assert (beside.single.value, beside.all_at_once.value, beside.gain) == (None, None, None)
        assert beside.predicted is None and beside.deviation is None and not beside.disturbed
    assert not any("outer tracks" in flag for flag in inner.flags)
    first = ["seq_write-bare", "seq_read-bare", "rand_write", "rand_read"]
    order = [*first, "seq_write-inner", "seq_read-inner", "seq_write", "seq_read"]
    assert [one.job for one in found.rows] == order


def test_what_is_as_expected_is_counted_once_and_never_of_a_file() -> None:
    tests = {one.test for one in expected_of(compare(PLAN, STATE).rows)}
    assert tests == {
        "Sequential write (outer)", "Sequential read (outer)", "Random 4K write", "Random 4K read",
    }  # fmt: skip


def test_a_slow_disk_is_looked_for_once_in_each_test() -> None:
    titles = [rates.title for rates in compare(PLAN, STATE).disk_rates]
    assert titles.count("Sequential read (outer), all at once") == 1
    assert not [title for title in titles if "(file)" in title or "(inner)" in title]


def test_the_report_has_a_row_of_each() -> None:
    text = markdown(PLAN, STATE)
    for title in ("Sequential read (outer)", "Sequential read (inner)", "Sequential read (file)"):
        assert title in text


def values(found: comparison.Matched) -> set[float | None]:
    return {entry.bytes_per_s.value for entry in found.entries}


@pytest.mark.parametrize("marked", [True, False])
def test_compare_sets_files_beside_files_alone(marked: bool) -> None:
    series = [*comparison.of_run(*earlier(marked=marked), "a", 0), *comparison.of_run(PLAN, STATE, "b", 1)]
    found = comparison.match(series)
    pairs = [values(one) for one in found]
    assert {FILE * 1e6} in pairs and {DISK * 1e6} in pairs
    assert all(len(pair) == 1 for pair in pairs)


def test_compare_sets_the_bare_array_beside_what_else_was_on_a_device_never_beside_a_file() -> None:
    """Another setup's series: a file of before, whose job and pattern are those of the bare test."""
    bare = comparison.of_run(*run(jobs=("seq_read",)), "b", 1)[-1]
    old = comparison.of_run(*earlier(marked=False), "a", 0)[-1]
    other_setup = replace(old, place="elsewhere")
    assert all(values(one) == {FILE * 1e6} for one in comparison.match([other_setup, bare]))
    moved = Direction(iops=700, bytes_per_s=700e6, io_bytes=7_000_000_000)
    fio = Measurement(name="x", status="ok", rw="read", bs_bytes=2**20, iodepth=32, numjobs=1, read=moved)
    (matched,) = comparison.match([comparison.of_measurements("fio", [("their name", fio)]), bare])
    assert values(matched) == {700e6, OUTER * 1e6}


@pytest.mark.parametrize("part", ["start", "end"])
def test_a_file_alone_is_never_set_beside_the_bare_array_alone(part: str) -> None:
    """A run that ended before its file test: no name, pattern or queue depth brings the two together."""
    whole = comparison.of_run(*run(jobs=("seq_read",)), "b", 1)[-1]
    bare = replace(whole, tests={test: of for test, of in whole.tests.items() if test.bare == part})
    file = replace(comparison.of_run(*earlier(marked=False), "a", 0)[-1], place="elsewhere")
    assert bare.tests and file.tests and not comparison.match([file, bare])


def test_against_an_earlier_run_the_file_is_judged_by_the_file() -> None:
    found = acceptance.against(RunValues(PLAN, STATE), *earlier(), "old")
    judged = [check for check in found if check.value is not None]
    assert judged and {check.value for check in judged} == {0.0}


def test_fleet_has_them_apart() -> None:
    runs = [host_run(PLAN, STATE, f"r{host}", f"r{host}", host) for host in ("a", "b")]
    assert all(len({figure.key for figure in one.figures}) == len(one.figures) for one in runs)
    (experiment,) = fleet_of(runs).experiments
    spread = {test.job: (test.low, test.high) for test in experiment.tests if test.direction == "read"}
    assert spread["seq_read"] == (FILE * 1e6, FILE * 1e6)
    assert spread["seq_read-bare"] == (OUTER * 1e6, OUTER * 1e6)
    assert spread["seq_read-inner"] == (INNER * 1e6, INNER * 1e6)


@pytest.mark.parametrize("name, mbps", [("seq_read", FILE), ("seq_read-bare", OUTER), ("seq_read-inner", INNER)])
def test_a_threshold_is_of_one_of_them(name: str, mbps: float) -> None:
    found = acceptance.of_thresholds(RunValues(PLAN, STATE), [f"{name}.mbps < 1"], ())
    assert [check.value for check in found] == pytest.approx([mbps])


def test_of_flash_there_is_one_part() -> None:
    found = compare(*run(flash=True))
    assert row(found, "seq_read-bare").title == "Sequential read (bare)" and row(found, "seq_read-bare").gain
    assert [one.job for one in found.rows if one.job.startswith("seq_read")] == ["seq_read-bare", "seq_read"]


def test_a_grid_of_depths_is_of_one_place() -> None:
    made = comparison.of_run(PLAN, STATE)[-1]
    deeper = {replace(test, iodepth=64): tried for test, tried in made.tests.items() if test.bare}
    found = comparison.grids(replace(made, tests={**made.tests, **deeper}))
    rates = [{figure.value or 0.0 for figure, _ in one.cells.values()} for one in found if one.kind == "sequential"]
    assert sorted(sorted(one) for one in rates) == [[INNER * 1e6]] * 2 + [[OUTER * 1e6]] * 2
