"""One job in one direction with all attempts at it: each member alone, all at once, the array."""

from collections.abc import Sequence

import msgspec

from raidtui.core.fio.job import Kind, kind
from raidtui.core.fio.measurement import DirectionName, Measurement
from raidtui.core.plan.model import Trial
from raidtui.core.plan.recipe import ROUNDS
from raidtui.core.results.disk_speeds import AloneTest
from raidtui.core.results.figure import Attempt, value_of


def disks_of(trial: Trial) -> str:
    """The disks that a baseline measures without an array; "" of any other trial."""
    return {"member": f"disk {(trial.member or 0) + 1}", "members": "all disks at once"}.get(trial.target, "")


def window(attempts: Sequence[Attempt], rounds: int) -> list[Attempt]:
    """Of rounds the last ones that were begun, by which steady state is judged; of repetitions all."""
    begun = [attempt for attempt in attempts if attempt.measurement or attempt.running]
    return (begun or list(attempts))[-ROUNDS:] if rounds else list(attempts)


class Compared(msgspec.Struct, frozen=True):
    """`alone` by the member's index, `all_at_once` on all, `array` on one stage's array. `tests`: those of single disks
    with the requests of this job, at any depth.
    """

    trial: Trial
    name: DirectionName
    alone: dict[int, list[Attempt]]
    all_at_once: list[Attempt]
    array: list[Attempt]
    tests: tuple[tuple[AloneTest, list[Attempt]], ...] = ()

    @property
    def kind(self) -> Kind:
        return kind(self.trial.rw)

    def value(self, measurement: Measurement) -> float | None:
        """None where it moved nothing in this direction."""
        return value_of(measurement, self.name, self.kind)
