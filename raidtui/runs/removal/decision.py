"""Whether another process may remove what a stage built. The disks decide, not the journal. Read-only: a stopped array
is assembled read-only for it.

A person's consent to continue a run or remove its result, as passed to a worker.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

import msgspec

from raidtui.core.boot import entries
from raidtui.core.boot.distributions import MDADM_CONFS
from raidtui.core.disks import identity
from raidtui.core.plan import slots
from raidtui.core.plan.kept.permanence import folder_of
from raidtui.core.plan.model import MOUNTPOINT
from raidtui.core.plan.steps import Command
from raidtui.core.run.kept import own_names, was_taken_apart
from raidtui.core.run.state import RunState
from raidtui.core.text import listed
from raidtui.runs.context import StageContext
from raidtui.runs.disks import groups, own_pool
from raidtui.runs.removal.free import array_is_free
from raidtui.runs.waiting import Refused, StepFailed

_QUERY_S = 60.0
_STOP_TRIES, _STOP_RETRY_S = 10, 0.5
_MOST_SHOWN = 3  # names
TO_STAY, NOT_LOOKED_INTO = "is planned to be kept", "is not looked into"
_RECORDED = 63  # characters of a folder that ext4 keeps


class NameNeeded(Refused):
    """Removable once a person types its `name`. `found`: what the look found there, a clause."""

    def __init__(self, sentence: str, name: str, found: str = "") -> None:
        super().__init__(sentence)
        self.name, self.found = name, found


def check(context: StageContext, past: RunState, typed: Collection[str]) -> None:
    """Refused if it must stay, NameNeeded if its name is not `typed`. `past`: may be older than the disks."""
    stage, plan = context.stage, context.plan
    if plan.care or plan.existing or stage is None:
        return
    refuse_known_elsewhere(context)
    if stage.array is None:
        _check_without_array(context, past, typed)
        return
    is_apart = was_taken_apart(past, context.number)
    was_running = context.own_array() is not None
    kept_array = plan.stages[plan.kept_stage].array if plan.kept_stage is not None else None
    to_stay = past.kept or (kept_array is not None and kept_array.uuid == stage.array.uuid)
    with running(context) as name:
        if name is None and not carriers(context):
            _refuse_hidden(context)
            return
        # Refuses a layer that cannot be looked into, and what another has there.
        device = array_is_free(context, to_stay or stage.layer is not None)
        array, more = stage.array.name, ["does not assemble"]
        if name and device:
            is_dead = context.host.is_dead(name)
            more = ["is not active"] if is_dead else _more_than_own(context, past, device, to_stay or is_apart)
        elif (is_apart and not to_stay) or (not past.kept and _no_array_yet(context)):
            more = []
        if more and to_stay and not (is_apart and name is None):
            by_hand = _by_hand(context, name, was_running=was_running)
            raise Refused(f"{array} {more[0]} ({_facts(context)}); nothing was changed; to remove it: `{by_hand}`")
        if (more or to_stay) and array not in typed:
            why = next(iter(more), TO_STAY)
            raise NameNeeded(f"{array} {why} ({_facts(context)}); to remove it: `--erase {array}`", array, why)


def refuse_known_elsewhere(context: StageContext) -> None:
    """Refused if boot has a line for it, or a later stage's array is on its disks; whatever is to be done to it."""
    if held := context.held():
        raise StepFailed(held)
    context.host.forget_contents(context.path.name)
    _refuse_at_boot(context)
    _refuse_later(context)


def carriers(context: StageContext) -> list[str]:
    """Nodes with the superblock of the stage's array."""
    here = context.members.here()
    indices = [index for index, member in enumerate(context.plan.members) if member.id in here]
    return [context.node(index) for index in indices if context.carries_array(index)]


def _no_array_yet(context: StageContext) -> bool:
    """Whether no group has a superblock of the RAID 0 over them, nor anything else: there is nothing on it then."""
    names = context.own_groups()
    return bool(names) and not any(groups.why_not_own(context, name, bare=True) for name in names)


