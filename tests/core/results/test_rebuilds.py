"""The pace of a rebuild beside a test and by itself, scaled to the whole disk."""

import msgspec
import pytest

from raidtui.core.fio.measurement import DiskRates, Measurement
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan
from raidtui.core.results import series
from raidtui.core.results.series import rebuilds
from raidtui.core.run.events import RebuildProgress
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, MB
from tests.builders import rebuilding, sweeps

AXES = (Axes(level=("5",), first_sync=("skip",), failed=(1,), rebuild_min_kib_s=(0, 1000)),)


def plan(repeat: int = 1) -> Plan:
    return sweeps.plan("rebuild", 4, axes=AXES, repeat=repeat)


def looks(*told: tuple[float, int]) -> RunState:
    """At these seconds so many bytes were done, of the stage that rebuilds."""
    return RunState(
        rebuilds=tuple(
            RebuildProgress(at_s=at_s, stage=1, done_bytes=done, total_bytes=1000 * GB) for at_s, done in told
        )
    )


def measured(made: Plan, pace: float | None) -> RunState:
    return rebuilding.beside(made, sweeps.state(made), pace)


def test_beside_a_test_it_is_what_the_new_disk_wrote_beyond_the_users_writes() -> None:
    made = plan()
    found = rebuilds(made, measured(made, 300 * MB))
    assert [one.beside for one in found] == [trial.title for trial in made.stages[1].trials]
    assert all(one.bytes_per_s == pytest.approx(300 * MB) for one in found)
    assert found[0].whole_s and 3_200 < found[0].whole_s < 3_340  # a terabyte at 300 MB/s


def test_without_a_pace_beside_the_tests_nothing_is_told() -> None:
    made = plan()
    assert rebuilds(made, measured(made, None)) == []


def test_by_itself_it_is_what_md_said_between_the_two_last_looks() -> None:
    (alone,) = rebuilds(plan(), looks((0, 0), (200, 0), (220, 4 * GB)))
    assert (alone.beside, alone.bytes_per_s) == ("", 200 * MB)


def test_two_looks_at_two_rebuilds_are_no_pace_and_nothing_rebuilt_has_no_time() -> None:
    made = plan()
    assert rebuilds(made, looks((1, 5 * MB), (2, 0))) == []
    (still,) = rebuilds(made, looks((1, MB), (2, MB)))
    assert still.whole_s is None
    assert rebuilds(msgspec.structs.replace(made, stages=made.stages[:1]), RunState()) == []


def test_rebuilds_of_several_blocks_are_one_pace() -> None:
    made = plan(repeat=2)
    first, *_ = rebuilds(made, measured(made, 2 * MB))
    assert first.bytes_per_s == pytest.approx(2 * MB) and first.rebuilds == 2
    assert first.share == first.rebuilt_bytes / 2 / first.whole_bytes


@pytest.mark.parametrize("counted, pace", [("ab", 60e6), ("a", None), ("b", None), ("", None)])
def test_a_pace_needs_the_counters_of_all_disks(counted: str, pace: float | None) -> None:
    wrote = {"a": 90e6, "b": 30e6}
    disks = {key: DiskRates(0.0, wrote[key], 1.0) for key in counted}
    assert series._pace(Measurement(name="x", status="ok", disks=disks), ["a"], ["b"]) == pace
