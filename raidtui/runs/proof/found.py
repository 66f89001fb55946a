"""What fio found otherwise than written: journalled before anything else, also for a worker that was killed."""

import os
import shlex
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from raidtui.core.fio import text
from raidtui.core.plan.model import Plan, Trial
from raidtui.core.plan.steps import Command, printed_file
from raidtui.core.run.events import BlocksDiffered, DataDiffered
from raidtui.core.run.state import RunState
from raidtui.runs.journal import Journal

NAMED = 8  # blocks
_MOST_BYTES = 1 << 20


def journalled(
    journal: Journal, plan: Plan, trial: Trial, printed: str, disks: Mapping[str, str]
) -> BlocksDiffered | None:
    """The difference, of a proof. `disks`: path -> member identity."""
    if trial.state:
        blocks = text.blocks(printed)
        number, states = next(
            (number, stage.proof.states)
            for number, stage in enumerate(plan.stages)
            if stage.proof and trial in stage.trials
        )
        event = BlocksDiffered(
            at_s=time.time(),
            stage=number,
            state=states[trial.state - 1].words,
            count=len(blocks),
            trial=trial.id,
            named=tuple(block.offset_bytes for block in blocks[:NAMED]),
        )
        if blocks:
            journal.add(event)
            return event
    elif first := text.first_by_path(printed):
        by_disk = {disks.get(path, path): at_byte for path, at_byte in first.items()}
        journal.add(DataDiffered(at_s=time.time(), trial=trial.id, first=by_disk))
    return None


def recalled(path: Path, plan: Plan, journal: Journal) -> BlocksDiffered | None:
    """What a killed worker did not come to journal, from its test's file; the difference, of a proof."""
    state = journal.state
    begun = state.trials[-1] if state.trials else None
    trial = plan.trial(begun.trial) if begun else None
    if begun is None or trial is None or begun.measurement is not None:
        return None
    known: tuple[BlocksDiffered | DataDiffered, ...] = (*state.differed, *state.wrong)
    if any(one.trial == trial.id and one.at_s >= begun.started_at_s for one in known):
        return None
    if printed := printed_by(path, trial.id):
        return journalled(journal, plan, trial, printed, _disks_then(plan, state, trial.id))
    return None


def printed_by(path: Path, trial: str) -> str:
    """ "" without such a file."""
    try:
        file = os.open(path / printed_file(trial), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        is_file = stat.S_ISREG(os.fstat(file).st_mode)
        return os.read(file, _MOST_BYTES).decode(errors="replace") if is_file else ""
    finally:
        os.close(file)


def _disks_then(plan: Plan, state: RunState, trial: str) -> dict[str, str]:
    """By the names that the test's command had."""
    steps = (step for stage in plan.stages for step in stage.steps if isinstance(step, Command) and step.trial == trial)
    members = [plan.members[index].id for step in steps for index in step.members]
    words = shlex.split(next((step.line for step in reversed(state.steps) if step.role == "measure"), ""))
    paths = [word.removeprefix("--filename=") for word in words if word.startswith("--filename=")]
    return dict(zip(paths, members, strict=False))