def _refuse_later(context: StageContext) -> None:
    """Refused if members carry a later stage's array: the journal ends earlier."""
    assert context.stage
    built = [stage.array for stage in context.plan.stages if stage.array]
    others = {uuid: array.name for array in built for uuid in array.uuids}
    for uuid in context.stage.array.uuids if context.stage.array else ():
        others.pop(uuid, None)
    here = context.members.here()
    nodes = [f"/dev/{name}" for disk in here.values() if (name := context.members.carrier(disk))]
    later = {node: others[uuid] for node in nodes if (uuid := context.host.superblock(node) or "") in others}
    for array in later.values():
        by_hand = f"mdadm --stop /dev/md/{array} && mdadm --zero-superblock {' '.join(later)}"
        raise Refused(f"{array} is on the disks, and the journal ends before it was built; to remove it: `{by_hand}`")


def _refuse_hidden(context: StageContext) -> None:
    """Refused if a member has the run's table, and the kernel does not show its partition."""
    for member in context.plan.members:
        disk = context.members.here().get(member.id)
        if not (disk and context.members.tables.get(member.id)) or context.members.carrier(disk):
            continue
        if not context.members.why_no_own_table(member, disk):
            raise Refused(f"the kernel does not show the partition of {disk.name}: `blockdev --rereadpt {disk.path}`")


def _more_than_own(context: StageContext, past: RunState, device: str, may_be_wiped: bool) -> list[str]:
    """Contents that the run did not write, or that could not be checked, in clauses."""
    stage = context.stage
    assert stage
    if stage.filesystem is None:
        return []  # array_is_free has refused what has a signature
    signatures = context.host.signatures_on((device,))[device].signatures or ()
    if stage.filesystem.uuid in {signature.uuid for signature in signatures}:
        return _strange(context, past, device, len(context.plan.members))
    roles = [step.role for step in past.steps if step.stage == context.number and not step.undoing and not step.error]
    last = next((role for role in reversed(roles) if role in ("create", "mkfs")), "")
    return ["has lost the file system that this run made"] if last == "mkfs" and not may_be_wiped else []


def _strange(context: StageContext, past: RunState, device: str, disks: int) -> list[str]:
    assert context.stage and context.stage.filesystem
    contents = context.host.contents(device, context.stage.filesystem.kind, context.path.name)
    clauses = []
    if contents.why_not:
        clauses.append(f"was not checked: {contents.why_not}")
    if held := held_words(contents.names, past, disks):
        clauses.append(held)
    mounts = _mounts(context, past)
    at_boot = context.plan.permanence is not None and context.plan.permanence in past.stages_done
    if contents.mounts is not None and contents.mounts > mounts and not at_boot:
        clauses.append(f"was mounted {contents.mounts} times, by this run {mounts}")
    own_folder, kept_folder = f"{context.path}/{MOUNTPOINT}", folder_of(context.plan.answers)
    if (
        (last := contents.last_mounted)
        and not last.startswith(own_folder[:_RECORDED])
        and last != kept_folder[:_RECORDED]
    ):
        clauses.append(f"was last mounted at {last}")
    return clauses


def held_words(names: Iterable[str], past: RunState, disks: int) -> str:
    """Of the root folder's `names` those that the run did not write, a clause; "" if there are none."""
    others = [repr(name) for name in sorted(names) if name not in own_names(past, disks)]
    return f"holds {listed(others, _MOST_SHOWN)}, which this run did not write" if others else ""


def _mounts(context: StageContext, past: RunState) -> int:
    roles = [step.role for step in past.steps if step.stage >= context.number and not step.undoing]
    made = max((at for at, role in enumerate(roles) if role == "mkfs"), default=0)
    each = len(context.stage.filesystem.uuids) if context.stage and context.stage.filesystem else 0
    return roles[made:].count("mount") // max(1, each)


