"""Care steps: checked, skipped if md reports them done, followed. md's state decides, also for a resumed run.

Whether a check of md came to its end. md keeps no such record: ended by `idle` within the first sixteenth, or within
five minutes, a check looks complete. Only its end, seen, tells.
"""

import shlex
import time
from collections.abc import Callable

import msgspec

from raidtui.core.arrays.array import Sync
from raidtui.core.arrays.reading import arrays_of
from raidtui.core.disks.machine import sysfs_name
from raidtui.core.plan.model import array_of
from raidtui.core.plan.steps import PLACEHOLDER, Check, Command, Step, Write, resolve
from raidtui.core.plan.target import Care
from raidtui.core.raid.levels import is_further_copy
from raidtui.core.run import events
from raidtui.core.run.proof import state_now
from raidtui.runs.context import StageContext
from raidtui.runs.disks import tables
from raidtui.runs.member_guard import MembersError
from raidtui.runs.waiting import Refused, StepFailed, Stopped

_FASTER = 1.5  # than ever measured, in the last look
_FEW_LOOKS = 5  # with which no rate is certain: the members' counters decide alone
_NOT_READ = 0.05  # of a member: bad blocks in md's lists, stripes that md had in memory
_PAGE_BYTES = 4096


class _Look(msgspec.Struct, frozen=True):
    at_s: float
    done_bytes: int


class CheckProgress:
    """Of one check, from look to look. `read_before`: of the members, when it began; empty: not known."""

    def __init__(self, context: StageContext, name: str) -> None:
        self._context, self._name = context, name
        self._before = context.read_before
        self._last: _Look | None = None
        self._looks, self._total_bytes, self._fastest = 0, 0, 0.0

    def look(self, sync: Sync) -> None:
        if not sync.total_bytes:  # it waits
            return
        fine = self._context.host.checked_bytes(self._name)
        now = _Look(time.monotonic(), max(sync.done_bytes, fine or 0))
        rate = sync.bytes_per_s
        if self._last and now.done_bytes > self._last.done_bytes:  # else it stood, or was begun again
            rate = max(rate, (now.done_bytes - self._last.done_bytes) / max(1e-3, now.at_s - self._last.at_s))
        self._fastest = max(self._fastest, rate)
        self._last, self._total_bytes, self._looks = now, sync.total_bytes, self._looks + 1

    def why_not_through(self) -> str:
        """Asked when it runs no more: "" if its end was seen, else what is known."""
        read = self._read_share()
        by_position = self._last is not None and self._reached_bytes() >= self._total_bytes  # within a look
        if read is None:
            through = by_position
        elif self._looks < _FEW_LOOKS:
            through = read >= 1
        else:  # others may have read from the members: both
            through = by_position and read >= 1
        if through:
            return ""
        position = self._last.done_bytes / self._total_bytes if self._last else None
        shares = [share for share in (position, read) if share is not None]
        ended = "not seen to its end, last" if read and read >= 1 else "ended by somebody"
        return f"{ended} at {min(99, int(100 * min(shares)))} %" if shares else "ended unseen"

    def _reached_bytes(self) -> float:
        assert self._last
        return self._last.done_bytes + _FASTER * self._fastest * (time.monotonic() - self._last.at_s)

    def _read_share(self) -> float | None:
        """Of the least read member, to its end by and large; None if not known."""
        size = self._md("component_size")
        now = read_bytes(self._context, self._name)
        grown = [now[name] - before for name, before in self._before.items() if name in now]
        if not size.isdecimal() or len(grown) < len(now) or min(grown, default=0) <= 0:  # not counted, or anew
            return None
        stripes = self._md("stripe_cache_size")
        in_memory = int(stripes) * _PAGE_BYTES if stripes.isdecimal() else 0
        whole = int(size) * 1024
        return min(grown) / max(1.0, whole - max(whole * _NOT_READ, in_memory))

    def _md(self, file: str) -> str:
        return self._context.host.text(f"/sys/block/{self._name}/md/{file}")


def read_bytes(context: StageContext, name: str) -> dict[str, int]:
    """By member that works."""
    names = sorted(context.host.working(name))
    reader = context.host.counters()
    try:
        return {name: one.read_bytes for name, one in zip(names, reader.read(names), strict=True) if one}
    finally:
        reader.close()


_BEGINS_S = 60.0  # that md may take until it builds a new disk in: it looks at its spares now and then
_LOOK_S = 0.5
_GROWS = ("reshape", "recover")  # what md calls it; a further copy of a RAID 1 is built in


