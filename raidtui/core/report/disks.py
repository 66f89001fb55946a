"""The disks and their health."""

from collections.abc import Iterator, Mapping, Sequence

from raidtui.core.fio.job import directions
from raidtui.core.fio.measurement import Measurement, Temperature
from raidtui.core.page.blocks import Block, Bullets, Code, Heading, PageTable, Text
from raidtui.core.page.csv import csv
from raidtui.core.plan import sweep
from raidtui.core.plan.model import Member, Plan, Stage, Trial
from raidtui.core.plan.trials import options_of
from raidtui.core.report.context import RunContext
from raidtui.core.report.provenance import names
from raidtui.core.report.setups import TIMES
from raidtui.core.results.comparison import published
from raidtui.core.results.disk_operations import simultaneous
from raidtui.core.run.disk_changes import changed, disk_verdicts
from raidtui.core.run.events import UNIT_BYTES, UNITS_WRITTEN, HealthRead, SelfTestResult, SelfTestsEnded
from raidtui.core.run.state import RunState
from raidtui.core.units import MB, both, format_number

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


_SHOWN = {"none": "no self-test", "failed": "FAILED"}


def health(run: RunContext) -> Iterator[Block]:
    """Verdicts of a burn-in and the disks' own tests, a line a disk; then the first and the last counts."""
    plan, state = run.plan, run.state
    yield from _verdicts(plan, state)
    yield from _temperatures(run)
    for ended in (state.self_tests, state.self_tests_after):
        if ended:
            yield from _self_tests(plan, ended)
    if not state.healths:
        return
    first, last = state.healths[0], state.healths[-1]
    counts = []
    for number, member in enumerate(plan.members, 1):
        before, after = first.disks.get(member.id, {}), last.disks.get(member.id, {})
        signs = changed(state, member.id)
        for name in dict.fromkeys((*before, *after)):
            words = [_count_words(before, name), _count_words(after, name) if last is not first else ""]
            counts.append([str(number), _name(member), name, *words, "CHANGED" if name in signs else ""])
    yield Heading("SMART before and after")
    yield PageTable(["Disk", "Serial", "Count", "Before", "After", "Changed"], counts, 3)
    yield from _host_writes(plan, state)
    silent = [member for member in plan.members if member.id not in last.disks]
    if counts:
        yield from _named("No answer", [member for member in silent if member.id not in first.disks])
    yield from _named("ANSWERED BEFORE, NOT AFTER", [member for member in silent if member.id in first.disks])
    if last.why_not:
        yield Text(f"{last.why_not[:1].upper() + last.why_not[1:]}.")


def _verdicts(plan: Plan, state: RunState) -> Iterator[Block]:
    rows, errors = [], []
    for number, one in enumerate(disk_verdicts(plan, state), 1):
        grown = ", ".join(one.grown) or ("none" if one.counted else "not checked")
        found = (_SHOWN.get(finding, finding) for finding in (one.before, one.data, one.after))
        rows.append([str(number), _name(one.member), one.verdict.upper() if one.failed else one.verdict, *found, grown])
        errors += [f"{_name(one.member)}: {one.error}"] if one.error else []
    if rows:
        yield Heading("Verdict of each disk")
        yield PageTable(
            ["Disk", "Serial", "Verdict", "Self-test before", "Read back", "Self-test after", "Worse counts"], rows, 7
        )
        yield Bullets(errors)


def _self_tests(plan: Plan, ended: SelfTestsEnded) -> Iterator[Block]:
    when = "after" if ended.after else "before"
    rows = [
        [str(number), _name(member), *verdict_and_words(ended.disks.get(member.id, SelfTestResult(words="not told")))]
        for number, member in enumerate(plan.members, 1)
    ]
    yield Heading(f"The disks' own self-tests {when} ({ended.length})")
    yield PageTable(["Disk", "Serial", "Verdict", "The disk's result"], rows, 4)


def _temperatures(run: RunContext) -> Iterator[Block]:
    """The lowest and the highest that a disk told before or after a test, and the limit at which it throttles."""
    rows = []
    for number, member in enumerate(run.plan.members, 1):
        told = [
            temperature
            for trial in run.plan.trials
            if (measured := run.state.measured(trial.id)) and (temperature := measured.temperatures.get(member.id))
        ]
        celsius = [value for one in told for value in (one.before_c, one.after_c) if value is not None]
        if celsius:
            limit_c = next((one.limit_c for one in told if one.limit_c is not None), None)
            limit = "" if limit_c is None else f"{limit_c:.0f}"
            rows.append([str(number), _name(member), f"{min(celsius):.0f}", f"{max(celsius):.0f}", limit])
    if rows:
        yield Heading("Temperatures over the run")
        yield PageTable(["Disk", "Serial", "Lowest, °C", "Highest, °C", "Limit, °C"], rows, 2)


def _named(what: str, members: Sequence[Member]) -> Iterator[Text]:
    if members:
        yield Text(f"{what}: {', '.join(map(_name, members))}.")


def _name(member: Member) -> str:
    return member.serial or member.id


def verdict_and_words(result: SelfTestResult) -> tuple[str, str]:
    return {True: "passed", False: "FAILED", None: "none"}[result.passed], result.words


def _host_writes(plan: Plan, state: RunState) -> Iterator[Text]:
    """Host writes by the disks' own counters beside the users' writes: the amplification by copies, parity
    and the run.
    """
    first, last = state.healths[0], state.healths[-1]
    first_units, last_units = (_units(plan, told) for told in (first, last))
    if not plan.members or not len(first_units) == len(last_units) == len(plan.members) or first is last:
        return
    host_bytes = int((sum(last_units) - sum(first_units)) * UNIT_BYTES)
    writes = [
        measured_trial.write
        for trial in plan.trials
        if (measured_trial := state.measured(trial.id)) and measured_trial.write
    ]
    user_bytes = sum(rates.io_bytes for rates in writes)
    of_users = f", {host_bytes / user_bytes:.2f} times the user writes ({both(user_bytes)})" if user_bytes else ""
    sentence = f"Host writes by the disks' own counters: {both(host_bytes)} during the run{of_users}"
    yield Text(f"{sentence}; the kernel counted {both(state.written_bytes)}. Filling and preconditioning are in both.")


def _units(plan: Plan, health_told: HealthRead) -> list[float]:
    """Of each member that tells it."""
    units = [health_told.disks.get(member.id, {}).get(UNITS_WRITTEN) for member in plan.members]
    return [count for count in units if isinstance(count, int | float)]


def _count_words(counts: Mapping[str, float | str], name: str) -> str:
    value = counts.get(name)
    return "" if value is None else value if isinstance(value, str) else f"{value:g}"
