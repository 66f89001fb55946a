"""A run's lines in boot files (add, remove, preview), and ownership of its file system.

Checks while an array is made permanent, steps already done: an interrupted run repeats all, keeps what exists.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from raidtui.core.arrays import monitor
from raidtui.core.arrays.monitor import Watch
from raidtui.core.boot import entries
from raidtui.core.boot.entries import FSTAB, UNITS, errors_of
from raidtui.core.boot.ownership import Owned
from raidtui.core.plan.steps import Check, Command, Edit, SetOwner, Write, chosen, immutable_folder
from raidtui.core.raid import zfs
from raidtui.core.run import events
from raidtui.core.run.events import FileEdited, LinesTakenOut, MonitorSeen, OwnerChanged
from raidtui.core.run.state import RunState
from raidtui.runs import mapping
from raidtui.runs.context import StageContext
from raidtui.runs.disks import containers, own_pool
from raidtui.runs.host import Host
from raidtui.runs.waiting import Refused, StepFailed
from raidtui.system.files import durable

_QUERY_S = 60.0


def place_free(context: StageContext, check: Check) -> None:
    mount_written = any(path == FSTAB or path.endswith(".mount") for path in context.journal.state.edits)
    if mount_written or is_ours(context, check.where):
        return
    if reason := context.host.why_not_mountable(check.where):
        raise Refused(reason)


def initramfs_holds(context: StageContext, check: Check) -> None:
    """Unknown or missing is a warning: the array then comes up later in boot."""
    if reason := context.host.why_not_in_initramfs(check.where):
        context.waiter.warn(reason)


def came_back(context: StageContext, _: Check) -> None:
    assert context.stage and context.stage.array
    name = context.own_array()
    if name is None:
        raise StepFailed("mdadm did not put the array together by what was written; see `cat /proc/mdstat`")
    groups = context.own_groups()
    if len(groups) < len(context.groups):
        raise StepFailed("mdadm did not put all groups together by what was written; see `cat /proc/mdstat`")
    planned = {name: context.stage.array.name, **{own: of.name for own, of in zip(groups, context.groups, strict=True)}}
    for own, called in planned.items():
        if missing := context.host.lacking(own):
            raise StepFailed(f"/dev/{own} came back without {missing} of its members")
        if (named := context.host.named(called)) != own:
            raise StepFailed(f"the array came back as /dev/{own}, and /dev/md/{called} is {named or 'not there'}")


def boot_mounts(context: StageContext, check: Check) -> None:
    """findmnt finds no error in this folder's line; others are ignored."""
    findmnt = context.host.ask(("findmnt", "--verify"), timeout_s=_QUERY_S)
    if errors := errors_of(findmnt.stdout, check.where):
        raise StepFailed(f"findmnt --verify: {check.where}: {'; '.join(errors)}")


def own_mounted(context: StageContext, check: Check) -> None:
    assert context.stage and context.stage.filesystem
    if not is_ours(context, check.where):
        raise StepFailed(f"the run's file system ({context.stage.filesystem.uuid}) is not what is mounted there")


def is_ours(context: StageContext, folder: str) -> bool:
    """The stage's file system is mounted at `folder`, from the run's array: a clone elsewhere has the same UUID."""
    assert context.stage
    filesystem = context.stage.filesystem
    if filesystem is None or not context.host.is_mounted(Path(folder)):
        return False
    of_pool = ("--types", zfs.KIND, "--output", "SOURCE")  # a tmpfs may have any name as its source
    columns = of_pool if filesystem.pool else ("--output", "UUID,SOURCE")
    argv = ("findmnt", "--noheadings", *columns, "--mountpoint", folder)
    uuid, _, source = context.host.ask(argv, timeout_s=_QUERY_S).stdout.strip().partition(" ")
    if filesystem.pool:
        return uuid == filesystem.pool and own_pool.is_imported(context)
    return uuid == filesystem.uuid and _is_own_device(context, source.strip().partition("[")[0])  # [/subvolume]


def _is_own_device(context: StageContext, node: str) -> bool:
    """The array, its partition, or what lies on it."""
    name, layer = context.find_array(), context.stage.layer if context.stage else None
    if name is None:
        return False
    devices = (name, *context.host.partitions_of(name))
    if layer:
        devices = (mapping.on(context.host, layer, name) or "",)
    devnum = context.host.devnum_of(node)
    nodes = [f"/dev/{device}" for device in devices if device]
    return node in nodes or (devnum != "" and devnum in map(context.host.devnum_of, nodes))


