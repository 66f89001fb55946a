"""A proof as far as it went, from plan and journal. Results count for the array that was created last."""

from itertools import takewhile

import msgspec

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan import slots
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.steps import Command
from raidtui.core.proof.cut import SHOWN_DIGITS
from raidtui.core.proof.pattern import ProofPlan, ProofState
from raidtui.core.run.cut import PowerCut
from raidtui.core.run.events import BlocksDiffered
from raidtui.core.run.state import RunState, StepState
from raidtui.core.units import both


class ProofResult(msgspec.Struct, frozen=True):
    """`verified`: states in which every block was equal, of `plan`; `ended_at_s`: of the last one (0: none)."""

    plan: ProofPlan
    verified: tuple[ProofState, ...]
    ended_at_s: float
    differed: tuple[BlocksDiffered, ...]
    cut: PowerCut | None

    @property
    def uncut(self) -> bool:
        """Power was to be cut, and a person went on without."""
        return self.cut is not None and self.cut.is_skipped

    @property
    def holds(self) -> bool:
        return len(self.verified) == len(self.plan.states) and not self.differed


def result(plan: Plan, state: RunState) -> ProofResult | None:
    """None of a plan without proof."""
    number = next((number for number, stage in enumerate(plan.stages) if stage.proof), None)
    if number is None:
        return None
    stage = plan.stages[number]
    assert stage.proof
    built = built_steps(state, number)
    since_s = built[0].started_at_s if built else float("inf")
    ends = _verified(stage, state, since_s)
    differed = tuple(event for event in state.differed if event.stage == number and event.at_s >= since_s)
    return ProofResult(stage.proof, stage.proof.states[: len(ends)], ends[-1] if ends else 0.0, differed, state.cut)


def continued_at(plan: Plan, state: RunState) -> int | None:
    """Index of the step at which an interrupted proof begins anew; None if none was begun, or its array removed."""
    stage = plan.stages[state.stage]
    if stage.proof is None or stage.existing or state.worker is None or state.kept:
        return None
    built = built_steps(state, state.stage)
    if not any(step.role == "fill" for step in built) or any(step.undoing for step in built):
        return None
    done = len(_verified(stage, state, built[0].started_at_s))
    trials = {trial.id for trial in stage.trials if trial.state in (done, done - 1)}  # of a power cut there is none
    ends = [at + 1 for at, step in enumerate(stage.steps) if isinstance(step, Command) and step.trial in trials]
    return max(ends, default=stage.proof.first)


def out_now(plan: Plan, state: RunState) -> frozenset[int]:
    """Members that a proof's running test, or the writing before it, has out of the array."""
    proved = result(plan, state)
    doing = state.step is not None and not state.step.undoing and state.step.role in ("fill", "measure")
    if proved is None or not doing or len(proved.verified) == len(proved.plan.states):
        return frozenset()
    return frozenset(proved.plan.states[len(proved.verified)].out)


def continuation(plan: Plan, state: RunState) -> str:
    """What resuming does with the array of an interrupted proof; "" if it does not stay."""
    index = continued_at(plan, state)
    stage = plan.stages[state.stage]
    if index is None or stage.proof is None:
        return ""
    states = stage.proof.states
    if not (number := _next_state(stage, index)) and stage.proof.witness and not (state.cut and state.cut.is_skipped):
        number = len(states)
    if not number:
        return "Its array stays, and is proved; the rest of the run is done."
    return f"Its array stays; the proof continues with state {number} of {len(states)}: {states[number - 1].words}."


def continued_on(plan: Plan, state: RunState) -> str:
    """As `continuation`, with what it writes to; "" if it does not stay."""
    if not (words := continuation(plan, state)):
        return ""
    array = slots.filled(plan).stages[state.stage].array
    assert array
    what = f"{plan.stages[state.stage].title}, {both(array.capacity.array_bytes)}, UUID {array.uuid}"
    return f"{words} Written to: array {array.name} ({what}) and its {len(plan.members)} members."