def look(context: StageContext, _: Check) -> None:
    """The array exists on the planned disks, with no other sync than this run's."""
    care = _care(context)
    name = _array(context)
    _check_old(context, care)
    if context.host.is_dead(name):
        raise StepFailed(f"{name} does not run; see `raidtui status`")
    sync = context.host.sync(name)
    if sync and not _is_begun(context, care, sync):
        begun = any(_has(context, index) for index in range(len(context.plan.members)))
        raise StepFailed(
            f"{name} is busy ({sync.description}): wait for its end,"
            f" then {'resume this run' if begun else 'plan again'}"
        )
    if _wants_all(context, care) and context.host.lacking(name):
        raise StepFailed(f"{name} is degraded: repair it first (`raidtui status`), then {care.kind}")
    if care.kind == "check" and sync is None and _md(context, name, "last_sync_action") not in ("", "none"):
        mismatches = events.MismatchesCounted(at_s=time.time(), sectors=_mismatches(context, name))
        context.journal.add(mismatches)


def _is_begun(context: StageContext, care: Care, sync: Sync) -> bool:
    match care.kind:
        case "check":
            return sync.action == "check"
        case "replace":
            return _is_in(context)
        case "grow":
            return sync.action in _GROWS and _is_reshaped(context, care)


def _wants_all(context: StageContext, care: Care) -> bool:
    """No member may be missing; not for a replacement or a begun growth."""
    match care.kind:
        case "check":
            return context.host.sync(_array(context)) is None
        case "replace":
            return False
        case "grow":
            return not _is_reshaped(context, care)


def is_done(context: StageContext, step: Step) -> bool:
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
    """Members, without new disks that are in the array."""
    cares = context.stage is not None and context.stage.care is not None
    return tuple(member.id for index, member in enumerate(context.plan.members) if not (cares and _has(context, index)))


def is_checking(context: StageContext) -> bool:
    """Any of the arrays made of disks."""
    context.own_array()
    return any(sync.action == "check" for part in context.parts() if (sync := context.host.sync(part)))


def is_own_check(context: StageContext, idle: Command) -> bool:
    """Of the array that `idle` would end: begun by this run and not followed to its end."""
    name = context.array_in(idle)
    sync = context.host.sync(name) if name else None
    steps = [step for step in context.journal.state.steps if step.error is None or step.role == "check"]
    here = [step.role for step in steps if step.role == "check-ended" or step.line.endswith(f" /dev/{name}")]
    last = next((role for role in reversed(here) if role in ("check", "idle", "check-ended")), "")
    return last == "check" and sync is not None and sync.action == "check"


def about_to_check(context: StageContext, check: Command) -> None:
    _array(context)
    context.read_before |= read_bytes(context, context.array_in(check) or "")


def follow_check(context: StageContext) -> None:
    """To its end, of all groups at once; mismatches are journalled. StepFailed if its end was not seen."""
    _array(context)
    parts = tuple(context.parts())
    running = {name: CheckProgress(context, name) for name in parts}
    while running:
        syncs = [sync for name in parts if name in running and (sync := _followed(context, name, running))]
        if syncs:
            least = min(syncs, key=lambda sync: sync.done_bytes)
            context.journal.add(events.sync_progress(time.time(), least))
            _pause(context, context.sampler.interval_s)
    counted = sum(_mismatches(context, name) for name in parts)
    context.journal.add(events.MismatchesCounted(at_s=time.time(), sectors=counted, final=True))


def _followed(context: StageContext, name: str, running: dict[str, CheckProgress]) -> Sync | None:
    """The check of one array; None once it has come to its end, and is not `running` any more."""
    sync = context.host.sync(name)
    if sync and sync.action != "check":
        raise StepFailed(f"the check of {name} was ended by another sync ({sync.description}); see `raidtui status`")
    if sync:
        running[name].look(sync)
    _journal_differing(context, name, sync)
    if sync:
        return sync
    if context.host.is_dead(name):
        raise StepFailed(f"{name} has ended, and its check with it; see `raidtui status`")
    why_not = running.pop(name).why_not_through()
    if _md(context, name, "sync_min") not in ("", "0"):  # where a check that was interrupted would go on
        why_not = why_not or "ended by somebody before it was through"
    if why_not:
        raise StepFailed(f"the check of {name} was {why_not}; run it again")
    return None


def journal_differing(context: StageContext) -> None:
    """Of a check that nobody followed to its end."""
    for name in _numbered(context):
        if _md(context, name, "last_sync_action") == "check":
            _journal_differing(context, name, context.host.sync(name))


