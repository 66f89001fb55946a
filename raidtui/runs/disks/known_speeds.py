"""What the disks of this machine did in its own runs, newest first: what the next estimates rest on."""

from collections.abc import Sequence
from pathlib import Path

from raidtui.core.disks.disk import Disk
from raidtui.core.results.disk_speeds import MeasuredSpeed, measured_speeds
from raidtui.runs import directory
from raidtui.runs.journal import read_state
from raidtui.runs.status import disks_elsewhere

_MOST_RUNS = 5  # that are read, of those that these disks were in: a journal may be long


def known_speeds(disks: Sequence[Disk], root: Path) -> dict[str, MeasuredSpeed]:
    """Identity of a disk -> its speed in the newest run below `root` that tells it; an unreadable run tells nothing."""
    unknown, known, read = {disk.id for disk in disks}, dict[str, MeasuredSpeed](), 0
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
            known |= {
                identity: measured for identity, measured in measured_speeds(plan, state).items() if identity in unknown
            }
            unknown -= known.keys()
    return known
