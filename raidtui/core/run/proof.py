"""A proof as far as it went, from plan and journal. Results count for the array that was created last.

What the journal of an interrupted proof explains of its array: where each member is, and which pass lies where.

A step that was begun and did not end explains both what was before it and what is after it.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from raidtui.core.fio.measurement import Measurement
from raidtui.core.plan.member_steps import absent_after
from raidtui.core.plan.model import ArrayPlan, Member, Plan, Stage, Trial
from raidtui.core.plan.roles import Role
from raidtui.core.plan.slots import filled
from raidtui.core.plan.steps import Command, Step, Wait, role_of
from raidtui.core.proof.pattern import BlockDiffers, Passes, ProofPlan, ProofState, at_rest
from raidtui.core.proof.witnessed import SHOWN_DIGITS
from raidtui.core.run.events import BlocksDiffered
from raidtui.core.run.power_cut import PowerCut
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
    ends = _verified(stage, state, built[0].started_at_s if built else float("inf"))
    differed = tuple(event for event in state.differed if event.stage == number)  # at any clock: no array follows it
    return ProofResult(stage.proof, stage.proof.states[: len(ends)], ends[-1] if ends else 0.0, differed, state.cut)


def cut_words(proved: ProofResult) -> str:
    """How many acknowledged writes were found, on how many copies each."""
    cut = proved.cut
    if cut is None or cut.is_skipped:
        return "not tested"
    if not cut.found:
        return "not verified"
    words = f"{cut.found} acknowledged writes"
    if cut.copies is None:
        return words
    if cut.copies.why_not:
        return f"{words}, copies not asked ({cut.copies.why_not})"
    copies = f" on {cut.copies.copies} copies each" if cut.copies.copies > 1 else ""
    stripes = f", parity of {cut.copies.stripes} stripes" if cut.copies.stripes else ""
    left_out = f" ({cut.copies.left_out} left out)" if cut.copies.left_out else ""
    return f"{words}{copies}{stripes}{left_out}"


def has_copies(stage: Stage) -> bool:
    """Whether its array has further copies or parity, which md makes equal after a power cut."""
    return stage.array is not None and stage.array.raid.has_sync


def state_now(plan: Plan, state: RunState) -> ProofState | None:
    """The one that is being verified, or the last; None of a plan without proof."""
    proved = result(plan, state)
    return proved.plan.states[min(len(proved.verified), len(proved.plan.states) - 1)] if proved else None


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
    array = filled(plan).stages[state.stage].array
    assert array
    what = f"{plan.stages[state.stage].title}, {both(array.capacity.array_bytes)}, UUID {array.uuid}"
    return f"{words} Written to: array {array.name} ({what}) and its {len(plan.members)} members."


def why_not_resumed(plan: Plan, state: RunState, boot_id: str, acknowledged: int | None, *, again: bool = False) -> str:
    """Why a proof that waits for its power cut cannot continue with this number of its witness (0: without a cut, None:
    not given), or with its writes `again`, a sentence; "" if it can, or waits for none.
    """
    cut = state.cut if continued_at(plan, state) is not None else None
    if cut is None or cut.acknowledged is not None:
        is_plain = acknowledged is None and not again
        return "" if is_plain else "no power cut is due; leave --acknowledged, --cut-again and --no-cut out"
    if again:
        return ""
    if acknowledged and not cut.may_be_cut(boot_id):
        return "power was not cut while it wrote; leave --acknowledged out, and it writes again"
    if acknowledged is None and cut.may_be_cut(boot_id):
        line = f"{cut.tag[:SHOWN_DIGITS]} NUMBER"
        given = f'`raidtui resume --acknowledged "{line}"` (last line, or a file of them)'
        return f"power was cut? {given}, `--cut-again` or `--no-cut`"
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
    ends: list[float] = []
    for number in range(1, len(stage.proof.states) + 1):
        if not (end_s := _verified_at(stage, state, number, since_s, ends[-1] if ends else since_s)):
            break
        ends.append(end_s)
    return ends


def _verified_at(stage: Stage, state: RunState, number: int, since_s: float, before_s: float) -> float:
    """When the last test of a state ended, all equal; 0 if not so. A later attempt replaces an earlier one.
    `before_s`: when the state before was verified.
    """
    assert stage.proof
    if stage.proof.witness and number == len(stage.proof.states):
        return _cut_verified_at(stage, state.cut)
    ends = []
    for trial in (trial for trial in stage.trials if trial.state == number):
        attempts = [begun for begun in state.trials if begun.trial == trial.id and begun.started_at_s >= since_s]
        if not attempts or not is_whole(trial, attempts[-1].measurement):
            return 0.0
        if stage.proof.states[number - 1].checked and not _checked(state, before_s, attempts[-1].started_at_s):
            return 0.0
        ends.append(attempts[-1].ended_at_s or 0.0)
    return max(ends, default=0.0)


def _checked(state: RunState, from_s: float, to_s: float) -> bool:
    """Whether the last check between these times counted nothing."""
    counted = [one for one in state.mismatches if one.final and from_s <= one.at_s <= to_s]
    return bool(counted) and not counted[-1].sectors


def _cut_verified_at(stage: Stage, cut: PowerCut | None) -> float:
    """Copies that nobody asked before md made them equal are not verified."""
    if cut is None or (has_copies(stage) and (cut.copies is None or cut.copies.why_not)):
        return 0.0
    return cut.found_at_s


def is_whole(trial: Trial, measurement: Measurement | None) -> bool:
    """Whether all of it was read, and equal."""
    read = measurement.read if measurement and measurement.status == "ok" else None
    return read is not None and read.io_bytes >= trial.span_bytes


def differing(event: BlocksDiffered, plan: Plan) -> str:
    """One line: state, place on the array and on the member, expected and found."""
    array = plan.stages[event.stage].array
    if event.mismatches:
        where = f" of group {', '.join(event.of_groups)}" if event.of_groups else ""
        counted = f"{event.state}: the check{where} counted {event.mismatches} sectors whose copies or parity disagree"
        return f"{counted}, the first: {_place(event.blocks[0], plan, array)}" if event.blocks else counted
    count = max(len(event.blocks), event.count)
    head = event.state if count == 1 else f"{event.state}, {count} blocks, the first"
    if not event.blocks:
        why_not = f": {event.why_not}" if event.why_not else ""
        return f"{head}: the block of byte {next(iter(event.named), 0)} differed; not read again{why_not}"
    first = event.blocks[0]
    if not first.again:
        return f"{head}: byte {first.request_bytes + first.offset_bytes} differed once, not when read again"
    if first.number:
        head += f", acknowledged write {first.number}"
    return f"{head}: {_place(first, plan, array)}"


def _place(block: BlockDiffers, plan: Plan, array: ArrayPlan | None) -> str:
    in_file = block.array_bytes is None
    address = block.request_bytes + block.offset_bytes if in_file else block.array_bytes
    where = f"{'file' if in_file else 'array'} byte {address}"
    if array and array.groups and block.array_bytes is not None:
        group, inside = array.outer.place(block.array_bytes)
        where += f", group {group + 1} byte {inside}"
    titles = {member.id: f"{member.model} {member.serial or member.id}" for member in plan.members}
    if block.member in titles:
        where += f", {titles[block.member]} byte {block.member_bytes}"
    found = block.kind
    if block.from_bytes is not None:
        found = f"the block of byte {block.from_bytes}"
    elif block.bits:
        found = f"{block.bits} bit{'' if block.bits == 1 else 's'} flipped"
    if block.among:
        return f"{found} at {where}, on {', '.join(titles.get(identity, identity) for identity in block.among)}"
    return f"{found} at {where} (expected {block.expected}, found {block.found})"


MemberIs = Literal["active", "failed", "rebuilding", "out"]
# Steps of a proof that each come once between two of its states; others are repeated wherever it is continued.
_TELLING: frozenset[Role] = frozenset(
    ("fill", "fail", "take-out", "zero", "add", "sync-finished", "check", "check-ended", "stop", "measure", "power-cut")
)


class ExpectedArray(msgspec.Struct, frozen=True):
    """`standings`, `slots`: by index of the member. `verified`: states; `is_cleared`: nothing is left to read, so that
    the ends of the device may have been zeroed again.
    """

    standings: dict[int, frozenset[MemberIs]]
    slots: dict[int, frozenset[int]]
    passes: Passes
    verified: int
    is_cleared: bool


def expected_array(plan: Plan, state: RunState, index: int) -> ExpectedArray:
    """Of the last stage, continued at this step."""
    stage = plan.stages[state.stage]
    proved = result(plan, state)
    assert proved and stage.proof
    window = [step for step in built_steps(state, state.stage) if step.started_at_s >= proved.ended_at_s]
    furthest, is_done = _furthest(stage, plan.members, window, index)
    before, after = stage.steps[:furthest], stage.steps[: furthest + 1]
    possible = (after,) if is_done else (before, after)
    begun = {step.role for step in window}
    verified = len(proved.verified)
    standings = [_standings(steps) for steps in possible]
    return ExpectedArray(
        standings={member: frozenset().union(*(one[member] for one in standings)) for member in standings[0]},
        slots=_slots(after),
        passes=at_rest(
            stage.proof,
            verified,
            filled=verified > 0 or "measure" in begun,
            writing="fill" in begun,
            cuts=state.cut.tags if state.cut else (),
        ),
        verified=verified,
        is_cleared=verified == len(stage.proof.states)
        or (state.cut is not None and (state.cut.is_skipped or state.cut.found > 0)),
    )


def mkfs_begun(state: RunState) -> bool:
    """Whether a file system was begun on the array, so that its pattern is no whole one."""
    return any(step.role == "mkfs" for step in built_steps(state, state.stage))


def _furthest(stage: Stage, members: Sequence[Member], window: Sequence[StepState], index: int) -> tuple[int, bool]:
    """Index of the furthest step that was begun, and whether it ended well; the one before `index` if none was."""
    furthest, is_done = index - 1, True
    for begun in window:
        place = next(_places(stage, members, begun, index), None)
        if begun.undoing or place is None or place < furthest:
            continue
        ended = begun.ended_at_s is not None and not begun.error
        furthest, is_done = place, ended or (place == furthest and is_done)
    return furthest, is_done


def _places(stage: Stage, members: Sequence[Member], begun: StepState, index: int) -> Iterator[int]:
    for place, step in enumerate(stage.steps[index:], index):
        if (role := role_of(step)) in _TELLING and (role, _named(step, members)) == (begun.role, begun.members):
            yield place


def _named(step: Step, members: Sequence[Member]) -> tuple[str, ...]:
    return tuple(members[index].id for index in step.members) if isinstance(step, Command) else ()


def _standings(steps: Sequence[Step]) -> dict[int, set[MemberIs]]:
    """Of each member of the array after these steps."""
    found: dict[int, set[MemberIs]] = {}
    for step in steps:
        match step:
            case Command(role="create", members=members):
                found |= {member: {"active"} for member in members}
            case Command(role="fail", members=members):
                found |= {member: {"failed", "out"} for member in members}  # a boot forgets a failed one
            case Command(role="take-out" | "zero", members=members):
                found |= {member: {"out"} for member in members}
            case Command(role="add", members=members):
                found |= {member: {"rebuilding", "active"} for member in members}
            case Wait(condition="sync-finished"):
                found |= {member: {"active"} for member, now in found.items() if "rebuilding" in now}
    return found


def _slots(steps: Sequence[Step]) -> dict[int, frozenset[int]]:
    """Members that were out at once may each have got another's place."""
    found: dict[int, frozenset[int]] = {}
    absent: set[int] = set()
    for step in steps:
        if isinstance(step, Command) and step.role == "create":
            found |= {member: frozenset((slot,)) for slot, member in enumerate(step.members)}
        absent = absent_after(absent, step)
        together = frozenset().union(*(found[member] for member in absent)) if len(absent) > 1 else None
        if together:
            found |= dict.fromkeys(absent, together)
    return found
