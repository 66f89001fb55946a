"""A recorded run as a feed: samples of any moment, and views only when something has come."""

from raidtui.demo import recording
from raidtui.demo.recording import Replay


def test_samples_at_moments_are_the_recorded_ones() -> None:
    recorded = recording.load(recording.folder_of("raid6-of-6"))
    feed = Replay(recorded, lambda: float("inf"))
    assert list(feed.at([0.0])) == [None]
    assert feed.poll() is not None
    tenth = recorded.samples[10]
    assert list(feed.at([tenth.wall_ns / 1e9 - 0.001])) == [tenth]


def test_nothing_is_shown_twice() -> None:
    recorded = recording.load(recording.folder_of("raid6-of-6"))
    moments = [recorded.events[0].at_s + seconds for seconds in (0.0, 30.0, 30.0, 31.5)]
    feed = Replay(recorded, lambda: moments.pop(0))
    views = [feed.poll() for _ in range(4)]
    assert [view is not None for view in views] == [True, True, False, True]
