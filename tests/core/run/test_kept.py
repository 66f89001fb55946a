"""What is said of the array that a run leaves standing."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import kept
from raidtui.core.run.events import ArrayBuilt
from raidtui.core.run.state import RunState, StepState
from tests.builders import sweeps


def stands(setup: Setup, *, synced: bool, error: str | None = None) -> tuple[Plan, RunState]:
    made = sweeps.plan("quick", 4, setup=setup)
    number = next(number for number, stage in enumerate(made.stages) if stage.array)
    created = StepState(stage=number, role="create", what="Create", line="", started_at_s=2, ended_at_s=5)
    waited = StepState(
        stage=number, role="sync-finished", what="Wait", line="", started_at_s=10, ended_at_s=70, error=error
    )
    state = RunState(
        kept=True,
        stage=number,
        outcome="finished",
        arrays={number: ArrayBuilt(at_s=5, node="/dev/md127", size_bytes=1)},
        steps=(created, waited) if synced else (),
    )
    return made, state


@pytest.mark.parametrize(
    "setup, synced, error, said",
    [
        (
            Setup(level="6"),
            True,
            None,
            "All members active, in sync 1 min 05 s after creation; any 2 disks may fail.",
        ),
        (
            Setup(level="5"),
            True,
            None,
            "All members active, in sync 1 min 05 s after creation; any 1 disk may fail.",
        ),
        (
            Setup(level="5"),
            True,
            "the sync of md127 ended",
            "All members active, initial resync skipped; any 1 disk may fail.",
        ),
        (
            Setup(level="5", first_sync="skip"),
            False,
            None,
            "All members active, initial resync skipped; any 1 disk",
        ),
        (Setup(level="0"), False, None, "All members active; no disk may fail."),
    ],
)
def test_it_is_said_as_it_was_seen_last(setup: Setup, synced: bool, error: str | None, said: str) -> None:
    made, state = stands(setup, synced=synced, error=error)
    sentence = kept.sentence(made, state)
    assert sentence.startswith("Built as planned: RAID ") and said in sentence


def test_the_initial_resync_is_the_first_wait_after_the_last_creation() -> None:
    """A proof waits for rebuilds, too; a worker that died builds the array again."""
    _, state = stands(Setup(level="5"), synced=True)
    created, waited = state.steps
    rebuilt = replace(waited, started_at_s=200, ended_at_s=400)
    assert kept.first_sync_s((created, waited, rebuilt)) == 65
    again = replace(created, started_at_s=500, ended_at_s=502)
    assert kept.first_sync_s((created, waited, rebuilt, again)) is None
    synced = replace(waited, started_at_s=503, ended_at_s=530)
    assert kept.first_sync_s((created, waited, again, synced, rebuilt)) == 28


def test_of_what_does_not_stand_nothing_is_said() -> None:
    made, state = stands(Setup(level="5"), synced=True)
    assert kept.sentence(made, replace(state, kept=False)) == ""
    assert kept.sentence(made, replace(state, arrays={})) == ""


@pytest.mark.parametrize(
    "change, cleared",
    [
        ({}, True),
        ({"kept": True}, False),
        ({"stages_done": ()}, False),  # nothing was kept
        ({"outcome": ""}, False),  # its worker died, or is at it
        ({"steps": ()}, False),  # nobody looked at the disks
    ],
)
def test_it_was_cleared_away_once_its_disks_were_found_blank(change: dict[str, Any], cleared: bool) -> None:
    made = sweeps.plan("quick", 4, level="5", after="keep")
    assert made.kept_stage is not None
    looked = StepState(
        stage=made.kept_stage, role="members-blank", what="Check", line="", started_at_s=1.0, undoing=True, ended_at_s=2
    )
    state = RunState(outcome="finished", stages_done=(made.kept_stage,), steps=(looked,))
    assert kept.was_cleared(made, replace(state, **change)) is cleared
    held = replace(looked, error="sdb is not blank")
    assert not kept.was_cleared(made, replace(state, steps=(held,)))
