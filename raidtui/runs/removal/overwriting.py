"""Whether a proof may go on writing to the array that an earlier worker left. The disks decide, not the journal, which
may be older than they are. Read-only, but for what is journalled.
"""

from collections.abc import Collection, Iterator

from raidtui.core.disks.machine import sysfs_name
from raidtui.core.plan import steps
from raidtui.core.plan.steps import Command
from raidtui.core.proof import pattern
from raidtui.core.proof.pattern import LEFT_OUT_BYTES, REQUEST_BYTES, PatternSpan, ProofPlan
from raidtui.core.run.proof import ExpectedArray, MemberIs, expected_array, mkfs_begun
from raidtui.core.run.state import RunState
from raidtui.core.text import listed
from raidtui.runs import mapping
from raidtui.runs.context import StageContext
from raidtui.runs.removal import decision
from raidtui.runs.removal.decision import NameNeeded
from raidtui.runs.removal.free import array_is_free, need_bare
from raidtui.runs.waiting import Refused, StepFailed

_MOST_SHOWN = 3  # clauses


def look(context: StageContext, past: RunState, index: int, typed: Collection[str]) -> None:
    """Refused if what is there is not the proof's alone; NameNeeded if the array is newer than the journal, and its
    name not `typed`. A layer that is not open is looked into once it is: `wrong_requests`. What a worker left that died
    in mkfs is removed like any other result of a run.
    """
    assert context.stage and context.stage.array
    array, layer = context.stage.array.name, context.stage.layer
    if mkfs_begun(past):
        decision.check(context, past, typed)
    decision.refuse_known_elsewhere(context)
    with decision.running(context) as name:
        if name is None or context.host.is_dead(name):
            raise StepFailed(f"the array {array} does not run; see `cat /proc/mdstat`")
        array_is_free(context, True)
        found = expected_array(context.plan, past, index)
        if not mkfs_begun(past):
            need_bare(context)
            if layer is None or mapping.on(context.host, layer, name):
                _wrong(context, found)
        _need_named(context, found, typed)


def wrong_requests(context: StageContext, past: RunState, index: int) -> list[PatternSpan]:
    """The last look before a write: requests of the sample whose pattern is there, and wrong. Else as `look`."""
    need_bare(context)
    return _wrong(context, expected_array(context.plan, past, index))


def _need_named(context: StageContext, found: ExpectedArray, typed: Collection[str]) -> None:
    """NameNeeded if the array is newer than the journal, and its own name not `typed`. Events and the time of an update
    say nothing: each killed worker changes them.
    """
    assert context.stage and context.stage.array
    array = context.stage.array.name
    if (newer := list(_newer(context, found))) and array not in typed:
        words = listed(newer, _MOST_SHOWN)
        raise NameNeeded(f"{array} is newer than the journal: {words}; to write to it: `--erase {array}`", array)


def _newer(context: StageContext, found: ExpectedArray) -> Iterator[str]:
    """What of the array, and of each of its groups, the last state of the journal does not explain, in clauses."""
    stage = context.stage
    assert stage and stage.array
    for create in stage.steps:
        if not isinstance(create, Command) or create.role != "create":
            continue
        name = context.array_in(create)
        disks = len(create.members) - stage.journals if create.members else len(stage.array.groups)
        level = stage.array.raid.md_name if create.members else "raid0"
        here = {key: context.host.text(f"/sys/block/{name}/md/{key}") for key in ("level", "raid_disks")}
        if name is None or here != {"level": level, "raid_disks": str(disks)}:
            of = here["level"] or "of no known level"
            yield f"{name or 'a group'} is {of} of {here['raid_disks'] or 'an unknown number of'} disks"
        if name:
            yield from _newer_members(context, found, name, create.members[:disks])


def _newer_members(context: StageContext, found: ExpectedArray, name: str, indices: Collection[int]) -> Iterator[str]:
    slaves, working, building = context.host.slaves(name), context.host.working(name), context.host.building(name)
    for index in indices:
        node = context.node(index).removeprefix("/dev/")
        standing: MemberIs = "active" if node in working else "rebuilding" if node in building else "failed"
        if node not in slaves:
            standing = "out"
        if standing not in found.standings[index]:
            yield f"{node} is {standing}, and was {' or '.join(sorted(found.standings[index]))}"
        slot = context.host.text(f"/sys/block/{name}/md/dev-{sysfs_name(node)}/slot")
        if slot.isdecimal() and int(slot) not in found.slots[index]:
            yield f"{node} has slot {slot}"


def _wrong(context: StageContext, found: ExpectedArray) -> list[PatternSpan]:
    """Requests of the sample that hold something else than the journal explains. Refused if both ends are not as the
    proof leaves them, if no pattern of its own is anywhere, or a later one than the journal tells of.
    """
    proof = _proof(context)
    device = steps.resolve(proof.device, context.device_of)
    marked = _need_own_ends(context, proof, device, found)
    wrong, is_there = [], False
    for request in pattern.sampled(found.passes.spans):
        context.waiter.tick()
        read = context.host.read_bytes(device, request, REQUEST_BYTES)
        tags = pattern.tags_in(request, read)
        is_there = is_there or any(map(found.passes.is_of_plan, tags))
        if later := [tag for tag in tags if found.passes.is_later(tag)]:
            raise Refused(
                f"{device} byte {request} holds a later pass ({later[0]}) than the journal tells of: the journal is"
                f" older; `raidtui clean {context.path.name}`"
            )
        if not all(found.passes.may_be(tag, request) for tag in tags):
            span = next(span for span in found.passes.spans if span.covers(request))
            wrong.append(PatternSpan(span.tag, request, REQUEST_BYTES, REQUEST_BYTES))
    if not is_there and not (marked and not found.passes.filled):
        raise Refused(
            f"{device} holds no pattern of this proof: it is not written to; `raidtui clean {context.path.name}`"
        )
    return wrong


def _need_own_ends(context: StageContext, proof: ProofPlan, device: str, found: ExpectedArray) -> bool:
    """Whether the mark is there. Both ends were zeroed before the pattern was written: a plan of before that, whose
    members had something there, is not continued.
    """
    first_at, last_at = pattern.begins(proof, context.host.size_bytes(device.removeprefix("/dev/")))
    first = context.host.read_bytes(device, first_at, LEFT_OUT_BYTES)
    mark = steps.resolve(pattern.MARK, context.device_of).encode()
    marked = pattern.is_marked(first, mark)
    may_be_zeros = found.is_cleared or not proof.room_bytes
    if any(context.host.read_bytes(device, last_at, LEFT_OUT_BYTES)) or not (
        marked or (may_be_zeros and not any(first))
    ):
        raise Refused(
            f"the ends of {device} hold something that this proof did not write: it is not written to;"
            f" `raidtui clean {context.path.name}`"
        )
    return marked


def _proof(context: StageContext) -> ProofPlan:
    assert context.stage and context.stage.proof
    return context.stage.proof
