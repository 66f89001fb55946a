"""What the journal of an interrupted proof explains of its array: where each member is, and which pass lies where.

A step that was begun and did not end explains both what was before it and what is after it.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from raidtui.core.plan.member_steps import absent_after
from raidtui.core.plan.model import Member, Plan, Stage
from raidtui.core.plan.roles import Role
from raidtui.core.plan.steps import Command, Step, Wait, role_of
from raidtui.core.proof import pattern as passes
from raidtui.core.proof.pattern import Passes
from raidtui.core.run.proof import built_steps, result
from raidtui.core.run.state import RunState, StepState

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
    at_rest = passes.at_rest(
        stage.proof,
        verified,
        filled=verified > 0 or "measure" in begun,
        writing="fill" in begun,
        cuts=state.cut.tags if state.cut else (),
    )
    standings = [_standings(steps) for steps in possible]
    return ExpectedArray(
        standings={member: frozenset().union(*(one[member] for one in standings)) for member in standings[0]},
        slots=_slots(after),
        passes=at_rest,
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
                found = {member: {"active"} for member in members}
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
            found = {member: frozenset((member,)) for member in step.members}
        absent = absent_after(absent, step)
        together = frozenset().union(*(found[member] for member in absent)) if len(absent) > 1 else None
        if together:
            found |= dict.fromkeys(absent, together)
    return found
