"""The script that is handed over: the kept array's own steps, of blank disks, without a test; known where it stands."""

import subprocess

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Content
from raidtui.core.handover.again import built_again
from raidtui.core.handover.commissioning import build_script
from raidtui.core.plan.answers import PlanNotSafe
from raidtui.core.plan.model import Plan, confirmation_code
from raidtui.core.plan.steps import role_of
from raidtui.core.run.state import RunState
from raidtui.runs import directory
from tests.builders import sweeps
from tests.runs.rig import plan_of, plan_permanent

FOUND = {
    "found": "ext4",
    "contents": (Content(device="sda1", kind="ext4", uuid="1"),),
    "partitions": (1,),
    "warning": "it is connected by USB",
}


def erasing() -> Plan:
    """A plan that was made for disks with something on them, as its run has it."""
    plan = directory.drawn(sweeps.linked(plan_permanent()))
    members = tuple(replace(member, **FOUND) for member in plan.members)
    return replace(plan, members=members, notes=("sizes differ",))


def test_it_builds_and_keeps_and_erases_and_measures_nothing() -> None:
    plan = erasing()
    again = built_again(plan, plan.kept_stage or 0)
    kept, last = again.stages
    assert [role_of(step) for step in kept.steps if role_of(step) != "settled"] == [
        "members-free", "create", "array-built", "sync-finished", "wipe", "wipe", "wipe", "mkfs", "geometry", "mount",
        "mounted", "unmount",
    ]  # fmt: skip
    assert last == plan.stages[-1] and not again.trials and role_of(kept.steps[kept.build - 1]) == "sync-finished"
    assert {member.found for member in again.members} == {"blank"} and again.uuids == plan.uuids
    assert again.code == confirmation_code(again) != plan.code


def test_its_script_is_bash_that_refuses_disks_with_something_on_them() -> None:
    text = build_script(erasing(), RunState())
    assert subprocess.run(["bash", "-n"], input=text, text=True, check=False).returncode == 0
    assert "fio --" not in text and "blank=(blank blank blank)" in text and "Exists already" in text
    assert "Exists already" not in build_script(sweeps.linked(directory.drawn(plan_of("1", after="keep"))), RunState())


def test_without_links_there_is_none() -> None:
    with pytest.raises(PlanNotSafe, match="has no link"):
        build_script(plan_permanent(), RunState())


def test_what_was_odd_about_its_disks_and_what_nobody_knows_is_said_before_the_code_is_typed() -> None:
    text = build_script(erasing(), RunState())
    before = text[: text.index("read -r -p 'Everything")]
    for words in (
        "when its run was planned: it is connected by USB",
        "Nobody has looked at these disks",
        "sizes differ",
    ):
        assert words in before
    assert "has to be blank" in before and "now: blank" not in text and "confirm " not in text[len(before) :]
