"""Samples become rates: the newest second, and the columns of the axis."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from raidtui.core.run.samples import Counters, Sample, first_at
from raidtui.ui.render.axis import AxisPiece
from raidtui.ui.render.rates import AxisColumn, Columns, Track, steady, unlike
from tests.ui.runs import samples_of

SLOTS = ("a", "b", "array")
TEST = AxisPiece("t", "all 2 at once", ("x",), 10.0, "read", began_s=100.0)


def even(rates: Sequence[float], seconds: int, from_s: float = 100.0) -> tuple[Sample, ...]:
    """Each slot reads at its own rate, in requests of 4 KiB."""
    return tuple(
        Sample(int((from_s + second) * 1e9), second * 10**9 + 1,
               tuple(Counters(int(rate * second), 0, int(rate * second) // 4096, 0, 0) for rate in rates))
        for second in range(seconds)
    )  # fmt: skip


def test_samples_become_the_newest_second() -> None:
    history = samples_of(3, 10)
    track = Track(SLOTS)
    track.take(history[:6])
    track.take(history[2:])
    assert track.newest == history[-1] and track.wall_s == history[-1].wall_ns / 1e9
    newest = [track.latest(slot) for slot in ("a", "b")]
    assert track.now(None)[0] == pytest.approx(sum(one.read_bytes_per_s for one in newest if one))
    array = track.latest("array")
    assert array and track.now(replace(TEST, on_array=True))[0] == pytest.approx(array.read_bytes_per_s)


def test_how_long_no_disk_has_moved_a_byte() -> None:
    history = samples_of(3, 4)
    still = [replace(history[-1], monotonic_ns=history[-1].monotonic_ns + second * 10**9) for second in range(1, 7)]
    track = Track(SLOTS)
    track.take(history)
    assert track.still_s == 0.0
    track.take(still)
    assert track.still_s == 6.0


def test_a_column_is_the_mean_between_the_samples_at_its_edges_and_only_the_newest_is_made_again() -> None:
    history = even((4e6, 8e6, 10e6), 12)
    asked: list[int] = []

    def look(moments_s: Sequence[float]) -> Sequence[Sample | None]:
        asked.append(len(moments_s))
        return first_at(history, moments_s)

    columns = Columns(SLOTS, look, with_disks=True)
    for second in range(1, 10):
        drawn = columns.of(TEST, 5, 100.0 + second, history[second])
        assert len(drawn) == 1 + int(second / 2.3)
        assert all(one and one.whole == pytest.approx((12e6, 0.0)) for one in drawn)
    assert asked == [1]  # what came since is taken from the newest samples
    over = replace(TEST, ended_s=110.0, on_array=True)
    for _ in range(3):
        drawn = columns.of(over, 5, 200.0, history[-1])
    assert len(drawn) == 5 and asked == [1, 6]
    assert drawn[0] == AxisColumn((10e6, 0.0), ((4e6, 0.0), (8e6, 0.0)))
    random = columns.of(replace(over, name="r", rw="randread"), 5, 200.0, history[-1])
    assert random[0] and random[0].whole[0] == pytest.approx(10e6 / 4096, rel=0.01)


def test_a_column_shorter_than_a_second_is_as_the_one_beside_it() -> None:
    history = even((4e6, 8e6, 10e6), 4)
    drawn = Columns(SLOTS, lambda at: first_at(history, at), True).of(
        replace(TEST, ended_s=102.0), 8, 200.0, history[-1]
    )
    assert len(drawn) == 8 and all(one and one.whole[0] == pytest.approx(12e6) for one in drawn)


def test_before_it_began_or_was_counted_nothing_is_drawn() -> None:
    columns = Columns(SLOTS, lambda at: [None] * len(at), True)
    assert columns.of(replace(TEST, began_s=0.0), 5, 200.0, even((1, 1, 1), 1)[0]) == ()
    assert columns.of(TEST, 5, 200.0, None) == ()
    assert columns.of(replace(TEST, ended_s=110.0), 5, 200.0, even((1, 1, 1), 1)[0]) == ()


def test_of_a_test_that_is_over_the_upper_third_counts() -> None:
    columns = [AxisColumn((0, 0), ((float(rate), 0.0), None)) for rate in (1, 90, 100, 100, 100, 2)]
    assert steady(columns, 0) == (100.0, 0.0) and steady(columns, 1) is None


@pytest.mark.parametrize(
    "rates, off",
    [
        ((100e6, 100e6, 60e6), {2: -0.4}),
        ((100e6, 100e6, 126e6), {2: 0.26}),
        ((100e6, 100e6, 76e6), {}),
        ((9e5, 9e5, 1), None),
    ],
)
def test_more_than_a_quarter_off_the_median_of_this_second_is_told(
    rates: tuple[float, ...], off: dict[int, float] | None
) -> None:
    track = Track(("a", "b", "c"))
    track.take(even(rates, 2))
    seen = unlike(track, replace(TEST, rw="write"), 0)
    assert seen.is_judged == (off is not None) and seen.off == {k: pytest.approx(v) for k, v in (off or {}).items()}
    assert not unlike(track, replace(TEST, of_one=True), 0).off
    assert not unlike(track, TEST, 1).off  # the last one waits as a spare


def test_a_disk_that_is_out_on_purpose_is_not_held_against_the_others() -> None:
    track = Track(("a", "b", "c"))
    track.take(even((0.0, 50e6, 52e6), 2))
    assert 0 in unlike(track, replace(TEST, rw="write"), 0).off
    seen = unlike(track, replace(TEST, rw="write"), 0, frozenset({0}))
    assert not seen.off and seen.out == frozenset({0}) and seen.is_judged


def test_a_disk_is_gone_only_once_another_has_a_rate() -> None:
    track = Track(("a", "b", "c"))
    assert unlike(track, TEST, 0).absent == ""
    track.take(even((1e6, 1e6, 1e6), 2))
    assert unlike(track, None, 0).absent == "gone"
