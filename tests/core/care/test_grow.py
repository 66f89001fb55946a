"""The plan that has an array take further disks: its steps, what is refused, what it says; and codes of before."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import Upon
from raidtui.core.care import plans
from raidtui.core.care.plans import Limits
from raidtui.core.disks.machine import Machine, Signature
from raidtui.core.plan import slots, validate
from raidtui.core.plan.answers import PlanNotSafe, PlanRefused
from raidtui.core.plan.model import Plan, encode, teardown_of
from raidtui.core.plan.steps import Command, role_of
from raidtui.runs import directory
from tests.builders.arrays import in_sync
from tests.builders.care import FREE, THREE, cared_for, on_partitions, seen, serial, sized
from tests.builders.machines import device, part
from tests.builders.plans import of_role

FREELY = Limits()
FAILED = THREE | {"sdb": ("none", "faulty")}
FOUR = in_sync("sda", "sdb", "sdc", "sde")
MOUNTED = Upon(device="md127", kind="xfs", mounted_at=("/srv/my data",))


def grown(machine: Machine, *new: str, upon: tuple[Upon, ...] | None = None, limits: Limits = FREELY) -> Plan:
    array, disks = cared_for(machine)
    array = array if upon is None else replace(array, upon=upon)
    return plans.grow(array, [serial(disks, name) for name in new or ("sdd",)], disks, "machine", limits)


def roles(plan: Plan) -> list[str]:
    return [role_of(step) for step in plan.stages[-1].steps]


def test_every_new_disk_is_added_and_the_array_reshaped_once() -> None:
    machine = seen()
    two = replace(machine, devices=(*machine.devices, device("sde")))
    plan = grown(two, "sdd", "sde", limits=Limits(at_most_kib_s=500))
    growth = ["writable", "reshape", "growth-ended"]
    assert roles(plan) == ["array-kept", "members-free", "set", "add", "add", *growth]
    argv = [" ".join(step.argv) for step in plan.stages[-1].steps if isinstance(step, Command)]
    assert argv[:2] == ["mdadm --add {array} {member:0}", "mdadm --add {array} {member:1}"]
    assert argv[3] == "mdadm --grow {array} --raid-devices=5"
    assert plan.care and (plan.care.slots, plan.title) == (5, "/dev/md127 grown to 5 disks")
    assert [member.name for member in plan.beneath] == ["sda", "sdb", "sdc"] and teardown_of(plan, 0) == ()
    assert validate.decode(encode(plan)) == plan and plan.code != grown(two, "sde", "sdd").code
    assert "cannot be undone: have a backup" in plan.notes[0]


@pytest.mark.parametrize(
    "upon, words, by_hand",
    [
        ((MOUNTED,), ("xfs_growfs", "/srv/my data"), ()),
        ((replace(MOUNTED, kind="ext4"),), ("resize2fs", "{array}"), ()),
        (
            (replace(MOUNTED, kind="btrfs"),),
            ("btrfs", "filesystem", "resize", "max", "/srv/my data"),
            (),
        ),
        ((replace(MOUNTED, mounted_at=()),), (), ("mount /dev/md127 /mnt", "xfs_growfs /mnt")),
        ((replace(MOUNTED, mounted_at=("/{array}",)),), (), ("xfs_growfs '/{array}'",)),
        ((replace(MOUNTED, container="c"),), (), ("cryptsetup resize c", "xfs_growfs '/srv/my data'")),
        ((replace(MOUNTED, device="md127p1", nested=True),), (), (plans.NESTED,)),
        ((replace(MOUNTED, kind="swap"),), (), ()),
        ((), (), ()),
    ],
)
def test_a_mounted_file_system_on_it_grows_with_it(
    upon: tuple[Upon, ...], words: tuple[str, ...], by_hand: tuple[str, ...]
) -> None:
    plan = grown(seen(), upon=upon)
    last = plan.stages[-1].steps[-1]
    assert (isinstance(last, Command) and last.argv == words) == bool(words)
    assert plan.care and plan.care.by_hand == by_hand and validate.decode(encode(plan)) == plan
    assert bool(by_hand) == any("gets the room by hand" in note for note in plan.notes)


def test_what_is_on_a_new_disk_is_erased_first_and_the_disk_named() -> None:
    plan = grown(seen(new=device("sdd", signatures=(Signature(kind="ext4", label="old"),))))
    assert plan.stages[0].title == "Erase" and role_of(plan.stages[0].steps[0]) == "array-kept"
    assert plan.members[0].warning


def test_where_members_are_partitions_each_new_disk_gets_one_first() -> None:
    machine = on_partitions(THREE)
    plan = grown(replace(machine, devices=(*machine.devices, device("sde"))), "sdd", "sde")
    assert roles(plan)[2:8] == ["partition", "partition", "settled", "partitions-own", "add", "add"]
    assert list(plan.tables.values()) == ["{uuid:0}", "{uuid:1}"] and len(directory.drawn(plan).uuids) == 2
    drawn = slots.filled(directory.drawn(plan))
    tables = of_role(drawn.stages[-1].steps, "partition")
    assert [drawn.tables[member.id] in table.stdin for member, table in zip(drawn.members, tables, strict=True)] == [
        True,
        True,
    ]
    assert validate.decode(encode(plan)) == plan


@pytest.mark.parametrize(
    "machine, new, error, why",
    [
        ({}, ("sdb",), PlanNotSafe, "is a disk of md127"),
        ({}, ("sdd", "sdd"), PlanNotSafe, "twice"),
        ({"new": sized(FREE, 900_000)}, ("sdd",), PlanNotSafe, "too small"),
        ({"new": device("sdd", attributes={"ro": "1"})}, ("sdd",), PlanNotSafe, "cannot be used"),
        ({"new": device("sdd", attributes={"queue/logical_block_size": "4096"})}, ("sdd",), PlanNotSafe, "sectors of"),
        ({"level": "raid0"}, ("sdd",), PlanRefused, "no redundancy"),
    ],
)
def test_a_wrong_disk_is_refused(
    machine: dict[str, Any], new: tuple[str, ...], error: type[PlanRefused], why: str
) -> None:
    with pytest.raises(error, match=why):
        grown(seen(**machine), *new)


def test_partitions_that_no_run_has_made_are_left_to_a_person() -> None:
    machine = seen(slots={"sda1": ("0", "in_sync"), "sdb": ("1", "in_sync"), "sdc": ("2", "in_sync")})
    devices = tuple(one for one in machine.devices if one.name != "sda1")
    machine = replace(machine, devices=(device("sda"), part("sda1", "sda"), *devices))
    with pytest.raises(PlanRefused, match="grow it by hand"):
        grown(machine)


@pytest.mark.parametrize("level, moved", [("raid5", 1 + 2 / 3), ("raid1", 1.0)])
def test_the_estimate_is_of_all_that_is_read_and_written(level: str, moved: float) -> None:
    plan = grown(seen(level))
    check = plans.check(*cared_for(seen(level)), "machine", FREELY)
    assert plan.estimate_s / check.estimate_s == pytest.approx(moved, rel=0.2)
    assert grown(seen(level), limits=Limits(at_most_kib_s=1000)).estimate_s > 999
