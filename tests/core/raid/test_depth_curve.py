"""A disk's IOPS by depth: between what was measured, beyond it, and where it comes from."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from raidtui.core.raid.depth_curve import (
    ASSUMED_KINDS,
    CurveSource,
    DepthCurve,
    assumed_curves,
    flat,
    measured_curve,
    one_figure,
    parse_curve,
)

CURVE = parse_curve("4:150, 1:106,32:220.5")


@pytest.mark.parametrize(
    "depth, iops", [(1, 106), (4, 150), (32, 220.5), (0.5, 106), (1000, 220.5), (2, math.sqrt(106 * 150))]
)
def test_straight_in_logarithms_between_depths_and_flat_beyond(depth: float, iops: float) -> None:
    assert CURVE.at(depth) == pytest.approx(iops)


@given(st.floats(1, 100), st.floats(1, 100))
def test_a_rising_curve_rises_everywhere(one: float, other: float) -> None:
    assert CURVE.at(min(one, other)) <= CURVE.at(max(one, other)) * (1 + 1e-12)


def test_one_figure_holds_at_every_depth() -> None:
    assert {flat(150).at(depth) for depth in (1, 7, 4096)} == {150}
    assert not one_figure(150).varies and one_figure(150).source is CurveSource.ONE_FIGURE


def test_figures_of_one_depth_are_averaged() -> None:
    assert measured_curve([(4, 150), (1, 100), (4, 170)]) == DepthCurve(((1, 100), (4, 160)))


@pytest.mark.parametrize("kind", ASSUMED_KINDS)
def test_assumed_disks_gain_with_depth_and_say_what_they_are(kind: str) -> None:
    curves = assumed_curves(kind)
    assert curves.varies and curves.source.value.startswith("assumed ")
    for curve in (curves.reads, curves.writes):
        rates = [iops for _, iops in curve.points]
        assert rates == sorted(rates)
        assert all(iops <= 1.15 * rates[0] * depth for depth, iops in curve.points)  # about what q disks do at most


@pytest.mark.parametrize("text", ["", "1", "1:2,", "0:5", "a:b", "1:-3", "1:1e9", "1:2:3"])
def test_what_is_no_curve_is_said_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="write depth:IOPS pairs, as 1:106,4:150,32:220"):
        parse_curve(text)


@pytest.mark.parametrize(
    "text, sentence", [("1:5,1:6", "each once"), ("1:0,4:6", "no room for 0 IOPS: leave out the depth")]
)
def test_a_depth_counts_once_and_not_as_nothing(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        parse_curve(text)


def test_unknown_kinds_are_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'tape' is no kind of disk: choose one of hdd, sata-ssd, nvme"):
        assumed_curves("tape")
