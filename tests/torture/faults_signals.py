"""The worker gets a signal, at each part of a run."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from signal import Signals

from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand

# When it is struck, and what a run is like that comes there soonest.
_RUNS = {
    "baseline": dict(baseline="first-member"),
    "create": {},
    "first sync": dict(skip_sync=False),
    "mkfs": dict(filesystem="ext4"),
    "measuring": dict(filesystem="ext4"),
    "teardown": {},
}
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL)


@contextmanager
def signalled(number: Signals, moment: str, stand: Stand) -> Iterator[Attempt]:
    attempt = stand.begin(moment, stand.plan(**_RUNS[moment]))  # type: ignore[arg-type]
    attempt.signal(number)
    yield attempt


def _row(number: Signals, moment: str) -> Row:
    """SIGHUP is nothing to a worker. A run that is being cleared away after its last trial has finished."""
    stops = number in (signal.SIGTERM, signal.SIGINT) and moment != "teardown"
    killed = number == signal.SIGKILL
    return Row(
        name=f"{number.name.lower()}-{moment.replace(' ', '-')}",
        fault=f"{number.name} of the worker",
        when=moment,
        outcome="cut off" if killed else "stopped" if stops else "finished",
        act=partial(signalled, number, moment),
        then="clean" if killed else "",
    )


ROWS = tuple(_row(number, moment) for number in _SIGNALS for moment in _RUNS)
