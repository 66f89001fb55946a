"""What the disks did during each trial, from the kernel's counters: all together in a report, each by itself in CSV."""

from collections.abc import Iterator, Sequence

from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import Measurement, Temperature
from raidtui.core.page.blocks import Block, Code, Heading, PageTable, Text
from raidtui.core.page.csv import csv
from raidtui.core.plan import sweep
from raidtui.core.plan.model import Member, Plan, Stage, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.report.context import RunContext
from raidtui.core.report.provenance import names
from raidtui.core.report.setups import TIMES
from raidtui.core.results.disk_operations import simultaneous
from raidtui.core.results.published import published
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, format_number

_ABOUT = (
    "All disks of a test together, and the busiest and the least busy one. User rates are fio's, disk rates the"
    " kernel's, of whole seconds: they differ by a few percent. Each disk by itself: "
)
_OTHER_SECONDS = " !"
_TARGETS = {
    "members": "all disks at once",
    "array": "the array",
    "filesystem": "the file system",
    "existing": "as it is",
}
_CSV = (
    *("name", "setup", "disk", "serial", "id", "kernel_name", "read_bytes_per_s", "write_bytes_per_s", "spread"),
    *("util", "before_c", "after_c", "published_bytes_per_s", "user_bytes_per_s"),
)


def disks(run: RunContext) -> Iterator[Block]:
    """A line for each trial on all members or the array; nothing where the kernel's counters were not read."""
    plan = run.joined_plan
    several = sum(stage.setup is not None for stage in plan.stages) > 1
    rows = [
        [_title(stage, trial, several), *_moved(plan, stage, trial, measurement)]
        for stage, trial, measurement in _measured(plan, run.state)
        if trial.target != "member" and measurement.status == "ok"
    ]
    if rows:
        yield Heading("Disk rates (MB/s = 10^6 bytes/s)")
        marked = any(row[3].endswith(_OTHER_SECONDS) for row in rows)
        mark_words = f"{_OTHER_SECONDS} marks a rate of other seconds than fio's." if marked else ""
        yield Text((_ABOUT, Code("raidtui report --disks"), f".{mark_words}"))
        heads = ["Test", "Read, MB/s", "Write, MB/s", f"Of user's, {TIMES}", "Busiest, MB/s", "Idlest, MB/s"]
        yield PageTable(heads, rows)


def disks_csv(plan: Plan, state: RunState) -> str:
    """A line for each disk, and for the array, in each trial, with what was published of it; empty where not known."""
    rows = []
    for stage, trial, measurement in _measured(plan, state):
        article = published(plan.published, stage.setup, trial.job).disks_bytes_per_s if stage.setup else ()
        members = {member.id: (number, member) for number, member in enumerate(_members(plan, stage), 1)}
        for key, rates in measurement.disks.items():
            number, member = members.get(key, (0, None))
            told = measurement.temperatures.get(key, Temperature(None, None))
            whose = (number, member.serial, key, names(member, state)) if member else (None, None, key, None)
            moved = (rates.read_bytes_per_s, rates.write_bytes_per_s, rates.spread, rates.util)
            source = article[number - 1] if 0 < number <= len(article) else None
            told_c = (told.before_c, told.after_c)
            rows.append((measurement.name, stage.title, *whose, *moved, *told_c, source, _users(measurement)))
    return csv(_CSV, rows)


def _measured(plan: Plan, state: RunState) -> list[tuple[Stage, Trial, Measurement]]:
    return [
        (stage, trial, measurement)
        for stage in plan.stages
        for trial in stage.trials
        if (measurement := state.measured(trial.id)) and measurement.disks
    ]


def _title(stage: Stage, trial: Trial, several: bool) -> str:
    """The trial, and on what it was measured; where there are several setups, on which."""
    where = stage.title if several and stage.setup else _TARGETS.get(trial.target, trial.target)
    return f"{trial.title}, {where}{f', repetition {trial.repetition}' if trial.repetition > 1 else ''}"


def _members(plan: Plan, stage: Stage) -> Sequence[Member]:
    return sweep.taken(stage.setup, plan.disks) if stage.setup else plan.disks


def _users(measurement: Measurement) -> float:
    """What a user got meanwhile, in bytes/s."""
    transfers = {"read": measurement.read, "write": measurement.write}
    return sum(asked.steady_bytes_per_s for name in directions(measurement.rw) if (asked := transfers[name]))


def _moved(plan: Plan, stage: Stage, trial: Trial, measurement: Measurement) -> list[str]:
    """What the members moved together, how many times what the user got, and the busiest and the idlest of them."""
    members = {member.id for member in _members(plan, stage)}
    rates = [disk_rates for key, disk_rates in measurement.disks.items() if key in members]
    moved = [disk_rates.read_bytes_per_s + disk_rates.write_bytes_per_s for disk_rates in rates] or [0.0]
    users = _users(measurement)
    buffered = options_of(stage, trial.id).get("direct", "1") == "0"
    times = f"{sum(moved) / users:.2f}" if users and max(moved) else ""
    return [
        format_number(sum(disk_rates.read_bytes_per_s for disk_rates in rates), MB),
        format_number(sum(disk_rates.write_bytes_per_s for disk_rates in rates), MB),
        times + (_OTHER_SECONDS if times and not buffered and not simultaneous(measurement) else ""),
        format_number(max(moved), MB),
        format_number(min(moved), MB),
    ]
