"""The name of a kept array, the label of its file system, its mount options, in every step that has them."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.plan import slots, validate
from raidtui.core.plan.answers import Between, Setup
from raidtui.core.plan.model import Plan, encode, undo
from raidtui.core.plan.steps import Edit, Restore, Write, immutable_setting, role_of
from raidtui.core.plan.summary import imagined
from raidtui.core.raid import zfs
from raidtui.core.units import GB
from tests.builders.plans import DEBIAN, of_role, planned

DRAWN = ("00112233-4455-6677-8899-aabbccddeeff", "ffeeddcc-bbaa-9988-7766-554433221100")


def made(level: str = "5", filesystem: str = "ext4", between: Between = "", **given: Any) -> Plan:
    disks = imagined([100 * GB] * 3, flash=False)
    fields = {name: given.pop(name) for name in ("members", "member_size") if name in given}
    setup = Setup(level=level, filesystem=filesystem, between=between, **fields)
    given = {"after": "keep", "permanent": True, **given}
    programs = (*zfs.PROGRAMS, zfs.MODULE) if level.startswith("zfs") else ()
    plan = planned(disks, setup, DEBIAN, programs, repeat=1, **given)
    return slots.filled(replace(plan, uuids=(*DRAWN, *DRAWN, *DRAWN)))


def command(plan: Plan, role: str) -> tuple[str, ...]:
    return of_role(plan.stages[-2].steps, role)[0].argv


def lines_of(plan: Plan, path: str) -> tuple[str, ...]:
    return next(step.lines for step in plan.stages[-1].steps if isinstance(step, Edit) and step.path == path)


def test_the_array_and_its_file_system_are_called_as_asked_for() -> None:
    plan = made(array_name="data", label="store", mount_options="noatime")
    assert "--name=data" in command(plan, "create") and command(plan, "mkfs")[-3:] == ("-L", "store", "{array}")
    assert lines_of(plan, "/etc/mdadm/mdadm.conf")[0].startswith("ARRAY /dev/md/data UUID=")
    assert " defaults,nofail,noatime 0 2" in lines_of(plan, "/etc/fstab")[0]
    assert validate.decode(encode(plan)) == plan
    assert made().stages[-2].array and "--name=raidtui-00112233" in command(made(), "create")


@pytest.mark.parametrize("between, group", [("lvm", "data"), ("luks", "luks-data")])
def test_the_layer_is_called_by_the_array(between: Between, group: str) -> None:
    plan = made(array_name="data", between=between)
    layer = plan.stages[-2].layer
    assert layer and layer.group == group and validate.decode(encode(plan)) == plan


@pytest.mark.parametrize(
    "change, why",
    [
        ({"array_name": "other"}, "its name cannot be 'data'"),
        ({"label": "other"}, "ask for no label 'store'"),
        ({"mount_options": "ro"}, "those are not this array's lines in /etc/fstab"),
    ],
)
def test_a_plan_has_the_names_of_its_answers(change: dict[str, str], why: str) -> None:
    plan = made(array_name="data", label="store", mount_options="noatime")
    answers = replace(plan.answers, **change)
    with pytest.raises(ValueError, match=why):
        validate.check(replace(plan, answers=answers))


def test_the_folder_is_guarded_before_the_mount_and_freed_before_its_removal() -> None:
    plan = made(mount_guard="immutable")
    stage, guard = plan.stages[-1], immutable_setting("/srv/array")
    roles = [role_of(step) for step in stage.steps]
    at = next(number for number, step in enumerate(stage.steps) if isinstance(step, Write) and step.path == guard)
    assert roles[at - 1] == "make-folder" and at < roles.index("mount")
    back = [*undo(stage.steps)]
    freed = next(number for number, step in enumerate(back) if isinstance(step, Restore) and step.path == guard)
    taken = [role_of(step) for step in back]
    assert taken.index("unmount") < freed < taken.index("remove-folder")
    assert validate.decode(encode(plan)) == plan
    other = replace(stage.steps[at], path=immutable_setting("/etc"))
    steps = (*stage.steps[:at], other, *stage.steps[at + 1 :])
    edited = replace(plan, stages=(*plan.stages[:-1], replace(stage, steps=steps)))
    with pytest.raises(ValueError, match="no plan sets immutable/etc"):
        validate.check(edited)


@pytest.mark.parametrize(
    "given, noted",
    [
        ({}, True),
        ({"members": "partitions"}, False),
        ({"member_size": "50GB"}, False),
        ({"level": "0"}, False),
        ({"after": "teardown", "permanent": False}, False),
    ],
)
def test_whole_disks_have_no_slack_for_a_smaller_replacement(given: dict[str, Any], noted: bool) -> None:
    plan = made(**given)
    assert any("slack" in note for note in plan.notes) is noted
