"""The part of a report that tells of the disks' health: their own tests, what SMART counted before and after.

Knows what the journal was told; what a count means for a disk's life is its maker's affair.
"""

from collections.abc import Mapping

from raidtui.core.plan.model import Plan
from raidtui.core.report.tables import escape, table
from raidtui.core.run.events import UNIT_BYTES, UNITS_WRITTEN, HealthTold, SelfTestResult
from raidtui.core.run.health import changed
from raidtui.core.run.state import RunState
from raidtui.core.units import both


def health(plan: Plan, state: RunState) -> list[str]:
    """The first and the last answer of each disk beside each other; a sentence where none was given."""
    if not state.healths:
        return []
    blocks = ["## SMART before and after"]
    first, last = state.healths[0], state.healths[-1]
    lines = []
    for number, member in enumerate(plan.members, 1):
        first_counts, last_counts = first.disks.get(member.id, {}), last.disks.get(member.id, {})
        signs = changed(state, member.id)
        for name in dict.fromkeys((*first_counts, *last_counts)):
            counts = [_count_words(first_counts, name), _count_words(last_counts, name) if last is not first else ""]
            sign = "CHANGED" if name in signs else ""
            lines.append([str(number), escape(member.serial or member.id), escape(name), *counts, sign])
    if lines:
        blocks.append(table(["Disk", "Serial", "Count", "Before", "After", "Changed"], lines, word_columns=3))
    blocks += _host_writes(plan, state)
    silent = [member for member in plan.members if member.id not in first.disks and member.id not in last.disks]
    if silent and lines:
        blocks.append(f"No answer: {', '.join(escape(member.serial or member.id) for member in silent)}.")
    if silent_after := [member for member in plan.members if member.id in first.disks and member.id not in last.disks]:
        blocks.append(
            f"ANSWERED BEFORE, NOT AFTER: {', '.join(escape(member.serial or member.id) for member in silent_after)}."
        )
    if last.why_not:
        blocks.append(f"{escape(last.why_not[:1].upper() + last.why_not[1:])}.")
    return blocks


def self_tests(plan: Plan, state: RunState) -> list[str]:
    """What the disks' own tests found, a line a disk; nothing where none was asked for one."""
    if state.self_tests is None:
        return []
    lines = []
    for number, member in enumerate(plan.members, 1):
        result = state.self_tests.disks.get(member.id, SelfTestResult(words="not told"))
        lines.append([str(number), escape(member.serial or member.id), *map(escape, verdict_and_words(result))])
    title = f"## The disks' own self-tests ({state.self_tests.length})"
    return [title, table(["Disk", "Serial", "Verdict", "In the disk's words"], lines, word_columns=4)]


def verdict_and_words(result: SelfTestResult) -> tuple[str, str]:
    return {True: "passed", False: "FAILED", None: "none"}[result.passed], result.words


def _host_writes(plan: Plan, state: RunState) -> list[str]:
    """What hosts wrote by the disks' own count, beside what users did: the amplification by copies, parity and the run.

    How much more flash itself wrote is a count of its maker's, and asked for nowhere.
    """
    first_units, last_units = (_units(plan, health_told) for health_told in (state.healths[0], state.healths[-1]))
    if (
        not plan.members
        or not len(first_units) == len(last_units) == len(plan.members)
        or state.healths[0] is state.healths[-1]
    ):
        return []
    host_bytes = int((sum(last_units) - sum(first_units)) * UNIT_BYTES)
    writes = [
        measured_trial.write
        for trial in plan.trials
        if (measured_trial := state.measured(trial.id)) and measured_trial.write
    ]
    user_bytes = sum(rates.io_bytes for rates in writes)
    of_users = f", {host_bytes / user_bytes:.2f} times what users did ({both(user_bytes)})" if user_bytes else ""
    sentence = f"By the disks' own count hosts wrote {both(host_bytes)} between the two looks{of_users}"
    return [f"{sentence}; the kernel counted {both(state.written_bytes)}. Filling and preconditioning are in both."]


def _units(plan: Plan, health_told: HealthTold) -> list[float]:
    """Of each member that tells it."""
    units = [health_told.disks.get(member.id, {}).get(UNITS_WRITTEN) for member in plan.members]
    return [count for count in units if isinstance(count, int | float)]


def _count_words(counts: Mapping[str, float | str], name: str) -> str:
    value = counts.get(name)
    return "" if value is None else escape(value) if isinstance(value, str) else f"{value:g}"
