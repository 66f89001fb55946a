"""The disks' health: temperatures, self-tests, SMART counters before and after. Judges nothing."""

from collections.abc import Iterator, Mapping, Sequence

from raidtui.core.page.blocks import Block, Bullets, Heading, PageTable, Text
from raidtui.core.plan.model import Member, Plan
from raidtui.core.report.context import RunContext
from raidtui.core.run.disk_changes import changed
from raidtui.core.run.disk_verdicts import disk_verdicts
from raidtui.core.run.events import UNIT_BYTES, UNITS_WRITTEN, HealthRead, SelfTestResult, SelfTestsEnded
from raidtui.core.run.state import RunState
from raidtui.core.units import both

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
        verdict = one.verdict.upper() if one.failed else one.verdict
        rows.append([str(number), _name(one.member), verdict, *found, grown])
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
