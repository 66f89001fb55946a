"""A trial: cool members, fio, its result, and the disks' counters."""

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core.disks.machine import sysfs_name
from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import BUSIEST, Measurement, OfTarget, Status, Temperature
from raidtui.core.fio.result import FioResultError, parse
from raidtui.core.fio.text import first_by_path, with_plain_errors
from raidtui.core.plan import steps
from raidtui.core.plan.model import Trial
from raidtui.core.plan.steps import Command
from raidtui.core.plan.trials import options_of
from raidtui.core.raid.filesystems import made
from raidtui.core.results.disk_operations import with_counted
from raidtui.core.run import disk_changes, events, kernel
from raidtui.core.run.events import BlocksDiffered
from raidtui.core.units import format_bytes
from raidtui.runs import rebuild
from raidtui.runs.context import StageContext
from raidtui.runs.host import LogReader
from raidtui.runs.member_guard import MembersError, NotBegun
from raidtui.runs.proof import differences
from raidtui.runs.waiting import Ended, StepFailed, Stopped, Unending
from raidtui.system.health import Celsius

_STARTING_S = 0.5  # of fio, before its first write
_CLOCKS_APART_S = 0.5  # between what was set by the wall clock and what this boot counts
_ROOM_BYTES = 4 << 20  # a result of fio's and some hours of counters


def measure(context: StageContext, step: Command) -> Ended:
    """StepFailed if the array is gone, Stopped on request."""
    trial = context.plan.trial(step.trial)
    assert trial
    _need_room(context)
    argv = context.resolved(step)
    targets = tuple(word.removeprefix("--filename=") for word in argv if word.startswith("--filename="))
    if context.own_file is not None:
        targets = (context.existing_path("file"),)
    if trial.target == "filesystem":
        context.need_mounted()
    for file in (_output(context, trial), context.path / steps.printed_file(trial.id)):
        file.unlink(missing_ok=True)
    started_s = time.monotonic()
    context.sampler.mark()
    errors = _read_errors(context)
    used = _used_s(context)
    warm = need_cool(context, step)
    _journal_queues(context)
    context.journal.add(events.TrialStarted(at_s=time.time(), trial=trial.id, expected_s=trial.expected_s))
    log = context.host.kernel_log()
    try:
        ended = context.run(step)
    except (Unending, NotBegun) as stuck:
        log.close()
        _journal_found(context, step, trial, targets)
        failed = Measurement(name=trial.id, status="failed", error=str(stuck), rw=trial.rw, targets=targets)
        context.journal.add(events.TrialEnded(at_s=time.time(), trial=trial.id, measurement=failed, lost=True))
        raise
    differed = _journal_found(context, step, trial, targets, ended.printed)
    ended = msgspec.structs.replace(ended, printed=with_plain_errors(ended.printed))
    context.sampler.mark()
    _journal_kernel_messages(context, trial, log)
    measurement = rebuild.judged(context, _result_of(context, trial, ended, started_s, targets, errors, used))
    temperatures_after = _temperatures(context, step)
    measurement = msgspec.structs.replace(
        measurement,
        temperatures=_changed(warm, temperatures_after),
        each=_by_identity(measurement, dict(zip(targets, context.named(step), strict=False))),
    )
    if differed:
        measurement = differences.judged(context, trial, measurement, _all_printed(context, trial, ended.printed))
    lost = measurement.status in ("failed", "incomplete") and context.has_lost()
    context.journal.add(events.TrialEnded(at_s=time.time(), trial=trial.id, measurement=measurement, lost=lost))
    if differed:
        raise differences.BlocksDiffer(measurement.error)
    if context.array and any(map(context.host.is_dead, (context.array, *context.own_groups()))):
        raise StepFailed(f"{context.why_not_whole() or f'the array {context.array} is gone'}: {ended.printed[-500:]}")
    if hot := context.waiter.alarmed or _too_hot(context, temperatures_after):
        raise StepFailed(hot)
    differences.need_equal(trial, measurement)
    if context.waiter.stopping():
        raise Stopped
    return ended


def _journal_found(
    context: StageContext, step: Command, trial: Trial, targets: tuple[str, ...], printed: str = ""
) -> BlocksDiffered | None:
    """Before anything is looked at: what fio found is known from here on."""
    words = _all_printed(context, trial, printed)
    by_path = dict(zip(targets, context.named(step), strict=False))
    return differences.journalled(context.journal, context.plan, trial, words, by_path)


def _all_printed(context: StageContext, trial: Trial, printed: str) -> str:
    """The file has the begin of much; without it `printed`, the end."""
    return differences.printed_by(context.path, trial.id) or printed


def journal_extents(context: StageContext, step: Command) -> None:
    """Of filled files; skipped with own addresses, or if unreadable: only the model uses them."""
    own_filesystem = context.stage.filesystem if context.stage else None
    if own_filesystem is None or made(own_filesystem.kind).copy_on_write:
        return
    names = [word.removeprefix("--filename=") for word in context.resolved(step) if word.startswith("--filename=")]
    for name in dict.fromkeys(names):
        with contextlib.suppress(OSError):
            extents = context.host.extents(context.path / name)
            if extents:
                context.journal.add(events.FilePlaced(at_s=time.time(), path=name, extents=extents))


