"""Rebuilds started by the run: awaited, and watched without load to measure their speed."""

import time

import msgspec

from raidtui.core.arrays.array import Sync
from raidtui.core.fio.measurement import Measurement
from raidtui.core.run import events
from raidtui.runs.context import StageContext
from raidtui.runs.waiting import StepFailed, Stopped

_BEGINS_S = 30.0
_LOOK_S = 0.2


def await_begin(context: StageContext) -> None:
    """Until it runs or is done. StepFailed if it does not begin."""
    name = _array(context)
    end_s = time.monotonic() + _BEGINS_S
    while _running(context, name) is None and context.host.lacking(name):
        if time.monotonic() > end_s:
            raise StepFailed(f"{name} does not rebuild the disk that was put back; see `cat /proc/mdstat`")
        context.waiter.pause(_LOOK_S)
        if context.waiter.stopping():
            raise Stopped


def watch(context: StageContext, most_s: float) -> None:
    """At most `most_s`, or to its end; journalled before and after."""
    name = _array(context)
    end_s = time.monotonic() + most_s
    _tell(context, name)
    last = None
    while (sync := _running(context, name)) and time.monotonic() < end_s:
        last = sync
        context.journal.add(events.sync_progress(time.time(), sync))
        context.waiter.pause(_LOOK_S)
        if context.waiter.stopping():
            raise Stopped
    if last and sync is None:  # it is done
        _add(context, last.total_bytes, last.total_bytes)
    _tell(context, name)


def _tell(context: StageContext, name: str) -> None:
    if sync := _running(context, name):
        done_bytes = context.host.rebuilt_bytes(name)
        _add(context, sync.done_bytes if done_bytes is None else done_bytes, sync.total_bytes)


def _add(context: StageContext, done_bytes: int, total: int) -> None:
    rebuild_progress = events.RebuildProgress(
        at_s=time.time(), stage=context.number, done_bytes=done_bytes, total_bytes=total
    )
    context.journal.add(rebuild_progress)


def judged(context: StageContext, measurement: Measurement) -> Measurement:
    """Not a test during a rebuild if that ended before the test."""
    ended = _rebuilds(context) and context.array is not None and _running(context, context.array) is None
    if not ended or measurement.status != "ok":
        return measurement
    return msgspec.structs.replace(
        measurement,
        status="incomplete",
        error="the rebuild was over before the test: give more of each disk, or shorter tests",
    )


def _rebuilds(context: StageContext) -> bool:
    return bool(context.stage and context.stage.setup and context.stage.setup.rebuild_min_kib_s)


def _running(context: StageContext, name: str) -> Sync | None:
    sync = context.host.sync(name)
    return sync if sync and sync.total_bytes else None


def _array(context: StageContext) -> str:
    if context.array is None:
        raise StepFailed("the run's array is not there any more")
    return context.array