def monitored(context: StageContext, _: Check) -> None:
    """Journalled for the handover; a warning if the run had to set up mail."""
    monitor_here, asked_for = context.host.monitor(), context.plan.answers.mailaddr
    context.journal.add(MonitorSeen(at_s=time.time(), monitor=monitor_here, watch=_who_watches(context)))
    stuck = any(group.spares for group in context.groups) and not monitor.moves_spares(monitor_here)
    if (asked_for or stuck) and (todo := monitor.remedy(monitor_here)):
        moves = ", and no spare moves to another group" if stuck else ""
        context.waiter.warn(f"{monitor.words(monitor_here)}{moves}: {todo}")
    if asked_for and monitor_here.mailaddr not in ("", asked_for):
        context.waiter.warn(
            f"mdadm writes to {monitor_here.mailaddr}, not to {asked_for}: another MAILADDR line comes first"
        )


def _who_watches(context: StageContext) -> Watch:
    """By identity. A disk that was not asked is what it was when planned."""
    members = {context.members.disk(member).name: member for member in context.plan.members}
    watch, recoveries = context.host.watch(members), {}
    for name, recovery in watch.recoveries.items():
        known = recovery.erc != "not checked" or members[name].erc != "not applicable"
        recoveries[members[name].id] = recovery if known else replace(recovery, erc="not applicable")
    return replace(watch, smartd={members[name].id: how for name, how in watch.smartd.items()}, recoveries=recoveries)


def kept_settings(context: StageContext, _: Check) -> None:
    """What lasts has the values of its rules. Tuning that has not is refused, error recovery warned of."""
    assert context.stage
    for step in context.stage.steps:
        if not (isinstance(step, Write) and step.path in context.journal.state.lasting) or immutable_folder(step.path):
            continue
        setting = context.setting(step.path)
        if (value_now := chosen(setting.read())) != step.value:
            sentence = f"{setting} is {value_now or 'not readable'}, and not {step.value} as its udev rule sets it"
            if step.path.endswith(("/timeout", "/scterc")):
                context.waiter.warn(sentence)
            else:
                raise StepFailed(sentence)


def is_needless(context: StageContext, step: Command | Write) -> bool:
    if isinstance(step, Write):
        folder = immutable_folder(step.path)
        return bool(folder) and not _is_own_and_empty(context, folder)
    match step.role:
        case "make-folder":
            return context.host.folder_inode(step.folder) is not None
        case "initramfs":
            return not context.journal.state.initramfs_older
        case "mount" | "place-pool":
            mounted = is_ours(context, step.folder)
            if not mounted:
                _refuse_to_hide(context, step.folder)
            return mounted and (step.role == "mount" or own_pool.is_placed(context, step.folder))
        case "deactivate" | "stop":
            assert isinstance(step, Command)
            return context.array_in(step) is None or is_in_place(context)
        case "lock":
            return is_in_place(context) or containers.is_closed(context)
        case "assemble":
            return context.array_in(step) is not None
        case "export-pool":
            return is_in_place(context) or not own_pool.is_imported(context)
        case "import-pool":
            return own_pool.is_imported(context)
    return False


def _refuse_to_hide(context: StageContext, folder: str) -> None:
    """Refused if the folder was filled meanwhile: a mount would hide it."""
    if context.host.is_mounted(Path(folder)) or not context.host.is_empty(folder):
        raise Refused(f"something is in {folder} or mounted there by now: choose another folder, or clear it")


def is_in_place(context: StageContext) -> bool:
    """Mounted where it belongs, hence by the written lines."""
    assert context.stage
    folders = [step.folder for step in context.stage.steps if isinstance(step, Command) and step.role == "mount"]
    return any(is_ours(context, folder) for folder in folders)


def folder_made(context: StageContext, folder: str) -> None:
    inode = context.host.folder_inode(folder)
    if inode is not None:
        context.journal.add(events.FileMade(at_s=time.time(), path=folder, inode=inode))


def _is_own_and_empty(context: StageContext, folder: str) -> bool:
    """Made by this run, with nothing in it or mounted there."""
    inode = context.host.folder_inode(folder)
    ours = inode is not None and context.journal.state.files.get(folder) == inode
    return ours and not context.host.is_mounted(Path(folder)) and context.host.is_empty(folder)


def undo_is_needless(context: StageContext, step: Command) -> bool:
    """Nothing to undo. Foreign or used folders are left alone."""
    state = context.journal.state
    match step.role:
        case "remove-folder":
            return not _is_own_and_empty(context, step.folder)
        case "unmount":
            return not is_ours(context, step.folder)
        case "disable":
            return step.folder not in state.edits
        case "initramfs":
            return not state.initramfs_older
        case "assemble":
            name = context.array_in(step)
            return name is not None and not context.host.lacking(name)
        case "import-pool":
            return own_pool.is_imported(context)
        case "place-pool":
            return own_pool.stays_placed(context, step.folder)
        case "forget-pool":
            return not own_pool.is_imported(context)
    return False