def why_not_resumed(plan: Plan, state: RunState, boot_id: str, acknowledged: int | None) -> str:
    """Why a proof that waits for its power cut cannot continue with this number of its witness (0: without a cut, None:
    not given), a sentence; "" if it can, or waits for none.
    """
    cut = state.cut if continued_at(plan, state) is not None else None
    if cut is None or cut.acknowledged is not None:
        return "" if acknowledged is None else "no power cut is due; leave --acknowledged and --no-cut out"
    if acknowledged and not cut.may_be_cut(boot_id):
        return "power was not cut while it wrote; leave --acknowledged out, and it writes again"
    if acknowledged is None and cut.may_be_cut(boot_id):
        line = f"{cut.tag[:SHOWN_DIGITS]} NUMBER"
        return f'power was cut? `raidtui resume --acknowledged "{line}"` (last line, or a file of them), or `--no-cut`'
    return ""


def _next_state(stage: Stage, index: int) -> int:
    """Number of the state that is verified first from this step on; 0: none."""
    named = {trial.id: trial.state for trial in stage.trials}
    later = (named[step.trial] for step in stage.steps[index:] if isinstance(step, Command) and step.trial in named)
    return next(later, 0)


def built_steps(state: RunState, number: int) -> list[StepState]:
    """Steps of the stage since its array, or its file on an existing one, was created the last time."""
    steps = [step for step in state.steps if step.stage == number]
    created = [at for at, step in enumerate(steps) if step.role in ("create", "make-file") and not step.undoing]
    return steps[created[-1] :] if created else []


def _verified(stage: Stage, state: RunState, since_s: float) -> list[float]:
    """When each state up to the first one that is not verified was."""
    assert stage.proof
    ends = (_verified_at(stage, state, number, since_s) for number in range(1, len(stage.proof.states) + 1))
    return list(takewhile(bool, ends))


def _verified_at(stage: Stage, state: RunState, number: int, since_s: float) -> float:
    """When the last test of a state ended, all equal; 0 if not so. A later attempt replaces an earlier one."""
    if stage.proof and stage.proof.witness and number == len(stage.proof.states):
        return state.cut.found_at_s if state.cut else 0.0
    ends = []
    for trial in (trial for trial in stage.trials if trial.state == number):
        attempts = [begun for begun in state.trials if begun.trial == trial.id and begun.started_at_s >= since_s]
        if not attempts or not is_whole(trial, attempts[-1].measurement):
            return 0.0
        ends.append(attempts[-1].ended_at_s or 0.0)
    return max(ends, default=0.0)


def is_whole(trial: Trial, measurement: Measurement | None) -> bool:
    """Whether all of it was read, and equal."""
    read = measurement.read if measurement and measurement.status == "ok" else None
    return read is not None and read.io_bytes >= trial.span_bytes


def differing(event: BlocksDiffered, plan: Plan) -> str:
    """One line: state, place on the array and on the member, expected and found."""
    if event.mismatches:
        return f"{event.state}: the check counted {event.mismatches} sectors whose copies or parity disagree"
    first, count = event.blocks[0], max(len(event.blocks), event.count)
    head = event.state if count == 1 else f"{event.state}, {count} blocks, the first"
    if not first.again:
        return f"{head}: byte {first.request_bytes + first.offset_bytes} differed once, not when read again"
    in_file = first.array_bytes is None
    address = first.request_bytes + first.offset_bytes if in_file else first.array_bytes
    member = next((member for member in plan.members if member.id == first.member), None)
    if first.number:
        head += f", acknowledged write {first.number}"
    where = f"{'file' if in_file else 'array'} byte {address}"
    if member:
        where += f", {member.model} {member.serial or member.id} byte {first.member_bytes}"
    found = first.kind
    if first.from_bytes is not None:
        found = f"the block of byte {first.from_bytes}"
    elif first.bits:
        found = f"{first.bits} bit{'' if first.bits == 1 else 's'} flipped"
    return f"{head}: {found} at {where} (expected {first.expected}, found {first.found})"
