"""What is said of the array that a run leaves standing."""

import msgspec
import pytest

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.run import kept
from raidtui.core.run.events import ArrayBuilt
from raidtui.core.run.state import RunState, StepState
from tests.builders import sweeps


def stands(setup: Setup, *, synced: bool, error: str | None = None) -> tuple[Plan, RunState]:
    made = sweeps.plan("quick", 4, setup=setup)
    number = next(number for number, stage in enumerate(made.stages) if stage.array)
    waited = StepState(
        stage=number, role="sync-finished", what="Wait", line="", started_at_s=10, ended_at_s=70, error=error
    )
    state = RunState(
        kept=True,
        stage=number,
        outcome="finished",
        arrays={number: ArrayBuilt(at_s=5, node="/dev/md127", size_bytes=1)},
        steps=(waited,) if synced else (),
    )
    return made, state


@pytest.mark.parametrize(
    ("setup", "synced", "error", "said"),
    [
        (Setup(level="6"), True, None, "All its disks are in it, in sync after 1 min 00 s; any 2 disks may fail."),
        (Setup(level="5"), True, None, "All its disks are in it, in sync after 1 min 00 s; any 1 disk may fail."),
        (
            Setup(level="5"),
            True,
            "the sync of md127 ended",
            "All its disks are in it, its first sync was left out; any 1 disk may fail.",
        ),
        (
            Setup(level="5", first_sync="skip"),
            False,
            None,
            "All its disks are in it, its first sync was left out; any 1 disk",
        ),
        (Setup(level="0"), False, None, "All its disks are in it; no disk may fail."),
    ],
)
def test_it_is_said_as_it_was_seen_last(setup: Setup, synced: bool, error: str | None, said: str) -> None:
    made, state = stands(setup, synced=synced, error=error)
    sentence = kept.sentence(made, state)
    assert sentence.startswith("Built as planned: RAID ") and said in sentence


def test_of_what_does_not_stand_nothing_is_said() -> None:
    made, state = stands(Setup(level="5"), synced=True)
    assert kept.sentence(made, msgspec.structs.replace(state, kept=False)) == ""
    assert kept.sentence(made, msgspec.structs.replace(state, arrays={})) == ""


@pytest.mark.parametrize(
    ("is_kept", "left", "done", "cleared"),
    [
        (False, (), True, True),
        (True, (), True, False),
        (False, ("md127 is busy",), True, False),
        (False, (), False, False),
    ],
)
def test_it_was_cleared_away_once_it_was_there_and_nothing_is_left(
    is_kept: bool, left: tuple[str, ...], done: bool, cleared: bool
) -> None:
    made = sweeps.plan("quick", 4, setup=Setup(level="5"), after="keep")
    assert made.kept_stage is not None
    state = RunState(kept=is_kept, left=left, stages_done=(made.kept_stage,) if done else ())
    assert kept.was_cleared(made, state) is cleared
