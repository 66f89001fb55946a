"""A baseline that something else disturbed, and a test that stood still for a second: to be measured again."""

import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.results.analysis import Comparison, ResultRow, compare
from raidtui.core.results.deviation import Causes, Shared
from raidtui.core.run.events import TrialsRepeated
from raidtui.core.units import format_rate
from tests.builders import handmade, sweeps

PLAN = handmade.plan()


def row(comparison: Comparison, job: str) -> ResultRow:
    (found,) = [r for r in comparison.rows if r.job == job]
    return found


def test_a_baseline_that_was_disturbed_is_no_base() -> None:
    """One disk alone at 24 MB/s where all three at once do 281: no efficiency of 260 % follows, but what to do."""
    measured = handmade.measurement(PLAN.trial("member0-seq_read"), 24)  # type: ignore[arg-type]
    state = handmade.state(PLAN, member0_seq_read={"read": measured.read})
    found = row(compare(PLAN, state), "seq_read")
    told = "disturbed baseline: disk 1 alone did 24 MB/s, all 3 at once 281; measure it again: raidtui again"
    assert found.flags[0] == f"{told} {state.run} member0-seq_read"
    assert (found.gain, found.efficiency, found.predicted, found.deviation, found.causes) == (None,) * 4 + (Causes(),)
    assert found.array.value == pytest.approx(187e6)
    assert not row(compare(PLAN, state), "seq_write").disturbed


def test_a_disk_slower_than_the_others_has_no_disturbed_baseline() -> None:
    """What it did itself, while all worked, is what it does alone."""
    measured = handmade.measurement(PLAN.trial("member0-seq_read"), 60)  # type: ignore[arg-type]
    state = handmade.state(PLAN, {0: 0.64}, member0_seq_read={"read": measured.read})
    assert not row(compare(PLAN, state), "seq_read").disturbed


def test_what_random_tests_move_elsewhere_lifts_no_shared_limit() -> None:
    slow = {"read": handmade.measurement(PLAN.trial("members-rand_read"), 60).read}  # type: ignore[arg-type]
    few, many = ({one.id: DiskRates(rate, 0.0, 0.9) for one in PLAN.members} for rate in (2e5, 9e5))
    state = handmade.state(PLAN, members_rand_read=slow | {"disks": few}, filesystem_rand_read=slow | {"disks": many})
    (cause,) = row(compare(PLAN, state), "rand_read").causes.evident
    assert isinstance(cause, Shared) and cause.share == pytest.approx(60 / 303)


def test_an_array_that_stood_still_for_a_second_is_measured_again_and_then_believed() -> None:
    still = {"array": DiskRates(187e6, 0.0, 0.9, stalls=2)}
    state = handmade.state(PLAN, filesystem_seq_read={"disks": still})
    assert "measure it again: raidtui again" in row(compare(PLAN, state), "seq_read").flags[0]
    (trial,) = [one for one in state.trials if one.trial == "filesystem-seq_read"]
    twice = replace(state, trials=(*state.trials, trial))
    assert row(compare(PLAN, twice), "seq_read").flags[0].endswith("and again when repeated: it counts")


@pytest.mark.parametrize(
    "trial_id, still, which, who",
    [
        ("member0-seq_read", (0,), " (disk 1)", "it"),
        ("members-seq_read", (0, 1, 2), " (all disks at once)", "each disk"),
        ("members-seq_read", (1,), " (all disks at once)", "disk 2"),
        ("members-seq_read", (0, 2), " (all disks at once)", "disks 1, 3"),
        ("filesystem-seq_read", (), "", "it"),
    ],
)
@pytest.mark.parametrize("times, told", [(2.0, True), (1.05, False)])
@pytest.mark.parametrize("came_again", [False, True])
def test_a_figure_far_from_what_was_measured_first_says_so(
    trial_id: str, still: tuple[int, ...], which: str, who: str, times: float, told: bool, came_again: bool
) -> None:
    """Of a disk alone, of all at once and of the array: a reader who watched it saw the first one, too."""
    state = handmade.state(PLAN)
    (last,) = [one for one in state.trials if one.trial == trial_id]
    assert last.measurement and last.measurement.read
    counts = last.measurement.read.bytes_per_s
    read = replace(last.measurement.read, bytes_per_s=times * counts)
    stood = {"array": DiskRates(60e6, 0.0, 0.9, stalls=1)}
    if still:
        rates = (DiskRates(60e6, 0.0, 0.9, stalls=int(index in still)) for index in range(len(PLAN.disks)))
        stood = dict(zip((disk.id for disk in PLAN.disks), rates, strict=True))
    first = replace(last.measurement, read=read, disks=stood)
    if came_again:
        again = replace(last.measurement, disks=stood)
        last = replace(last, measurement=again)
    others = [one for one in state.trials if one.trial != trial_id]
    state = replace(
        state,
        trials=(
            replace(last, measurement=first),
            *others,
            replace(last, times_asked=1),
        ),
        asked_again=(TrialsRepeated(at_s=0.0, trials=(trial_id,), why="stall"),),
    )
    comparison = compare(PLAN, state)
    told_first, told_last = format_rate(times * counts), format_rate(counts)
    said = f"measured again{which}, {who} stalled for 1 s or more"
    said += f": {told_first} first, {told_last} last, which counts"
    said += ", though that came again" if came_again else ", as that did not come again"
    assert (said in row(comparison, "seq_read").flags) is told
    assert not any("measured again" in flag for flag in row(comparison, "seq_write").flags)


@pytest.mark.parametrize("step, told", [(None, ()), (0.05, ()), (-0.35, ("-35 %",)), (0.12, ("+12 %",))])
def test_a_step_from_the_first_to_the_last_seconds_is_told_with_its_size(
    step: float | None, told: tuple[str, ...]
) -> None:
    state = handmade.state(PLAN, filesystem_seq_read={"disks": {"array": DiskRates(187e6, 0.0, 0.9, step=step)}})
    flags = [flag for flag in row(compare(PLAN, state), "seq_read").flags if "last 10 s" in flag]
    assert flags == [f"last 10 s {size} against the first 10 s" for size in told]


def test_a_short_sequential_test_of_rotating_disks_is_of_their_outer_tracks() -> None:
    made = sweeps.plan("quick", 4, level="0")
    rows = compare(made, sweeps.state(made)).rows
    told = {one.job for one in rows if "outer tracks: the fastest part of rotating disks" in one.flags}
    assert told == {"seq_read", "seq_write"}
    flash = sweeps.plan("quick", 4, flash=True, level="0")
    assert not any("outer" in flag for one in compare(flash, sweeps.state(flash)).rows for flag in one.flags)
