"""Views of a run built by hand: a plan of recorded disks, events folded, samples of counters. For pilot tests."""

import functools
import random
from dataclasses import dataclass

import msgspec

from raidtui.core.fio.measurement import Direction, Measurement
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.core.run.samples import ARRAY, Counters, Sample
from raidtui.core.run.state import RunState, fold_all
from tests.builders.journals import started
from tests.ui.machines import RecordedServices, rack

START_S = 1_790_000_000.0


@dataclass(frozen=True)
class View:
    """As a follower gives it."""

    plan: Plan
    state: RunState
    slots: tuple[str, ...]
    history: tuple[Sample, ...]
    alive: bool = True
    whole: bool = True
    not_here: bool = False


@functools.cache
def plan_of(count: int, level: str = "5", after: str = "teardown") -> Plan:
    """A plan over a rack of so many disks."""
    services = RecordedServices(rack(count))
    scan = services.scan()
    setup = Setup(level=level, chunk="512KiB", filesystem="xfs")
    ids = tuple(disk.id for disk in scan.disks)
    made = services.plan(Answers(disks=ids, setup=setup, after=after, fio={"runtime": "5s"}), scan)  # type: ignore[arg-type]
    uuids = tuple(f"{number:08x}-0000-4000-8000-000000000000" for number in range(slots.count(made)))
    return msgspec.structs.replace(made, uuids=uuids)


@functools.cache
def samples_of(slots: int, seconds: int, seed: int = 1) -> tuple[Sample, ...]:
    """Counters that grow by up to 100 MB a second and slot."""
    dice = random.Random(seed)
    sums = [[0, 0, 0] for _ in range(slots)]
    found = []
    for second in range(seconds):
        for one in sums:
            one[0] += dice.randrange(100_000_000)
            one[1] += dice.randrange(100_000_000)
            one[2] += dice.randrange(1000)
        counters = tuple(Counters(r, w, r // 4096, w // 4096, busy) for r, w, busy in sums)
        found.append(Sample(int((START_S + second) * 1e9), int(second * 1e9), counters))
    return tuple(found)


def measurement(rate: float, rw: str) -> Measurement:
    """A good one, of reads or of writes."""
    side = Direction(iops=rate / 1e6, bytes_per_s=rate, io_bytes=int(rate * 5), lat_mean_ns=3.4e8)
    reads = "read" in rw
    return Measurement(name=rw, status="ok", rw=rw, read=side if reads else None, write=None if reads else side)


def view_of(
    count: int, seconds: int, *more: events.AnyEvent, done: int = 2, level: str = "5", after: str = "teardown"
) -> View:
    """A run on `count` disks after `seconds`, with `done` trials ended and the next one begun; `more` comes after."""
    plan = plan_of(count, level, after)
    said: list[events.AnyEvent] = [
        started("r", at_s=START_S),
        events.StageStarted(at_s=START_S, stage=0),
    ]
    for number, trial in enumerate(plan.trials[: done + 1]):
        said.append(events.TrialStarted(at_s=START_S + number, trial=trial.id, expected_s=30))
        if number < done:
            measured = measurement(94e6 * (number + 1), trial.rw)
            said.append(events.TrialEnded(at_s=START_S + number + 1, trial=trial.id, measurement=measured))
    state = fold_all([*said, *more])
    slots = (*(member.id for member in plan.members), ARRAY)
    return View(plan, state, slots, samples_of(len(slots), seconds))
