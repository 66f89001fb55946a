"""The steps of a plan that cares for an array: looked at, passed over where md says they are done, followed.

What md says is the case: a worker that goes on with a run that was cut off begins with that.
"""

import shlex
import time
from collections.abc import Callable

from raidtui.core.arrays.reading import arrays_of
from raidtui.core.arrays.sync import Sync
from raidtui.core.disks.machine import sysfs_name
from raidtui.core.plan.steps import PLACEHOLDER, Check, Command, Step, Write, resolve
from raidtui.core.plan.target import Care
from raidtui.core.raid.levels import is_further_copy
from raidtui.core.run import events
from raidtui.runs.context import StageContext
from raidtui.runs.disks import tables
from raidtui.runs.members import MembersError
from raidtui.runs.waiting import Refused, StepFailed, Stopped

_BEGINS_S = 60.0  # that md may take until it builds a new disk in: it looks at its spares now and then
_LOOK_S = 0.5
_GROWS = ("reshape", "recover")  # what md calls it; a further copy of a RAID 1 is built in


def look(context: StageContext, _: Check) -> None:
    """The array is there, on the disks that the plan names, and does nothing but what this run has begun."""
    care = _care(context)
    name = _array(context)
    _check_old(context, care)
    if context.host.is_dead(name):
        raise StepFailed(f"{name} does not run; see `raidtui status`")
    sync = context.host.sync(name)
    if sync and not _is_begun(context, care, sync):
        begun = any(_has(context, index) for index in range(len(context.plan.members)))
        raise StepFailed(
            f"{name} is busy ({sync.words}): wait for its end, then {'resume this run' if begun else 'plan again'}"
        )
    if _wants_all(context, care) and context.host.lacking(name):
        raise StepFailed(f"{name} is degraded: repair it first (`raidtui status`), then {care.kind}")
    if care.kind == "check" and sync is None and _md(context, name, "last_sync_action") not in ("", "none"):
        mismatches = events.MismatchesTold(at_s=time.time(), sectors=_mismatches(context, name))
        context.journal.add(mismatches)


def _is_begun(context: StageContext, care: Care, sync: Sync) -> bool:
    """Is this sync what this run has begun?"""
    match care.kind:
        case "check":
            return sync.action == "check"
        case "replace":
            return _is_in(context)
        case "grow":
            return sync.action in _GROWS and _is_reshaped(context, care)


def _wants_all(context: StageContext, care: Care) -> bool:
    """Must the array lack no disk? A replacement is there for that, and what has begun to grow goes on."""
    match care.kind:
        case "check":
            return context.host.sync(_array(context)) is None
        case "replace":
            return False
        case "grow":
            return not _is_reshaped(context, care)


def is_done(context: StageContext, step: Step) -> bool:
    """Need this step not be carried out, as md says that it is done, or going on?"""
    care = context.stage.care if context.stage else None
    if care is None:
        return False
    match step:
        case Check(question="members-free"):
            return _is_in(context)
        case Command(role="add"):
            return _has(context, step.members[0])
        case Command(role="partition"):
            return _has(context, step.members[0]) or tables.is_made(context, step)
        case Check(question="partitions-own"):
            return _is_in(context)
        case Command(role="writable"):  # after an assembly nothing is built in until then
            return _md(context, _array(context), "array_state") != "read-auto"
        case Command(role="reshape"):
            return _is_reshaped(context, care)
        case Command(role="grow-filesystem"):
            return not _is_mounted(context, step)
        case Command(role="check") | Write(restore=False):
            return is_checking(context)
        case Command(role="fail"):
            return not _is_detached(context, care)
        case Command(role="replace"):
            name = _array(context)
            return _old(context, care) not in context.host.working(name) or "replacement" in _state(context, name)
        case Command(role="take-out"):
            return _old(context, care) not in context.host.slaves(_array(context))
    return False


def outside(context: StageContext) -> tuple[str, ...]:
    """The identities of the plan's members, but for new disks that the array has by now."""
    cares = context.stage is not None and context.stage.care is not None
    return tuple(member.id for index, member in enumerate(context.plan.members) if not (cares and _has(context, index)))


def is_checking(context: StageContext) -> bool:
    """Does the array's check go on?"""
    name = context.own_array()
    sync = context.host.sync(name) if name else None
    return bool(sync and sync.action == "check")


