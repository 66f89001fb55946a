"""Check steps, by question. A check changes nothing; it ends the run, warns, or journals facts."""

import os
import time
from collections.abc import Callable

import msgspec

from raidtui.core.plan import steps
from raidtui.core.plan.model import MOUNTPOINT
from raidtui.core.plan.roles import Question
from raidtui.core.plan.steps import Check
from raidtui.core.raid import filesystems
from raidtui.core.results.rounds import until_steady
from raidtui.core.run import events
from raidtui.core.run.samples import ARRAY
from raidtui.runs import boot, target
from raidtui.runs.care import following
from raidtui.runs.context import StageContext
from raidtui.runs.disks import containers, own_pool, tables, volumes
from raidtui.runs.proof import differences, until_cut
from raidtui.runs.waiting import StepFailed
from raidtui.system.claims import WATCHED_S

_QUERY_S = 60.0
_INFORMING: frozenset[Question] = frozenset({"health", "initramfs-holds", "monitored"})


def look(context: StageContext, check: Check) -> None:
    """StepFailed if the answer is no; an informative check only warns."""
    try:
        _BY_QUESTION[check.question](context, check)
    except Exception as error:  # whatever it was: what stands must not be taken back for it
        if check.question not in _INFORMING:
            raise
        context.waiter.warn(f"“{check.what}” has no answer: {error or type(error).__name__}")


def _members_free(context: StageContext, _: Check) -> None:
    context.check_free(following.outside(context), WATCHED_S)


def _array_built(context: StageContext, check: Check) -> None:
    assert context.stage and context.stage.array
    name = context.own_array()
    if name is None:
        raise StepFailed(f"no array with the UUID {context.stage.array.uuid} came up; see `cat /proc/mdstat`")
    context.sampler.names[ARRAY] = name
    first = next(iter(context.own_groups()), "") or context.node(0).removeprefix("/dev/")
    built = {
        "array_bytes": context.host.size_bytes(name),
        "data_offset_bytes": context.host.data_offset_bytes(name, first),
        "write_mostly": len(context.host.write_mostly(name)),
        "chunk_bytes": int(context.host.text(f"/sys/block/{name}/md/chunk_size") or 0),
    }
    detail = context.host.array_settings(name)
    for group in reversed(context.own_groups()):  # whose stripe cache and threads it is
        detail |= context.host.array_settings(group)
    node = f"/dev/{name}"
    context.journal.add(events.ArrayBuilt(at_s=time.time(), node=node, size_bytes=built["array_bytes"], detail=detail))
    for key, planned in check.expected.items():
        if built[key] != planned:
            context.waiter.warn(f"{node}: {key} is {built[key]}, planned were {planned}: this mdadm lays out otherwise")


def _groups_built(context: StageContext, check: Check) -> None:
    """Unequal groups would make zones of the RAID 0: it is not made then."""
    names = context.own_groups()
    if len(names) < len(context.groups):
        raise StepFailed(f"{len(context.groups) - len(names)} groups did not come up; see `cat /proc/mdstat`")
    sizes = {name: context.host.size_bytes(name) for name in names}
    if len({*sizes.values()}) > 1:
        of_each = ", ".join(f"{name} {size}" for name, size in sizes.items())
        raise StepFailed(f"the groups are not of one size: {of_each} bytes; no RAID 0 is made over them")
    for name, group in zip(names, context.groups, strict=True):
        first = context.node(group.members[0]).removeprefix("/dev/")
        built = {
            "group_bytes": sizes[name],
            "data_offset_bytes": context.host.data_offset_bytes(name, first),
        }
        for key, planned in check.expected.items():
            if group is context.groups[0] and built[key] != planned:
                context.waiter.warn(f"/dev/{name}: {key} is {built[key]}, planned were {planned}")


def _geometry(context: StageContext, check: Check) -> None:
    assert context.stage and context.stage.filesystem
    kind = context.stage.filesystem.kind
    argv = filesystems.readback_argv(kind, steps.resolve(check.where or "{array}", context.device_of))
    assert argv
    printed = context.host.ask(argv, timeout_s=_QUERY_S)
    try:
        context.geometry = msgspec.to_builtins(filesystems.parse_geometry(kind, printed.stdout))
    except ValueError as error:
        raise StepFailed(f"the geometry of {kind} cannot be read back: {error}") from error
    if context.geometry != check.expected:
        context.waiter.warn(f"{kind} has the geometry {context.geometry}, asked for was {check.expected}")


