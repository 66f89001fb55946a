"""Measuring: one fio command carried out, and what it gave together with the disks' own counters."""

import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import msgspec

from raidtui.core.fio.measurement import (
    BUSIEST,
    Measurement,
    Status,
    Temperature,
)
from raidtui.core.fio.result import FioResultError, parse
from raidtui.core.plan.model import Trial
from raidtui.core.plan.steps import Command
from raidtui.core.results.attempts import directions
from raidtui.core.run import events
from raidtui.core.units import format_bytes
from raidtui.runs.context import Site
from raidtui.runs.waiting import (
    Ended,
    StepFailed,
    Stopped,
    Unending,
)
from raidtui.system import block, health, md, processors

_WRONG = re.compile(r" at file (\S+) offset (\d+)")  # fio's words of a bad checksum, magic or header, verify.c
_STARTING_S = 0.5  # of fio, before its first write
_UDEV_S = 10.0  # for its probes to end
_ROOM_BYTES = 4 << 20  # a result of fio's and some hours of counters


def measure(site: Site, step: Command) -> Ended:
    """Carry out the trial that `step` names. StepFailed if the array is gone, Stopped if someone asked for it."""
    trial = site.plan.trial(step.trial)
    assert trial
    _need_room(site)
    argv = site.resolved(step.argv)
    targets = tuple(word.removeprefix("--filename=") for word in argv if word.startswith("--filename="))
    if site.own_file is not None:
        targets = (site.existing_path("file"),)
    if trial.target == "filesystem" and not all(block.is_mounted((site.path / one).parent) for one in targets):
        raise StepFailed("the run's file system is not mounted any more")
    _output(site, trial).unlink(missing_ok=True)
    _await_udev(site)
    started_s = time.monotonic()
    site.sampler.mark()
    errors = md.read_errors(site.array) if site.array else {}
    used = _used_s(site)
    warm = _temperatures(site, trial)
    site.journal.add(events.TrialStarted(at_s=time.time(), trial=trial.id, expected_s=trial.expected_s))
    try:
        ended = site.run(step.argv)
    except Unending as stuck:
        failed = Measurement(name=trial.id, status="failed", error=str(stuck), rw=trial.rw, targets=targets)
        site.journal.add(events.TrialEnded(at_s=time.time(), trial=trial.id, measurement=failed, lost=True))
        raise
    site.sampler.mark()
    measurement = _result(site, trial, ended, started_s, targets, errors, used)
    measurement = msgspec.structs.replace(measurement, temperatures=_changed(warm, _temperatures(site, trial)))
    lost = measurement.status in ("failed", "incomplete") and site.has_lost()
    site.journal.add(events.TrialEnded(at_s=time.time(), trial=trial.id, measurement=measurement, lost=lost))
    if site.array and md.is_dead(site.array):
        raise StepFailed(f"{site.why_not_whole() or f'the array {site.array} is gone'}: {ended.printed[-500:]}")
    if site.pace.stopping():
        raise Stopped
    return ended


def _output(site: Site, trial: Trial) -> Path:
    return site.path / "fio" / f"{trial.id}.json"


def _await_udev(site: Site) -> None:
    """Whatever was written to is probed by udev when it is closed: of an array with all of its read-ahead."""
    end_s = time.monotonic() + _UDEV_S
    while block.udev_is_busy() and time.monotonic() < end_s:
        site.pace.pause(0.1)


def _room_bytes(site: Site) -> int:
    try:
        status = os.statvfs(site.path)
    except FileNotFoundError:  # somebody has deleted the run
        return 0
    return status.f_bavail * status.f_frsize


def _need_room(site: Site) -> None:
    room_bytes = _room_bytes(site)
    if room_bytes < _ROOM_BYTES:
        raise StepFailed(
            f"only {format_bytes(room_bytes)} are free below {site.path}: make room there, then `raidtui resume"
            f" {site.path.name}`"
        )


