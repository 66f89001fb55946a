"""When two figures differ: by a spread pooled over all setups and blocks, corrected for the number of pairs."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from raidtui.core.answer import numbers
from raidtui.core.results.differences import (
    ASSUMED_SPREAD,
    Conclusion,
    Difference,
    Setups,
    _may_be_assumed,
    _with_freedom,
    difference,
    drift,
    of_sum,
)
from raidtui.core.results.figure import Figure
from tests import montecarlo
from tests.seeds import cases

positive = st.floats(1, 1e6)
repeated = st.dictionaries(st.integers(1, 5), positive, min_size=1, max_size=5)


def made(*setups: tuple[float, ...], blocks: bool = True) -> Setups:
    return Setups([dict(enumerate(values)) for values in setups], blocks)


def figure(*values: float) -> Figure:
    blocks = tuple(range(1, len(values) + 1))
    return Figure(standing="ok", value=sorted(values)[len(values) // 2], runs=len(values), values=values, blocks=blocks)


def half(one: Difference) -> float:
    assert one.low is not None and one.high is not None
    return (math.log1p(one.high) - math.log1p(one.low)) / 2


def test_a_pairs_interval_is_t_times_the_spread() -> None:
    """Two setups in three blocks: the differences' own t interval, of two degrees of freedom (t = 4.303)."""
    a, b = (100.0, 112.0, 95.0), (104.0, 113.0, 103.0)
    apart = [math.log(y / x) for x, y in zip(a, b, strict=True)]
    mean = sum(apart) / 3
    error = math.sqrt(sum((one - mean) ** 2 for one in apart) / 2 / 3)
    judged = made(a, b)
    assert judged.freedom == 2
    assert judged.over(1, 0).low == pytest.approx(math.expm1(mean - 4.30265 * error), rel=1e-3)
    assert half(judged.over(1, 0)) == pytest.approx(4.30265 * error, rel=1e-4)


@pytest.mark.parametrize(
    "setups, repetitions, one_pair, all_pairs",
    [(2, 3, 3.5, 3.5), (2, 5, 1.8, 1.8), (4, 3, 2.0, 2.8), (12, 2, 2.2, 4.0), (12, 3, 1.7, 3.0), (12, 10, 0.9, 1.5)],
)
def test_half_widths_in_spreads(setups: int, repetitions: int, one_pair: float, all_pairs: float) -> None:
    rng = random.Random(3)
    judged = made(*[tuple(math.exp(rng.gauss(0, 0.3)) for _ in range(repetitions)) for _ in range(setups)])
    assert judged.freedom == (setups - 1) * (repetitions - 1) and judged.spread
    assert half(judged.over(1, 0)) / judged.spread == pytest.approx(all_pairs, abs=0.06)
    assert half(judged.over_all([(1, 0)])) / judged.spread == pytest.approx(one_pair, abs=0.06)


@pytest.mark.parametrize(("freedom", "chi_squared"), [(2, 13.816), (4, 18.467), (8, 26.124), (16, 39.252)])
def test_the_assumed_spread_holds_up_to_one_chance_in_a_thousand(freedom: int, chi_squared: float) -> None:
    """Chi squared of 0.999, from its tables."""
    most = ASSUMED_SPREAD * math.sqrt(chi_squared / freedom)
    assert _may_be_assumed(0.985 * most, freedom) and not _may_be_assumed(1.015 * most, freedom)


def test_blocks_that_differ_are_no_spread() -> None:
    judged = made((100, 200, 50), (110, 222, 55), (100, 201, 50))
    assert judged.spread and judged.spread < 0.01
    assert judged.over(1, 0).conclusion == "different" and judged.over(2, 0).conclusion == "equal"
    apart = made((100, 200, 50), (110, 222, 55), (100, 201, 50), blocks=False)
    assert apart.over(1, 0).conclusion == "cannot tell"


def test_a_setup_that_misses_a_block_is_judged_by_those_that_it_has() -> None:
    """It was away in the block in which all were half as fast."""
    judged = Setups([{1: 100, 2: 50, 3: 101}, {1: 120, 3: 121}, {1: 100, 2: 50.3, 3: 100}])
    assert judged.over(1, 0).share == pytest.approx(0.2, abs=0.01)
    assert judged.over(1, 0).conclusion == "different"


def test_setups_without_a_common_block_count_blocks_as_spread() -> None:
    judged = Setups([{1: 100, 2: 101}, {3: 150, 4: 152}])
    assert judged.block_effects == {} and judged.freedom == 2


@pytest.mark.parametrize("share, conclusion", [(0.145, "cannot tell"), (0.152, "different"), (0.0, "cannot tell")])
def test_single_runs_differ_from_15_percent_on_and_are_never_equal(share: float, conclusion: str) -> None:
    found = difference(figure(100 * (1 + share)), figure(100))
    assert (found.conclusion, found.assumed) == (conclusion, True)
    assert difference(figure(100), figure(100 * (1 + share))).conclusion == conclusion