def _check_without_array(context: StageContext, past: RunState, typed: Collection[str]) -> None:
    stage, run = context.stage, context.path.name
    assert stage
    if stage.filesystem is None:
        return
    if stage.filesystem.pool:
        pool, to_stay = stage.filesystem.pool, past.kept or context.number == context.plan.kept_stage
        if own_pool.may_hold_data(context):
            own_pool.need_free(context, to_stay)
            if pool not in typed:
                raise NameNeeded(f"{pool} {NOT_LOOKED_INTO}; to remove it: `--erase {pool}`", pool, NOT_LOOKED_INTO)
        return
    if run in typed:
        return
    for step in stage.steps:
        if isinstance(step, Command) and step.role == "mount" and context.host.is_mounted(context.path / step.folder):
            context.run(Command(what="Unmount", role="unmount", argv=("umount", step.folder), folder=step.folder))
    here = context.members.here()
    for index, member in enumerate(context.plan.members):
        if member.id not in here or not context.carries_ours(index):
            continue
        name = here[member.id].name
        for reason in context.host.not_free((f"/dev/{name}",)).values():
            raise Refused(reason)
        alone = bool(stage.filesystem.uuids)
        more = _strange(context, past, name, 0) if alone else ["holds a file system over several disks: not checked"]
        if more:
            found = ", ".join(more)
            raise NameNeeded(f"{name} {found}; to remove it: `--erase {run}`", run, found)


def _refuse_at_boot(context: StageContext) -> None:
    made = {identity.digits(uuid) for uuid in slots.made_by(context.plan.stages) if uuid}
    arrays = {stage.array.name for stage in context.plan.stages if stage.array}
    unit = f"{entries.UNITS}/{entries.unit_name(folder_of(context.plan.answers))}"
    for path in (entries.FSTAB, entries.CRYPTTAB, unit, *MDADM_CONFS):
        text = (context.host.read_boot_file(path) or b"").decode(errors="replace")
        for line in text.splitlines():
            is_named = any(array in line for array in arrays)
            if not line.lstrip().startswith("#") and (is_named or any(uuid in identity.digits(line) for uuid in made)):
                run = context.path.name
                raise Refused(
                    f"{path} has a line for what {run} built: `raidtui undo {run}`, or take the line out first"
                )


def _by_hand(context: StageContext, name: str | None, *, was_running: bool) -> str:
    """Commands that leave nothing to check; the run's removal does the rest."""
    assert context.stage and context.stage.array
    nodes = " ".join(carriers(context))
    if name is None:
        stops = (f"mdadm --stop /dev/{group}" for group in context.own_groups())
        return " && ".join((*stops, f"mdadm --zero-superblock {nodes}"))
    layer = context.stage.layer
    device = f"/dev/{layer.node if layer else name}"
    if was_running:
        return f"wipefs --all {device}"
    node = f"/dev/md/{context.stage.array.name}"
    if context.groups:
        first = (f"mdadm --assemble --run --uuid={group.uuid} /dev/md/{group.name}" for group in context.groups)
        return " && ".join((*first, f"mdadm --assemble {node}", f"wipefs --all {device if layer else node}"))
    return f"mdadm --assemble --run {node} {nodes} && wipefs --all {device if layer else node}"


def _facts(context: StageContext) -> str:
    """md's superblock fields, informative only: assembly and resyncs change them."""
    for node in carriers(context):
        if record := context.host.superblock_record(node):
            at = datetime.fromtimestamp(record.updated_s, UTC)
            return f"md: last update {at:%Y-%m-%d %H:%M} UTC, {record.events} events"
    return "md: no record"