def is_own_check(context: StageContext) -> bool:
    """Does a check go on that this run has begun, and neither ended nor followed to its end?"""
    steps = [step for step in context.journal.state.steps if step.error is None or step.role == "check"]
    last = next((step.role for step in reversed(steps) if step.role in ("check", "idle", "check-ended")), "")
    return last == "check" and is_checking(context)


def follow_check(context: StageContext) -> None:
    """Until it has ended; what md counted is journalled. StepFailed where it did not go over all of the array."""
    name = _array(context)
    while sync := context.host.sync(name):
        if sync.action != "check":
            raise StepFailed(f"the check of {name} was ended by another sync ({sync.words}); see `raidtui status`")
        context.journal.add(events.sync_progress(time.time(), sync))
        _pause(context, context.sampler.interval_s)
    if context.host.is_dead(name):
        raise StepFailed(f"{name} has ended, and its check with it; see `raidtui status`")
    if _md(context, name, "sync_min") not in ("", "0"):  # where a check that was interrupted would go on
        raise StepFailed(f"somebody ended the check of {name} before it was through; run it again")
    context.journal.add(events.MismatchesTold(at_s=time.time(), sectors=_mismatches(context, name), final=True))


def follow_rebuild(context: StageContext) -> None:
    """Until the new disk is in sync; StepFailed where md gives that up."""
    name = _array(context)
    _follow(
        context,
        name,
        until=lambda: _new(context) in context.host.working(name),
        gave_up=lambda: "faulty" in _state(context, name),
        does_not="build in the new disk",
    )


def follow_growth(context: StageContext) -> None:
    """Until all of the array lies on its new disks too; what it is then is journalled. StepFailed where it is not."""
    name, care = _array(context), _care(context)
    _follow(context, name, until=lambda: _is_grown(context, name), gave_up=lambda: False, does_not="continue to grow")
    size_bytes = context.host.size_bytes(name)
    slots = {
        member.id: int(slot)
        for index, member in enumerate(context.plan.members)
        if (slot := _md(context, name, f"dev-{sysfs_name(_new(context, index))}/slot")).isdecimal()
    }
    context.journal.add(events.GrownTold(at_s=time.time(), size_bytes=size_bytes, slots=slots))
    if missing := context.host.lacking(name):
        steps = context.stage.steps if context.stage else ()
        grows = (step for step in steps if isinstance(step, Command) and step.role == "grow-filesystem")
        line = next((_line(name, step) for step in grows), "")
        left = f"; once it is whole, `{line}` gives what is on it the room" if line else ""
        raise StepFailed(f"{name} has grown, and lacks {missing} of its disks by now: see `raidtui status`{left}")
    if size_bytes < care.bytes_before or (size_bytes == care.bytes_before and not is_further_copy(care.level)):
        raise StepFailed(f"{name} has {size_bytes} bytes after it has grown, and had {care.bytes_before} before")


def _follow(
    context: StageContext, name: str, *, until: Callable[[], bool], gave_up: Callable[[], bool], does_not: str
) -> None:
    """What md does with the array, journalled; StepFailed where it ends, gives up, or does nothing for too long."""
    end_s = time.monotonic() + _BEGINS_S
    while not until():
        sync = context.host.sync(name)
        if sync and sync.total_bytes:
            context.journal.add(events.sync_progress(time.time(), sync))
        if sync:
            end_s = time.monotonic() + _BEGINS_S
        elif context.host.is_dead(name):
            raise StepFailed(f"{name} has ended; see `raidtui status`")
        elif time.monotonic() > end_s or gave_up():
            raise StepFailed(f"{name} does not {does_not}; see `raidtui status` and the kernel's log")
        _pause(context, context.sampler.interval_s if sync else _LOOK_S)


def _pause(context: StageContext, duration_s: float) -> None:
    context.waiter.pause(duration_s)
    if context.waiter.stopping():
        raise Stopped


def _care(context: StageContext) -> Care:
    assert context.plan.care
    return context.plan.care


def _array(context: StageContext) -> str:
    name = context.own_array()
    if name is None:
        raise StepFailed(f"the array {_care(context).uuid} does not run; see `raidtui status`")
    return name


def _new(context: StageContext, index: int = 0) -> str:
    """The kernel name of this new disk, or of its partition; "" as long as it has none."""
    return context.members.carrier(context.members.disk(context.plan.members[index]))


