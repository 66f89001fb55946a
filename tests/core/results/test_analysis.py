"""What a run's figures mean: one disk, all at once, the array, and theory beside it."""

import pytest
from msgspec.structs import replace

from raidtui.core.fio.job import directions, kind
from raidtui.core.fio.measurement import DiskRates
from raidtui.core.results.analysis import compare
from raidtui.core.run.state import RunState, fold_all
from tests.builders import handmade, sweeps
from tests.builders.compared import row

PLAN = handmade.plan()


@pytest.mark.parametrize(
    "rw, is_kind, ways",
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


OUTER = ("outer tracks: the fastest part of rotating disks",)


def test_a_row_is_one_disk_all_at_once_and_the_array() -> None:
    found = row(compare(PLAN, handmade.state(PLAN)), "seq_write")
    assert (found.single.value, found.all_at_once.value, found.array.value) == pytest.approx((94e6, 282e6, 168e6))
    assert found.gain == pytest.approx(168 / 94)
    assert found.efficiency == pytest.approx(168 / 94 / 3)
    assert found.efficiency_slowest is None  # only the first disk was measured alone
    assert found.predicted == pytest.approx(188e6)
    assert found.deviation == pytest.approx(168 / 188 - 1)
    assert found.flags == OUTER


@pytest.mark.parametrize(
    "single, array, gain",
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
    assert found.array.value == pytest.approx(96) and found.predicted == pytest.approx(100, rel=0.03)


def test_with_every_member_measured_the_typical_one_counts_and_the_slowest_is_named() -> None:
    plan = handmade.plan(each=True)
    slow = handmade.measurement(plan.trial("member2-seq_read"), 70)  # type: ignore[arg-type]
    both = handmade.measurement(plan.trial("members-seq_read"), 258)  # type: ignore[arg-type]
    odd = {"member2_seq_read": {"read": slow.read}, "members_seq_read": {"read": both.read}}
    comparison = compare(plan, handmade.state(plan, **odd))
    found = row(comparison, "seq_read")
    assert found.single.value == pytest.approx(94.5e6)
    assert found.predicted == pytest.approx(2 * 94.5e6)
    slowest = found.expected.slowest
    assert slowest and slowest.index == 2 and slowest.figure == pytest.approx(2 * 70e6)
    assert found.efficiency_slowest == pytest.approx(187 / 70 / 3)


def test_disks_that_read_during_a_write_are_told() -> None:
    both_ways = DiskRates(read_bytes_per_s=30e6, write_bytes_per_s=60e6, util=1.0)
    rates = {member.id: both_ways for member in PLAN.members}
    trial = PLAN.trial("filesystem-seq_write")
    assert trial
    fast = {"disks": rates, "write": handmade.measurement(trial, 180).write}
    state = handmade.state(PLAN, filesystem_seq_write=fast)
    found = row(compare(PLAN, state), "seq_write")
    assert "also read 50 %" in found.flags[0] and "emulated" not in found.flags[0]
    emulated = tuple(replace(member, model="scsi_debug") for member in PLAN.members)
    found = row(compare(replace(PLAN, members=emulated), state), "seq_write")
    assert found.flags[0].endswith("still near expected (emulated disks may limit reads and writes apart)")


def test_disks_that_are_slower_together_are_told() -> None:
    trial = PLAN.trial("members-seq_read")
    assert trial
    own = handmade.disks(PLAN, trial, 200)
    state = handmade.state(PLAN, members_seq_read={"read": handmade.measurement(trial, 200).read, "disks": own})
    assert "71 % of 3 times one" in row(compare(PLAN, state), "seq_read").flags[0]


def test_one_slow_disk_among_them_is_nothing_shared() -> None:
    trial = PLAN.trial("members-seq_read")
    assert trial
    own = handmade.disks(PLAN, trial, 281, {1: 0.4})
    state = handmade.state(PLAN, members_seq_read={"read": handmade.measurement(trial, 225).read, "disks": own})
    assert not any("something shared" in flag for flag in row(compare(PLAN, state), "seq_read").flags)


def test_unequal_disks_share_nothing_because_the_first_is_the_fastest() -> None:
    plan = handmade.plan(each=True)
    odd = {}
    for name, rate in (("member1-seq_read", 60), ("member2-seq_read", 60), ("members-seq_read", 214)):
        trial = plan.trial(name)
        assert trial
        odd[name.replace("-", "_")] = {"read": handmade.measurement(trial, rate).read}
    assert row(compare(plan, handmade.state(plan, **odd)), "seq_read").flags == OUTER


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
    state = sweeps.state(made)
    last = state.trials[-1]
    assert last.measurement
    hot = replace(last, measurement=replace(last.measurement, warnings=("hot",)))
    found = compare(made, replace(state, trials=(*state.trials[:-1], hot))).warnings
    assert any(text.endswith(f"({made.stages[-1].title}): hot") for text in found)
