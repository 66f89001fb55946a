"""Given this machine, this use of a disk is found, and how it is ended is said."""

from itertools import pairwise

import msgspec
import pytest

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.machine import BlockDevice, Export, Mount, Signature, Swap
from raidtui.core.disks.usage import MEMBER_KINDS, MEMBER_PARTITIONS
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import device, judged, machine, part

OK, WARN, REFUSE = Usability.OK, Usability.WARN, Usability.REFUSE


@pytest.mark.parametrize("mountpoint", ["/", "/boot", "/boot/efi", "/opt/raidtui"])
def test_the_disk_of_the_system_and_of_the_program(mountpoint: str) -> None:
    disk = judged(
        device(),
        part("sda1", "sda", "ext4"),
        mounts=(Mount(devnum="259:1", source="/dev/sda1", mountpoint=mountpoint),),
        program_mount="/opt/raidtui",
    )
    assert disk.verdict.standing is REFUSE
    assert disk.verdict.reason == f"sda1 is mounted at {mountpoint}: this disk holds the running system"
    assert disk.verdict.remedy.endswith("is never erased; choose another one")


def test_mounted_wins_over_what_is_found_on_it() -> None:
    disk = judged(
        device(), part("sda2", "sda", "ext4"), mounts=(Mount(devnum="259:2", source="/dev/sda2", mountpoint="/home"),)
    )
    assert disk.verdict.reason == "sda2 is mounted at /home"
    assert "umount /home" in disk.verdict.remedy


def test_swap() -> None:
    disk = judged(device(), part("sda3", "sda", "swap"), swaps=(Swap(source="/dev/sda3"),))
    assert (disk.verdict.standing, disk.verdict.reason) == (REFUSE, "sda3 is swapped on")


@pytest.mark.parametrize("kind", sorted(MEMBER_KINDS))
@pytest.mark.parametrize("through", ["itself", "a partition"])
def test_members_of_something_larger(kind: str, through: str) -> None:
    devices = (
        (device(signatures=(Signature(kind=kind, label="tank"),)),)
        if through == "itself"
        else (device(), part("sda1", "sda", kind))
    )
    disk = judged(*devices)
    assert disk.verdict.standing is REFUSE
    assert MEMBER_KINDS[kind] in disk.verdict.reason
    assert devices[-1].name in disk.verdict.reason and devices[-1].name in disk.verdict.remedy


@pytest.mark.parametrize(
    ("above", "reason"),
    [
        (BlockDevice(name="md127", slaves=("sda",)), "sda is part of the md array md127"),
        (
            BlockDevice(name="dm-3", slaves=("sda",), attributes={"dm/uuid": "LVM-x", "dm/name": "vg-lv"}),
            "sda is part of the logical volume vg-lv (dm-3)",
        ),
        (
            BlockDevice(name="dm-4", slaves=("sda",), attributes={"dm/uuid": "CRYPT-LUKS2-x", "dm/name": "secret"}),
            "sda is part of the encrypted volume secret (dm-4)",
        ),
        (BlockDevice(name="bcache0", slaves=("sda",)), "sda is part of the bcache device bcache0"),
        (BlockDevice(name="drbd1", slaves=("sda",)), "sda is part of the DRBD device drbd1"),
        (BlockDevice(name="strange0", slaves=("sda",), attributes={"hidden": "1"}), "sda is part of strange0"),
    ],
)
def test_what_stands_on_a_disk(above: BlockDevice, reason: str) -> None:
    assert judged(device(), above).verdict.reason == reason


@pytest.mark.parametrize(("on", "number"), [("sda", "8:97"), ("sda1", "259:1")])
@pytest.mark.parametrize(
    ("mounts", "reason"),
    [
        ((), "{on} is part of the loop device loop3"),
        (
            (Mount(devnum="7:3", source="/dev/loop3", mountpoint="/srv"),),
            "the loop device loop3, which uses it, is mounted at /srv",
        ),
        (
            (Mount(devnum="259:9", source="/dev/loop3p9", mountpoint="/"),),
            "the loop device loop3p9, which uses it, is mounted at /: this disk holds the running system",
        ),
    ],
)
def test_a_loop_device_holds_what_it_lies_on(on: str, number: str, mounts: tuple[Mount, ...], reason: str) -> None:
    disk = judged(
        device(devnum="8:97"),
        part("sda1", "sda"),
        BlockDevice(name="loop3", devnum="7:3", slaves=(on,)),
        part("loop3p9", "loop3"),
        mounts=mounts,
    )
    assert (disk.verdict.standing, disk.verdict.reason) == (REFUSE, reason.format(on=on))
    assert mounts or disk.verdict.remedy == "if nothing on it is needed: losetup --detach /dev/loop3"


def test_a_loop_on_a_file_in_a_loop_holds_the_disk_below_both() -> None:
    disk = judged(
        device(),
        BlockDevice(name="loop0", devnum="7:0", slaves=("sda",)),
        BlockDevice(name="loop1", devnum="7:1", slaves=("loop0",)),
        mounts=(Mount(devnum="7:1", source="/dev/loop1", mountpoint="/srv"),),
    )
    assert disk.verdict.reason == "the loop device loop1, which uses it, is mounted at /srv"


