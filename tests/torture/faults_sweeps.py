"""A sweep is struck in its second cell, on the array that the first one built; then it goes on.

Of three cells two share an array; what was measured stays, and no trial is lost or doubled (see `guest`). Reboots of
sweeps are the endurance test's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from signal import Signals

from raidtui.core.plan.answers import Axes
from tests.torture.attempt import Attempt
from tests.torture.matrix import Row
from tests.torture.stand import Stand

_AXES = Axes(filesystem=("none", "ext2", "ext4"))
_WHEN = "measuring a sweep's second setup, on the array of the first"


def _begun(stand: Stand) -> Attempt:
    return stand.begin("second cell", stand.plan("5", axes=_AXES, seconds=0.5))


@contextmanager
def signalled(number: Signals, stand: Stand) -> Iterator[Attempt]:
    attempt = _begun(stand)
    attempt.signal(number)
    yield attempt


ROWS = tuple(
    Row(
        name=f"sweep-{number.name.lower()}",
        fault=f"{number.name} of the worker",
        when=_WHEN,
        outcome=outcome,
        act=partial(signalled, number),
        then="resume",
    )
    for number, outcome in ((Signals.SIGTERM, "stopped"), (Signals.SIGKILL, "interrupted"))
)
