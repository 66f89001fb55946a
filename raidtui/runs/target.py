"""A target during the run: still the planned one? Only own files are removed: inode in the journal, or empty."""

import os
import stat
import time

from raidtui.core.plan.steps import Check
from raidtui.core.plan.target import FREE_SHARE, NotMeasurable, Seen
from raidtui.core.run import events
from raidtui.core.run.samples import ARRAY
from raidtui.core.units import both
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import Refused, StepFailed


def check_same(context: StageContext, check: Check) -> None:
    """StepFailed if the target changed, or a foreign file has our file's name."""
    lookup = _planned(context)
    planned = lookup.target
    context.sampler.names[ARRAY] = lookup.name or None
    if planned.kind == "device":
        return
    needed_bytes = check.expected.get("file_bytes", 0)
    if needed_bytes > FREE_SHARE * lookup.free_bytes:
        raise StepFailed(
            f"{planned.path} has {both(lookup.free_bytes)} free by now, and a file of {both(needed_bytes)} would take"
            f" more than {100 * FREE_SHARE:.0f} % of that: make room, or plan again"
        )
    path = context.existing_path("file")
    is_there = owns_file(context)
    if needed_bytes and os.path.lexists(path):
        raise StepFailed(f"{path} is there already; no file is written over: move it away")
    if not needed_bytes and not is_there:
        raise StepFailed(f"the run's own file {path} is not there any more")


def _planned(context: StageContext) -> Seen:
    assert context.stage and context.stage.existing
    planned = context.stage.existing
    try:
        lookup = context.host.look_at(planned.path, context.host.read_machine())
    except NotMeasurable as error:
        raise StepFailed(str(error)) from error
    if lookup.target != planned:
        raise StepFailed(f"{planned.path} is not what the plan was made for: it, or what is mounted there, has changed")
    return lookup


def own_file(context: StageContext, _: Check) -> None:
    """A new, plain, empty file; inode journalled, held open."""
    path = context.existing_path("file")
    try:
        context.own_file = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise StepFailed(f"{path} is not the empty file that was made: {error.strerror}") from error
    status = os.fstat(context.own_file)
    if not stat.S_ISREG(status.st_mode) or status.st_size or status.st_nlink != 1:
        raise StepFailed(f"{path} is not the empty file that was made: somebody else works in that folder")
    context.journal.add(events.FileMade(at_s=time.time(), path=path, inode=status.st_ino))


def owns_file(context: StageContext) -> bool:
    """Refused if another file has its name."""
    path = context.existing_path("file")
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return False
    inode = context.journal.state.files.get(path)
    # without an inode in the journal the worker died between making the file and telling so: then it is empty
    is_runs_own = status.st_ino == inode if inode is not None else status.st_size == 0
    if not is_runs_own or not stat.S_ISREG(status.st_mode):
        raise Refused(f"{path} is not the file that this run made: it is left alone")
    return True


def nothing_to_remove(context: StageContext) -> bool:
    """StepFailed if only hidden: its file system is not mounted."""
    if owns_file(context):
        return False
    path = context.existing_path("file")
    if path in context.journal.state.files:
        try:
            _planned(context)
        except StepFailed as other:
            raise StepFailed(
                f"{path} is not removed: {other}; bring that back, then `raidtui clean {context.path.name}`"
            ) from other
        removed(context)
    return True


def removed(context: StageContext) -> None:
    context.journal.add(events.FileRemoved(at_s=time.time(), path=context.existing_path("file")))
