"""What a run tells of one disk alone: of its slower way, by its best test, for all disks like it."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.disk_speeds import MeasuredSpeed, measured_speeds, reckoned_words, slowest
from tests.builders import sweeps

RATES = {"seq_write": 90.0, "seq_read": 100.0, "rand_write": 3000.0, "rand_read": 4000.0}


def rate(_stage: Stage, trial: Trial) -> float:
    return RATES[trial.job] * (1 if trial.target == "member" else 50)


def test_the_slower_way_of_the_first_disk_is_that_of_all_like_it() -> None:
    made = sweeps.plan("quick", 4, axes=Axes(level=("0", "10")))
    known = measured_speeds(made, state := sweeps.state(made, rate))
    assert list(known) == [member.id for member in made.members] and len(set(known.values())) == 1
    measured = known[made.members[3].id]
    figures = {trial.job: state.measured(trial.id) for trial in made.trials if trial.target == "member"}
    writes, small = figures["seq_write"], figures["rand_write"]
    assert writes and small and writes.write and small.write
    assert (
        measured == MeasuredSpeed(writes.write.bytes_per_s, small.write.steady_iops)
        and measured.bytes_per_s
        and measured.iops
    )


def test_of_another_model_and_of_what_was_not_measured_alone_nothing_is_told() -> None:
    made = sweeps.plan("quick", 4, axes=Axes(level=("0", "10")))
    other = replace(made.members[3], model="another")
    state = sweeps.state(made, rate)
    assert other.id not in measured_speeds(replace(made, members=(*made.members[:3], other)), state)
    assert measured_speeds(made, replace(state, trials=())) == {}


@pytest.mark.parametrize(
    "disks, measured",
    [
        (("a", "b"), MeasuredSpeed(80, 10)),
        (("a", "b", "c"), MeasuredSpeed(70, 0)),  # what is not known of one is not known of all
        (("a", "unknown"), MeasuredSpeed()),
        ((), MeasuredSpeed()),
    ],
)
def test_several_disks_are_as_fast_as_the_slowest(disks: tuple[str, ...], measured: MeasuredSpeed) -> None:
    assert slowest({"a": MeasuredSpeed(90, 10), "b": MeasuredSpeed(80, 20), "c": MeasuredSpeed(70)}, disks) == measured


@pytest.mark.parametrize(
    "speed, iops, words",
    [
        ("90MB", 3000.0, []),
        ("100MB", 5900.0, []),  # within twice
        ("450MB", 3000.0, ["450 MB/s, measured alone "]),
        ("90MB", 20000.0, ["20.0k IOPS, measured alone 3000 IOPS"]),
        ("450MB", 100.0, ["450 MB/s, measured alone ", "100 IOPS, measured alone 3000 IOPS"]),
    ],
)
def test_what_was_reckoned_far_off_is_told_with_what_was_measured(speed: str, iops: float, words: list[str]) -> None:
    made = sweeps.plan("quick", 4, axes=Axes(level=("0", "10")))
    made = replace(made, answers=replace(made.answers, disk_speed=speed, disk_iops=iops))
    told = reckoned_words(made, sweeps.state(made, rate))
    assert len(told) == bool(words) and all(text in told[0] for text in words)
    assert not told or told[0].endswith("expected values use the measured speed, the plan does not")