def _result(
    site: Site,
    trial: Trial,
    ended: Ended,
    started_s: float,
    targets: tuple[str, ...],
    errors: dict[str, int],
    used: dict[str, float],
) -> Measurement:
    """What fio wrote, with the disks' own rates over the same time; failed, with its words, if it wrote nothing.

    `errors` and `used` are md's counters of errors and the CPU time (see `_used_s`) from before.
    """
    ended_s = time.monotonic()
    setup = site.stage.setup if site.stage else None
    about: dict[str, Any] = {
        "name": trial.id,
        "setup": msgspec.to_builtins(setup) if setup else None,
        "targets": targets,
    }
    try:
        text = _output(site, trial).read_text(errors="replace")
        measurement = parse(f"{ended.printed}\n{text}", trial.id, exit_status=ended.status)[0]
    except (OSError, FioResultError):
        full = site.journal.full or _room_bytes(site) < _ROOM_BYTES  # no fault of the disks: to be measured again
        words = ended.printed[-500:] or ("there was no room for fio's result" if full else _ending(ended.status))
        lost: Status = "interrupted" if site.pace.stop_asked or full else "failed"
        return Measurement(status=lost, error=words, rw=trial.rw, **about)
    lasting_s = (measurement.runtime_ms or 0) / 1000 or ended_s - started_s
    verified = directions(trial.rw) == ("write",) and measurement.read is not None
    measured_s = started_s + _STARTING_S + lasting_s if verified else ended_s  # what was written is read back after it
    about["disks"] = dict(site.sampler.rates(started_s, min(measured_s, ended_s), lasting_s))
    about["cpu"] = measurement.cpu | _cpu(site, used, ended_s - started_s)
    about["warnings"] = (*measurement.warnings, *_trouble(site, errors))
    if site.array and md.is_degraded(site.array):
        about |= {"status": "failed", "error": site.why_not_whole() or f"the array {site.array} is degraded"}
    if ended.silent or (measurement.status == "failed" and not measurement.error):
        about |= {"status": "failed", "error": ended.printed[-500:] or _ending(ended.status)}
    if wrong := _wrong_data(site, ended.printed):
        about |= {"status": "failed", "error": wrong}
    if site.pace.stop_asked:
        about["status"] = "interrupted"
    return msgspec.structs.replace(measurement, **about)


def _temperatures(site: Site, trial: Trial) -> dict[str, health.Celsius]:
    """Of the members that the trial works on, by their identities."""
    members = site.plan.members if trial.member is None else (site.plan.members[trial.member],)
    names = {name: member.id for member in members if (name := site.sampler.names[member.id])}
    return {names[name]: celsius for name, celsius in health.temperatures(names).items()}


def _changed(before: dict[str, health.Celsius], after: dict[str, health.Celsius]) -> dict[str, Temperature]:
    found = {}
    for disk in dict.fromkeys((*before, *after)):
        first, last = before.get(disk), after.get(disk)
        limit = next((one.limit for one in (last, first) if one), None)
        found[disk] = Temperature(first.now if first else None, last.now if last else None, limit)
    return found


def _cpu(site: Site, used: dict[str, float], took_s: float) -> dict[str, float]:
    """The share of one CPU that each of md's threads has used since, and how busy the busiest CPU was.

    What has begun meanwhile is left out.
    """
    shares = {name: max(0.0, now_s - used[name]) / took_s for name, now_s in _used_s(site).items() if name in used}
    whole = [shares.pop(name) for name in processors.worked_s() if name in shares]
    return shares | ({BUSIEST: min(1.0, max(whole))} if whole else {})


def _used_s(site: Site) -> dict[str, float]:
    """Seconds of CPU time so far: of the array's threads, and of each processor ("cpu0")."""
    return processors.worked_s() | (md.threads(site.array) if site.array else {})


def _wrong_data(site: Site, printed: str) -> str:
    """Which disks gave back something else than was written to them, by model and serial, and where first; "": none."""
    first: dict[str, str] = {}
    for path, offset in _WRONG.findall(printed):
        first.setdefault(path, offset)
    return "; ".join(
        f"{site.muster.title(Path(path).name)} gave back something else than was written, first at byte {offset}"
        for path, offset in first.items()
    )


def _ending(status: int) -> str:
    """How fio ended, where it said nothing itself."""
    if status < 0:
        return f"fio was ended by {signal.Signals(-status).name}"
    return f"fio ended with status {status} and no result"


def _trouble(site: Site, errors: dict[str, int]) -> list[str]:
    """What went on in the array while it was measured, and was not to. `errors`: of reading, before."""
    sync = md.sync(site.array) if site.array else None
    skipped = site.stage is not None and site.stage.setup is not None and site.stage.setup.first_sync == "skip"
    found = [f"a {sync.action} was running in the array"] if sync and not skipped else []
    for name, count in (md.read_errors(site.array) if site.array else {}).items():
        if more := count - errors.get(name, 0):
            found.append(f"{more} sectors of {site.muster.title(name)} could not be read; the array corrected them")
    return found
