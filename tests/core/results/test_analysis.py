"""What a run's figures mean: one disk, all at once, the array, and theory beside it."""

import msgspec
import pytest

from raidtui.core.fio.job import (
    directions,
    kind,
)
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.raid import theory
from raidtui.core.report.baseline import baseline
from raidtui.core.results.analysis import Comparison, ResultRow, compare
from raidtui.core.run.state import RunState, fold_all
from tests.builders import handmade, sweeps

PLAN = handmade.plan()


def row(comparison: Comparison, job: str, direction: str | None = None) -> ResultRow:
    (found,) = [r for r in comparison.rows if r.job == job and direction in (None, r.direction)]
    return found


@pytest.mark.parametrize(
    ("rw", "is_kind", "ways"),
    [
        ("read", "sequential", ("read",)),
        ("write", "sequential", ("write",)),
        ("rw", "sequential", ("read", "write")),
        ("readwrite", "sequential", ("read", "write")),
        ("randread", "random", ("read",)),
        ("randwrite:8", "random", ("write",)),
        ("randrw", "random", ("read", "write")),
        ("randtrim", "random", ()),
    ],
)
def test_kinds_of_jobs(rw: str, is_kind: str, ways: tuple[str, ...]) -> None:
    assert (kind(rw), directions(rw)) == (is_kind, ways)


def test_a_row_is_one_disk_all_at_once_and_the_array() -> None:
    found = row(compare(PLAN, handmade.state(PLAN)), "seq_write")
    assert (found.single.value, found.all_at_once.value, found.array.value) == pytest.approx((94e6, 282e6, 168e6))
    assert found.gain == pytest.approx(168 / 94)
    assert found.efficiency == pytest.approx(168 / 94 / 3)
    assert found.efficiency_slowest is None  # only the first disk was measured alone
    assert found.predicted == pytest.approx(188e6)
    assert found.deviation == pytest.approx(168 / 188 - 1)
    assert not found.flags


@pytest.mark.parametrize(
    ("single", "array", "gain"),
    [(343, 1192, "3.5"), (428, 1236, "2.9"), (205.8, 3689.5, "17.9"), (205, 4644.3, "22.7")],
)
def test_the_published_gains(single: float, array: float, gain: str) -> None:
    plan = handmade.plan()
    of_member = handmade.measurement(plan.trial("member0-rand_read"), single)  # type: ignore[arg-type]
    of_array = handmade.measurement(plan.trial("filesystem-rand_read"), array)  # type: ignore[arg-type]
    state = handmade.state(
        plan, member0_rand_read={"read": of_member.read}, filesystem_rand_read={"read": of_array.read}
    )
    assert f"{row(compare(plan, state), 'rand_read').gain:.1f}" == gain


def test_random_jobs_are_judged_by_iops() -> None:
    found = row(compare(PLAN, handmade.state(PLAN)), "rand_write")
    assert found.kind == "random"
    assert (found.array.value, found.predicted) == pytest.approx((96, 100))


def test_disks_without_seeks_have_a_theory_of_their_own() -> None:
    state = handmade.state(PLAN)
    assert row(compare(PLAN, state), "seq_read").predicted == pytest.approx(2 * 94.5e6)
    assert row(compare(PLAN, state, flash=True), "seq_read").predicted == pytest.approx(3 * 94.5e6)


def test_a_mix_is_predicted_as_a_whole_and_shown_by_direction() -> None:
    comparison = compare(PLAN, handmade.state(PLAN))
    reads, writes = row(comparison, "mix", "read"), row(comparison, "mix", "write")
    model = theory.predict("5", 3, 0, 100, queue_depth=128, read_share=0.7)
    assert reads.predicted and writes.predicted and model.rand_mixed_iops
    assert reads.predicted + writes.predicted == pytest.approx(model.rand_mixed_iops)
    assert reads.predicted == pytest.approx(0.7 * model.rand_mixed_iops)


def test_with_every_member_measured_the_slowest_counts() -> None:
    plan = handmade.plan(each=True)
    slow = handmade.measurement(plan.trial("member2-seq_read"), 70)  # type: ignore[arg-type]
    both = handmade.measurement(plan.trial("members-seq_read"), 258)  # type: ignore[arg-type]
    odd = {"member2_seq_read": {"read": slow.read}, "members_seq_read": {"read": both.read}}
    comparison = compare(plan, handmade.state(plan, **odd))
    found = row(comparison, "seq_read")
    assert found.single.value == pytest.approx(94.5e6)
    assert found.predicted == pytest.approx(2 * 70e6)
    assert found.efficiency_slowest == pytest.approx(187 / 70 / 3)


def test_a_slow_disk_shows_when_all_run_at_once() -> None:
    comparison = compare(PLAN, handmade.state(PLAN, {1: 0.8}))
    assert {one.member for one in comparison.slow_members} == {1}
    assert comparison.slow_members[0].serial == "WD-1"
    assert not compare(PLAN, handmade.state(PLAN, {1: 0.98})).slow_members


