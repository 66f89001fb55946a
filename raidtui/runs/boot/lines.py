"""Lines of a run in files that boot reads: added, taken out, and what taking them out would change.

Told in the journal before a file is changed, with the file as it was kept in the run's folder: whoever comes after a
worker that died finds either file, and knows both.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from raidtui.core.boot import edits
from raidtui.core.boot.lines import UNITS
from raidtui.core.plan.steps import Edit
from raidtui.core.run.boot_events import FileEdited, LinesTakenOut
from raidtui.core.run.state import RunState
from raidtui.runs.context import StageContext
from raidtui.runs.host import Host
from raidtui.runs.waiting import Refused
from raidtui.system.files import durable

_BACKUPS = "before"  # folder of the run's


class Taking(msgspec.Struct, frozen=True):
    """What taking a run's lines out makes of the file `path`: it is removed where `after` is None."""

    path: str
    now: bytes | None
    after: bytes | None

    @property
    def diff(self) -> tuple[str, ...]:
        return edits.diff(self.path, self.now, self.after)


def add(context: StageContext, step: Edit) -> None:
    """Add the lines of `step`, unless they stand there. StepFailed, or OSError, where the file cannot be changed."""
    mark = mark_of(context.path)
    content_now = context.host.read_boot_file(step.path)
    with _refused_where_changed(step.path):
        content_after = edits.with_lines(content_now, step.lines, mark, at_top=step.at_top)
    if content_after == content_now:
        return
    if step.path.startswith(f"{UNITS}/") and content_now is not None:
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
    """Take the run's lines out of the file `path`. Refused where somebody changed them."""
    file_edited = context.journal.state.edits.get(path)
    if file_edited is None:
        return
    taking = _taking(context.path, file_edited, context.host)
    if taking.after != taking.now:
        context.host.replace_boot_file(path, taking.now, taking.after, file_mark(context.path))
    context.journal.add(LinesTakenOut(at_s=time.time(), path=path))


def takings(run: Path, state: RunState, host: Host) -> Iterator[Taking]:
    """What undoing the run in the folder `run` makes of each file, the last one that it wrote first."""
    for file_edited in reversed(state.edits.values()):
        yield _taking(run, file_edited, host)


def mark_of(run: Path) -> str:
    """What stands around the lines of this run."""
    return f"raidtui {run.name}"


def file_mark(run: Path) -> str:
    """What the name of a file beside another one ends with, while this run changes it."""
    return f"raidtui-{run.name}"


def _taking(run: Path, file_edited: FileEdited, host: Host) -> Taking:
    content_now = host.read_boot_file(file_edited.path)
    content_before = (run / file_edited.backup).read_bytes() if file_edited.backup else None
    with _refused_where_changed(file_edited.path):
        content_after = edits.without_lines(content_now, content_before, file_edited.lines, file_edited.mark)
    return Taking(file_edited.path, content_now, content_after)


@contextmanager
def _refused_where_changed(path: str) -> Iterator[None]:
    try:
        yield
    except edits.LinesChanged as changed:
        raise Refused(f"{path}: {changed}; remove them by hand, then repeat the command") from changed


def _backed_up(run: Path, path: str, content: bytes | None) -> str:
    """Where the file as it is lies in the run's folder, on the disk by now; "" where there is none."""
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
