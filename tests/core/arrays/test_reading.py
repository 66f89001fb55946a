"""Arrays as the kernel's files and the disks' superblocks tell them."""

from itertools import combinations

import pytest
from msgspec.structs import replace

from raidtui.core.arrays.reading import arrays_of, enough
from raidtui.core.disks import dumps
from raidtui.core.disks.machine import Mount, Swap
from raidtui.core.raid.levels import survives
from tests.builders.arrays import IDLE, UUID, in_sync, md, member, the_array, with_members
from tests.builders.machines import MACHINES, device, machine, part

THREE = in_sync("sda", "sdb", "sdc")


def roles(array: object) -> list[tuple[int | None, str, str]]:
    return [(one.slot, one.device, one.role) for one in array.members]  # type: ignore[attr-defined]


def test_a_cleared_node_is_no_array() -> None:
    assert arrays_of(machine(md("", {}, array_state="clear"))) == ()


def test_a_disk_that_was_pulled_and_that_md_still_has_is_gone() -> None:
    seen = with_members(md("raid5", THREE))
    pulled = replace(seen, devices=tuple(one for one in seen.devices if one.name != "sdb"))
    (array,) = arrays_of(pulled)
    assert array.health == "degraded" and (1, "sdb", "gone") in roles(array)


def test_words_of_the_kernel_are_roles() -> None:
    slots = THREE | {"sdd": ("1", "replacement"), "sde": ("none", "spare"), "sdf": ("none", "journal"),
                     "sdg": ("none", "spare,write_mostly")}  # fmt: skip
    array = the_array(md("raid5", slots, raid_disks="3"))
    assert {one.device: one.role for one in array.members}.items() >= {
        "sdd": "replacement", "sde": "spare", "sdf": "journal"}.items()  # fmt: skip
    assert array.health == "clean" and array.members[-1].states == ("spare", "write_mostly")


def test_a_disk_with_its_superblock_and_without_a_place_is_left_out() -> None:
    slots = {"sda": ("0", "in_sync"), "sdc": ("2", "in_sync")}
    array = the_array(md("raid5", slots, raid_disks="3"), member("sdb"), member("sdz", "1" * 32))
    assert roles(array)[-1] == (None, "sdb", "left out")


def test_a_superblock_that_shows_on_disk_and_partition_is_one_member() -> None:
    whole, parts = member("sdb"), replace(
        part("sdb1", "sdb", "linux_raid_member"), signatures=member("x").signatures
    )  # fmt: skip
    slots = {"sda": ("0", "in_sync"), "sdb1": ("1", "in_sync")}
    array = arrays_of(machine(member("sda"), whole, parts, md("raid1", slots)))
    assert len(array) == 1 and [one.role for one in array[0].members] == ["in sync", "in sync"]
    assert array[0].members[1].disk and array[0].members[1].disk.name == "sdb"


@pytest.mark.parametrize("uuid", ["MD_UUID", "kernel", "members"])
def test_the_uuid_is_told_by_udev_the_kernel_or_the_members(uuid: str) -> None:
    array = md("raid1", in_sync("sda", "sdb"), uuid="00000000-0000-0000-0000-000000000000")
    if uuid != "MD_UUID":
        array = replace(array, properties={})
    if uuid == "kernel":
        told = {**array.attributes, "md/uuid": "aec0b208-7b98-a0ee-e2d4-565b817f99a5"}
        array = replace(array, attributes=told)
        assert arrays_of(machine(device("sda"), device("sdb"), array))[0].uuid == UUID
    else:
        assert the_array(array).uuid == UUID


def test_what_stands_on_it_is_found_through_what_is_stacked() -> None:
    array = md("raid1", in_sync("sda", "sdb"))
    mount = Mount(devnum="9:127", source="/dev/md127", mountpoint="/srv", fstype="ext4")
    (found,) = arrays_of(with_members(array, mounts=(mount,)))[0].upon
    assert (found.device, found.kind, found.mounted_at) == ("md127", "ext4", ("/srv",))
    unread = replace(array, signatures=())  # udev has not told yet of a file system made just now
    (same,) = arrays_of(with_members(unread, mounts=(mount,)))[0].upon
    assert (same.kind, same.mounted_at) == ("ext4", ("/srv",))
    (swap,) = arrays_of(with_members(array, swaps=(Swap(source="/dev/md127", devnum="9:127"),)))[0].upon
    assert swap.kind == "swap"


