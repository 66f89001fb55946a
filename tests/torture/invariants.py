"""What must hold after every fault, whatever it was: sentences on what is lost or left, none if all is well."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from raidtui.core.report.markdown import markdown
from raidtui.core.run import events, journal_lines
from raidtui.runs import directory
from raidtui.system import block
from tests.torture.attempt import Attempt
from tests.torture.stand import Stand, command, read_settings

_PROGRAMS = ("fio", "mdadm", "mkfs", "mke2fs", "wipefs", "mount", "umount")
_ENDING_S = 120.0


def running(worker: str = "not asked for") -> dict[int, str]:
    """Programs of a run that are running, by pid, and workers; mdadm's own monitor is the distribution's."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        words = block.text(process / "cmdline").replace("\0", " ")
        theirs = block.text(process / "comm").startswith(_PROGRAMS) and words and "--monitor" not in words
        if theirs or worker in words:
            found[int(process.name)] = words[:100]
    return found


def no_orphan(limit_s: float = _ENDING_S) -> list[str]:
    """Nothing that the run started is running a while after its worker has gone."""
    end_s = time.monotonic() + limit_s
    while (left := running()) and time.monotonic() < end_s:
        time.sleep(0.1)
    return [f"still running: {words}" for words in left.values()]


def record_whole(attempt: Attempt) -> Iterator[str]:
    """The journal reads to its end, every measurement is kept, the report is written and renders."""
    data = (attempt.path / directory.JOURNAL).read_bytes()
    found, whole = journal_lines.read(data)
    if whole != len(data) or any(isinstance(event, events.Unknown | events.Damaged) for event in found):
        yield f"the journal does not read: {len(data) - whole} bytes at its end"
    state = attempt.look()
    for trial, measurement in attempt.before.items():
        if state.measured(trial) is None or not any(t.measurement == measurement for t in state.trials):
            yield f"the measurement {trial} is lost"
    if not markdown(directory.read_plan(attempt.path), state).startswith("#"):
        yield "the report does not render"
    if state.ended and not (attempt.path / directory.REPORT).is_file():
        yield "no report.md"


def settings_back(stand: Stand) -> list[str]:
    now = read_settings()
    return [f"{path} is {now[path]}, was {old}" for path, old in stand.settings.items() if now.get(path, old) != old]


def nothing_built(attempt: Attempt | None) -> list[str]:
    """Nothing of the run is mounted, and no array stands."""
    left = [f"the array {entry.name}" for entry in Path("/sys/block").glob("md*")]
    if attempt and str(attempt.path) in block.text("/proc/self/mountinfo"):
        left.append("the run's file system is mounted")
    return left


def members_blank(nodes: Sequence[str]) -> list[str]:
    said = command("wipefs", "--no-act", "--parsable", *nodes, ok=False).strip()
    examined = command("mdadm", "--examine", *nodes, ok=False)
    left = [f"a superblock: {line.strip()}" for line in examined.splitlines() if "Array UUID" in line]
    return left + ([f"signatures: {said}"] if said else [])
