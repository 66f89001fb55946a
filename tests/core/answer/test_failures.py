"""Arrays without a disk: what is left by their own whole figures, and the time of a rebuild by what was seen of it."""

import msgspec
import pytest

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.answer.ranking import Ranking
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.report.markdown import markdown
from raidtui.core.results.analysis import compare
from raidtui.core.run.events import RebuildTold
from raidtui.core.run.state import TrialState
from raidtui.core.units import GB, MB
from tests.builders import rebuilding, sweeps
from tests.builders.answers import alone, answered, repeated
from tests.recordings.reports import kept

REBUILDS = Axes(level=("5",), first_sync=("skip",), failed=(1,), rebuild_min_kib_s=(0, 1000, 1_000_000))


def left(stage: Stage, trial: Trial) -> float:
    """Of RAID 5 without a disk two thirds, of the others all but their first level's half."""
    if stage.setup is None:
        return alone(trial)
    return 300.0 * {("5", 1): 0.66, ("6", 2): 0.25}.get((stage.setup.level, stage.setup.failed), 1.0)


def test_what_is_left_without_a_disk_is_told_test_by_test() -> None:
    found = answered("degraded", 4, left)
    assert found.question == "What is left of an array's speed without a disk, or two?"
    assert found.sentences[0].startswith(
        "Without a disk are left 66 to 100 % of sequential read (RAID 5 198 of 300, RAID 1 300 of 300 MB/s), 66 to"
    )
    assert found.sentences[1] == (
        "RAID 6 without 2 disks keeps 25 % of sequential read (75.0 of 300 MB/s), 25 % of random 4K read (75 of 300"
        " IOPS) and 25 % of random 4K write (75 of 300 IOPS)."
    )
    (table,) = found.tables
    shown = {line[0]: line[1] for line in table.lines}
    assert shown["RAID 1 without a disk"] == "300 of 300 (100 % ≈)"
    assert (shown["RAID 5 without a disk"], shown["RAID 6 without 2 disks"]) == (
        "198 of 300 (66 %)",
        "75 of 300 (25 %)",
    )
    raid5 = [one for one in found.conclusions if one.kind == "effect" and one.where == "RAID 5"]
    assert {(one.subject, one.base, one.verdict) for one in raid5} == {("without a disk", "whole", "different")}


def test_the_most_that_is_left_is_of_the_largest_share_not_of_the_largest_figure() -> None:
    """RAID 10 keeps 39 % of much, and still does more than RAID 5, which keeps 86 % of little."""
    rates = {("10", 0): 880.0, ("10", 1): 340.0, ("5", 0): 380.0, ("5", 1): 330.0}

    def rate(stage: Stage, trial: Trial) -> float:
        return rates[stage.setup.level, stage.setup.failed] if stage.setup else alone(trial, 400.0)

    axes = tuple(Axes(level=(level,), first_sync=("skip",), failed=(0, 1)) for level in ("10", "5"))
    found = answered("degraded", 4, rate, axes=axes)
    assert "39 to 87 % of random 4K write (RAID 10 n2 340 of 880, RAID 5 330 of 380 IOPS)" in found.sentences[0]


@pytest.mark.parametrize(("share", "cell", "said"), [
    (0.66, "5940 of 9000 (66 or 44 % !)", "RAID 5 5940 of 9000, 44 % by latency, RAID 1"),
    (1.05, "9450 of 9000 (105 or 70 % ? !)", ""),
])  # fmt: skip
def test_a_figure_whose_latency_contradicts_it_is_said_if_it_holds_by_both(share: float, cell: str, said: str) -> None:
    """Of RAID 5 without a disk random reads take half as long again as so many in flight can: two thirds are less than
    all by rate and by latency, and what is more by rate is less by latency."""
    made = sweeps.plan("degraded", 4, repeat=3)

    def rate(stage: Stage, trial: Trial) -> float:
        odd = trial.rw == "randread" and stage.setup and (stage.setup.level, stage.setup.failed) == ("5", 1)
        return 9000.0 * share if odd else 30.0 * left(stage, trial)

    state = sweeps.state(made, repeated(rate))
    stage_of = {trial.id: stage for stage in made.stages for trial in stage.trials}

    def slowed(measured: TrialState) -> TrialState:
        setup, taken = stage_of[measured.trial].setup, measured.measurement
        if not (setup and taken and taken.read and taken.rw == "randread" and (setup.level, setup.failed) == ("5", 1)):
            return measured
        read = msgspec.structs.replace(taken.read, lat_mean_ns=1.5 * (taken.read.lat_mean_ns or 0.0))
        return msgspec.structs.replace(measured, measurement=msgspec.structs.replace(taken, read=read))

    state = msgspec.structs.replace(state, trials=tuple(map(slowed, state.trials)))
    comparison = compare(made, state)
    found = answer(made, state, comparison)
    assert "66 to 100 % of sequential read (RAID 5 " in found.sentences[0]
    assert (said or "100 % of random 4K read (RAID 1 ") in found.sentences[0]
    shown = {line[0]: line for line in found.tables[0].lines}
    assert shown["RAID 5 without a disk"][1:3] == ("5940 of 9000 (66 %)", cell)
    assert found.tables[0].title.endswith(
        "!: rate and latency of one of the two contradict each other by over 10 %; by the rates, or by the latencies."
    )
    (doubt,) = [sentence for sentence in found.sentences if "is in doubt" in sentence]
    assert doubt.startswith(
        "1 of 27 figures is in doubt, for rate and latency contradict each other by over 10 %: random 4K read"
    )
    assert "; it has no rank, and what is said of it holds by both. " in doubt
    (setup,) = [setup for setup in Ranking(made, comparison).ranked if setup.place is None]
    assert setup.name == "RAID 5 without a disk"
    text = markdown(made, state)
    assert "## Setups ranked" not in text and f"{9000 * share:.1f} (spread 0.8 % of 3) !" in text


