"""Write-mostly disks of a RAID 1: the last ones, by one option of mdadm; other levels have none."""

import pytest

from raidtui.core.plan import retry, validate
from raidtui.core.plan.answers import Axes, Setup
from raidtui.core.plan.checked.allowed import named_by, why_not
from raidtui.core.plan.model import Plan, encode
from raidtui.core.plan.steps import Check, Command
from tests.builders import sweeps

MIRROR = Setup(level="1", write_mostly=1)


def made(disks: int = 3, recipe: str = "quick", setup: Setup = MIRROR, after: str = "teardown") -> Plan:
    return sweeps.plan(recipe, disks, setup=setup, after=after)


def argvs(plan: Plan, role: str) -> list[tuple[str, ...]]:
    return [
        step.argv for stage in plan.stages for step in stage.steps if isinstance(step, Command) and step.role == role
    ]


@pytest.mark.parametrize(
    "setup, disks, words",
    [
        (MIRROR, 3, "{member:0} {member:1} --write-mostly {member:2}"),
        (Setup(level="1", write_mostly=2), 3, "{member:0} --write-mostly {member:1} {member:2}"),
        (Setup(level="1", write_mostly=1, spares=1), 3, "{member:0} --write-mostly {member:1}"),
        (Setup(level="1", write_mostly=1, members="partitions"), 2, "{part:0:1} --write-mostly {part:1:1}"),
    ],
)
def test_the_last_disks_are_named_after_the_option_and_looked_at(setup: Setup, disks: int, words: str) -> None:
    plan = made(disks, setup=setup, after="keep")
    ((*_, run), devices) = _parted(argvs(plan, "create")[0])
    assert run == "--run" and " ".join(devices) == words
    stage = plan.stages[-1]
    built = next(step for step in stage.steps if isinstance(step, Check) and step.question == "array-built")
    assert built.expected["write_mostly"] == setup.write_mostly
    named = named_by(stage, plan.answers, plan.members)
    assert not [why_not(step, named) for step in stage.steps if why_not(step, named)]
    assert validate.decode(encode(plan)) == plan and f"{setup.write_mostly} write-mostly" in stage.title


def _parted(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    at = argv.index("--run") + 1
    return argv[:at], argv[at:]


def test_a_plan_without_has_nothing_of_it() -> None:
    plan = made(setup=Setup(level="1"))
    assert "--write-mostly" not in argvs(plan, "create")[0] and "write-mostly" not in plan.stages[-1].title
    assert plan.code != made().code


def test_a_sweep_varies_it_and_one_of_its_tests_again_has_it() -> None:
    plan = sweeps.plan("quick", 3, axes=Axes(level=("1", "5"), write_mostly=(0, 1)))
    found = {(stage.setup.level, stage.setup.write_mostly) for stage in plan.stages if stage.setup}
    assert found == {("1", 0), ("1", 1), ("5", 0)}
    stage = next(stage for stage in plan.stages if stage.setup and stage.setup.write_mostly)
    again = retry.answers_of(plan, stage.trials[0].id)
    assert isinstance(again.axes, tuple)
    assert (again.axes[0].level, again.axes[0].write_mostly) == (("1",), (1,))


def test_a_proof_adds_them_back_as_they_were() -> None:
    plan = made(recipe="proof", after="keep")
    adds = argvs(plan, "add")
    assert {argv[-1] for argv in adds if "--write-mostly" in argv} == {"{member:2}"} & {argv[-1] for argv in adds}
    assert all(("--write-mostly" in argv) == (argv[-1] == "{member:2}") for argv in adds) and adds
