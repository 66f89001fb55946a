"""The pace of a rebuild beside a test and by itself, scaled to the whole disk."""

import msgspec

from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Plan
from raidtui.core.report.rebuilds import pages
from raidtui.core.results.series.rebuilds import rebuilds
from raidtui.core.run.events import RebuildTold
from raidtui.core.run.state import RunState
from raidtui.core.units import GB, MB
from tests.builders import sweeps


def plan() -> Plan:
    axes = Axes(level=("5",), first_sync=("skip",), failed=(1,), rebuild_min_kib_s=(0, 1000))
    return sweeps.plan("rebuild", 4, axes=(axes,))


def told(stage: int, trial: str, at_s: float, done_bytes: int) -> RebuildTold:
    return RebuildTold(at_s=at_s, stage=stage, trial=trial, done_bytes=done_bytes, total_bytes=1000 * GB)


def test_the_pace_is_that_between_the_two_looks_and_scaled_to_the_whole_disk() -> None:
    made = plan()
    trial = made.stages[1].trials[0]
    looks = (told(1, trial.id, 100, 0), told(1, trial.id, 120, 200 * MB), told(1, "", 200, 0), told(1, "", 220, 4 * GB))
    beside, alone = rebuilds(made, RunState(rebuilds=looks))
    assert (beside.beside, beside.bytes_per_s, alone.beside, alone.bytes_per_s) == (trial.title, 10 * MB, "", 200 * MB)
    assert beside.whole_s and 95_000 < beside.whole_s < 100_100  # a terabyte at 10 MB/s
    text = "\n".join(pages([beside, alone]))
    assert "Rebuilt, MB/s of the disk" in text and "scaled from the pace" in text


def test_of_a_trial_that_was_measured_again_the_last_two_looks_count() -> None:
    made = plan()
    trial = made.stages[1].trials[0].id
    looks = (told(1, trial, 100, 0), told(1, trial, 300, 0), told(1, trial, 310, 10 * MB))
    (found,) = rebuilds(made, RunState(rebuilds=looks))
    assert found.bytes_per_s == MB


def test_two_looks_at_two_rebuilds_are_no_pace_and_nothing_rebuilt_is_never_done() -> None:
    made = plan()
    trial = made.stages[1].trials[0].id
    assert rebuilds(made, RunState(rebuilds=(told(1, trial, 1, 5 * MB), told(1, trial, 2, 0)))) == []
    (still,) = rebuilds(made, RunState(rebuilds=(told(1, trial, 1, MB), told(1, trial, 2, MB))))
    assert still.whole_s is None and "never" in "\n".join(pages([still]))
    assert rebuilds(msgspec.structs.replace(made, stages=made.stages[:1]), RunState()) == [] and pages([]) == []


def test_rebuilds_of_several_blocks_are_one_pace() -> None:
    axes = Axes(level=("5",), first_sync=("skip",), failed=(1,), rebuild_min_kib_s=(0, 1000))
    made = sweeps.plan("rebuild", 4, axes=(axes,), repeat=2)
    at = [number for number, stage in enumerate(made.stages) if stage.setup and stage.setup.rebuild_min_kib_s]
    trials = [made.stages[number].trials[0].id for number in at]
    first = (told(at[0], trials[0], 0, 0), told(at[0], trials[0], 10, 10 * MB))
    second = (told(at[1], trials[1], 100, 0), told(at[1], trials[1], 110, 30 * MB))
    (found,) = rebuilds(made, RunState(rebuilds=(*first, *second)))
    assert (found.bytes_per_s, found.rebuilds, found.share) == (2 * MB, 2, 20 * MB / found.whole_bytes)