def test_a_volume_of_lvm_is_named_by_its_group() -> None:
    (array,) = arrays_of(dumps.read((MACHINES / "stacked.json").read_bytes()))
    (found,) = array.upon
    assert (found.device, found.volume, found.mounted_at) == ("dm-0", "deep/home", ("/srv",))


def test_recorded_arrays_that_degrade_rebuild_and_wait() -> None:
    mirror, parity, half = arrays_of(dumps.read((MACHINES / "arrays.json").read_bytes()))
    assert (parity.name, parity.level, parity.health, parity.layout) == ("md5", "5", "degraded", "left-symmetric")
    assert roles(parity) == [(0, "sda", "in sync"), (1, "sdb", "failed"), (2, "sdc", "in sync")]
    assert roles(mirror) == [(0, "sdd", "in sync"), (1, "sde", "rebuilding")] and mirror.sync
    assert mirror.sync.action == "recover" and mirror.sync_left_s and 0 < mirror.sync_left_s < 600
    assert (half.health, half.level, half.slots) == ("inactive", "", None)
    assert roles(half) == [(None, "sdf", "gathered")] and half.title == "server:7"
    assert [one.disk.serial for one in parity.members if one.disk] == ["2000", "4000", "6000"]


def test_recorded_disks_of_a_stopped_array_are_one_array() -> None:
    (array,) = arrays_of(dumps.read((MACHINES / "stopped-array.json").read_bytes()))
    assert (array.health, array.title, len(array.members)) == ("stopped", "server:7", 3)
    assert array.size_bytes is None and {one.role for one in array.members} == {"left out"}


def test_a_recording_of_before_members_were_recorded_says_so() -> None:
    (array,) = arrays_of(dumps.read((MACHINES / "in-use.json").read_bytes()))
    assert (array.name, array.health, array.level) == ("md7", "not known", "1")


def test_numbers_that_cannot_be_are_none() -> None:
    odd = md("raid5", THREE, raid_disks="9" * 19, mismatch_cnt="9" * 40, layout="-1", chunk_size="64K")
    array = the_array(odd)
    assert array.mismatches is None and array.chunk_bytes is None and len(array.members) == 3
    assert IDLE["mismatch_cnt"] == "0"


@pytest.mark.parametrize(
    "level, layout, near, copies",
    [("0", None, 1, 1), ("1", None, 1, 1), ("4", None, 1, 1), ("5", None, 1, 1), ("6", None, 1, 1),
     ("10", "n2", 2, 2), ("10", "n3", 3, 3), ("10", "f2", 1, 2), ("10", "o3", 1, 3), ("linear", None, 1, 1)],
)  # fmt: skip
@pytest.mark.parametrize("slots", [4, 5, 6, 7])
def test_it_lives_through_every_loss_that_it_is_sure_of_and_not_all_of_one_more(
    level: str, layout: str | None, near: int, copies: int, slots: int
) -> None:
    sure = survives(level, layout, slots)

    def outcomes(lost: int) -> set[bool]:
        left = (set(range(slots)) - set(gone) for gone in combinations(range(slots), lost))
        return {enough(level, slots, one, near, copies) for one in left}

    assert outcomes(sure) == {True} and False in outcomes(sure + 1)


def test_raid_10_lives_while_each_pair_has_one() -> None:
    assert enough("10", 6, {0, 3, 4}, near=2, copies=2) and not enough("10", 6, {0, 1, 2, 3}, near=2, copies=2)
    assert not enough("10", 4, {0, 1}, near=1, copies=2)  # far: neighbours


def test_what_is_not_known_needs_all() -> None:
    assert enough("multipath", 2, {0, 1}) and not enough("multipath", 2, {0})
    assert not enough("10", 4, {0}, near=0, copies=0)