def test_a_single_run_is_judged_by_the_spread_of_the_setups_that_were_repeated() -> None:
    """Eight degrees of freedom at 2 %: two single runs differ from about 7 % on."""
    rng = random.Random(1)
    noise = [[rng.gauss(0, 1) for _ in range(5)] for _ in range(3)]
    judged = Setups([*({b: math.exp(x) for b, x in enumerate(one)} for one in noise), {0: 1.0}, {0: 2.0}])
    pooled = judged.spread
    assert pooled and judged.freedom == 8
    assert half(judged.over_all([(4, 3)])) == pytest.approx(2.306 * math.sqrt(2) * pooled, rel=1e-3)
    assert 2.306 * math.sqrt(2) * 0.02 == pytest.approx(0.065, abs=0.001)


def test_a_setup_three_times_as_uneven_has_its_own_spread_from_five_repetitions_on() -> None:
    rng = random.Random(5)
    calm = [tuple(100 * math.exp(rng.gauss(0, 0.01)) for _ in range(6)) for _ in range(4)]
    uneven = (80.0, 125.0, 100.0, 90.0, 115.0, 105.0)
    judged = made(*calm, uneven)
    assert judged.wild == (4,)
    assert half(judged.over(4, 0)) > 5 * half(judged.over(1, 0))
    assert not made(*(one[:4] for one in (*calm, uneven))).wild


@pytest.mark.parametrize("spread, repetitions", [(0.005, 3), (0.015, 7), (0.02, 11), (0.03, 23), (0.05, 62)])
def test_how_many_repetitions_tell_that_setups_are_equal(spread: float, repetitions: int) -> None:
    """Two setups with just this spread and no difference."""
    judged = made((math.exp(spread), 1.0), (1.0, math.exp(spread)))
    assert judged.spread == pytest.approx(spread, rel=1e-6)
    found = judged.over(0, 1)
    assert found.conclusion == "cannot tell" and found.repetitions == pytest.approx(
        repetitions, abs=2 if repetitions > 50 else 1
    )


@given(st.lists(repeated, min_size=2, max_size=5), st.booleans())
def test_a_over_b_and_b_over_a_agree(setups: list[dict[int, float]], blocks: bool) -> None:
    judged = Setups(setups, blocks)
    one, other = judged.over(0, 1), judged.over(1, 0)
    assert (one.conclusion, one.repetitions, one.assumed) == (other.conclusion, other.repetitions, other.assumed)
    assert one.share is not None and other.share is not None and one.low is not None and other.high is not None
    assert math.log1p(one.share) == pytest.approx(-math.log1p(other.share), abs=1e-6)
    if one.low > -1 + 1e-9 and math.isfinite(other.high):
        assert math.log1p(one.low) == pytest.approx(-math.log1p(other.high), abs=1e-6)


@given(st.lists(st.lists(positive, min_size=3, max_size=3), min_size=2, max_size=4), st.floats(0.01, 100))
def test_units_and_blocks_do_not_matter(setups: list[list[float]], factor: float) -> None:
    """The same in other units; with one block as much faster the same is told, if of other medians."""
    first, scaled = made(*map(tuple, setups)), made(*(tuple(factor * one for one in values) for values in setups))
    shifted = made(*((values[0], factor * values[1], values[2]) for values in setups))
    assert first.over(1, 0).share == pytest.approx(scaled.over(1, 0).share, rel=1e-6, abs=1e-6)
    for other in (scaled, shifted):
        assert first.spread == pytest.approx(other.spread, rel=1e-5, abs=1e-7)


def test_shares_are_of_the_medians_that_stand_in_tables() -> None:
    assert made((100.0, 90.0, 104.0), (110.0, 121.0, 112.0)).over(1, 0).share == pytest.approx(0.12)
    over_all = made((100.0,) * 3, (110.0, 111.0, 140.0), (100.0,) * 3, (121.0, 130.0, 110.0)).over_all([(1, 0), (3, 2)])
    assert over_all.share == pytest.approx(math.sqrt(1.11 * 1.21) - 1)


def test_one_wild_block_makes_no_difference() -> None:
    """The mean of the first is a third lower; in two of three blocks it does what the others do."""
    calm = [(100.0, 101.0, 99.0), (99.0, 100.0, 101.0)] * 6
    wild = made((100.0, 100.0, 30.0), *calm)
    low = made((66.0, 67.0, 65.0), *calm)
    assert wild.over(0, 1).conclusion == "cannot tell" and low.over(0, 1).conclusion == "different"
    assert wild.over_all([(0, 1)]).conclusion == "cannot tell"


def test_what_was_not_measured_is_not_judged() -> None:
    missing = Figure(standing="failed")
    assert difference(missing, figure(100)) == Difference()
    assert numbers.in_words(Difference()) == numbers.in_cell(Difference()) == numbers.interval(Difference()) == ""
    assert made((100.0, 101.0), ()).over(1, 0) == Difference()


