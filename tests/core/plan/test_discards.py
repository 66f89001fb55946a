"""Where mkfs discards the array's blocks, and that plan and figures name it."""

import pytest
from msgspec.structs import replace

from raidtui.core.plan.answers import Setup
from raidtui.core.plan.model import Plan
from raidtui.core.plan.trials import is_discarded, notes
from raidtui.core.results.analysis import compare
from tests.builders import sweeps

FLAG = "mkfs had discarded the array: blocks never written"


def made(*, rotational: bool | None = False, **setup: str) -> Plan:
    plan = sweeps.plan("quick", 4, **setup, jobs=("seq_read",))  # type: ignore[arg-type]
    return replace(plan, members=tuple(replace(one, rotational=rotational) for one in plan.members))


@pytest.mark.parametrize(
    "setup, rotational, discards",
    [
        ({"level": "0", "filesystem": "ext4"}, False, True),
        ({"level": "10", "filesystem": "xfs"}, False, True),
        ({"level": "1", "filesystem": "btrfs"}, False, True),
        ({"level": "5", "filesystem": "ext4"}, False, False),
        ({"level": "6", "filesystem": "xfs"}, False, False),
        ({"level": "0", "filesystem": "none"}, False, False),
        ({"level": "0", "filesystem": "ext4"}, True, False),
        ({"level": "0", "filesystem": "ext4"}, None, False),
    ],
)
def test_of_flash_without_parity_alone(setup: dict[str, str], rotational: bool | None, discards: bool) -> None:
    plan = made(rotational=rotational, **setup)
    stage = plan.stages[-1]
    assert is_discarded(stage, plan.members) is discards
    on_file = any(trial.target == "filesystem" for trial in stage.trials)
    assert bool(notes(plan.stages, plan.members)) is (discards and on_file)
    state = sweeps.state(plan)
    flags = [flag for row in compare(plan, state).rows for flag in row.flags]
    assert (FLAG in flags) is (discards and on_file)


@pytest.mark.parametrize("flash", [True, False])
def test_the_plan_has_the_note(flash: bool) -> None:
    setup = Setup(level="0", filesystem="ext4")
    plan = sweeps.plan("quick", 4, flash=flash, setup=setup, jobs=("seq_read",))
    assert any("mkfs discards" in note for note in plan.notes) is flash