def alarm(context: StageContext) -> str:
    """Reason to end fio, from the kernel only: the disks are busy."""
    names = {name: member.id for member in context.plan.members if (name := context.sampler.names[member.id])}
    temperatures = context.host.temperatures_by_kernel(names)
    return _too_hot(context, {names[name]: celsius for name, celsius in temperatures.items()})


def need_cool(context: StageContext, step: Command) -> dict[str, Celsius]:
    """StepFailed if a member is at its critical temperature."""
    temperatures = _temperatures(context, step)
    if hot := _too_hot(context, temperatures):
        raise StepFailed(hot)
    return temperatures


def _too_hot(context: StageContext, temperatures: Mapping[str, Celsius]) -> str:
    hot = [
        f"{context.members.title(context.sampler.names[disk] or disk)} is at {celsius.now:.0f} °C, its own critical"
        f" temperature is {celsius.critical:.0f} °C"
        for disk, celsius in temperatures.items()
        if celsius.is_critical
    ]
    return f"{'; '.join(hot)}: let it cool, then `raidtui resume {context.path.name}`" if hot else ""


def _journal_queues(context: StageContext) -> None:
    by_disk = {}
    changed_paths = {change.path for change in context.journal.state.changes}
    for number, member in enumerate(context.plan.members):
        try:
            folder = f"/sys/block/{sysfs_name(context.members.disk(member).name)}"
        except MembersError:  # what that means to the trial is told by its end
            continue
        files = {name: context.host.matching(f"{folder}/{path}") for name, path in disk_changes.SETTINGS.items()}
        by_disk[member.id] = {name: steps.chosen(context.host.text(paths[0])) for name, paths in files.items() if paths}
        cache_path = steps.nvme_cache(f"{{member:{number}}}")
        if cache_path in changed_paths:
            with contextlib.suppress(OSError):  # its switching has told why
                by_disk[member.id][disk_changes.CACHE] = context.setting(cache_path).read()
    last = context.journal.state.queues[-1:]
    if any(by_disk.values()) and (not last or last[0].disks != by_disk):
        context.journal.add(events.QueuesRead(at_s=time.time(), disks=by_disk))


def _journal_kernel_messages(context: StageContext, trial: Trial, log: LogReader) -> None:
    """What the kernel said meanwhile of the disks, the array and what lies between."""
    messages = kernel.messages(log.read(), {name for name in context.sampler.names.values() if name})
    log.close()
    if messages:
        context.journal.add(events.KernelReported(at_s=time.time(), trial=trial.id, messages=messages))
    unread = f"the kernel's messages cannot be read ({log.why_not}): none is in this run's journal"
    if log.why_not and unread not in context.journal.state.warnings:
        context.waiter.warn(unread)


def _output(context: StageContext, trial: Trial) -> Path:
    return context.path / "fio" / f"{trial.id}.json"


def _room_bytes(context: StageContext) -> int:
    try:
        status = os.statvfs(context.path)
    except FileNotFoundError:  # somebody has deleted the run
        return 0
    return status.f_bavail * status.f_frsize


def _need_room(context: StageContext) -> None:
    room_bytes = _room_bytes(context)
    if room_bytes < _ROOM_BYTES:
        raise StepFailed(
            f"only {format_bytes(room_bytes)} are free below {context.path}: make room there, then `raidtui resume"
            f" {context.path.name}`"
        )


def _result_of(
    context: StageContext,
    trial: Trial,
    ended: Ended,
    started_s: float,
    targets: tuple[str, ...],
    errors: dict[str, int],
    used: dict[str, float],
) -> Measurement:
    """With disk rates; failed, with fio's words, without result. `errors` (md's), `used` (`_used_s`): before."""
    ended_s = time.monotonic()
    setup = context.stage.setup if context.stage else None
    about: dict[str, Any] = {
        "name": trial.id,
        "setup": msgspec.to_builtins(setup) if setup else None,
        "targets": targets,
    }
    try:
        text = _output(context, trial).read_text(errors="replace")
        measurement = parse(f"{ended.printed}\n{text}", trial.id, exit_status=ended.status)[0]
    except (OSError, FioResultError):
        full = context.journal.full or _room_bytes(context) < _ROOM_BYTES  # no fault of the disks: to be measured again
        words = (
            _wrong_data(context, ended.printed)
            or ended.printed[-500:]
            or ("there was no room for fio's result" if full else _ending(ended.status))
        )
        cut_off = context.waiter.stop_asked or context.waiter.alarmed
        lost: Status = "interrupted" if cut_off or full else "failed"
        return Measurement(status=lost, error=words, rw=trial.rw, **about)
    lasting_s = (measurement.runtime_ms or 0) / 1000 or ended_s - started_s
    verified = directions(trial.rw) == ("write",) and measurement.read is not None
    measured_s = started_s + _STARTING_S + lasting_s if verified else ended_s  # what was written is read back after it
    rates_within = _window(context, measurement, started_s, ended_s)
    exact = dict(context.sampler.rates_within(*rates_within)) if rates_within else {}
    about["disks"] = exact or dict(context.sampler.rates(started_s, min(measured_s, ended_s), lasting_s))
    if exact:
        options = options_of(context.stage, trial.id) if context.stage else {}
        measurement = with_counted(
            msgspec.structs.replace(measurement, disks=exact), trial, context.plan.disks, options
        )
    about["cpu"] = measurement.cpu | _cpu(context, used, ended_s - started_s)
    about["warnings"] = (*measurement.warnings, *_trouble(context, errors))
    if context.array and context.lost():
        about |= {"status": "failed", "error": context.why_not_whole() or f"the array {context.array} is degraded"}
    if ended.silent or (measurement.status == "failed" and not measurement.error):
        about |= {"status": "failed", "error": ended.printed[-500:] or _ending(ended.status)}
    if wrong := _wrong_data(context, ended.printed):
        about |= {"status": "failed", "error": wrong}
    if context.waiter.stop_asked or context.waiter.alarmed:
        about["status"] = "interrupted"
    return msgspec.structs.replace(measurement, **about)


