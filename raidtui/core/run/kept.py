"""The array that a run keeps: what it is, whether healthy, failures survived.

Result of an array's care, from md's values, with advice.
"""

from collections.abc import Iterable, Sequence

from raidtui.core.plan.member_steps import may_fail, may_fail_words
from raidtui.core.plan.model import KEPT_FILE, Plan, Stage
from raidtui.core.plan.target import by_hand_words
from raidtui.core.plan.trials import test_files
from raidtui.core.run.events import PoolMade
from raidtui.core.run.state import WORKER_DIED, RunState, StepState
from raidtui.core.units import both, format_duration

_TAKES_DATA = ("lvremove", "vgremove", "pvremove", "wipe", "stop", "zero")  # roles


def keeping_due(plan: Plan, state: RunState) -> bool:
    number = plan.kept_stage
    return number is not None and state.kept and state.tests_done == number and number not in state.stages_done


def may_go_on(plan: Plan, state: RunState) -> bool:
    """Work is left for the kept array, without tests or removal."""
    return keeping_due(plan, state) or permanence_due(plan, state)


def was_taken_apart(state: RunState, number: int) -> bool:
    """Removal of the stage's result began after its last build."""
    steps = [step for step in state.steps if step.stage == number]
    built = max((at for at, step in enumerate(steps) if step.role == "create" and not step.undoing), default=-1)
    begun = (step for step in steps[built + 1 :] if step.undoing and step.role in _TAKES_DATA)
    return any(step.error in (None, WORKER_DIED) for step in begun)


def permanence_due(plan: Plan, state: RunState) -> bool:
    """The array exists, and its permanence is unfinished."""
    number, stages_done = plan.permanence, state.stages_done
    return number is not None and state.kept and plan.kept_stage in stages_done and number not in stages_done


def is_permanent(plan: Plan, state: RunState) -> bool:
    return plan.permanence in state.stages_done and state.is_at_boot


def is_to_undo(state: RunState) -> bool:
    """Boot, or an initramfs not rebuilt yet, may refer to the run's array or pool."""
    return state.is_at_boot or state.initramfs_older


def kept_stage_number(plan: Plan, state: RunState) -> int:
    """Number of the kept array's stage: as planned, or the last begun if a person kept it."""
    return state.stage if plan.kept_stage is None else plan.kept_stage


def pool_made(plan: Plan, state: RunState, number: int) -> PoolMade:
    """Pool of the stage, or the one it makes permanent, by GUID. ValueError if none was read."""
    made = state.pools.get(number - plan.stages[number].permanent)
    if made is None:
        raise ValueError("the GUID of the run's pool was not read")
    return made


_SYNCED = "sync-finished"


def sentence(plan: Plan, state: RunState) -> str:
    """`Built as planned: …`; "" if the run keeps none of its own."""
    number = kept_stage_number(plan, state)
    if state.kept and (made := state.pools.get(number)):
        return f"Pool {made.pool} kept: created again after the tests, GUID {made.guid}."
    if not state.kept or plan.existing or number >= len(plan.stages) or number not in state.arrays:
        return ""
    stage, steps = plan.stages[number], [step for step in state.steps if step.stage == number]
    if stage.array is None:
        return ""
    survives = may_fail(stage.setup, stage.array.capacity.survives)
    return f"Built as planned: {stage.title}. {_wholeness(stage, steps)}; {may_fail_words(survives)}."


def own_names(state: RunState, disks: int) -> frozenset[str]:
    """What a run of so many `disks` leaves in the root folder of its file system."""
    return frozenset(("lost+found", *test_files(disks), *((KEPT_FILE,) if state.kept else ())))


def first_sync_s(steps: Iterable[StepState]) -> float | None:
    """From the array's last creation to the end of its initial resync, seconds; None if unfinished. `steps`: its stage.
    Later waits are for rebuilds.
    """
    created_at_s, took_s = None, None
    for step in steps:
        if step.undoing or step.error or step.ended_at_s is None:
            continue
        if step.role == "create":
            created_at_s, took_s = step.ended_at_s, None
        elif step.role == _SYNCED and took_s is None:
            took_s = step.ended_at_s - (step.started_at_s if created_at_s is None else created_at_s)
    return took_s


def was_cleared(plan: Plan, state: RunState) -> bool:
    """First kept, then removed, its disks found blank."""
    return plan.kept_stage in state.stages_done and state.ended and not state.kept and found_blank(state)


def found_blank(state: RunState) -> bool:
    """The worker's last check found no signature on the members."""
    last = state.steps[-1] if state.steps else None
    return bool(last and last.role == "members-blank" and last.ended_at_s is not None and not last.error)


def _wholeness(stage: Stage, steps: Sequence[StepState]) -> str:
    """Resync completed on all disks (the wait fails if one is missing), or what is known."""
    if (took_s := first_sync_s(steps)) is not None:
        return f"All members active, in sync {format_duration(took_s)} after creation"
    skipped = stage.setup is not None and stage.setup.first_sync == "skip"
    return "All members active, initial resync skipped" if skipped else "All members active"


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
