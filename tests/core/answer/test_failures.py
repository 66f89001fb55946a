"""Arrays without a disk: what is left by their own whole figures, and the time of a rebuild by what was seen of it."""

import msgspec

from raidtui.core.answer.answer import Answer, answer
from raidtui.core.plan.answers import Axes
from raidtui.core.plan.model import Stage, Trial
from raidtui.core.results.analysis import compare
from raidtui.core.run.events import RebuildTold
from raidtui.core.units import GB, MB
from tests.builders import rebuilding, sweeps
from tests.builders.answers import alone, answered, repeated

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
        "Without a disk are left 66 % (RAID 5) to 100 % (RAID 1, 300 of 300 MB/s) of sequential read, 66 % (RAID 5)"
    )
    assert found.sentences[1] == (
        "Without 2 disks are left 25 % of sequential read (75.0 of 300 MB/s), 25 % of random 4K read (75 of 300 IOPS)"
        " and 25 % of random 4K write (75 of 300 IOPS)."
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
    assert "39 % (RAID 10 n2) to 87 % (RAID 5, 330 of 380 IOPS) of random 4K write" in found.sentences[0]


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
    assert first.startswith(
        "A rebuild writes 100 MB/s by itself (at worst, 1 TB in 2 h 46 min) and 25.0 MB/s beside users"
    )
    found = rebuilt(10, 40)
    assert first.endswith("random 4K read: seen over 125 MB, too little to scale to 1 TB).")
    paces = [(round(one.figure or 0), bool(one.test)) for one in found.conclusions if one.where == "a rebuild"]
    assert paces == [(100 * MB, False)] * 2 + [(25 * MB, True)] * 2
    assert found.sentences[2].startswith(
        "Beside a rebuild min 1000000 KiB/s users keep 50 % of random 4K read (49.8 of 100 IOPS)"
    )
    assert "of what the same array gives that lacks the disk and is not rebuilt" in found.tables[0].title


def test_a_pace_below_md_s_minimum_is_said_to_be() -> None:
    first, *_ = rebuilt(10, 4000).sentences
    assert ": less than that minimum, below which md only stops holding back; seen over 1.25 MB, too" in first
    assert "less than that minimum" not in rebuilt(10, 0.5).sentences[0]


def test_without_a_look_at_the_rebuild_no_time_is_told() -> None:
    made = sweeps.plan("rebuild", 4, axes=(REBUILDS,))
    state = rebuilding.beside(made, sweeps.state(made, lambda stage, trial: 100.0), None)
    found = answer(made, state, compare(made, state))
    assert not [one for one in found.sentences if "scaled" in one]
    assert found.sentences[0].startswith("Beside a rebuild min 1000 KiB/s users keep 100 % of random 4K read (")
