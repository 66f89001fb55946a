"""Results side by side: matched test by test, the base named, published figures as they are."""

from typing import Any

import msgspec
import pytest

from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.report import comparison as report_comparison
from raidtui.core.results import comparison
from tests.builders import handmade, sweeps
from tests.builders.tables import tables_of


def measured(iops: float, bs: int = 4096, rw: str = "randread", **changes: Any) -> Measurement:
    way = Direction(iops=iops, bytes_per_s=iops * bs, io_bytes=int(iops * bs))
    plain = {"name": "x", "status": "ok", "rw": rw, "bs_bytes": bs, "iodepth": 32, "numjobs": 4}
    return Measurement(**{**plain, ("write" if "write" in rw else "read"): way, **changes})


def series(name: str, *results: Measurement, job: str = "") -> comparison.Series:
    return comparison.of_measurements(name, [(job, one) for one in results])


@pytest.mark.parametrize(
    ("single", "array", "times"),
    [
        (343, 1192, "~3.5\N{MULTIPLICATION SIGN}"),
        (428, 1236, "~2.9\N{MULTIPLICATION SIGN}"),
        (205.8, 3689.5, "~17.9\N{MULTIPLICATION SIGN}"),
        (205.0, 4644.3, "~22.7\N{MULTIPLICATION SIGN}"),
    ],
)
def test_the_published_gains(single: float, array: float, times: str) -> None:
    (one,) = comparison.match([series("drive", measured(single)), series("array", measured(array))])
    assert (one.base, one.entries[1].over_base.times) == ("drive", times)


def test_separate_disks_over_raid0_are_43_percent_not_30() -> None:
    found = [series("xfs raid0", measured(46461)), series("xfs jbod", measured(66370))]
    (one,) = comparison.match(found)
    assert one.entries[1].over_base.words == "+42.9 %"
    (other,) = comparison.match(found[::-1])
    assert other.entries[1].over_base.words == "-30.0 %"
    assert "Over xfs jbod, %" in report_comparison.markdown(found[::-1], (other,))


def test_a_run_has_one_disk_all_at_once_and_each_setup() -> None:
    plan = handmade.plan()
    found = comparison.of_run(plan, handmade.state(plan))
    assert [one.name for one in found] == ["one disk", "all disks at once", plan.stages[1].title]
    matched = comparison.match(found)
    assert len(matched) == 6 and {one.base for one in matched} == {"one disk"}
    assert "Over one disk, %" in report_comparison.markdown(found, matched)


def test_setups_that_differ_in_a_bitmap_alone_are_no_repetitions_of_each_other() -> None:
    made = sweeps.plan("levels-sequential", 3, setup=Setup(filesystem="none"),
                       axes=Axes(level=("5",), disks=(0,), bitmap=("internal", "none"), first_sync=("wait", "skip"),
                                 stripe_cache_size=(256,), group_thread_cnt=(0,)), jobs=("seq_write",))  # fmt: skip
    rates = {("internal", "wait"): 100.0, ("internal", "skip"): 110.0, ("none", "wait"): 200.0, ("none", "skip"): 220.0}

    def rate(stage: Stage, trial: Trial) -> float:
        return rates[stage.setup.bitmap, stage.setup.first_sync] if stage.setup else 50.0

    told = comparison.of_run(made, sweeps.state(made, rate))
    # as a run was recorded while its titles said less
    alike = tuple(msgspec.structs.replace(stage, title="RAID 5" if stage.setup else stage.title)
                  for stage in made.stages)  # fmt: skip
    older = msgspec.structs.replace(made, stages=alike)
    for found in (told, comparison.of_run(older, sweeps.state(older, rate))):
        setups = [one for one in found if "RAID 5" in one.name]
        assert len({one.name for one in setups}) == 4
        values = [[one.write and one.write.bytes_per_s for one in tests] for each in setups
                  for test, tests in each.tests.items() if test.rw == "write"]  # fmt: skip
        assert sorted(values) == [[100e6], [110e6], [200e6], [220e6]]


def test_equal_queues_of_other_depth_and_jobs_are_other_tests() -> None:
    (one,) = [series("a", measured(100, iodepth=4, numjobs=8), measured(300, iodepth=8, numjobs=4), job="j")]
    assert sorted(tests[0].read.iops for tests in one.tests.values() if tests[0].read) == [100, 300]


def test_what_failed_is_no_number() -> None:
    lost = measured(1, read=None, status="failed", error="no space")
    (one,) = comparison.match([series("a", measured(100)), series("b", lost)])
    assert one.entries[1].over_base.words == "" and one.entries[1].iops.standing == "failed"
    assert "FAILED" in report_comparison.markdown([series("a", measured(100)), series("b", lost)], (one,))


def test_what_repetitions_cannot_tell_apart_is_no_difference() -> None:
    base = series("a", measured(100), measured(110), measured(104))
    (one,) = comparison.match([base, series("b", measured(106), measured(107), measured(108))])
    assert one.entries[1].over_base.words == "cannot tell (+2.3 %), 31 repetitions would"
    (other,) = comparison.match([base, series("b", measured(126), measured(127), measured(128))])
    assert other.entries[1].over_base.words == "+21.4 %"


def test_single_results_differ_from_15_percent_on() -> None:
    (one,) = comparison.match([series("a", measured(100)), series("b", measured(110))])
    assert one.entries[1].over_base.words.startswith("cannot tell (+10.0 %)")


def test_tests_are_matched_by_name_else_by_what_they_do() -> None:
    by_name = comparison.match([series("a", measured(1), job="j"), series("b", measured(2, bs=8192), job="j")])
    assert len(by_name) == 1
    queues = comparison.match([series("a", measured(1), job="j"), series("b", measured(2, iodepth=1), job="k")])
    assert len(queues) == 1
    assert comparison.match([series("a", measured(1)), series("b", measured(1, rw="write"))]) == ()
    assert "nothing to compare" in report_comparison.markdown([series("a", measured(1))], ())


def test_hostile_names_stay_in_their_cells() -> None:
    found = [series(handmade.HOSTILE, measured(1)), series("b|c", measured(2))]
    text = report_comparison.markdown(found, comparison.match(found))
    assert all(len({len(row) for row in one}) == 1 for one in tables_of(text))
    assert msgspec.json.encode(comparison.match(found))
