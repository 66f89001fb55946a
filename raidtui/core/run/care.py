"""Result of an array's care, from md's values, with advice."""

from raidtui.core.plan.model import Plan
from raidtui.core.plan.target import by_hand_words
from raidtui.core.run.state import RunState
from raidtui.core.units import both

_SECTOR_BYTES = 512


def sentences(plan: Plan, state: RunState) -> tuple[str, ...]:
    """() if the plan cares for no array."""
    if plan.care is None:
        return ()
    return {"check": _checked, "replace": _replaced, "grow": _grown}[plan.care.kind](plan, state)


def progress_words(plan: Plan, state: RunState) -> str:
    if state.sync and state.sync.total_bytes:
        return f"{state.sync.action} {100 * state.sync.done_bytes // state.sync.total_bytes} %"
    if state.outcome == "finished":
        return sentences(plan, state)[0].rstrip(".")
    return state.step.what if state.step else state.reason or "md may continue by itself: `raidtui status` shows it"


def _checked(plan: Plan, state: RunState) -> tuple[str, ...]:
    assert plan.care
    counted_before = next((mismatches for mismatches in state.mismatches if not mismatches.final), None)
    counted_after = next((mismatches for mismatches in reversed(state.mismatches) if mismatches.final), None)
    if counted_after is None or state.outcome != "finished":
        return (f"{plan.care.name}: check incomplete; its count so far does not cover the rest.",)
    was = f" (count before: {counted_before.sectors})" if counted_before else ""
    if not counted_after.sectors:
        return (f"{plan.care.name} was read completely: no mismatches{was}.",)
    different = f"{counted_after.sectors} sectors ({counted_after.sectors * _SECTOR_BYTES} bytes)"
    counted = f"{plan.care.name} was read completely: {different} mismatch{was}."
    if plan.care.level in ("1", "10"):
        return (
            counted,
            "Mismatches between copies are not an error by themselves: memory that changes during a write (swap, a"
            " mapped file) leaves different copies of blocks that nobody reads. md counts blocks of a page or more.",
            "Check again in some weeks; if the count grows, check SMART, cables and memory.",
        )
    return (
        counted,
        "Parity mismatches are an error: a crash during a write, or a faulty disk, cable, controller or memory. md"
        " cannot determine which block is wrong.",
        "Check SMART and the kernel's log, compare the data with a backup, and check again; `repair` makes parity match"
        " the data as they are, right or wrong.",
    )


def _replaced(plan: Plan, state: RunState) -> tuple[str, ...]:
    assert plan.care
    care, new = plan.care, plan.members[0]
    title = f"{new.model} {new.serial}".strip() or new.id
    if state.outcome != "finished":
        return (
            f"{care.old_title}: replacement incomplete. md finishes what it has started: `raidtui status` shows it, and"
            " resuming this run watches it.",
        )
    if not care.waits:
        return (f"{title} is a spare of {care.name}.",)
    return (
        f"{title} is in sync in {care.name}, replacing {care.old_title}.",
        "The old disk, if still here, carries the array's superblock and data: remove it, or run `mdadm"
        " --zero-superblock` on it before it is used elsewhere.",
    )


def _grown(plan: Plan, state: RunState) -> tuple[str, ...]:
    assert plan.care
    care = plan.care
    if state.outcome != "finished" or state.grown is None:
        return (
            f"{care.name} has not grown to {care.slots} disks yet, or what is on it has not. md finishes what it has"
            " started: `raidtui status` shows it, and resuming this run watches it. A disk added before that is a spare"
            " of the array.",
        )
    titles = ", ".join(f"{new.model} {new.serial}".strip() or new.id for new in plan.members)
    sizes = f"{both(state.grown.size_bytes)}, before {both(care.bytes_before)}"
    left = by_hand_words(care)
    return (
        f"{care.name} has {care.slots} disks: {titles} {'is' if len(plan.members) == 1 else 'are'} in sync in it.",
        f"It has {sizes}.",
        *([f"{left}."] if left else []),
        f"`raidtui clean {care.run}` leaves it alone from now on, as its plan does not name these disks.",
    )