def _numbered(context: StageContext) -> dict[str, int]:
    """Numbers of the groups that run, by kernel name; without groups 0, of the array."""
    names = [context.host.find_array(group.uuid) for group in context.groups] or [context.array]
    return {name: number for number, name in enumerate(names, bool(context.groups)) if name}


def _journal_differing(context: StageContext, name: str, sync: Sync | None) -> None:
    """Of a proof, as soon as md has counted any: a stop or another end loses nothing. Until its check has begun md
    keeps the count of the sync before, and a resync of RAID 6 and 10 counts, too.
    """
    begun = sync is None or bool(sync.total_bytes and sync.done_bytes)
    if not (sectors := _mismatches(context, name) if context.proves and begun else 0):
        return
    differed, group = context.journal.state.differed, _numbered(context).get(name, 0)
    of_groups = {**(differed[-1].of_groups if differed else {}), str(group): sectors} if group else {}
    sectors = sum(of_groups.values()) or sectors
    if sectors > max((event.mismatches for event in differed), default=0):
        now = state_now(context.plan, context.journal.state)
        event = events.BlocksDiffered(
            at_s=time.time(),
            stage=context.number,
            state=now.words if now else "",
            mismatches=sectors,
            of_groups=of_groups,
        )
        context.journal.add(event)


def follow_rebuild(context: StageContext) -> None:
    """Until in sync; StepFailed if md gives up."""
    name = _array(context)
    _follow(
        context,
        name,
        until=lambda: _new(context) in context.host.working(name),
        gave_up=lambda: "faulty" in _state(context, name),
        does_not="build in the new disk",
    )


def follow_growth(context: StageContext) -> None:
    """Until the array covers all new disks; size and slots are journalled. StepFailed if not."""
    name, care = _array(context), _care(context)
    _follow(context, name, until=lambda: _is_grown(context, name), gave_up=lambda: False, does_not="continue to grow")
    size_bytes = context.host.size_bytes(name)
    slots = {
        member.id: int(slot)
        for index, member in enumerate(context.plan.members)
        if (slot := _md(context, name, f"dev-{sysfs_name(_new(context, index))}/slot")).isdecimal()
    }
    context.journal.add(events.ArrayGrown(at_s=time.time(), size_bytes=size_bytes, slots=slots))
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
    """Progress is journalled; StepFailed if it ends, fails, or idles too long."""
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
    name, planned = context.own_array(), array_of(context.plan, context.stage)
    assert planned
    if name is None:
        raise StepFailed(f"the array {planned.uuid} does not run; see `raidtui status`")
    return name


def _new(context: StageContext, index: int = 0) -> str:
    return context.members.carrier(context.members.disk(context.plan.members[index]))


def _old(context: StageContext, care: Care) -> str:
    """Kernel name of the replaced disk or partition; "" if absent. Refused in another slot."""
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
    """A member without device. Refused if not only that slot: mdadm fails all detached ones."""
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
    """Each named disk is the replaced one, in its slot: the code covers these."""
    words = [word for step in context.plan.stages[-1].steps if isinstance(step, Command) for word in step.argv]
    placeholders = [name.split(":") for word in words for name in PLACEHOLDER.findall(word)]
    if any(kind == "beneath" and context.plan.beneath[int(place[0])].id != care.old for kind, *place in placeholders):
        raise Refused("the plan names a disk of the array that is not the one to be replaced: plan again")
    _old(context, care)


def _is_in(context: StageContext) -> bool:
    return all(_has(context, index) for index in range(len(context.plan.members)))


def _has(context: StageContext, index: int) -> bool:
    return _new(context, index) in context.host.slaves(_array(context))


def _is_reshaped(context: StageContext, care: Care) -> bool:
    """md writes "4 (3)" during a reshape."""
    return _md(context, _array(context), "raid_disks").partition(" ")[0] == str(care.slots)


def _is_grown(context: StageContext, name: str) -> bool:
    """Every new disk is in sync in a slot, no reshape left."""
    sync = context.host.sync(name)
    if (sync and sync.action in _GROWS) or _md(context, name, "reshape_position") not in ("", "none"):
        return False
    working = context.host.working(name)
    return all(_new(context, index) in working for index in range(len(context.plan.members)))


def _is_mounted(context: StageContext, step: Command) -> bool:
    """Still mounted as planned; else the rest is left to a person, with a message."""
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
    return _md(context, name, f"dev-{sysfs_name(_new(context))}/state")


def _md(context: StageContext, name: str, file: str) -> str:
    return context.host.text(f"/sys/block/{name}/md/{file}")


def _mismatches(context: StageContext, name: str) -> int:
    count = _md(context, name, "mismatch_cnt")
    return int(count) if count.isdecimal() else 0
