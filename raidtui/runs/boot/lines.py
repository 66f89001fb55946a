"""A run's lines in boot files (add, remove, preview), and ownership of its file system."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from raidtui.core.boot import entries
from raidtui.core.boot.entries import UNITS
from raidtui.core.boot.ownership import Owned
from raidtui.core.plan.steps import Edit, SetOwner
from raidtui.core.run.events import FileEdited, LinesTakenOut, OwnerChanged
from raidtui.core.run.state import RunState
from raidtui.runs.boot.checks import is_ours
from raidtui.runs.context import StageContext
from raidtui.runs.host import Host
from raidtui.runs.waiting import Refused, StepFailed
from raidtui.system.files import durable

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
    mark = mark_of(context.path)
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


def mark_of(run: Path) -> str:
    return f"raidtui {run.name}"


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
