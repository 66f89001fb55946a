"""What of an array is not as its run built it, or not as answers ask for: named part by part, and nothing else."""

from typing import Any

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.array import AtBoot, BootMount, KnownDisk
from raidtui.core.care import ensured, plans
from raidtui.core.disks.machine import Machine
from raidtui.core.disks.selection import DiskRule
from raidtui.core.plan import slots
from raidtui.core.plan.answers import Answers, Setup
from tests.builders.arrays import in_sync
from tests.builders.care import cared_for, seen
from tests.builders.ensuring import BY_NAME, BY_RULE, FILESYSTEM, FREE, plan, standing, the_array
from tests.builders.machines import device, machine

BUILT_OF = tuple(KnownDisk(id=member.id, serial=member.serial) for member in plan().members)


def test_only_plans_that_leave_an_array_keep_one() -> None:
    assert ensured.keeps_array(plan())
    assert not ensured.keeps_array(plan(replace(BY_RULE, after="teardown")))
    array, disks = cared_for(seen())
    assert not ensured.keeps_array(plans.check(array, disks, "machine", plans.Limits()))


def test_a_disk_that_became_write_mostly_is_named() -> None:
    first, *others = the_array(standing()).members
    first = replace(first, states=(*first.states, "write_mostly"))
    assert lacking(standing(), members=(first, *others)) == ("its write-mostly disks: 1, built were 0",)


@pytest.mark.parametrize(
    "changes, theirs",
    [({}, True), ({"repeat": 1}, True), ({"repeat": 2}, False), ({"after": "teardown"}, False),
     ({"jobs": ("seq_read",)}, False),
     ({"disks": DiskRule(count=4)}, False), ({"disks": BY_NAME.disks}, True),
     ({"disks": ("wwn-of-no-disk",)}, False)],
)  # fmt: skip
def test_a_run_is_of_answers_that_say_the_same(changes: dict[str, Any], theirs: bool) -> None:
    assert ensured.led_to(replace(BY_RULE, **changes), plan()) is theirs


def lacking(machine: Machine, **changes: Any) -> tuple[str, ...]:
    array = replace(the_array(machine), **changes)
    return ensured.lacking(slots.filled(plan()), ensured.AsBuilt(array, BUILT_OF))


def test_what_stands_as_it_was_built_lacks_nothing() -> None:
    assert lacking(standing()) == () == lacking(standing(*FREE))
    assert lacking(standing(), title="", layout="", consistency="") == ()  # where nothing tells, nothing is compared


@pytest.mark.parametrize(
    "machine, changes, says",
    [
        (standing(level="raid6"), {}, "its level: 6, built was 5"),
        (standing(chunk_size="65536"), {}, "its chunk: 65536, built was 524288"),
        (standing(layout="0"), {}, "its layout: left-asymmetric, built was left-symmetric"),
        (standing(consistency_policy="resync"), {}, "what it goes by after a crash: resync, built was bitmap"),
        (standing(consistency_policy="ppl"), {}, "what it goes by after a crash: ppl, built was bitmap"),
        (standing(), {"title": "here:data"}, "its name: data, built was raidtui-aec0b208"),
        (standing(), {"health": "stopped"}, "it does not run (stopped)"),
        (standing(), {"upon": ()}, f"its ext4 ({FILESYSTEM}) is not there"),
        (standing(slots={"sda": ("0", "in_sync"), "sdb": ("none", "faulty"), "sdc": ("2", "in_sync")},
                  raid_disks="3", degraded="1"), {}, f"slot 1 ({BUILT_OF[1].title}) is not in sync in it"),
        (standing(FREE[0], slots=in_sync("sda", "sdd", "sdc")), {}, f"slot 1 is not {BUILT_OF[1].title}, but "),
        (standing(FREE[0], slots=in_sync("sda", "sdb", "sdc", "sdd")), {}, "its members: 4, built was 3"),
    ],
)  # fmt: skip
def test_what_is_otherwise_is_named(machine: Machine, changes: dict[str, Any], says: str) -> None:
    (reason,) = lacking(machine, **changes)
    assert reason.startswith(says)