SLOW_AS = {"member2-seq_read": 70, "member2-seq_write": 70, "member2-rand_read": 70}


def slow(made: Plan, repetitions: int) -> RunState:
    """Disk 3 does 70 MB/s and 70 IOPS in so many of its repetitions."""
    odd = {}
    for name, rate in SLOW_AS.items():
        for number in range(repetitions):
            trial = made.trial(name + (f"-{number + 1}" if number else ""))
            assert trial
            measured = handmade.measurement(trial, rate)
            odd[trial.id.replace("-", "_")] = {"read": measured.read, "write": measured.write}
    return handmade.state(made, **odd)


def test_a_disk_that_is_slow_in_several_tests_alone_is_named() -> None:
    made = handmade.plan(each=True)
    found = compare(made, slow(made, 1)).slow_members
    assert {(one.member, one.serial) for one in found} == {(2, "WD-2")} and len(found) == 3


def test_one_slow_test_names_nobody() -> None:
    made = handmade.plan(each=True)
    measured = handmade.measurement(made.trial("member2-seq_read"), 30)  # type: ignore[arg-type]
    assert not compare(made, handmade.state(made, member2_seq_read={"read": measured.read})).slow_members


def test_a_member_is_judged_by_the_median_of_its_repetitions() -> None:
    """One slow repetition of three makes no slow disk; two of three do."""
    made = handmade.plan(each=True, repeat=3)
    assert not compare(made, slow(made, 1)).slow_members
    assert {one.serial for one in compare(made, slow(made, 2)).slow_members} == {"WD-2"}


def test_a_test_in_which_a_disk_stood_still_accuses_nobody() -> None:
    made = handmade.plan(each=True)
    state = slow(made, 1)
    still = {made.members[2].id: DiskRates(1e6, 1e6, 0.9, stalls=1)}
    trials = tuple(
        msgspec.structs.replace(one, measurement=msgspec.structs.replace(one.measurement, disks=still))
        if one.trial in SLOW_AS and one.measurement
        else one
        for one in state.trials
    )
    assert not compare(made, msgspec.structs.replace(state, trials=trials)).slow_members


def test_a_baseline_that_was_disturbed_is_no_base() -> None:
    """One disk alone at 24 MB/s where all three at once do 281: no efficiency of 260 % follows, but what to do."""
    measured = handmade.measurement(PLAN.trial("member0-seq_read"), 24)  # type: ignore[arg-type]
    state = handmade.state(PLAN, member0_seq_read={"read": measured.read})
    found = row(compare(PLAN, state), "seq_read")
    told = "the baseline was disturbed: disk 1 alone did 24 MB/s, all 3 at once 281; measure it again: raidtui again"
    assert found.flags[0] == f"{told} {state.run} member0-seq_read"
    assert (found.gain, found.efficiency, found.predicted, found.deviation, found.reasons) == (None,) * 4 + ((),)
    assert found.array.value == pytest.approx(187e6)
    assert not row(compare(PLAN, state), "seq_write").disturbed


def test_a_disk_slower_than_the_others_has_no_disturbed_baseline() -> None:
    """What it did itself, while all worked, is what it does alone."""
    measured = handmade.measurement(PLAN.trial("member0-seq_read"), 60)  # type: ignore[arg-type]
    state = handmade.state(PLAN, {0: 0.64}, member0_seq_read={"read": measured.read})
    assert not row(compare(PLAN, state), "seq_read").disturbed


def test_an_array_that_stood_still_for_a_second_is_measured_again_and_then_believed() -> None:
    still = {"array": DiskRates(187e6, 0.0, 0.9, stalls=2)}
    state = handmade.state(PLAN, filesystem_seq_read={"disks": still})
    assert "measure it again: raidtui again" in row(compare(PLAN, state), "seq_read").flags[0]
    (trial,) = [one for one in state.trials if one.trial == "filesystem-seq_read"]
    twice = msgspec.structs.replace(state, trials=(*state.trials, trial))
    assert row(compare(PLAN, twice), "seq_read").flags[0].endswith("and again when it was repeated: it counts")


@pytest.mark.parametrize("status", ["failed", "interrupted", "incomplete"])
def test_what_did_not_run_to_its_end_is_never_a_number(status: str) -> None:
    state = handmade.state(PLAN, filesystem_seq_read={"status": status, "error": "it broke"})
    found = row(compare(PLAN, state), "seq_read")
    assert (found.array.value, found.array.standing, found.array.error) == (None, status, "it broke")
    assert found.gain is found.efficiency is found.deviation is None
    assert found.predicted