def _mounted(context: StageContext, check: Check) -> None:
    assert context.stage and context.stage.filesystem
    folder = context.path / (check.where or MOUNTPOINT)
    if not context.host.is_mounted(folder):
        raise StepFailed(f"nothing is mounted at {folder}")
    status = os.statvfs(folder)
    context.journal.add(
        events.FilesystemMade(
            at_s=time.time(),
            filesystem=context.stage.filesystem.kind,
            geometry=context.geometry,
            total_bytes=status.f_blocks * status.f_frsize,
            free_bytes=status.f_bavail * status.f_frsize,
        )
    )


def _members_blank(context: StageContext, _: Check) -> None:
    """No signatures on the members, and none of our arrays left (a cared-for array stays)."""
    names = [context.find_array(), *context.own_groups()]
    leftovers = [f"the array {name}" for name in names if name and not context.plan.care]
    for member in context.plan.members:
        disk = context.members.disk(member)
        wipefs = context.host.ask(("wipefs", "--no-act", "--parsable", disk.path), timeout_s=_QUERY_S)
        if wipefs.returncode != 0:
            leftovers.append(f"{disk.name} ({disk.title}) cannot be read: {wipefs.stderr.strip()}")
        elif wipefs.stdout.strip() or context.host.superblock(disk.path):
            kinds = ", ".join(wipefs.stdout.splitlines())  # in one line: the last one alone is shown
            leftovers.append(f"signatures on {disk.name} ({disk.title}): {kinds or 'md superblock'}")
        elif context.members.tables and (partitions := context.host.partitions_of(disk.name)):
            leftovers.append(f"the kernel still shows {', '.join(partitions)} of {disk.name} ({disk.title})")
    if leftovers:
        raise StepFailed("; ".join(leftovers))
    context.members.blanked = True
    if context.stage and context.stage.setup:  # our own test's data; after an erasure it would not be
        members = enumerate(context.plan.members)
        context.members.remember([m for i, m in members if m.id in context.members.written or i in context.ours])


def _health(context: StageContext, _: Check) -> None:
    """SMART counts for the report; never ends the run."""
    names = {context.members.disk(member).name: member.id for member in context.plan.members}
    health_counts = {names[name]: counts for name, counts in context.host.health_counts(names).items()}
    why_not = "" if health_counts else context.host.why_no_health()
    context.journal.add(events.HealthRead(at_s=time.time(), stage=context.number, disks=health_counts, why_not=why_not))


def _steady(context: StageContext, check: Check) -> None:
    """If the job's last rounds are steady, the remaining rounds are skipped."""
    assert context.stage
    state = context.journal.state
    steady_state = until_steady(context.stage, state, check.where)
    unfinished_trials = tuple(
        trial.id for trial in context.stage.trials if trial.rounds and not state.is_final(trial.id)
    )
    if steady_state and steady_state.holds and unfinished_trials:
        context.journal.add(
            events.TrialsPassedOver(at_s=time.time(), trials=unfinished_trials, reason=steady_state.words)
        )


_BY_QUESTION: dict[Question, Callable[[StageContext, Check], None]] = {
    "members-free": _members_free,
    "array-built": _array_built,
    "groups-built": _groups_built,
    "pool-made": own_pool.check_made,
    "pools-start": own_pool.check_start,
    "pool-came-back": own_pool.check_came_back,
    "pool-at-boot": own_pool.check_at_boot,
    "pool-forgotten": own_pool.check_forgotten,
    "geometry": _geometry,
    "mounted": _mounted,
    "volume-aligned": volumes.look_at_start,
    "container-aligned": containers.look_at_start,
    "members-blank": _members_blank,
    "partitions-own": tables.check_own,
    "health": _health,
    "steady": _steady,
    "array-kept": following.look,
    "target-same": target.check_same,
    "file-own": target.own_file,
    "place-free": boot.place_free,
    "initramfs-holds": boot.initramfs_holds,
    "came-back": boot.came_back,
    "boot-mounts": boot.boot_mounts,
    "own-mounted": boot.own_mounted,
    "monitored": boot.monitored,
    "kept-settings": boot.kept_settings,
    "copies-agree": differences.copies_agree,
    "acknowledged": until_cut.need_acknowledged,
}
