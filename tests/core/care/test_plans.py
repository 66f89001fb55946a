"""The plans: which steps a disk's state leads to, what they name, whom the code is for, and what is refused."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.care import plans
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import BlockDevice, Machine, Signature
from raidtui.core.plan import slots, validate
from raidtui.core.plan.answers import PlanNotSafe, PlanRefused
from raidtui.core.plan.model import Plan, encode, sections, teardown_of
from raidtui.core.plan.steps import Check, Command, role_of, shell
from raidtui.core.units import MIB
from raidtui.runs import directory
from tests.builders.care import FREE, THREE, cared_for, on_partitions, seen, serial, sized
from tests.builders.machines import device, part
from tests.builders.plans import of_role

FAILED = THREE | {"sdb": ("none", "faulty")}
FREELY = Limits()
DEGRADED = {"raid_disks": "3", "degraded": "1"}


def replaced(machine: dict[str, Any], old: str = "sdb", new: str = "sdd", limits: Limits = FREELY) -> Plan:
    array, disks = cared_for(seen(**machine))
    how = plans.replacement(array, serial(disks, old), serial(disks, new), disks, limits)
    return plans.replace(array, how, "machine")


def roles(plan: Plan) -> list[str]:
    return [role_of(step) for step in plan.stages[-1].steps]


def test_what_replaces_a_write_mostly_disk_is_one() -> None:
    def added(state: str) -> list[str]:
        steps = replaced({"slots": THREE | {"sdb": ("1", state)}, **DEGRADED}).stages[-1].steps
        return [shell(step) for step in of_role(steps, "add")]

    for state in ("in_sync", "faulty"):
        assert added(f"{state},write_mostly") == ['mdadm --add "${array}" --write-mostly "${member_0}"']
        assert added(state) == ['mdadm --add "${array}" "${member_0}"']


def test_a_check_begins_at_the_first_sector_and_a_stop_ends_it() -> None:
    array, disks = cared_for(seen())
    plan = plans.check(array, disks, "machine", Limits())
    assert roles(plan) == ["array-kept", "set", "check", "check-ended"]
    assert [shell(step) for step in plan.stages[0].steps if isinstance(step, Command)] == [
        'mdadm --action=check "${array}"'
    ]
    begun = next(step for step in plan.stages[0].steps if isinstance(step, Command))
    assert [role_of(step) for step in begun.undo] == ["idle"] and teardown_of(plan, 0) == ()
    assert plan.members == () and [one.name for one in plan.beneath] == ["sda", "sdb", "sdc"]
    assert plan.title == "Check of /dev/md127" and plan.estimate_s > 1_000_000 * 1024 / 205e6
    limited = plans.check(array, disks, "machine", Limits(1000, 2000))
    assert roles(limited)[1:3] == ["set", "set"] and limited.code != plan.code
    assert limited.estimate_s > 500 and validate.decode(encode(plan)) == plan


@pytest.mark.parametrize(
    "machine, expected",
    [
        ({}, ["add", "replace", "writable", "rebuild-ended", "take-out"]),
        ({"slots": FAILED, **DEGRADED}, ["take-out", "add", "writable", "rebuild-ended"]),
        ({"slots": {**FAILED, "sde": ("1", "in_sync")}, "raid_disks": "3"}, ["take-out", "add"]),  # a spare took over
    ],
)
def test_the_steps_follow_from_how_the_disk_stands(machine: dict[str, Any], expected: list[str]) -> None:
    plan = replaced(machine)
    assert roles(plan) == ["array-kept", "members-free", *expected]
    assert (
        [member.name for member in plan.members] == ["sdd"] and plan.care and plan.care.old_title == "ST4000 Z6448243"
    )
    assert plan.care.waits == ("rebuild-ended" in expected)
    named = {word for step in plan.stages[-1].steps if isinstance(step, Command) for word in step.argv if "{b" in word}
    assert {plan.beneath[int(word[9:-1])].id for word in named} == {plan.care.old}
    assert validate.decode(encode(plan)) == plan


def test_a_disk_that_is_gone_is_replaced_by_who_it_was() -> None:
    machine = seen(slots={"sda": ("0", "in_sync"), "sdc": ("2", "in_sync")}, raid_disks="3", degraded="1")
    array, disks = cared_for(machine)
    known = next(member for member in array.members if member.role == "missing")
    assert known.disk  # from the run that built it
    how = plans.replacement(array, known.disk.serial, serial(disks, "sdd"), disks, Limits())  # as on its label
    plan = plans.replace(array, how, "machine")
    assert roles(plan) == ["array-kept", "members-free", "add", "writable", "rebuild-ended"]
    assert plan.care and (plan.care.slot, plan.care.old) == (1, known.disk.id)


def test_what_is_on_the_new_disk_is_erased_first_and_the_disk_named() -> None:
    full = device("sdd", signatures=(Signature(kind="ext4", label="old"),))
    plan = replaced({"new": full})
    assert next(part.title for part in sections(plan)) == "Erase" and plan.members[0].warning
    first, second = plan.stages[0].steps[:2]
    assert isinstance(first, Check) and isinstance(second, Check)
    assert [first.question, second.question] == ["array-kept", "members-free"]


def test_the_code_is_for_this_array_these_disks_and_this_machine() -> None:
    array, disks = cared_for(seen())
    how = plans.replacement(array, serial(disks, "sdb"), serial(disks, "sdd"), disks, Limits())
    other = plans.replacement(array, serial(disks, "sda"), serial(disks, "sdd"), disks, Limits())
    codes = {
        plans.replace(array, how, "machine").code,
        plans.replace(array, how, "another").code,
        plans.replace(array, other, "machine").code,
        plans.replace(replace(array, uuid=array.uuid[::-1]), how, "machine").code,
        plans.check(array, disks, "machine", Limits()).code,
    }
    assert len(codes) == 5


@pytest.mark.parametrize(
    "machine, old, new, error, why",
    [
        ({}, "sdb", "sdc", PlanNotSafe, "md127"),
        ({}, "sdb", "sdb", PlanNotSafe, "md127"),
        ({"new": sized(FREE, 900_000)}, "sdb", "sdd", PlanNotSafe, "too small"),
        ({"new": device("sdd", attributes={"ro": "1"})}, "sdb", "sdd", PlanNotSafe, "cannot be used"),
        ({}, "sdd", "sdd", PlanRefused, "is no disk of md127"),
    ],
)
def test_a_wrong_disk_is_refused(
    machine: dict[str, Any], old: str, new: str, error: type[PlanRefused], why: str
) -> None:
    with pytest.raises(error, match=why):
        replaced(machine, old, new)


def test_a_name_that_is_none_and_a_partition_are_refused() -> None:
    array, disks = cared_for(seen())
    with pytest.raises(PlanNotSafe, match="no disk nobody"):
        plans.replacement(array, serial(disks, "sdb"), "nobody", disks, Limits())
    with pytest.raises(plans.NoSuchDisk, match="is no disk of md127"):
        plans.replacement(array, "", serial(disks, "sdd"), disks, Limits())
    machine = seen(slots={"sda1": ("0", "in_sync"), "sdb": ("1", "in_sync"), "sdc": ("2", "in_sync")})
    devices = tuple(one for one in machine.devices if one.name != "sda1")
    machine = replace(machine, devices=(device("sda"), part("sda1", "sda"), *devices))
    array, disks = cared_for(machine)
    with pytest.raises(PlanRefused, match="as a partition"):
        plans.replacement(array, serial(disks, "sda"), serial(disks, "sdd"), disks, Limits())


@pytest.mark.parametrize(
    "machine, expected",
    [
        (on_partitions(THREE), ["add", "replace", "writable", "rebuild-ended", "take-out"]),
        (on_partitions(FAILED, **DEGRADED), ["take-out", "add", "writable", "rebuild-ended"]),
    ],
)
def test_where_members_are_partitions_the_new_disk_gets_one_first(machine: Machine, expected: list[str]) -> None:
    array, disks = cared_for(machine)
    how = plans.replacement(array, serial(disks, "sdb"), serial(disks, "sdd"), disks, FREELY)
    plan = plans.replace(array, how, "machine")
    assert roles(plan) == ["array-kept", "members-free", "partition", "settled", "partitions-own", *expected]
    argv = {role_of(step): step.argv for step in plan.stages[-1].steps if isinstance(step, Command)}
    assert argv["add"][-1] == "{part:0:1}" and argv["take-out"][-1] == "{beneath:1:1}"
    assert [member.name for member in plan.beneath] == ["sda", "sdb", "sdc"] and plan.partitioned
    assert plan.tables == {plan.members[0].id: "{uuid:0}"} and validate.decode(encode(plan)) == plan
    drawn = slots.filled(directory.drawn(plan))
    table = of_role(drawn.stages[-1].steps, "partition")[0]
    assert drawn.tables[plan.members[0].id] in table.stdin and [role_of(step) for step in table.undo] == [
        "wipe",
        "reread",
    ]
    array, disks = cared_for(on_partitions(THREE))
    check = plans.check(array, disks, "machine", FREELY)
    assert check.partitioned and [member.name for member in check.beneath] == ["sda", "sdb", "sdc"]


@pytest.mark.parametrize(
    "new, size_mib",
    [
        (FREE, 989),  # of 1000: its usual room
        (sized(FREE, 980 * 1024), 978),  # all but its table
        (sized(FREE, 979 * 1024), 0),
        (device("dm-0", attributes={"dm/uuid": "mpath-3600"}), 0),
    ],
)
def test_a_slightly_smaller_disk_gives_up_its_room(new: BlockDevice, size_mib: int) -> None:
    array, disks = cared_for(on_partitions(THREE, new))
    array = replace(array, member_bytes=977 * MIB)
    if not size_mib:
        with pytest.raises(PlanRefused, match=r"too small|multipath map"):
            plans.replacement(array, serial(disks, "sdb"), serial(disks, new.name), disks, FREELY)
        return
    how = plans.replacement(array, serial(disks, "sdb"), serial(disks, new.name), disks, FREELY)
    assert how.partition and how.partition.size_bytes == size_mib * MIB


def test_partitions_of_an_array_that_no_run_keeps_are_left_to_a_person() -> None:
    array, disks = cared_for(on_partitions(THREE), kept=False)
    with pytest.raises(PlanRefused, match="as a partition"):
        plans.replacement(array, serial(disks, "sdb"), serial(disks, "sdd"), disks, FREELY)


def test_partitions_that_no_run_has_made_so_are_left_to_a_person() -> None:
    """A person put another partition than the first one into an array that a run keeps."""
    array, disks = cared_for(on_partitions(THREE, FREE, 2))
    with pytest.raises(PlanRefused, match="as a partition"):
        plans.replacement(array, serial(disks, "sdb"), serial(disks, "sdd"), disks, FREELY)
