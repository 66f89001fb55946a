"""The part of a report that tells what SMART counted before and after: a line a disk and count, changes marked.

Knows what the journal was told; what a count means for a disk's life is its maker's affair.
"""

from collections.abc import Mapping

from raidtui.core.plan.model import Plan
from raidtui.core.report.tables import escape, table
from raidtui.core.run.events import UNIT_BYTES, UNITS_WRITTEN, HealthTold
from raidtui.core.run.state import RunState
from raidtui.core.units import both

_NO_SIGN = frozenset({"power-on hours", "temperature, °C", UNITS_WRITTEN})  # counts that change in any disk


def health(plan: Plan, state: RunState) -> list[str]:
    """The first and the last answer of each disk beside each other; a sentence where none was given."""
    if not state.healths:
        return []
    blocks = ["## SMART before and after"]
    first, last = state.healths[0], state.healths[-1]
    lines = []
    for number, member in enumerate(plan.members, 1):
        before, after = first.disks.get(member.id, {}), last.disks.get(member.id, {})
        for name in dict.fromkeys((*before, *after)):
            known = [_shown(before, name), _shown(after, name) if last is not first else ""]
            changed = "CHANGED" if all(known) and known[0] != known[1] and name not in _NO_SIGN else ""
            lines.append([str(number), escape(member.serial or member.id), escape(name), *known, changed])
    if lines:
        blocks.append(table(["Disk", "Serial", "Count", "Before", "After", "Changed"], lines, left=3))
    blocks += _written(plan, state)
    silent = [member for member in plan.members if member.id not in first.disks and member.id not in last.disks]
    if silent and lines:
        blocks.append(f"No answer: {', '.join(escape(member.serial or member.id) for member in silent)}.")
    if gone := [member for member in plan.members if member.id in first.disks and member.id not in last.disks]:
        blocks.append(
            f"ANSWERED BEFORE, NOT AFTER: {', '.join(escape(member.serial or member.id) for member in gone)}."
        )
    if last.why_not:
        blocks.append(f"{escape(last.why_not[:1].upper() + last.why_not[1:])}.")
    return blocks


def _written(plan: Plan, state: RunState) -> list[str]:
    """What hosts wrote by the disks' own count, beside what users did: the amplification by copies, parity and the run.

    How much more flash itself wrote is a count of its maker's, and asked for nowhere.
    """
    before, after = (_units(plan, look) for look in (state.healths[0], state.healths[-1]))
    if not plan.members or not len(before) == len(after) == len(plan.members) or state.healths[0] is state.healths[-1]:
        return []
    host_bytes = int((sum(after) - sum(before)) * UNIT_BYTES)
    measured = [one.write for trial in plan.trials if (one := state.measured(trial.id)) and one.write]
    user_bytes = sum(way.io_bytes for way in measured)
    of_users = f", {host_bytes / user_bytes:.2f} times what users did ({both(user_bytes)})" if user_bytes else ""
    said = f"By the disks' own count hosts wrote {both(host_bytes)} between the two looks{of_users}"
    return [f"{said}; the kernel counted {both(state.written_bytes)}. Filling and preconditioning are in both."]


def _units(plan: Plan, look: HealthTold) -> list[float]:
    """Of each member that tells it."""
    told = [look.disks.get(member.id, {}).get(UNITS_WRITTEN) for member in plan.members]
    return [one for one in told if isinstance(one, int | float)]


def _shown(told: Mapping[str, float | str], name: str) -> str:
    value = told.get(name)
    return "" if value is None else escape(value) if isinstance(value, str) else f"{value:g}"