@pytest.mark.parametrize(
    ("devnum", "reason"),
    [
        ("8:97", "sda is served to others by the SCSI target fileio_0/x"),
        ("259:1", "sda1 is served to others by the SCSI target fileio_0/x"),
        ("9:7", "sda is part of the md array md7"),
        ("0:45", ""),
        ("", ""),
    ],
)
def test_what_the_kernel_serves_to_others_is_in_use(devnum: str, reason: str) -> None:
    above = (BlockDevice(name="md7", devnum="9:7", slaves=("sda",)),) if devnum == "9:7" else ()
    served = Export(kind="SCSI target", name="fileio_0/x", devnum=devnum)
    disk = judged(device(devnum="8:97"), part("sda1", "sda"), *above, exports=(served,))
    assert disk.verdict.reason == reason or (not reason and disk.verdict.standing is WARN)
    assert not reason or (disk.verdict.standing is REFUSE and disk.verdict.remedy)


def test_a_cluster_that_writes_its_heartbeat_is_named() -> None:
    beaten = Export(kind="OCFS2 heartbeat", name="web/heartbeat/77D9", devnum="8:97")
    disk = judged(device(devnum="8:97"), exports=(beaten,))
    assert disk.verdict.reason == "sda is written to by the OCFS2 heartbeat web/heartbeat/77D9"
    assert disk.verdict.remedy == "if nobody needs it: end the cluster's heartbeat on it (o2cb), and look again"


def test_how_a_drbd_device_is_taken_apart_is_said() -> None:
    disk = judged(device(), BlockDevice(name="drbd1", slaves=("sda",)))
    assert disk.verdict.remedy.startswith("if nothing on it is needed: drbdadm down")


def test_a_holder_that_is_not_listed_still_holds() -> None:
    assert judged(device(holders=("md9",))).verdict.reason == "sda is part of the md array md9"


def test_multipath_offers_the_map_and_refuses_its_paths() -> None:
    same = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "Z1"}
    disks = disks_of(
        machine(
            device("sda", properties=same, holders=("dm-0",)),
            device("sdb", properties=same, holders=("dm-0",)),
            device("dm-0", properties={"DM_WWN": "0x5000c5", "ID_WWN": ""}, attributes={"dm/uuid": "mpath-35000c5"}),
        )
    )
    assert [(disk.name, disk.verdict.standing) for disk in disks] == [("dm-0", OK), ("sda", REFUSE), ("sdb", REFUSE)]
    assert "choose the multipath map" in disks[1].verdict.remedy
    assert [disk.id for disk in disks] == ["wwn-0x5000c5", "name-sda", "name-sdb"]


@pytest.mark.parametrize(
    "external",
    [
        {"md/level": "container", "md/metadata_version": "external:imsm"},
        {"md/level": "raid1", "md/metadata_version": "external:/md127/0"},
        {"md/level": "container", "md/metadata_version": "external:ddf"},
    ],
)
def test_a_hot_spare_of_a_container_stands_in_no_array_and_is_refused(external: dict[str, str]) -> None:
    """Its container holds it; stopped, its signature does; and a spare of ours has nothing else to show."""
    container = BlockDevice(name="md127", slaves=("sda",), attributes=external)
    assert judged(device(), container).verdict.reason == "sda is part of the md array md127"
    for kind in ("isw_raid_member", "ddf_raid_member", "linux_raid_member"):
        spare = judged(device(signatures=(Signature(kind=kind),)))
        assert (spare.verdict.standing, spare.verdict.reason.startswith("sda is a member of")) == (REFUSE, True)


TABLE = Signature(kind="gpt", uuid="0DA2C9E8-1111-2222-3333-444455556666")


def of_type(code: str, *kinds: str) -> BlockDevice:
    return msgspec.structs.replace(part("sda1", "sda", *kinds), properties={"ID_PART_ENTRY_TYPE": code.upper()})


@pytest.mark.parametrize("code", sorted(MEMBER_PARTITIONS))
def test_members_that_carry_no_signature(code: str) -> None:
    """The refusal names type, partition, and what frees the disk."""
    verdict = judged(device(signatures=(TABLE,)), of_type(code)).verdict
    what = f"{MEMBER_PARTITIONS[code]} (partition type {code})"
    assert verdict.standing is REFUSE and verdict.reason.startswith(f"sda1 is a member of {what}")
    frees = "ceph-volume lvm zap --destroy /dev/sda1" if "Ceph" in what else "wipefs --all /dev/sda"
    assert frees in verdict.remedy


