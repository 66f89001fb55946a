"""One job of a recipe in one direction, with all attempts at it: on each member alone, on all at once, on the array.

Knows which figure such a job is judged by; what follows from the figures is `analysis`.
"""

from typing import Literal

import msgspec

from raidtui.core.fio.job import is_sequential
from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.model import Trial
from raidtui.core.results.figure import Attempt, DirectionName, direction

Kind = Literal["sequential", "random"]
_DIRECTIONS: dict[str, tuple[DirectionName, ...]] = {
    "read": ("read",),
    "write": ("write",),
    "rw": ("read", "write"),
    "readwrite": ("read", "write"),
}


class Compared(msgspec.Struct, frozen=True):
    """The attempts: `alone` by the member's index, `together` on all members, `array` on one stage's array."""

    trial: Trial
    name: DirectionName
    alone: dict[int, list[Attempt]]
    together: list[Attempt]
    array: list[Attempt]

    @property
    def kind(self) -> Kind:
        return kind(self.trial.rw)

    def value(self, measurement: Measurement) -> float | None:
        """bytes/s of a sequential job, IOPS of a random one; None where it moved nothing in this direction."""
        found = direction(measurement, self.name)
        if found is None:
            return None
        return found.bytes_per_s if self.kind == "sequential" else found.iops


def kind(rw: str) -> Kind:
    """Is this `rw` of fio's sequential (its figure is bytes/s) or random (IOPS)?"""
    return "sequential" if is_sequential(rw) else "random"


def directions(rw: str) -> tuple[DirectionName, ...]:
    """The directions in which a job of this `rw` moves data."""
    return _DIRECTIONS.get(rw.split(":")[0].removeprefix("rand"), ())
