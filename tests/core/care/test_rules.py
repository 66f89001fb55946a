"""What speaks against a check or a replacement: tables of arrays and disks, each with the words that say so."""

from typing import Any

import msgspec
import pytest

from raidtui.core.care import rules
from raidtui.core.disks.machine import BlockDevice
from tests.builders.arrays import in_sync
from tests.builders.care import FREE, MEMBER_KIB, OFFSET_SECTORS, THREE, cared_for, seen, sized
from tests.builders.machines import device

FAILED = THREE | {"sdb": ("none", "faulty")}
LEAST_KIB = MEMBER_KIB + OFFSET_SECTORS // 2


@pytest.mark.parametrize(
    ("machine", "why"),
    [
        ({}, ""),
        ({"level": "raid1"}, ""),
        ({"level": "raid10", "layout": "258", "slots": in_sync("sda", "sdb", "sdc", "sde")}, ""),
        ({"level": "raid0"}, "no redundancy"),
        ({"slots": FAILED, "raid_disks": "3", "degraded": "1"}, "degraded"),
        ({"array_state": "inactive"}, "inactive"),
        ({"sync_action": "recover", "sync_completed": "5 / 10"}, "busy (recover)"),
        ({"sync_action": "check", "sync_completed": "5 / 10"}, "busy (check)"),
        ({"sync_action": "resync", "sync_completed": "delayed"}, "busy (resync, delayed)"),
        ({"resync_start": "0"}, "busy (a resync waits)"),
        ({"sync_action": "frozen"}, "frozen"),
        ({"array_state": "readonly"}, "readonly"),
        ({"reshape_position": "1024"}, "a reshape of md127 was interrupted"),
    ],
)
def test_a_check_wants_an_array_that_is_whole_and_at_rest(machine: dict[str, Any], why: str) -> None:
    reason = rules.why_not_check(cared_for(seen(**machine))[0])
    assert why in reason and bool(why) == bool(reason)


@pytest.mark.parametrize(
    ("machine", "named", "why"),
    [
        ({}, "sdb", ""),
        ({"slots": FAILED, "raid_disks": "3", "degraded": "1"}, "sdb", ""),
        ({"slots": FAILED, "raid_disks": "3", "degraded": "1"}, "sda", "slot 1 is empty: a new disk would go there"),
        ({"slots": THREE | {"sdb": ("1", "spare")}, "degraded": "1"}, "sdb", "is being rebuilt"),
        ({"slots": THREE | {"sde": ("none", "spare")}}, "sde", "is a spare without data"),
        ({"slots": THREE | {"sde": ("none", "journal")}}, "sde", "is the array's journal"),
        ({"slots": THREE | {"sde": ("none", "faulty,journal")}}, "sde", "is the array's journal"),
        ({"level": "raid0"}, "sda", "nowhere else"),
        ({"slots": {**FAILED, "sdc": ("none", "faulty")}, "raid_disks": "3"}, "sdb", "is failed"),
        ({"sync_action": "check", "sync_completed": "5 / 10"}, "sdb", "busy (check)"),
    ],
)
def test_which_disk_of_the_array_may_be_replaced(machine: dict[str, Any], named: str, why: str) -> None:
    array, _ = cared_for(seen(**machine))
    member = next(one for one in array.members if one.device == named)
    reason = rules.why_not_replace(array, member, named)
    assert why in reason and bool(why) == bool(reason)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        (FREE, ""),
        (sized(FREE, LEAST_KIB), ""),
        (sized(FREE, LEAST_KIB - 1), "(1024 bytes are missing)"),
        (device("sdd", attributes={"queue/logical_block_size": "4096"}), "sectors of 4096 bytes"),
    ],
)
def test_a_new_disk_is_large_enough_and_of_no_larger_sectors(new: BlockDevice, why: str) -> None:
    array, disks = cared_for(seen(new=new))
    disk = next(one for one in disks if one.name == "sdd")
    reason = rules.why_not_new(array, disk, 512)
    assert why in reason and bool(why) == bool(reason)
    assert "not told" in rules.why_not_new(msgspec.structs.replace(array, member_bytes=None), disk, 512)


def test_disks_of_firmware_raid_are_changed_by_hand() -> None:
    array, _ = cared_for(seen(metadata_version="external:/md126/0"))
    said = "md127 is a volume of firmware RAID: disks are added to its container by hand, `mdadm /dev/md126 --add`"
    assert rules.why_not_replace(array, array.members[0], "sda") == rules.why_not_grow(array) == said