def test_repetitions_give_the_median_and_the_spread() -> None:
    plan = handmade.plan(repeat=3)
    rates = {"filesystem_seq_read": 180, "filesystem_seq_read_2": 200, "filesystem_seq_read_3": 190}
    odd: dict[str, dict[str, object]] = {}
    for trial, rate in rates.items():
        one = plan.trial(trial.replace("_", "-", 1).removesuffix("_2").removesuffix("_3"))
        assert isinstance(one, Trial)
        odd[trial] = {"read": handmade.measurement(one, rate).read}
    found = row(compare(plan, handmade.state(plan, **odd)), "seq_read").array
    assert (found.value, found.spread, found.runs) == pytest.approx((190e6, 20 / 190, 3))
    odd["filesystem_seq_read_3"] = {"status": "failed", "error": "no"}
    found = row(compare(plan, handmade.state(plan, **odd)), "seq_read").array
    assert found.value == pytest.approx(190e6)
    assert (found.runs, found.lost, found.error) == (2, 1, "no")


def test_littles_law_is_checked() -> None:
    assert not row(compare(PLAN, handmade.state(PLAN)), "rand_read").little_off
    off = row(compare(PLAN, handmade.state(PLAN, filesystem_rand_read=of_latency(0.5))), "rand_read")
    assert off.little_off and off.queue == 128


def of_latency(factor: float) -> dict[str, object]:
    trial = PLAN.trial("filesystem-rand_read")
    assert trial
    return {"read": handmade.measurement(trial, 300, latency=factor).read}


def test_disks_that_read_during_a_write_are_told() -> None:
    both_ways = DiskRates(read_bytes_per_s=30e6, write_bytes_per_s=60e6, util=1.0)
    rates = {member.id: both_ways for member in PLAN.members}
    trial = PLAN.trial("filesystem-seq_write")
    assert trial
    fast = {"disks": rates, "write": handmade.measurement(trial, 180).write}
    found = row(compare(PLAN, handmade.state(PLAN, filesystem_seq_write=fast)), "seq_write")
    assert "also read, 50 %" in found.flags[0]


def test_disks_that_are_slower_together_are_told() -> None:
    trial = PLAN.trial("members-seq_read")
    assert trial
    state = handmade.state(PLAN, members_seq_read={"read": handmade.measurement(trial, 200).read})
    assert "71 % of 3 times one" in row(compare(PLAN, state), "seq_read").flags[0]


@pytest.mark.parametrize(("rates", "told"), [((276, 280), False), ((272, 272), True), ((240, 275), False)])
def test_the_parallel_check_is_3_percent_and_more_than_chance(rates: tuple[int, int], told: bool) -> None:
    """3 times 94.5 are 283.5: 97 % are 275; with repetitions of 240 and 275 nobody knows."""
    plan = handmade.plan(repeat=2, each=True)
    odd = {}
    for number, rate in enumerate(rates):
        trial = plan.trial("members-seq_read" + ("-2" if number else ""))
        assert trial
        odd[trial.id.replace("-", "_")] = {"read": handmade.measurement(trial, rate).read}
    state = handmade.state(plan, **odd)
    flags = row(compare(plan, state), "seq_read").flags
    assert any("of the sum of each alone: something shared" in flag for flag in flags) is told
    assert ("all at once reach" in " ".join(baseline(plan, state))) is told


def test_unequal_disks_share_nothing_because_the_first_is_the_fastest() -> None:
    plan = handmade.plan(each=True)
    odd = {}
    for name, rate in (("member1-seq_read", 60), ("member2-seq_read", 60), ("members-seq_read", 214)):
        trial = plan.trial(name)
        assert trial
        odd[name.replace("-", "_")] = {"read": handmade.measurement(trial, rate).read}
    assert not row(compare(plan, handmade.state(plan, **odd)), "seq_read").flags


def test_a_run_is_compared_as_far_as_it_has_come() -> None:
    journal = handmade.journal(PLAN)
    for length in range(len(journal) + 1):
        comparison = compare(PLAN, fold_all(journal[:length]))
        assert len(comparison.rows) == 6
    standings = {r.array.standing for r in compare(PLAN, RunState()).rows}
    assert standings == {"not run"}


def test_warnings_carry_the_name_of_their_trial() -> None:
    state = handmade.state(PLAN, members_seq_read={"warnings": ("hot",)})
    assert compare(PLAN, state).warnings == ("Sequential read (all disks at once): hot",)


def test_a_warning_of_a_sweep_names_its_setup() -> None:
    made = sweeps.plan("levels-random-4k", 4)
    state = sweeps.state(made, lambda *_: 100.0)
    last = state.trials[-1]
    assert last.measurement
    hot = msgspec.structs.replace(last, measurement=msgspec.structs.replace(last.measurement, warnings=("hot",)))
    found = compare(made, msgspec.structs.replace(state, trials=(*state.trials[:-1], hot))).warnings
    assert any(text.endswith(f"({made.stages[-1].title}): hot") for text in found)
