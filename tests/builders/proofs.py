"""A proof's plan, and what a journal tells of it so far."""

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.fio.measurement import Direction, Measurement, Status
from raidtui.core.plan.answers import ProofAnswers, Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import events
from raidtui.core.run.events import AnyEvent
from raidtui.core.run.state import RunState, fold_all
from tests.builders.journals import started
from tests.builders.machines import device, machine
from tests.builders.plans import planned

SEEN = machine(*(device(name) for name in ("sda", "sdb", "sdc")))
STARTED = started("run")


def plan(recipe: str = "proof", proof: ProofAnswers | None = None) -> Plan:
    return planned(disks_of(SEEN), Setup(level="5"), recipe=recipe, proof=proof or ProofAnswers())


def step(at_s: float, role: str, *, undoing: bool = False) -> list[AnyEvent]:
    begun = events.StepStarted(at_s=at_s, stage=0, what=role, line=role, role=role, undoing=undoing)
    return [begun, events.StepEnded(at_s=at_s, what=role)]


def ended(at_s: float, trial: str, status: Status = "ok") -> list[AnyEvent]:
    read = Direction(iops=1.0, bytes_per_s=1.0, io_bytes=1 << 40)
    measurement = Measurement(name=trial, status=status, rw="read", read=read)
    return [
        events.TrialStarted(at_s=at_s, trial=trial, expected_s=1.0),
        events.TrialEnded(at_s=at_s + 1, trial=trial, measurement=measurement),
    ]


def told(*groups: list[AnyEvent]) -> RunState:
    return fold_all([STARTED, *(event for group in groups for event in group)])


BEGUN = (step(2.0, "create"), step(3.0, "fill"))
AGREE: list[AnyEvent] = [events.MismatchesCounted(at_s=3.5, sectors=0, final=True)]
HEALTHY = [*AGREE, *ended(4.0, "s1-verify-1")]
DEGRADED = [*ended(6.0, "s1-verify-2a"), *ended(8.0, "s1-verify-2b")]