@contextmanager
def running(context: StageContext) -> Iterator[str | None]:
    """Kernel name, a stopped one assembled read-only meanwhile; None if absent or not assembling."""
    name = context.own_array()
    nodes = carriers(context) if name is None else []
    if not nodes:
        yield name
        return
    assert context.stage and context.stage.array
    array = context.stage.array
    assembled = _running_groups(context) if array.groups else []
    if not array.groups:
        _assemble(context, array.name, array.uuid, nodes)
    elif on := [f"/dev/{group}" for group in context.own_groups() if _has_outer(context, group)]:
        _assemble(context, array.name, array.uuid, on)
    name = context.own_array()
    try:
        yield None if name is None or context.host.is_dead(name) else name
    finally:
        if name:
            _stop(context, name)
        for group in assembled:
            _stop(context, group)
        context.forget_array()


def _running_groups(context: StageContext) -> list[str]:
    """Those that were stopped, assembled read-only by their UUIDs."""
    before = {*context.own_groups()}
    for number, group in enumerate(context.groups):
        nodes = [node for node in carriers(context) if context.host.superblock(node) == group.uuid]
        if nodes and context.own_group(number) is None:
            _assemble(context, group.name, group.uuid, nodes)
    return sorted({*context.own_groups()} - before)


def _has_outer(context: StageContext, group: str) -> bool:
    assert context.stage and context.stage.array
    return context.host.superblock(f"/dev/{group}") == context.stage.array.uuid


def _assemble(context: StageContext, name: str, uuid: str, nodes: Sequence[str]) -> None:
    node = f"/dev/md/{name}"
    context.host.ask(("mdadm", "--assemble", "--readonly", "--run", f"--uuid={uuid}", node, *nodes), _QUERY_S)
    context.settle()


def _stop(context: StageContext, name: str) -> None:
    """First removes what udev put on it."""
    assert context.stage
    layer = context.stage.layer
    if layer and layer.kind == "lvm":
        context.host.ask(("vgchange", "--activate", "n", layer.group), _QUERY_S)
    for _ in range(_STOP_TRIES):
        context.settle()
        if context.host.ask(("mdadm", "--stop", f"/dev/{name}"), _QUERY_S).returncode == 0:
            return
        context.waiter.pause(_STOP_RETRY_S)


_TYPED, _AGAIN, _ERASE, _ACKNOWLEDGED = "typed", "cut-again", "erase=", "acknowledged="


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """`code`: of the confirmed plan; None: of the plan as read. `typed`: a person typed the code now. `arrays`: names
    typed for removal (or the run's). `acknowledged`: the highest number that the witness of a power cut has (0: power
    was not cut; None: not given). `cut_again`: its writes begin anew, until another one.
    """

    code: str | None = None
    typed: bool = False
    arrays: tuple[str, ...] = ()
    acknowledged: int | None = None
    cut_again: bool = False

    @property
    def argv(self) -> tuple[str, ...]:
        words = [_TYPED] if self.typed else []
        if self.acknowledged is not None:
            words.append(f"{_ACKNOWLEDGED}{self.acknowledged}")
        words += [_AGAIN] if self.cut_again else []
        return (self.code or "", *words, *(f"{_ERASE}{name}" for name in self.arrays))


NOBODYS = Consent()


def of_words(words: Sequence[str]) -> Consent:
    code, *others = words
    typed = others[:1] == [_TYPED]
    numbers = [word.removeprefix(_ACKNOWLEDGED) for word in others[typed:] if word.startswith(_ACKNOWLEDGED)][:1]
    names = others[typed + len(numbers) :]
    again = names[:1] == [_AGAIN]
    names = names[again:]
    if not code or not all(name.startswith(_ERASE) for name in names) or not all(map(str.isdecimal, numbers)):
        raise ValueError(f"no consent: {' '.join(words)}")
    acknowledged = int(numbers[0]) if numbers else None
    arrays = tuple(name.removeprefix(_ERASE) for name in names)
    return Consent(code=code, typed=typed, arrays=arrays, acknowledged=acknowledged, cut_again=again)
