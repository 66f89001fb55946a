"""The part of a report that tells what the run itself took: fio's share, builds, waiting, clearing away, the estimate.

Knows steps and trials by their times; judges nothing.
"""

from collections.abc import Sequence

from raidtui.core.plan import Plan
from raidtui.core.state import RunState, StepState
from raidtui.core.steps import Wait
from raidtui.core.tables import table
from raidtui.core.units import both, format_duration


def cost(plan: Plan, state: RunState) -> list[str]:
    """Where the time of the run went, as seconds and as a share of the time that fio ran; then the estimate."""
    fio_s = sum(trial.ended_at_s - trial.started_at_s for trial in state.trials if trial.ended_at_s)
    whole_s = state.now_s - state.started_at_s
    if not fio_s or whole_s <= 0:
        return []
    waits = {step.what for stage in plan.stages for step in stage.steps if isinstance(step, Wait) and step.estimate_s}
    measures = {f"Measure: {trial.title}" for trial in plan.trials}
    others = [step for step in state.steps if step.what not in measures]
    syncs = [step for step in others if step.what in waits and not step.undoing]
    fills = [step for step in others if step.what.startswith("Fill ")]
    undone = [step for step in others if step.undoing]
    built = [step for step in others if step not in syncs and step not in fills and step not in undone]
    parts = [
        ("fio measured", fio_s),
        ("First syncs", _took(syncs)),
        ("Test files written", _took(fills)),
        ("Built, checked, made and mounted", _took(built)),
        ("Cleared away", _took(undone)),
    ]
    parts.append(("Bookkeeping between steps", max(0.0, whole_s - sum(seconds for _, seconds in parts))))
    lines = [[name, f"{seconds:.1f}", f"{100 * seconds / fio_s:.1f}"] for name, seconds in parts if seconds]
    lines.append(["All of it", f"{whole_s:.1f}", f"{100 * whole_s / fio_s:.1f}"])
    blocks = ["## What the run itself took", table(["Part", "Time, s", "Of fio's time, %"], lines)]
    if state.outcome == "finished" and plan.estimate_s:
        off = whole_s / plan.estimate_s - 1
        estimated, took = format_duration(plan.estimate_s), format_duration(whole_s)
        blocks.append(f"It was estimated at {estimated} and took {took}, {100 * off:+.0f} %.")
    if written := _written_bytes(plan, state):
        expected = f" With these, {both(plan.written_bytes)} were estimated." if plan.written_bytes else ""
        counted = "ramps, test files and first syncs not counted"
        blocks.append(f"The trials wrote {both(written)} to the disks, {counted}.{expected}")
    return blocks


def _took(steps: Sequence[StepState]) -> float:
    return sum(step.ended_at_s - step.started_at_s for step in steps if step.ended_at_s is not None)


def _written_bytes(plan: Plan, state: RunState) -> int:
    """By the kernel's own counters of the members, over the measured times."""
    members = {member.id for member in plan.members}
    total = 0.0
    for trial in plan.trials:
        one = state.measured(trial.id)
        if one and one.runtime_ms:
            rates = [disk.write_bytes_per_s for key, disk in one.disks.items() if key in members]
            total += sum(rates) * one.runtime_ms / 1000
    return int(total)
