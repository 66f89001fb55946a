"""Samples become rates."""

from msgspec.structs import replace

from raidtui.ui.render.rates import Track
from tests.ui.runs import samples_of


def test_samples_become_rates_once_each() -> None:
    history = samples_of(3, 10)
    track = Track(("a", "b", "array"))
    track.take(history[:6])
    track.take(history[2:])
    assert len(track.of("a")) == 9
    assert track.latest("a") == track.of("a")[-1]
    assert track.wall_s == history[-1].wall_ns / 1e9
    together = track.sums[-1]
    assert together is not None
    newest = [track.latest(slot) for slot in ("a", "b")]
    assert together.read_bytes_per_s == sum(one.read_bytes_per_s for one in newest if one)


def test_how_long_no_disk_has_moved_a_byte() -> None:
    history = samples_of(3, 4)
    still = [replace(history[-1], monotonic_ns=history[-1].monotonic_ns + second * 10**9) for second in range(1, 7)]
    track = Track(("a", "b", "array"))
    track.take(history)
    assert track.still_s == 0.0
    track.take(still)
    assert track.still_s == 6.0