_BACKUPS = "before"  # folder of the run's


class Taking(msgspec.Struct, frozen=True):
    """Effect of removing a run's lines: `after` None: the file is removed."""

    path: str
    now: bytes | None
    after: bytes | None

    @property
    def diff(self) -> tuple[str, ...]:
        return entries.diff(self.path, self.now, self.after)


def add(context: StageContext, step: Edit) -> None:
    """Unless present. StepFailed or OSError if the file cannot be changed."""
    mark = f"raidtui {context.path.name}"
    content_now = context.host.read_boot_file(step.path)
    with _refused_where_changed(step.path):
        content_after = entries.with_lines(content_now, step.lines, mark, at_top=step.at_top)
    if content_after == content_now:
        return
    if step.path.startswith((f"{UNITS}/", f"{entries.RULES_FOLDER}/")) and content_now is not None:
        raise Refused(f"{step.path} is there, and is not this run's: remove it, or choose another folder")
    file_edited = FileEdited(
        at_s=time.time(),
        path=step.path,
        lines=step.lines,
        mark=mark,
        backup=_backed_up(context.path, step.path, content_now),
        in_initramfs=step.in_initramfs,
    )
    context.journal.add(file_edited)
    context.host.replace_boot_file(step.path, content_now, content_after, file_mark(context.path))


def take_out(context: StageContext, path: str) -> None:
    file_edited = context.journal.state.edits.get(path)
    if file_edited is None:
        return
    taking = _taking(context.path, file_edited, context.host)
    if taking.after != taking.now:
        context.host.replace_boot_file(path, taking.now, taking.after, file_mark(context.path))
    context.journal.add(LinesTakenOut(at_s=time.time(), path=path))


def takings(run: Path, state: RunState, host: Host) -> Iterator[Taking]:
    """The file written last comes first."""
    for file_edited in reversed(state.edits.values()):
        yield _taking(run, file_edited, host)


def file_mark(run: Path) -> str:
    """Suffix of the temporary file beside it."""
    return f"raidtui-{run.name}"


def _taking(run: Path, file_edited: FileEdited, host: Host) -> Taking:
    content_now = host.read_boot_file(file_edited.path)
    content_before = (run / file_edited.backup).read_bytes() if file_edited.backup else None
    with _refused_where_changed(file_edited.path):
        content_after = entries.without_lines(content_now, content_before, file_edited.lines, file_edited.mark)
    return Taking(file_edited.path, content_now, content_after)


@contextmanager
def _refused_where_changed(path: str) -> Iterator[None]:
    try:
        yield
    except entries.LinesChanged as changed:
        raise Refused(f"{path}: {changed}; remove them by hand, then repeat the command") from changed


def _backed_up(run: Path, path: str, content: bytes | None) -> str:
    """Place of the synced copy in the run's folder; "" if there is no file."""
    if content is None:
        return ""
    folder = run / _BACKUPS
    folder.mkdir(exist_ok=True)
    name = path.strip("/").replace("/", "-")
    backup = next(candidate for count in range(1, 1000) if not (candidate := folder / f"{name}.{count}").exists())
    durable.make(backup, content)
    for entered in (folder, run):
        durable.sync_folder(entered)
    return f"{_BACKUPS}/{backup.name}"


def set_owner(context: StageContext, step: SetOwner) -> None:
    """Unless set, or changed by somebody. StepFailed, OSError or ValueError if impossible."""
    if not is_ours(context, step.folder):
        raise StepFailed(f"the run's file system is not what is mounted at {step.folder}")
    host = context.host
    owned_now = host.owned(step.folder)
    changed = context.journal.state.owners.get(step.folder)
    if changed is None:
        changed = OwnerChanged(
            at_s=time.time(), folder=step.folder, old=owned_now, new=host.owned_as(step.folder, step.owner, step.mode)
        )
        if owned_now == changed.new:
            return
        context.journal.add(changed)
    if _is_somebodys(owned_now, changed):
        context.waiter.warn(
            f"{step.folder} is {owned_now.description} by now, and stays so: it was {changed.old.description},"
            f" {changed.new.description} was asked for"
        )
    elif owned_now != changed.new:
        host.own(step.folder, owned_now, changed.new)


def _is_somebodys(owned_now: Owned, changed: OwnerChanged) -> bool:
    """Neither old, new, nor new owner with old mode."""
    old, new = changed.old, changed.new
    return (owned_now.uid, owned_now.gid) not in ((old.uid, old.gid), (new.uid, new.gid)) or owned_now.mode not in (
        old.mode,
        new.mode,
    )