def test_where_nothing_fails_the_question_is_which_level() -> None:
    assert answered("degraded", 4, left, axes=(Axes(level=("5", "6"), first_sync=("skip",)),)).kind == "levels"


def rebuilt(alone_s: float, beside_s: float) -> Answer:
    """A gigabyte of a terabyte by itself and beside each test, users left with a half where md does not give way."""
    made = sweeps.plan("rebuild", 4, axes=(REBUILDS,))

    def rate(stage: Stage, trial: Trial) -> float:
        return 50.0 if stage.setup and stage.setup.rebuild_min_kib_s == 1_000_000 else 100.0

    told = []
    for number, stage in enumerate(made.stages):
        if stage.setup and stage.setup.rebuild_min_kib_s:
            told.append(RebuildTold(at_s=0, stage=number, done_bytes=0, total_bytes=1000 * GB))
            told.append(RebuildTold(at_s=alone_s, stage=number, done_bytes=GB, total_bytes=1000 * GB))
    state = rebuilding.beside(made, sweeps.state(made, repeated(rate)), GB / beside_s)
    state = msgspec.structs.replace(state, rebuilds=tuple(told))
    return answer(made, state, compare(made, state))


def test_a_rebuild_has_its_time_by_itself_and_beside_users_and_what_these_get() -> None:
    first, *_ = rebuilt(10, 40).sentences
    assert first == (
        "A rebuild writes 100 MB/s by itself (1 TB in 2 h 46 min); beside users 25.0 MB/s (1 TB in 11 h 06 min, from"
        " little of the disk)."
    )
    found = rebuilt(10, 40)
    paces = [(round(one.figure or 0), bool(one.test)) for one in found.conclusions if one.where == "a rebuild"]
    assert paces == [(100 * MB, False)] * 2 + [(25 * MB, True)] * 6
    pace, kept = found.tables
    assert pace.headers == ("Setup", "By itself, MB/s", "Beside random 4K read, MB/s", "Beside random 4K write, MB/s",
                            "Beside sequential read, MB/s")  # fmt: skip
    assert pace.lines == (
        ("rebuild min 1000 KiB/s", "100.0 (2 h 46 min)", *["25.0 (11 h 06 min †)"] * 3),
        ("rebuild min 1000000 KiB/s", "100.0 (2 h 46 min)", *["25.0 (11 h 06 min †) ↓"] * 3),
    )
    assert found.sentences[2].startswith(
        "Beside a rebuild min 1000000 KiB/s users of RAID 5 keep, of what they get without the"
        " disk and no rebuild, 50 % of random 4K read (49.8 of 100 IOPS)"
    )
    assert "of what the same array gives that lacks the disk and is not rebuilt" in kept.title


def test_a_pace_below_md_s_minimum_is_said_to_be() -> None:
    slow = rebuilt(10, 4000).tables[0]
    assert "↓: below the minimum that was set: md aims at it" in slow.title
    assert slow.lines[0][2] == "0.2 (46 d 07 h †) ↓"
    fast = rebuilt(10, 0.5).tables[0]
    assert fast.lines[0][2] == "2000.0 (8 min 20 s)" and "↓" not in fast.title


def test_the_slow_end_of_a_rebuild_is_told_with_the_fast_one() -> None:
    """It was seen over less of the disk for being slow: left out, all rebuilds would be fast ones."""
    plan, state = kept.load("rebuild")
    first = answer(plan, state, compare(plan, state)).sentences[1]
    assert "1.17 to 1.78 MB/s on RAID 5 rebuild min 1000 KiB/s (1 TB in 6 d 11 h to 9 d 20 h, from little of" in first
    assert "7.44 to 9.52 MB/s on RAID 5 rebuild min 1000000 KiB/s (1 TB in 1 d 05 h to 1 d 13 h)" in first


def test_without_a_look_at_the_rebuild_no_time_is_told() -> None:
    made = sweeps.plan("rebuild", 4, axes=(REBUILDS,))
    state = rebuilding.beside(made, sweeps.state(made, lambda stage, trial: 100.0), None)
    found = answer(made, state, compare(made, state))
    assert not [one for one in found.sentences if "scaled" in one]
    assert found.sentences[0].startswith(
        "Beside a rebuild min 1000 KiB/s users of RAID 5 keep, of what they get without the disk"
        " and no rebuild, 100 % of random 4K read ("
    )
