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


def standing(plan: Plan, state: RunState) -> str:
    if state.sync and state.sync.total_bytes:
        return f"{state.sync.action} {100 * state.sync.done_bytes // state.sync.total_bytes} %"
    if state.outcome == "finished":
        return sentences(plan, state)[0].rstrip(".")
    return state.step.what if state.step else state.reason or "md may go on by itself: `raidtui status` shows it"


def _checked(plan: Plan, state: RunState) -> tuple[str, ...]:
    assert plan.care
    counted_before = next((mismatches for mismatches in state.mismatches if not mismatches.final), None)
    counted_after = next((mismatches for mismatches in reversed(state.mismatches) if mismatches.final), None)
    if counted_after is None or state.outcome != "finished":
        return (
            f"{plan.care.name} was not checked to its end: what it counted until then says nothing about the rest.",
        )
    was = f" (before it md said {counted_before.sectors})" if counted_before else ""
    if not counted_after.sectors:
        return (f"{plan.care.name} was read whole, and nothing differs{was}.",)
    different = f"{counted_after.sectors} sectors ({counted_after.sectors * _SECTOR_BYTES} bytes)"
    counted = f"{plan.care.name} was read whole: {different} differ{was}."
    if plan.care.level in ("1", "10"):
        return (
            counted,
            "Between copies that is no error by itself: memory that changed while it was written (swap, a mapped file)"
            " leaves unlike copies of blocks that nobody reads. md counts whole blocks of a page or more.",
            "Check again in some weeks: a count that grows wants a look at SMART, cables and memory.",
        )
    return (
        counted,
        "Parity that does not fit its data is not to be expected: a crash in the middle of a write, a disk, cable,"
        " controller or memory that errs. Which block is wrong md cannot tell.",
        "Look at SMART and the kernel's log, compare what is on it with a backup, and check again; `repair` makes"
        " parity fit the data as they are, right or wrong.",
    )


def _replaced(plan: Plan, state: RunState) -> tuple[str, ...]:
    assert plan.care
    care, new = plan.care, plan.members[0]
    title = f"{new.model} {new.serial}".strip() or new.id
    if state.outcome != "finished":
        return (
            f"{care.old_title} is not replaced to the end yet. What md has begun it ends by itself:"
            " `raidtui status` shows it, and resuming this run follows it.",
        )
    if not care.waits:
        return (f"{title} is a spare of {care.name}.",)
    return (
        f"{title} is in sync in {care.name}, in the place of {care.old_title}.",
        "The old disk, where it is still here, carries the array's superblock and data: pull it out, or"
        " `mdadm --zero-superblock` it before it is used elsewhere.",
    )


def _grown(plan: Plan, state: RunState) -> tuple[str, ...]:
    assert plan.care
    care = plan.care
    if state.outcome != "finished" or state.grown is None:
        return (
            f"{care.name} has not grown to {care.slots} disks yet, or something on it not. What md has begun it ends by"
            " itself: `raidtui status` shows it, and resuming this run follows it. A disk that was added before that is"
            " a spare of the array.",
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
