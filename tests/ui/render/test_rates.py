"""Samples become rates."""

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