@pytest.mark.parametrize(
    ("code", "belongs"),
    [
        ("5808C8AA-7E8F-42E0-85D2-E1E90434CFB3", "a Windows dynamic disk group (LDM metadata)"),
        ("AF9B60A0-1431-4F62-BC68-3311714A69AD", "a Windows dynamic disk group (LDM data)"),
        ("E75CAF8F-F680-4CEE-AFA3-B001E56EFC2D", "a Windows storage pool (Storage Spaces)"),
        ("381CFCCC-7288-11E0-92EE-000C2911D0B2", "a VMware vSAN disk group"),
        ("6A898CC3-1DD2-11B2-99A6-080020736631", "a ZFS pool"),
        ("516E7CBA-6ECF-11D6-8FF8-00022D09712B", "a ZFS pool (FreeBSD)"),
    ],
)
def test_a_table_of_ones_own_refuses_nothing_by_its_types(code: str, belongs: str) -> None:
    seen = machine(device(signatures=(TABLE,)), of_type(code))
    assert MEMBER_PARTITIONS[code.lower()] == belongs
    for own in ((), ("0da2c9e81111222233334444555566667",)):
        assert disks_of(seen, own)[0].verdict.standing is REFUSE
    verdict = disks_of(seen, ("0da2c9e8111122223333444455556666",))[0].verdict
    assert (verdict.standing, verdict.reason) == (WARN, "holds gpt, partition on sda1; it will be erased")


@pytest.mark.parametrize(
    ("code", "what"),
    [
        ("A19D880F-05FC-4D3B-A006-743F0F84911E", "Linux RAID"),
        ("0xfd", "Linux RAID"),
        ("52414944-0000-11AA-AA11-00306543ECAC", "Apple RAID"),
        ("0x42", "a Windows dynamic disk (LDM)"),
    ],
)
def test_a_type_of_raid_without_a_superblock_is_told(code: str, what: str) -> None:
    told = f"sda1 has the partition type of {what}, and no superblock"
    verdict = judged(device(signatures=(TABLE,)), of_type(code)).verdict
    assert (verdict.standing, verdict.reason.startswith(told)) == (WARN, True)
    member = judged(device(signatures=(TABLE,)), of_type(code, "linux_raid_member")).verdict
    assert member.standing is REFUSE and "an md array" in member.reason


def test_file_systems_that_somebody_may_have_mounted() -> None:
    left = msgspec.structs.replace(part("sda1", "sda", "ext4"), told={"ext not unmounted": "/srv", "ext mmp": "node7"})
    verdict = judged(device(signatures=(TABLE,)), left).verdict
    assert (verdict.standing, verdict.reason) == (
        WARN,
        "sda1 is a file system for several hosts (ext4 with mmp), mounted, or not unmounted, by node7;"
        " sda1 was mounted and not unmounted, last at /srv, and is not mounted here;"
        " holds gpt, ext4 on sda1; it will be erased",
    )
    free = msgspec.structs.replace(part("sda1", "sda", "ext4"), told={"ext not unmounted": "", "ext mmp": ""})
    assert "with mmp), unmounted; sda1 was mounted and not unmounted, and is" in judged(device(), free).verdict.reason


def nested(*layers: str) -> tuple[BlockDevice, ...]:
    """sda, and what stands on it, one on the other; the last one is mounted at /srv."""
    names = ("sda", *layers)
    uuids = {"dm-0": "LVM-x", "dm-1": "CRYPT-LUKS2-x", "dm-2": "LVM-y"}
    return (
        device(),
        *(
            BlockDevice(name=name, devnum=f"253:{place}", slaves=(below,), attributes={"dm/uuid": uuids.get(name, "")})
            for place, (below, name) in enumerate(pairwise(names))
        ),
    )


@pytest.mark.parametrize(
    "layers",
    [
        ("md127", "dm-0"),  # LVM on md
        ("md127", "dm-1", "dm-0"),  # LVM on LUKS on md
        ("dm-1",),  # LUKS
        ("dm-0", "dm-1"),  # LUKS on LVM
        ("bcache0", "md127", "dm-0"),
        ("drbd1", "dm-0", "dm-1", "dm-2"),
    ],
)
@pytest.mark.parametrize(("mountpoint", "kept"), [("/srv", "is mounted at /srv"), ("/", "holds the running system")])
def test_nested_stacks_are_refused_by_what_stands_at_their_top(
    layers: tuple[str, ...], mountpoint: str, kept: str
) -> None:
    devices = nested(*layers)
    top = Mount(devnum=devices[-1].devnum, source="/dev/mapper/x", mountpoint=mountpoint)
    verdict = judged(*devices, mounts=(top,)).verdict
    assert verdict.standing is REFUSE and kept in verdict.reason
    assert layers[-1] in verdict.reason


def test_a_root_that_names_no_device_is_looked_for_by_its_file_system() -> None:
    """Without an initrd the kernel calls it /dev/root, and btrfs has device numbers of its own."""
    disks = disks_of(
        machine(
            device("sda", signatures=(Signature(kind="btrfs", uuid="a"),)),
            device("sdb", signatures=(Signature(kind="xfs"),)),
            mounts=(Mount(devnum="0:23", source="/dev/root", mountpoint="/", fstype="btrfs"),),
        )
    )
    assert [disk.verdict.standing for disk in disks] == [REFUSE, WARN]
    assert "holds the running system" in disks[0].verdict.reason
