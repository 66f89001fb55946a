"""Figures and verdicts in words."""

import pytest

from raidtui.core.answer import wording
from raidtui.core.answer.conclusions import Conclusion


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (3.0, "3.0 times as much"),
        (1.57, "57 % more"),
        (0.77, "23 % less"),
        (0.5, "2.0 times less"),
        (0.08, "12 times less"),
    ],
)
def test_beyond_twice_and_half_a_distance_is_a_factor(ratio: float, said: str) -> None:
    assert wording.more_or_less(ratio) == said


@pytest.mark.parametrize(
    ("ratio", "gain", "said"),
    [
        (0.7, None, "70 % of theory"),
        (0.7, 2.8, "30 % below theory's 4.0"),
        (0.3, 1.2, "where theory says 4.0"),
        (0.15, 0.6, "where theory says 4.0 times one disk"),
        (0.09, None, "9 % of theory"),
        (3.0, None, "3.0 times theory"),
        (3.0, 6.0, "where theory says 2.0"),
    ],
)
def test_far_from_theory_both_are_said_in_times_one_disk(ratio: float, gain: float | None, said: str) -> None:
    conclusion = Conclusion(kind="theory", ratio=ratio, verdict="below theory" if ratio < 1 else "above theory")
    assert wording.against_theory(conclusion, gain) == said


def test_a_difference_says_whether_it_is_one() -> None:
    assert wording.difference(Conclusion(kind="effect", ratio=1.57, verdict="different")) == "+57 %"
    assert wording.difference(Conclusion(kind="effect", ratio=1.01, verdict="equal")) == "equal within 3 %"
    assert wording.difference(Conclusion(kind="effect", ratio=1.04, verdict="cannot tell")) == (
        "no difference can be told (+4 %)"
    )


def test_figures_stand_first_and_their_unit_once() -> None:
    one = Conclusion(kind="effect", figure=286.0, base_figure=211.0, unit="IOPS", ratio=1.34, verdict="different")
    assert wording.change(one) == "286 instead of 211 IOPS (+36 %)"  # of the two that are printed, not block by block
    assert wording.pair(700e3, "to", 9.5e6, "bytes/s") == "700 kB/s to 9.50 MB/s"
    equal = Conclusion(kind="effect", figure=100.0, base_figure=100.0, unit="IOPS", ratio=1.0, verdict="equal")
    assert wording.change(equal) == "100 and 100 IOPS (equal within 3 %)"
    assert wording.range_of([one, equal]) == "0 to +36 %"


def test_a_list_ends_with_how_many_are_left_out() -> None:
    assert wording.listed(["a", "b"]) == "a and b"
    assert wording.listed(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_words_that_two_values_share_are_said_once_up_to_a_number() -> None:
    assert wording.instead("allocation unit 64KiB", "allocation unit 4KiB") == "allocation unit 64KiB instead of 4KiB"
    assert wording.instead("wbt 2 ms", "wbt off") == "wbt 2 ms instead of wbt off"
    assert wording.instead("4 threads", "0 threads") == "4 threads instead of 0 threads"


def test_a_range_of_one_value_is_that_value() -> None:
    assert (wording.between({4}), wording.between({64, 1, 8})) == ("4", "1 to 64")