def _window(
    context: StageContext, measurement: Measurement, started_s: float, ended_s: float
) -> tuple[float, float] | None:
    """In this boot's clock; None if missing or impossible."""
    if measurement.window_s is None:
        return None
    ahead_s = context.host.clock.time_ns() / 1e9 - context.host.clock.monotonic_ns() / 1e9
    begin_s, end_s = (moment - ahead_s for moment in measurement.window_s)
    possible = started_s - _CLOCKS_APART_S <= begin_s < end_s <= ended_s + _CLOCKS_APART_S
    return (begin_s, end_s) if possible else None


def _temperatures(context: StageContext, step: Command) -> dict[str, Celsius]:
    names = {name: identity for identity in context.touched(step) if (name := context.sampler.names[identity])}
    return {names[name]: celsius for name, celsius in context.host.temperatures(names).items()}


def _changed(temperatures_before: dict[str, Celsius], temperatures_after: dict[str, Celsius]) -> dict[str, Temperature]:
    temperatures = {}
    for disk in dict.fromkeys((*temperatures_before, *temperatures_after)):
        first, last = temperatures_before.get(disk), temperatures_after.get(disk)
        limit = next((celsius.limit for celsius in (last, first) if celsius), None)
        temperatures[disk] = Temperature(first.now if first else None, last.now if last else None, limit)
    return temperatures


def _by_identity(measurement: Measurement, identities: Mapping[str, str]) -> dict[str, OfTarget]:
    """Of bare disks only."""
    each = {name: one for name, one in measurement.each.items() if name.startswith("/dev/")}
    return {identities[name]: one for name, one in each.items() if name in identities}


def _cpu(context: StageContext, used: dict[str, float], took_s: float) -> dict[str, float]:
    """Share of a CPU used by each md thread, load of the busiest CPU. Threads started meanwhile are left out."""
    shares = {name: max(0.0, now_s - used[name]) / took_s for name, now_s in _used_s(context).items() if name in used}
    processor_shares = [shares.pop(name) for name in context.host.processors_worked_s() if name in shares]
    return shares | ({BUSIEST: min(1.0, max(processor_shares))} if processor_shares else {})


def _used_s(context: StageContext) -> dict[str, float]:
    used_s = context.host.processors_worked_s()
    for name in _parts(context):
        used_s |= context.host.threads_s(name)
    return used_s


def _parts(context: StageContext) -> list[str]:
    """Kernel names of the arrays that have disks: groups, or the array."""
    return context.parts() if context.array else []


def _read_errors(context: StageContext) -> dict[str, int]:
    return {disk: count for name in _parts(context) for disk, count in context.host.read_errors(name).items()}


def _wrong_data(context: StageContext, printed: str) -> str:
    """Disks that returned wrong data, with model, serial and first place, or ""."""
    return "; ".join(
        f"{context.members.title(path.removeprefix('/dev/'))} gave back something else than was written,"
        f" first at byte {offset}"
        for path, offset in first_by_path(printed).items()
    )


def _ending(status: int) -> str:
    if status < 0:
        return f"fio was ended by {signal.Signals(-status).name}"
    return f"fio ended with status {status} and no result"


def _trouble(context: StageContext, errors: dict[str, int]) -> list[str]:
    """Events in the array that should not happen in a test. `errors`: read errors before."""
    sync = next((sync for name in _parts(context) if (sync := context.host.sync(name))), None)
    skipped = context.stage is not None and context.stage.setup is not None and context.stage.setup.first_sync == "skip"
    trouble = [f"a {sync.description} was running in the array"] if sync and not skipped else []
    for name, count in _read_errors(context).items():
        if new_errors := count - errors.get(name, 0):
            trouble.append(
                f"{new_errors} sectors of {context.members.title(name)} could not be read; the array corrected them"
            )
    return trouble
