"""What one disk does alone, by depth."""

import msgspec
import pytest

from raidtui.core.fio.measurement import Measurement
from raidtui.core.raid.depth_curve import CurveSource, DepthCurve, completed, flat, parse_curve
from raidtui.core.results.disk_speeds import AloneTest, alike, curve_of, queue_of, values_of
from raidtui.core.results.figure import Attempt
from tests.builders import handmade


def at(member: int, depth: int, iops: float, rw: str = "randread") -> tuple[AloneTest, list[Attempt]]:
    trial = handmade.trial("member", (f"rand{depth}", "Random", rw, 4096, depth, 1), member)
    return AloneTest(trial, {}, depth), [Attempt(handmade.measurement(trial, iops))]


def test_values_are_by_depth_and_member_of_one_direction() -> None:
    tests = (at(0, 1, 100), at(0, 4, 150), at(1, 4, 140), at(0, 4, 90, "randwrite"), at(2, 4, 10))
    assert values_of(tests, "read", 2) == {1: {0: 100}, 4: {0: 150, 1: 140}}
    assert values_of(tests, "write", 3) == {4: {0: 90}}


@pytest.mark.parametrize(
    ("engine", "iodepth", "numjobs", "queue"),
    [("libaio", 4, 2, 8), ("libaio", None, None, 1), ("libaio", None, 3, 3), ("psync", 4, 2, 2)],
)
def test_requests_under_way_are_of_all_jobs(engine: str, iodepth: int | None, numjobs: int | None, queue: int) -> None:
    trial = msgspec.structs.replace(at(0, 1, 1)[0].trial, iodepth=iodepth, numjobs=numjobs)
    assert queue_of(trial, {"ioengine": engine}) == queue


def test_a_test_that_did_not_end_well_tells_nothing() -> None:
    failed = (at(0, 4, 1)[0], [Attempt(Measurement(name="x", status="failed"))])
    assert values_of((failed,), "read", 1) == {}


def test_a_depth_that_one_member_was_measured_at_is_taken_for_another_by_their_ratio() -> None:
    values = {1: {0: 100.0}, 4: {0: 150.0, 1: 120.0}}
    curve = curve_of(values, 1)
    assert curve and curve.at(1) == pytest.approx(80) and curve.at(4) == pytest.approx(120)
    assert curve_of({1: {0: 100.0}}, 1) is None
    beside = curve_of({1: {0: 100.0, 2: 50.0}, 4: {1: 120.0}, 8: {0: 150.0, 1: 120.0}}, 1)  # nothing is told of 2
    assert beside and beside.at(1) == pytest.approx(80)


def test_flash_is_never_taken_to_be_faster_with_fewer_requests_and_rotating_disks_go_by_ratio() -> None:
    throttled = completed(flat_at(32, 97.5), CurveSource.ASSUMED_SATA_SSD, writes=False)
    assert {iops for _, iops in throttled.points} == {97.5}
    fast = completed(flat_at(32, 60_000), CurveSource.ASSUMED_SATA_SSD, writes=False)
    assert fast.at(1) == 6_500 and fast.at(32) == pytest.approx(60_000)
    rotating = completed(flat_at(32, 90), CurveSource.ASSUMED_HDD, writes=False)
    assert rotating.at(1) == pytest.approx(43) and rotating.at(4) == pytest.approx(60)
    assert completed(flat(50), CurveSource.ASSUMED_HDD, writes=True) == flat(50)  # nothing lies below 1


def flat_at(depth: int, iops: float) -> DepthCurve:
    return parse_curve(f"{depth}:{iops}")


@pytest.mark.parametrize(
    "job, rw, options, same",
    [
        ("other", "randwrite", {"direct": "1"}, True),
        ("other", "randwrite", {"direct": "0"}, False),
        ("other", "randrw", {"direct": "1"}, False),
        ("rand4", "randread", {}, True),
    ],
)
def test_which_tests_tell_of_the_same_requests(job: str, rw: str, options: dict[str, str], same: bool) -> None:
    trial = handmade.trial("array", (job, "Random", rw, 4096, 64, 1))
    test, _ = at(0, 4, 100)
    assert alike(AloneTest(test.trial, {"direct": "1"}, 4), trial, options) is same
