"""Results side by side: matched test by test, the base named, published figures as they are."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from raidtui.core.answer import numbers
from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.report import sweep
from raidtui.core.report.setups import gain_cell
from raidtui.core.results import comparison
from raidtui.core.results.figure import Attempt
from tests.builders import handmade, sweeps
from tests.builders.tables import tables_of


def measured(iops: float, bs: int = 4096, rw: str = "randread", **changes: Any) -> Measurement:
    way = Direction(iops=iops, bytes_per_s=iops * bs, io_bytes=int(iops * bs))
    plain = {"name": "x", "status": "ok", "rw": rw, "bs_bytes": bs, "iodepth": 32, "numjobs": 4}
    return Measurement(**{**plain, ("write" if "write" in rw else "read"): way, **changes})


def series(name: str, *results: Measurement, job: str = "") -> comparison.Series:
    return comparison.of_measurements(name, [(job, one) for one in results])


def written(attempt: Attempt) -> float | None:
    return attempt.measurement.write.bytes_per_s if attempt.measurement and attempt.measurement.write else None


@pytest.mark.parametrize(
    "single, array, times",
    [
        (343, 1192, "~3.5\N{MULTIPLICATION SIGN}"),
        (428, 1236, "~2.9\N{MULTIPLICATION SIGN}"),
        (205.8, 3689.5, "~17.9\N{MULTIPLICATION SIGN}"),
        (205.0, 4644.3, "~22.7\N{MULTIPLICATION SIGN}"),
    ],
)
def test_the_published_gains(single: float, array: float, times: str) -> None:
    (one,) = comparison.match([series("drive", measured(single)), series("array", measured(array))])
    assert (one.base, gain_cell(one.entries[1].over_base.ratio)) == ("drive", times)


def test_separate_disks_over_raid0_are_43_percent_not_30() -> None:
    found = [series("xfs raid0", measured(46461)), series("xfs jbod", measured(66370))]
    (one,) = comparison.match(found)
    assert numbers.in_words(one.entries[1].over_base) == "+43 %"
    (other,) = comparison.match(found[::-1])
    assert numbers.in_words(other.entries[1].over_base) == "\N{MINUS SIGN}30 %"
    assert "Over xfs jbod" in sweep.markdown(found[::-1], (other,))


def test_a_run_has_one_disk_all_at_once_and_each_setup() -> None:
    plan = handmade.plan()
    found = comparison.of_run(plan, handmade.state(plan))
    assert [one.name for one in found] == ["one disk", "all disks at once", plan.stages[1].title]
    matched = comparison.match(found)
    assert len(matched) == 6 and {one.base for one in matched} == {"one disk"}
    assert "Over one disk" in sweep.markdown(found, matched)


def test_setups_that_differ_in_a_bitmap_alone_are_no_repetitions_of_each_other() -> None:
    made = sweeps.plan("levels-sequential", 3, filesystem="none",
                       axes=Axes(level=("5",), disks=(0,), bitmap=("internal", "none"), first_sync=("wait", "skip"),
                                 stripe_cache_size=(256,), group_thread_cnt=(0,)), jobs=("seq_write",))  # fmt: skip
    rates = {("internal", "wait"): 100.0, ("internal", "skip"): 110.0, ("none", "wait"): 200.0, ("none", "skip"): 220.0}

    def rate(stage: Stage, trial: Trial) -> float:
        return rates[stage.setup.bitmap, stage.setup.first_sync] if stage.setup else 50.0

    told = comparison.of_run(made, sweeps.state(made, rate))
    # as a run was recorded while its titles said less
    alike = tuple(replace(stage, title="RAID 5" if stage.setup else stage.title)
                  for stage in made.stages)  # fmt: skip
    older = replace(made, stages=alike)
    for found in (told, comparison.of_run(older, sweeps.state(older, rate))):
        setups = [one for one in found if "RAID 5" in one.name]
        assert len({one.name for one in setups}) == 4
        values = [[written(one) for one in tests] for each in setups
                  for test, tests in each.tests.items() if test.rw == "write"]  # fmt: skip
        assert sorted(values) == [[100e6], [110e6], [200e6], [220e6]]


def test_equal_queues_of_other_depth_and_jobs_are_other_tests() -> None:
    (one,) = [series("a", measured(100, iodepth=4, numjobs=8), measured(300, iodepth=8, numjobs=4), job="j")]
    assert [len(tests) for tests in one.tests.values()] == [1, 1] and {test.queue for test in one.tests} == {32}


def test_what_failed_is_no_number() -> None:
    lost = measured(1, read=None, status="failed", error="no space")
    (one,) = comparison.match([series("a", measured(100)), series("b", lost)])
    assert numbers.in_words(one.entries[1].over_base) == "" and one.entries[1].iops.standing == "failed"
    assert "FAILED" in sweep.markdown([series("a", measured(100)), series("b", lost)], (one,))


def test_what_repetitions_cannot_tell_apart_is_no_difference() -> None:
    base = series("a", measured(100), measured(110), measured(104))
    (one,) = comparison.match([base, series("b", measured(106), measured(107), measured(108))])
    assert numbers.in_words(one.entries[1].over_base) == "n.s. (+3 %, detects ≥ 11 %)"
    (other,) = comparison.match([base, series("b", measured(126), measured(127), measured(128))])
    assert numbers.in_words(other.entries[1].over_base) == "+22 %"


@pytest.mark.parametrize(
    "other, words",
    [
        ((100.2,), "n.s. (0 %, detects ≥ 15 %)"),  # 62 times of each would tell that they are equal
        ((98.8,), "n.s. (\N{MINUS SIGN}1 %, detects ≥ 14 %)"),
        ((104.0,), "n.s. (+4 %, detects ≥ 19 %), 28 runs needed"),
        ((60.0, 100.2, 170.0), "n.s. (0 %, detects ≥ 132 %)"),  # so wild that it may be anything
    ],
)
def test_a_difference_that_is_worth_nobody_s_time_asks_for_no_repetitions(other: tuple[float, ...], words: str) -> None:
    base = series("a", *[measured(100)] * len(other))
    (one,) = comparison.match([base, series("b", *map(measured, other))])
    assert numbers.in_words(one.entries[1].over_base) == words


def test_single_results_differ_from_15_percent_on() -> None:
    (one,) = comparison.match([series("a", measured(100)), series("b", measured(110))])
    assert numbers.in_words(one.entries[1].over_base).startswith("n.s. (+10 %, ")


def test_tests_are_matched_by_name_else_by_what_they_do() -> None:
    by_name = comparison.match([series("a", measured(1), job="j"), series("b", measured(2, bs=8192), job="j")])
    assert len(by_name) == 1
    queues = comparison.match([series("a", measured(1), job="j"), series("b", measured(2, iodepth=1), job="k")])
    assert len(queues) == 1
    assert comparison.match([series("a", measured(1)), series("b", measured(1, rw="write"))]) == ()
    assert "No test is in more than one" in sweep.markdown([series("a", measured(1))], ())


def test_hostile_names_stay_in_their_cells() -> None:
    found = [series(handmade.HOSTILE, measured(1)), series("b|c", measured(2))]
    text = sweep.markdown(found, comparison.match(found))
    assert all(len({len(row) for row in one}) == 1 for one in tables_of(text))
    assert msgspec.json.encode(comparison.match(found))


def runs(*plans: Plan) -> list[comparison.Series]:
    return [
        one
        for number, plan in enumerate(plans)
        for one in comparison.of_run(plan, handmade.state(plan), f"run{number}", number)
    ]


def test_two_runs_are_matched_setup_by_setup_and_what_one_alone_has_over_what_the_other_has() -> None:
    five, ten = handmade.plan(), handmade.plan(level="10")
    ten = replace(ten, stages=(ten.stages[0], replace(ten.stages[1], title="RAID 10 n2")))
    matched = comparison.match(runs(five, ten))
    reads = [one for one in matched if "Sequential" in one.title and "reads" in one.title]
    assert [[entry.series for entry in one.entries] for one in reads] == [
        ["run0: one disk", "run1: one disk"],
        ["run0: all disks at once", "run1: all disks at once"],
        ["run0: RAID 5 of 3 disks, chunk 512 KiB, xfs", "run1: RAID 10 n2"],
    ]
    assert reads[0].title.endswith(": one disk") and not reads[2].title.endswith("xfs")
    same = comparison.match(runs(five, handmade.plan()))
    assert [len(one.entries) for one in same] == [2] * len(same)
    assert same[-1].title.endswith(": RAID 5 of 3 disks, chunk 512 KiB, xfs")


def test_a_setup_of_all_disks_is_another_one_of_more_disks() -> None:
    three, four = handmade.plan(), handmade.plan(4)
    assert three.stages[1].setup == four.stages[1].setup
    bare = {"one disk", "all disks at once"}
    setups = [{one.place for one in runs(plan)} - bare for plan in (three, four)]
    assert not setups[0] & setups[1]


def test_the_blocks_of_two_runs_are_not_the_same_blocks() -> None:
    """In one run blocks that differ by 20 % from each other are taken out; in two runs they are what runs differ by."""
    (test,) = series("x", measured(1)).tests

    def of(name: str, rates: tuple[float, ...], source: int) -> comparison.Series:
        tries = tuple(Attempt(measured(rate), block=10 * source + block) for block, rate in enumerate(rates, 1))
        return comparison.Series(name, {test: tries}, source)

    base, faster = (100.0, 120.0, 140.0), (105.0, 126.1, 147.0)
    (within,) = comparison.match([of("a", base, 0), of("b", faster, 0)])
    assert within.entries[1].over_base.conclusion == "different"
    (across,) = comparison.match([of("a", base, 0), of("b", faster, 1)])
    assert across.entries[1].over_base.conclusion == "cannot tell"


def test_a_heading_is_in_words() -> None:
    (test,) = series("a", measured(1)).tests
    assert test.title == "Random 4 KiB reads, queue depth 32, 4 jobs"
    tests = series("a", measured(1, rw="randrw", numjobs=1, iodepth=None, write=measured(1).read)).tests
    assert [one.title for one in tests] == [
        "Random 4 KiB reads and writes: the reads, 1 job", "Random 4 KiB reads and writes: the writes, 1 job"
    ]  # fmt: skip


def test_tests_of_another_depth_are_matched_only_where_nothing_else_is_and_it_is_said() -> None:
    both = series("a", measured(1, iodepth=1), measured(9), job="j")
    (one,) = comparison.match([both, series("b", measured(2, iodepth=1), job="j")])
    assert one.alike and one.entries[0].iops.value == 1
    (other,) = comparison.match([series("a", measured(1), job="j"), series("b", measured(2, iodepth=1), job="k")])
    assert not other.alike and "queue depth 1," in other.entries[1].series
    assert "Not the same test" in sweep.markdown([], [other])
    assert comparison.match([both, series("b", measured(2, iodepth=2), job="k")]) == ()


def test_one_disk_and_an_array_have_one_depth_by_disk_and_a_run_of_another_depth_is_marked() -> None:
    by_disk = sweeps.plan("quick", 6, level="0")
    of_all = sweeps.plan("quick", 6, level="0", job=sweeps.SATURATED)
    rates = [comparison.of_run(made, sweeps.state(made), source=n) for n, made in enumerate((by_disk, of_all))]
    inside = {match.title: match for match in comparison.match(rates[0])}
    reads = inside["Random 4 KiB reads, queue depth 4 per disk"]
    assert reads.alike and [entry.series for entry in reads.entries][:2] == ["one disk", "all disks at once"]
    across = [match for match in comparison.match([*rates[0], *rates[1]]) if "Random 4 KiB reads" in match.title]
    assert len(across) == 3 and all(match.unlike == "queue depth" and not match.alike for match in across)
    assert [entry.series for entry in across[2].entries] == [
        "RAID 0 of 6 disks, chunk 512 KiB, no file system (Random 4 KiB reads, queue depth 4 per disk)",
        "RAID 0 of 6 disks, chunk 512 KiB, no file system (Random 4 KiB reads, queue depth 32, 4 jobs)",
    ]


def test_files_of_many_depths_and_jobs_are_a_grid() -> None:
    cells = [(depth, jobs) for depth in (16, 2, 1) for jobs in (1, 4)]
    one = series("a", *(measured(100 * d * n, iodepth=d, numjobs=n) for d, n in cells), measured(1, bs=8192))
    (grid,) = comparison.grids(one)
    assert list(grid.cells) == sorted(cells) and grid.cells[16, 4][0].value == 6400
    (table,) = tables_of(sweep.markdown([one], [], [grid]))
    assert [row[0] for row in table[2:]] == ["1", "2", "16"] and table[2][1:] == ["100.0", "400.0"]


@pytest.mark.parametrize("rw", ["{part:0:1}", "{}", "read}", "randread"])
def test_what_a_file_says_of_its_job_is_no_form_to_be_filled_in(rw: str) -> None:
    words = comparison.Test(job="", rw=rw, bs_bytes=4096, iodepth=1, numjobs=1, direction="read").pattern
    assert words == ("Random 4 KiB reads" if rw == "randread" else f"{rw} 4 KiB")


@pytest.mark.parametrize(
    ("counts", "words"), [((1, 1), "once"), ((3, 3), "3 times"), ((3, 1), "1 to 3 times"), ((2, 5, 3), "2 to 5 times")]
)
def test_how_often_a_test_was_measured_is_said_beside_the_field(counts: tuple[int, ...], words: str) -> None:
    tests: dict[Any, Any] = {number: [None] * count for number, count in enumerate(counts)}
    assert comparison._how_often(tests) == {"repeat": f"each test measured {words}"}