def _old(context: StageContext, care: Care) -> str:
    """The kernel name of the disk that is replaced, or of its partition; "" where it is not here. Refused where it is
    in another slot.
    """
    planned = next((member for member in context.plan.beneath if member.id == care.old), None)
    if planned is None:
        return ""
    try:
        old = context.members.carrier(context.members.disk_beneath(planned))
    except MembersError as error:
        if error.is_gone:  # it was pulled
            return ""
        raise
    slot = _md(context, _array(context), f"dev-{sysfs_name(old)}/slot")
    if slot.isdecimal() and int(slot) != care.slot:  # "none" once it has failed, "" once it is out
        raise Refused(
            f"{old} ({care.old_title}) is {_in_slot(int(slot))} of {care.name}, and was"
            f" {_in_slot(care.slot)}: plan again"
        )
    return old


def _is_detached(context: StageContext, care: Care) -> bool:
    """Has md a member without a device? Refused where not that of the slot alone: mdadm fails all that are detached."""
    name, machine = _array(context), context.host.read_machine()
    members = next((array.members for array in arrays_of(machine) if array.name == name), ())
    detached = [
        array_member for array_member in members if array_member.device and machine.device(array_member.device) is None
    ]
    if detached and [array_member.slot for array_member in detached] != [care.slot]:
        words = ", ".join(f"{array_member.device} ({_in_slot(array_member.slot)})" for array_member in detached)
        raise Refused(
            f"{name} has members without a device, {words}, and the one to be replaced is {_in_slot(care.slot)}:"
            " see `raidtui status`, then plan again"
        )
    return bool(detached)


def _in_slot(slot: int | None) -> str:
    return "in no slot" if slot is None else f"in slot {slot}"


def _check_old(context: StageContext, care: Care) -> None:
    """Every disk of the array that a step names is the one to be replaced, and where it was: the code is over that."""
    words = [word for step in context.plan.stages[-1].steps if isinstance(step, Command) for word in step.argv]
    placeholders = [name.split(":") for word in words for name in PLACEHOLDER.findall(word)]
    if any(kind == "beneath" and context.plan.beneath[int(place[0])].id != care.old for kind, *place in placeholders):
        raise Refused("the plan names a disk of the array that is not the one to be replaced: plan again")
    _old(context, care)


def _is_in(context: StageContext) -> bool:
    """Has the array all new disks already?"""
    return all(_has(context, index) for index in range(len(context.plan.members)))


def _has(context: StageContext, index: int) -> bool:
    return _new(context, index) in context.host.slaves(_array(context))


def _is_reshaped(context: StageContext, care: Care) -> bool:
    """Has md begun to grow the array? While it does it says "4 (3)"."""
    return _md(context, _array(context), "raid_disks").partition(" ")[0] == str(care.slots)


def _is_grown(context: StageContext, name: str) -> bool:
    """Is each new disk in sync in a slot, and nothing left to be moved?"""
    sync = context.host.sync(name)
    if (sync and sync.action in _GROWS) or _md(context, name, "reshape_position") not in ("", "none"):
        return False
    working = context.host.working(name)
    return all(_new(context, index) in working for index in range(len(context.plan.members)))


def _is_mounted(context: StageContext, step: Command) -> bool:
    """Is a file system of the array still mounted where the plan found it? Else what is left to do is told."""
    name, machine = _array(context), context.host.read_machine()
    device, where = machine.device(name), step.argv[-1]
    uppermost = {mount.mountpoint: mount for mount in machine.mounts}
    folders = {
        folder
        for folder, mount in uppermost.items()
        if device and (mount.devnum == device.devnum or mount.source in (device.path, f"/dev/{name}", *device.links))
    }
    if where in folders or (where == "{array}" and folders):
        return True
    context.waiter.warn(
        f"the file system of {name} is not mounted as it was: once it is, `{_line(name, step)}` gives it the room"
    )
    return False


def _line(name: str, step: Command) -> str:
    return shlex.join(resolve(word, {"array": f"/dev/{name}"}.__getitem__) for word in step.argv)


def _state(context: StageContext, name: str) -> str:
    """The kernel's words for the new disk."""
    return _md(context, name, f"dev-{sysfs_name(_new(context))}/state")


def _md(context: StageContext, name: str, file: str) -> str:
    return context.host.text(f"/sys/block/{name}/md/{file}")


def _mismatches(context: StageContext, name: str) -> int:
    count = _md(context, name, "mismatch_cnt")
    return int(count) if count.isdecimal() else 0