@pytest.mark.parametrize(
    "fourth, says",
    [
        (("none", "journal"), ()),
        (("none", "faulty,journal"), ("the journal {} is not in it",)),
        (("none", "spare"), ("the journal {} is not in it",)),
    ],
)
def test_its_journal_is_one(fourth: tuple[str, str], says: tuple[str, ...]) -> None:
    disks = machine(*(device(name) for name in ("sda", "sdb", "sdc", "sdd")))
    setup = replace(BY_RULE.setup, bitmap="journal")
    given = replace(BY_RULE, disks=DiskRule(count=4), setup=setup)
    made = plan(given, disks)
    slots_now = in_sync("sda", "sdb", "sdc") | {"sdd": fourth}
    array = the_array(standing(slots=slots_now, raid_disks="3", consistency_policy="journal"))
    named = tuple(one.format(made.members[3].serial) for one in says)
    assert ensured.lacking(slots.filled(made), ensured.AsBuilt(array, BUILT_OF)) == named
    assert ensured.parts_of(given.setup, given, 3)["bitmap"] == "journal"


def test_a_permanent_one_is_known_at_boot_and_mounted() -> None:
    made = slots.filled(plan(replace(BY_RULE, permanent=True, mount_point="/srv/vms")))
    array = the_array(standing())
    assert ensured.lacking(made, ensured.AsBuilt(array, BUILT_OF)) == (
        "mdadm.conf has no line for it",
        "it is not mounted at /srv/vms",
        "it is not mounted at /srv/vms at boot",
    )
    line = BootMount(mountpoint="/srv/vms", file="/etc/fstab", by="UUID", source=f"UUID={FILESYSTEM}")
    (upon,) = array.upon
    mounted = replace(upon, mounted_at=("/srv/vms",), boot=(line,))
    known = replace(array, upon=(mounted,), at_boot=AtBoot(assembly="ARRAY line"))
    assert ensured.lacking(made, ensured.AsBuilt(known, BUILT_OF)) == ()


@pytest.mark.parametrize(
    "wanted, same",
    [
        (BY_NAME.disks, True),
        (tuple(member.serial for member in plan().members), True),
        (tuple(reversed([member.id for member in plan().members])), True),
        ((plan().members[0].id, *(member.serial for member in plan().members[1:])), True),
        (tuple(member.id for member in plan().members[:2]), False),
        ((*(member.id for member in plan().members[:2]), "another"), False),
        ((plan().members[0].id, plan().members[0].serial, plan().members[1].id), False),
        (DiskRule(count=3), True),
        (DiskRule(count=3, like="largest group"), False),
    ],
)
def test_disks_are_the_same_by_identity_serial_number_or_rule(wanted: tuple[str, ...] | DiskRule, same: bool) -> None:
    assert ensured.same_disks(wanted, plan()) is same


def test_a_rule_is_not_that_of_a_plan_whose_disks_were_named() -> None:
    assert not ensured.same_disks(DiskRule(count=3), plan(BY_NAME)) and ensured.same_disks(BY_NAME.disks, plan())


def parts(level: str = "5", given: Answers = BY_RULE, **setup: Any) -> dict[str, str]:
    return ensured.parts_of(Setup(level=level, filesystem="ext4", **setup), given, 3)


@pytest.mark.parametrize(
    "other, says",
    [
        (parts(chunk="0.5MiB", layout="left-symmetric", disks=3, stripe_cache_size=4096), ""),
        (parts("6"), "array: RAID 5 of 3 disks, asked for is RAID 6 of 3 disks"),
        (parts(disks=2), "array: RAID 5 of 3 disks, asked for is RAID 5 of 2 disks"),
        (parts(chunk="64K"), "chunk: 512 KiB, asked for is 64.0 KiB"),
        (parts(bitmap="none"), "bitmap: internal, asked for is none"),
        (parts(members="partitions"), "members: disks, asked for is partitions"),
        (parts(member_size="1GiB"), "of each disk: none, asked for is 1073741824 bytes"),
        (parts(allocation_unit="64K"), "allocation unit: none, asked for is 65536 bytes"),
        (parts(given=replace(BY_RULE, permanent=True, mount_mode="775")), "at boot: none, asked for "),
    ],
)  # fmt: skip
def test_what_is_asked_for_otherwise_is_named(other: dict[str, str], says: str) -> None:
    differing = ensured.differing(parts(), other)
    assert differing[0].startswith(says) if says else differing == ()


def test_a_permanent_one_is_described_by_where_it_is_mounted_and_whose_it_is() -> None:
    given = replace(BY_RULE, permanent=True, mount_owner="alice", mount_mode="775", mailaddr="root")
    described = parts(given=given)
    assert [described[part] for part in ("mounted at", "mounted by", "owner", "mode", "mdadm writes to")] == [
        "/srv/array", "fstab", "alice", "0775", "root",
    ]  # fmt: skip
    assert "mounted at" not in ensured.parts_of(Setup(level="5"), given, 3)