@pytest.mark.parametrize(
    "figures, base, in_words, in_cell",
    [
        ((200, 202, 201), (100, 101, 100), "+101 %", "+101 %"),
        ((100.1, 101.1, 100.0), (100, 101, 100), "equal (±3 %)", "0 % (equal)"),
        ((110,), (100,), "n.s. (+10 %, detects ≥ 26 %), 7 runs needed", "+10 % n.s."),
    ],
)
def test_conclusions_have_words(
    figures: tuple[float, ...], base: tuple[float, ...], in_words: str, in_cell: str
) -> None:
    found = difference(figure(*figures), figure(*base))
    assert (numbers.in_words(found), numbers.in_cell(found)) == (in_words, in_cell)


def test_disks_together_over_the_sum_of_each() -> None:
    alone = [figure(100, 101), figure(99, 100), figure(101, 100)]
    assert of_sum(figure(290, 291), alone).conclusion == "different"
    assert of_sum(figure(299, 301), alone).conclusion == "equal"
    assert of_sum(figure(95), [figure(100)]).conclusion == "cannot tell"
    assert of_sum(figure(280), [figure(100)], 3).share == pytest.approx(-1 / 15)
    assert of_sum(Figure(standing="failed"), alone) == Difference()


def test_disks_together_are_held_against_each_alone_of_the_same_block() -> None:
    """Blocks differ by 20 %, together is 3.3 % short in each of them."""
    alone = [figure(100, 120, 140), figure(100, 120.5, 140), figure(100.4, 120, 140)]
    assert of_sum(figure(290, 348.5, 406), alone).conclusion == "different"
    apart = [replace(one, blocks=()) for one in (figure(290, 348.5, 406), *alone)]
    assert of_sum(apart[0], apart[1:]).conclusion == "cannot tell"


def test_what_was_repeated_within_a_block_is_one_figure_of_it() -> None:
    """One after the other on one array: how it would come out again on another nobody has seen."""
    blocks = [figure(value - 0.1, value, value + 0.1) for value in (100.0, 108.0)]
    assert difference(blocks[1], blocks[0]).conclusion == "different"
    one = [replace(each, blocks=(1, 1, 1)) for each in blocks]
    told = difference(one[1], one[0])
    assert told.assumed and told.conclusion == "cannot tell" and told.share == pytest.approx(0.08)


@pytest.mark.parametrize(
    "values, words",
    [((100, 95, 90, 85, 80.5), "figures drift by -20 % over 5 passes"), ((100, 90, 105, 95, 100), ""),
     ((100, 100.5, 101, 101.4, 102), ""), ((100, 80), "")],
)  # fmt: skip
def test_a_drift_over_the_blocks_is_told(values: tuple[float, ...], words: str) -> None:
    found = drift(made(values, tuple(1.5 * one for one in values)))
    assert (found.words if found else "") == words


def test_a_choice_that_depends_on_another_is_no_one_figure() -> None:
    judged = made((100, 101, 100), (120, 121, 121), (100, 100, 101), (101, 101, 101))
    assert judged.interact([(1, 0), (3, 2)])
    assert not made((100, 101, 100), (120, 121, 121), (100, 100, 101), (121, 120, 121)).interact([(1, 0), (3, 2)])


@pytest.mark.parametrize("setups", [2, 12])
def test_equal_setups_are_called_different_in_at_most_6_of_100_and_repetitions_make_it_no_blinder(setups: int) -> None:
    """A small one of docs/statistics.md, whose script has the large one."""
    count = {2: cases(400, few=100, many=4000), 12: cases(60, few=15, many=600)}[setups]
    widths = []
    for repetitions in (1, 2, 3, 5):
        wrong, _, _, width = montecarlo.differences(setups, repetitions, 0.05, count)
        assert wrong <= 0.06 + 2 * math.sqrt(0.06 * 0.94 / count)
        widths.append(width)
    assert widths == sorted(widths, reverse=True)


@pytest.mark.parametrize(
    "low, high, conclusion, is_open",
    [
        *[(-0.1, 0.1, "cannot tell", False), (-0.1, 0.25, "cannot tell", True), (-0.3, 0.1, "cannot tell", True)],
        *[(0.1, 0.9, "different", False), (-0.01, 0.01, "equal", False), (None, None, None, False)],
    ],
)
def test_what_leaves_over_20_percent_open(
    low: float | None, high: float | None, conclusion: Conclusion | None, is_open: bool
) -> None:
    assert Difference(0.0, low, high, conclusion).is_open is is_open


@pytest.mark.parametrize("freedom, t, off", [(10, 2.228139, 4e-4), (20, 2.085963, 5e-5)])
def test_a_plan_s_t_is_near_the_tables(freedom: float, t: float, off: float) -> None:
    """NIST's table of critical values; the first left-out term is of the fourth power."""
    assert _with_freedom(1.959964, freedom) == pytest.approx(t, abs=off)
