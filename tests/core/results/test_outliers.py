"""Slow disks: named by two tests, never by one, and what so few disks hide is said."""

import math
import random

import pytest
from msgspec.structs import replace

from raidtui.core.fio.measurement import DiskRates
from raidtui.core.plan.model import Plan
from raidtui.core.results.analysis import compare
from raidtui.core.results.outliers import Rates, screen
from raidtui.core.run.state import RunState
from tests.builders import handmade
from tests.seeds import cases

PLAN = handmade.plan()


def rack(disks: int, tests: int, rng: random.Random, slow: float = 1.0) -> list[Rates]:
    """Equal disks with 5 % of noise, the first of them `slow`."""
    noise = [[math.exp(rng.gauss(0, 0.05)) for _ in range(disks)] for _ in range(tests)]
    return [Rates("test", (100 * slow * one[0], *(100 * rate for rate in one[1:]))) for one in noise]


def even(*factors: float, tests: int = 2) -> list[Rates]:
    return [Rates(f"test {n}", tuple(100e6 * one for one in factors)) for n in range(tests)]


def test_one_test_names_nobody() -> None:
    assert not screen(even(0.5, *[1.0] * 11, tests=1)).slow
    assert screen(even(0.5, *[1.0] * 11, tests=2)).slow == {0: (0, 1)}


def test_two_tests_of_several_are_enough() -> None:
    usual, odd = even(*[1.0] * 12, tests=1)[0], even(0.8, *[1.0] * 11, tests=1)[0]
    assert screen([usual, odd, usual, usual]).slow == {}
    assert screen([usual, odd, usual, odd]).slow == {0: (1, 3)}


def test_a_rate_next_to_nothing_has_a_ratio_too() -> None:
    least = [Rates(f"test {n}", (5e-324, *[1e9] * 11)) for n in range(2)]
    assert screen(least).slow == {0: (0, 1)}


def test_ten_percent_are_never_slow() -> None:
    assert screen(even(0.91, *[1.0] * 23, tests=4)).slow == {}
    assert screen(even(0.90, *[1.0] * 23, tests=4)).slow == {0: (0, 1, 2, 3)}


def test_the_larger_of_two_deviations_counts() -> None:
    """A test in which the disks lie close together by chance is judged by how they lie in all of them."""
    wide = [0.85, 0.9, 0.95, 1.0, 1.0, 1.05, 1.1, 1.15]
    close = [0.85, *[1.0] * 7]
    found = screen([Rates("close", tuple(close)), *[Rates("wide", tuple(reversed(wide)))] * 3])
    assert found.slow == {}


@pytest.mark.parametrize(
    "disks, said",
    [(3, "80 to 90 % of the median would not"), (4, "would not be noticed"), (6, "below"), (8, ""), (24, "")],
)
def test_few_disks_say_what_they_cannot_see(disks: int, said: str) -> None:
    words = screen(rack(disks, 4, random.Random(1))).words
    assert (said in words) if said else words == ""


def test_a_disk_between_80_and_90_percent_of_three_or_four_is_in_doubt() -> None:
    noisy = [Rates("", (82.0, 100.0, 108.0)), Rates("", (83.0, 108.0, 100.0)), Rates("", (82.0, 109.0, 100.0))]
    found = screen(noisy)
    assert found.slow == {} and found.unsure == (0,)


def test_two_disks_have_no_median_to_speak_of() -> None:
    assert screen(even(0.5, 1.0)).words == ""


@pytest.mark.parametrize("disks, found_of_100", [(12, 95), (24, 95)])
def test_healthy_racks_are_not_accused_and_slow_disks_are_found(disks: int, found_of_100: int) -> None:
    rng = random.Random(20)
    racks = cases(400, few=100, many=4000)
    alarms = sum(bool(screen(rack(disks, 4, rng)).slow) for _ in range(racks))
    found = sum(0 in screen(rack(disks, 4, rng, 0.8)).slow for _ in range(racks))
    assert alarms <= 0.01 * racks
    assert found >= found_of_100 / 100 * racks


def test_a_slow_disk_shows_when_all_run_at_once() -> None:
    comparison = compare(PLAN, handmade.state(PLAN, {1: 0.8}))
    assert {one.member for one in comparison.slow_members} == {1}
    assert comparison.slow_members[0].serial == "WD-1"
    assert not compare(PLAN, handmade.state(PLAN, {1: 0.98})).slow_members


SLOW_AS = {"member2-seq_read": 70, "member2-seq_write": 70, "member2-rand_read": 70}


def slow(made: Plan, repetitions: int) -> RunState:
    """Disk 3 does 70 MB/s and 70 IOPS in so many of its repetitions, by itself and beside the others."""
    odd: dict[str, dict[str, object]] = {}
    for name, rate in SLOW_AS.items():
        job = name.partition("-")[2]
        for number in range(repetitions):
            end = f"-{number + 1}" if number else ""
            alone, together = made.trial(name + end), made.trial(f"members-{job}{end}")
            assert alone and together
            measured = handmade.measurement(alone, rate)
            odd[alone.id.replace("-", "_")] = {"read": measured.read, "write": measured.write}
            shares = handmade.disks(made, together, handmade.RATES["members", job], {2: 0.7})
            odd[together.id.replace("-", "_")] = {"disks": shares}
    return handmade.state(made, **odd)


def test_a_disk_that_is_slow_in_several_tests_is_named() -> None:
    made = handmade.plan(each=True)
    found = compare(made, slow(made, 1)).slow_members
    assert {(one.member, one.serial) for one in found} == {(2, "WD-2")} and len(found) >= 3


def test_a_disk_that_is_slow_alone_and_not_beside_the_others_was_disturbed() -> None:
    made = handmade.plan(each=True)
    alone = {}
    for name, rate in SLOW_AS.items():
        measured = handmade.measurement(made.trial(name), rate)  # type: ignore[arg-type]
        alone[name.replace("-", "_")] = {"read": measured.read, "write": measured.write}
    found = compare(made, handmade.state(made, **alone))
    assert not found.slow_members and [row.disturbed for row in found.rows].count("") < len(found.rows)


def test_one_slow_test_names_nobody() -> None:
    made = handmade.plan(each=True)
    measured = handmade.measurement(made.trial("member2-seq_read"), 30)  # type: ignore[arg-type]
    assert not compare(made, handmade.state(made, member2_seq_read={"read": measured.read})).slow_members


def test_a_member_is_judged_by_the_median_of_its_repetitions() -> None:
    """One slow repetition of three makes no slow disk; two of three do."""
    made = handmade.plan(each=True, repeat=3)
    assert not compare(made, slow(made, 1)).slow_members
    assert {one.serial for one in compare(made, slow(made, 2)).slow_members} == {"WD-2"}


@pytest.mark.parametrize("times", [1, 2])
def test_a_test_in_which_a_disk_stood_still_accuses_nobody_unless_it_does_so_again(times: int) -> None:
    made = handmade.plan(each=True)
    state = slow(made, 1)
    assert compare(made, state).slow_members
    trials = []
    for one in state.trials:
        if one.measurement and one.trial.startswith(("member2-", "members-")):
            disks = dict(one.measurement.disks)
            rates = disks.get(made.members[2].id, DiskRates(70e6, 70e6, util=0.9))
            disks[made.members[2].id] = replace(rates, stalls=1)
            one = replace(one, measurement=replace(one.measurement, disks=disks))
        trials.append(one)
    named = compare(made, replace(state, trials=tuple(trials) * times)).slow_members
    assert {one.serial for one in named} == ({"WD-2"} if times > 1 else set())
