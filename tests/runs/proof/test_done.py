"""Steps of a proof that md reports as done are not repeated."""

from pathlib import Path

import pytest

from raidtui.core.plan.roles import CommandRole
from raidtui.core.plan.steps import Command
from raidtui.runs.executor import is_done
from tests.runs.proof.proving import ProofRig, plan


@pytest.mark.parametrize(
    "role, in_array, superblock, done",
    [
        ("fail", True, True, False),
        ("fail", False, True, True),
        ("take-out", False, True, True),
        ("zero", False, True, False),
        ("zero", False, False, True),
        ("add", False, False, False),
        ("add", True, True, True),
    ],
)
def test_the_array_decides(tmp_path: Path, role: str, in_array: bool, superblock: bool, done: bool) -> None:
    rig = ProofRig(tmp_path, plan())
    rig.array, rig.stands_on = "md127", ("sda", "sdb", "sdc") if in_array else ("sdb", "sdc")
    stage = rig.plan.stages[-1]
    assert stage.array
    rig.superblocks = {"/dev/sda": stage.array.uuid} if superblock else {}
    rig.executor.begin(len(rig.plan.stages) - 1, stage)
    step = next(one for one in stage.steps if isinstance(one, Command) and one.role == role)
    assert step.members == (0,)
    assert is_done(rig.executor.context, step) is done


def test_without_its_array_only_what_takes_it_apart_is_done(tmp_path: Path) -> None:
    rig = ProofRig(tmp_path, plan())
    stage = rig.plan.stages[-1]
    rig.executor.begin(len(rig.plan.stages) - 1, stage)
    taken_apart: tuple[CommandRole, ...] = ("stop", "deactivate", "lock")
    others = {step.role for step in stage.steps if isinstance(step, Command)} - {*taken_apart}
    steps = [Command(what="", role=role, argv=(), members=(0,)) for role in (*taken_apart, *others)]
    assert others and {step.role for step in steps if is_done(rig.executor.context, step)} == {*taken_apart}
