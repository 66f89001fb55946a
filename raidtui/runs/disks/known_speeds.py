"""Disk speeds from this machine's runs, newest first, for estimates."""

import os
from collections.abc import Sequence
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.core.results.disk_speeds import MeasuredSpeed, measured_speeds
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.runs.status import disks_elsewhere

HELD_TO = "RAIDTUI_PRACTICE_HELD_TO"  # in the environment: bytes/s and IOPS that each practice disk is held to
_MOST_RUNS = 5  # that are read, of those that these disks were in: a journal may be long


def known_speeds(disks: Sequence[Disk], root: Path) -> dict[str, MeasuredSpeed]:
    """By identity, from the newest run with it, per direction. Unmeasured practice disks: their throttle."""
    unknown, read = {disk.id for disk in disks}, 0
    known = dict.fromkeys(unknown, MeasuredSpeed())
    for path in reversed(directory.list_runs(root)):
        if not unknown or read == _MOST_RUNS:
            break
        try:
            plan = directory.read_plan(path)
            if plan.care or unknown.isdisjoint(member.id for member in plan.members):
                continue
            read += 1
            state = read_state(path / directory.JOURNAL)
        except (ValueError, OSError):
            continue
        if not disks_elsewhere(path, state):
            for identity, speed in measured_speeds(plan, state).items():
                if identity in unknown:
                    known[identity] = _filled(known[identity], speed)
            unknown = {identity for identity in unknown if not (known[identity].bytes_per_s and known[identity].iops)}
    if held := _held_to():
        known |= {identity: _filled(known[identity], held) for identity in unknown}
    return {identity: speed for identity, speed in known.items() if speed != MeasuredSpeed()}


def _filled(speed: MeasuredSpeed, older: MeasuredSpeed) -> MeasuredSpeed:
    return MeasuredSpeed(speed.bytes_per_s or older.bytes_per_s, speed.iops or older.iops, held=older.held)


def _held_to() -> MeasuredSpeed | None:
    words = os.environ.get(HELD_TO, "").split()
    if len(words) != 2 or not all(word.isdecimal() for word in words):
        return None
    bytes_per_s, iops = map(float, words)
    return MeasuredSpeed(bytes_per_s, iops, held=True)
