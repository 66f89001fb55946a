"""The state that disks were in: blocks of flash that were written before, a rotating disk's write cache."""

from collections.abc import Mapping, Sequence
from typing import Literal

from raidtui.core.plan.discards import is_discarded
from raidtui.core.plan.model import Plan, Stage, Trial
from raidtui.core.plan.steps import Command, Write
from raidtui.core.results.attempts import Compared
from raidtui.core.results.figure import Figure, good
from raidtui.core.run.samples import ARRAY
from raidtui.core.run.state import RunState

Side = Literal["one disk", "all at once", "the array"]
FlashState = Literal["written", "unknown"]
WriteCache = Literal["", "exhausted", "not exhausted"]  # "": off, emulated, or of no concern
_TARGETS: dict[Side, tuple[str, ...]] = {
    "one disk": ("member",),
    "all at once": ("members",),
    "the array": ("array", "filesystem"),
}
_LEVEL = 0.05  # from the first to the last 10 s of a test of 30 s or more


def flash_states(plan: Plan, state: RunState, number: int, job: Compared) -> dict[Side, FlashState]:
    """Of all that the job goes over, by what was measured."""
    baselines = [stage for stage in plan.stages if stage.setup is None]
    stages: dict[Side, Sequence[Stage]] = {
        "one disk": baselines if job.alone else (),
        "all at once": baselines if job.all_at_once else (),
        "the array": [plan.stages[number]] if job.array else (),
    }
    states: dict[Side, FlashState] = {}
    for side, of_side in stages.items():
        written = [_was_written(stage, state, trial) for stage in of_side if (trial := _first(stage, job, side))]
        if written:
            states[side] = "written" if all(written) else "unknown"
    return states


def flash_flags(
    states: Mapping[Side, FlashState], job: Compared, array: Figure, gain: float | None, *, emulated: bool
) -> tuple[str, ...]:
    """Reads only of what was written, writes in the state in which it stays, gains of one state."""
    flags = []
    if job.name == "write" and array.steady:
        flags.append(array.steady.words)
    unsure = [side for side, state in states.items() if state == "unknown"]
    if job.name == "read" and unsure:
        where_words = " and ".join(filter(None, (", ".join(unsure[:-1]), unsure[-1])))
        flags.append(f"of {where_words} blocks read may be unwritten; flash may be slower on written ones")
    sides = [states.get(side) for side in ("one disk", "the array")]
    if gain is not None and not emulated and None not in sides and len(set(sides)) > 1:
        flags.append(f"gain compares flash of two states: one disk {sides[0]}, the array {sides[1]}")
    return tuple(flags)


def discard_flags(plan: Plan, stage: Stage, job: Compared) -> tuple[str, ...]:
    on_file = job.trial.target == "filesystem" and is_discarded(stage, plan.disks)
    return ("mkfs had discarded the array: blocks never written",) if on_file else ()


def _first(stage: Stage, job: Compared, side: Side) -> Trial | None:
    name = job.trial.job if side == "the array" else job.trial.baseline_job
    return next((trial for trial in stage.trials if trial.job == name and trial.target in _TARGETS[side]), None)


def _was_written(stage: Stage, state: RunState, trial: Trial) -> bool:
    """Had the run written all that this trial goes over: by filling it, or by a sequential test in full before it?"""
    for step in stage.steps:
        if isinstance(step, Command) and step.role == "fill":
            return True
        if isinstance(step, Command) and step.trial == trial.id:  # what is filled later is a file
            break
    for earlier in stage.trials[: stage.trials.index(trial)]:
        measured = (
            state.measured(earlier.id) if (earlier.target, earlier.member) == (trial.target, trial.member) else None
        )
        if earlier.rw == "write" and measured and measured.write and 0 < trial.span_bytes <= measured.write.io_bytes:
            return True
    return False


def write_cache(plan: Plan, stage: Stage, job: Compared) -> WriteCache:
    """Of rotating disks in random writes: a cache takes some seconds of them. A short test cannot exhaust it."""
    measured = good(job.array)
    is_off = any(isinstance(step, Write) and step.value == "write through" for step in stage.steps)
    if (
        job.kind != "random"
        or job.name != "write"
        or not measured
        or is_off
        or any(disk.emulator for disk in plan.disks)
    ):
        return ""
    steps = [rates.step if (rates := one.disks.get(ARRAY)) else None for one in measured if not one.level_s]
    return "exhausted" if all(step is not None and abs(step) <= _LEVEL for step in steps) else "not exhausted"


def cache_flags(cache: WriteCache) -> tuple[str, ...]:
    return ("cache not exhausted: the rate was not level for 30 s",) if cache == "not exhausted" else ()
