"""Seconds of a recorded run: rates of each device between samples, with the test that was measured then."""

import pytest

from raidtui.core.run.samples import Counters, Header, Sample, seconds
from raidtui.core.run.state import RunState, TrialState


def sample(at_s: int, *counters: Counters | None) -> Sample:
    return Sample(at_s * 10**9, at_s * 10**9, counters)


def test_rates_of_each_device_and_the_test_of_that_time() -> None:
    moved = [Counters(1000 * n, 0, n, 0, 500 * n) for n in range(4)]
    found = [sample(10 + n, moved[n], None if n < 2 else moved[n]) for n in range(4)]
    state = RunState(trials=(TrialState("t1", 10.5, 1.0, ended_at_s=12.5),))
    told = list(seconds(Header(("wwn-1", "array")), found, state))
    assert [(one.at_s, one.device, one.trial) for one in told] == [
        (11.0, "wwn-1", ""), (12.0, "wwn-1", "t1"), (13.0, "wwn-1", ""), (13.0, "array", ""),
    ]  # fmt: skip
    assert {(one.read_bytes_per_s, one.reads_per_s, one.util) for one in told} == {(1000.0, 1.0, 0.5)}


@pytest.mark.parametrize("ended_at_s", [None, 99.0])
def test_a_test_that_runs_yet_is_named(ended_at_s: float | None) -> None:
    state = RunState(trials=(TrialState("t1", 10.0, 1.0, ended_at_s=ended_at_s),))
    zero = Counters(0, 0, 0, 0, 0)
    assert [one.trial for one in seconds(Header(("a",)), [sample(11, zero), sample(12, zero)], state)] == ["t1"]
