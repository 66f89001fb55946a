"""Who uses a disk, through whatever is stacked on it."""

import subprocess

import pytest
from msgspec.structs import replace

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import BlockDevice, Machine, Mount, Signature, Swap
from raidtui.core.disks.usage import MEMBER_KINDS, MEMBER_PARTITIONS, RAID_PARTITIONS, Stack, Use, mapped_as, uses_of
from tests.builders.machines import MACHINES, device, judged, part

# Of the kinds that libblkid knows: of one device and one server, so that a warning and its owner's word are enough.
PLAIN = set(
    """vfat swap xfs exfs ext4dev ext4 ext3 ext2 reiserfs reiser4 jfs udf iso9660 hfsplus hfs ufs hpfs sysv xenix ntfs
    ReFS cramfs romfs minix vxfs squashfs squashfs3 btrfs ubifs bfs befs nilfs2 exfat f2fs apfs zonefs erofs
    bcachefs""".split()  # noqa: SIM905
)

# What is part of something larger, by who writes it: the names of util-linux' libblkid/src/superblocks (2.18 to 2.42),
# udev's multipath rule (60-multipath.rules sets mpath_member), and libblkid's older name of HighPoint's.
SIGNATURES = set(
    """linux_raid_member ddf_raid_member isw_raid_member lsi_mega_raid_member via_raid_member
    silicon_medley_raid_member nvidia_raid_member promise_fasttrack_raid_member hpt45x_raid_member hpt37x_raid_member
    highpoint_raid_member adaptec_raid_member jmicron_raid_member bcache ceph_bluestore drbd drbdmanage_control_volume
    drbdproxy_datalog LVM2_member LVM1_member DM_snapshot_cow DM_verity_hash DM_integrity crypto_LUKS
    VMFS_volume_member ubi vdo stratis BitLocker cs_fvault2 swsuspend xfs_external_log jbd zfs_member gfs gfs2 ocfs
    ocfs2 oracleasm nss VMFS mpool scoutfs_meta scoutfs_data opensvc_hb mpath_member""".split()  # noqa: SIM905
)
# GPT types: ceph-disk's PTYPE table and util-linux' include/pt-gpt-partnames.h.
TYPES = {
    "4fbd7e29-9d25-41b8-afd0-062c0ceff05d": "Ceph",
    "45b0969e-9b03-4f30-b4c6-b4b80ceff106": "Ceph",
    "cafecafe-9b03-4f30-b4c6-b4b80ceff106": "Ceph",
    "30cd0809-c2b2-499c-8879-2d6b78529876": "Ceph",
    "5ce17fce-4087-4169-b7ff-056cc58473f9": "Ceph",
    "5808c8aa-7e8f-42e0-85d2-e1e90434cfb3": "LDM metadata",
    "af9b60a0-1431-4f62-bc68-3311714a69ad": "LDM data",
    "e75caf8f-f680-4cee-afa3-b001e56efc2d": "Storage Spaces",
    "381cfccc-7288-11e0-92ee-000c2911d0b2": "vSAN",
    "6a898cc3-1dd2-11b2-99a6-080020736631": "ZFS",
    "516e7cba-6ecf-11d6-8ff8-00022d09712b": "FreeBSD",
}
TOLD_TYPES = {
    "a19d880f-05fc-4d3b-a006-743f0f84911e": "Linux RAID",
    "0xfd": "Linux RAID",
    "52414944-0000-11aa-aa11-00306543ecac": "Apple RAID",
    "52414944-5f4f-11aa-aa11-00306543ecac": "Apple RAID, offline",
    "0x42": "LDM",
}
# The first word of dm/uuid, as LVM2, cryptsetup, multipath-tools, dmraid, stratisd and VDO set it.
MAPPED = {
    "LVM": "logical volume", "CRYPT": "encrypted volume", "mpath": "multipath map", "DMRAID": "firmware-RAID set",
    "stratis": "Stratis pool", "VDO": "VDO volume", "other": "device-mapper device",
}  # fmt: skip


def usage(machine: Machine) -> dict[str, tuple[Use, ...]]:
    """Whole disk -> its uses."""
    stack = Stack(machine)
    return {device.name: uses_of(stack, device.name) for device in machine.devices if device.kind != "partition"}


def seen(name: str) -> dict[str, tuple[Use, ...]]:
    return usage(read((MACHINES / name).read_bytes(), name))


@pytest.mark.parametrize("name", ["in-use.json", "in-use.lsblk.json"])
def test_a_machine_in_use(name: str) -> None:
    uses = seen(name)
    assert uses["sda"] == ()
    assert Use(kind="mounted", device="sdb2", detail="/home") in uses["sdb"]
    assert Use(kind="swap", device="sdc1") in uses["sdc"]
    assert [use.kind for use in uses["sdd"]] == ["stacked", "member", "mounted"]
    assert Use(kind="stacked", device="sde", detail="md7") in uses["sde"]
    assert uses["sde"][-1].label == "server:7"


def test_a_volume_on_an_array_reaches_down_to_both_members() -> None:
    uses = seen("stacked.json")
    for disk in ("sda", "sdb"):
        assert [(use.kind, use.device, use.detail) for use in uses[disk] if use.kind != "member"] == [
            ("stacked", disk, "md7"),
            ("stacked", "md7", "dm-0"),
            ("mounted", "dm-0", "/srv"),
        ]


def test_a_stopped_array_is_known_by_its_superblocks() -> None:
    uses = seen("stopped-array.json")
    assert [(use.signature, use.label) for use in uses["sdb"]] == [("linux_raid_member", "server:7")]
    assert uses["sde"][0].detail == "a file system that spans sdd, sde"


def test_btrfs_mounted_by_one_of_its_disks_is_mounted_on_all() -> None:
    btrfs = (Signature(kind="btrfs", uuid="u"),)
    machine = Machine(
        devices=(
            BlockDevice(name="sda", devnum="8:0", signatures=btrfs),
            BlockDevice(name="sdb", devnum="8:16", signatures=btrfs),
            BlockDevice(name="sdc", devnum="8:32", signatures=(Signature(kind="btrfs", uuid="other"),)),
        ),
        mounts=(Mount(devnum="0:41", source="/dev/sda", mountpoint="/srv", fstype="btrfs"),),
    )
    uses = usage(machine)
    assert [use.detail for use in uses["sdb"] if use.kind == "mounted"] == ["/srv"]
    assert uses["sdc"] == ()


def test_mounts_are_found_by_link_and_bcachefs_by_all_its_devices() -> None:
    link = "/dev/disk/by-id/wwn-0x5"
    machine = Machine(
        devices=(BlockDevice(name="sda", properties={"DEVLINKS": link}), BlockDevice(name="sdb")),
        mounts=(Mount(devnum="0:50", source=f"{link}:/dev/sdb", mountpoint="/data"),),
        swaps=(Swap(source=link),),
    )
    uses = usage(machine)
    assert uses["sda"] == (Use(kind="mounted", device="sda", detail="/data"), Use(kind="swap", device="sda"))
    assert uses["sdb"] == (Use(kind="mounted", device="sdb", detail="/data"),)


def test_devices_that_stand_on_each_other_in_a_ring_end() -> None:
    machine = Machine(
        devices=(
            BlockDevice(name="sda", holders=("dm-0",)),
            BlockDevice(name="dm-0", holders=("dm-1",), slaves=("sda",)),
            BlockDevice(name="dm-1", holders=("dm-0",), parent="dm-1"),
        )
    )
    assert {use.device for use in usage(machine)["sda"]} == {"sda", "dm-0", "dm-1"}


def test_every_kind_that_libblkid_knows_was_decided_on() -> None:
    """Part of something larger, or a cluster's: refused. A new kind fails here until somebody has decided."""
    known = set(subprocess.run(["blkid", "-k"], capture_output=True, text=True, check=True).stdout.split())
    assert known and known <= PLAIN | MEMBER_KINDS.keys()
    assert not PLAIN & MEMBER_KINDS.keys()


def test_what_others_write_is_known_by_their_names() -> None:
    assert MEMBER_KINDS.keys() == SIGNATURES
    assert MEMBER_PARTITIONS.keys() == TYPES.keys() and RAID_PARTITIONS.keys() == TOLD_TYPES.keys()
    assert not [code for code, word in TYPES.items() if word not in MEMBER_PARTITIONS[code]]
    assert not [code for code, word in TOLD_TYPES.items() if word not in RAID_PARTITIONS[code]]


@pytest.mark.parametrize("teller", ["the kernel", "udev"])
@pytest.mark.parametrize("prefix", MAPPED)
def test_what_is_mapped_is_named_by_its_uuid(prefix: str, teller: str) -> None:
    told = {"dm/uuid": f"{prefix}-0123"} if teller == "the kernel" else {"DM_UUID": f"{prefix}-0123"}
    field = "attributes" if teller == "the kernel" else "properties"
    assert mapped_as(BlockDevice(name="dm-3", **{field: told}), "dm-3") == f"the {MAPPED[prefix]} dm-3"  # type: ignore[arg-type]


@pytest.mark.parametrize("told, here, member", [("3", 2, True), ("2", 2, False), ("2", 1, True), ("1", 1, False)])
def test_a_btrfs_whose_other_devices_are_not_here_is_a_member_all_the_same(told: str, here: int, member: bool) -> None:
    btrfs = (Signature(kind="btrfs", uuid="u"),)
    devices = (BlockDevice(name=f"sd{i}", devnum=f"8:{i}", signatures=btrfs, told={"btrfs devices": told})
               for i in range(here))  # fmt: skip
    details = [use.detail for use in usage(Machine(devices=tuple(devices)))["sd0"]]
    assert (f"a btrfs of {told} devices, not all of which are here" in details) == member
    assert len(details) == (told != "1")


@pytest.mark.parametrize("kind", sorted(MEMBER_KINDS))
@pytest.mark.parametrize("name", ["sda", "sda1"])
def test_members_of_something_larger(kind: str, name: str) -> None:
    on_disk, on_part = ((Signature(kind=kind, label="tank"),) * (name == one) for one in ("sda", "sda1"))
    below = replace(part("sda1", "sda"), signatures=on_part)
    verdict = judged(device(signatures=on_disk), *[below][: len(on_part)]).verdict
    assert verdict.standing is Usability.REFUSE and verdict.reason.startswith(f"{name} is a member of ")
    assert MEMBER_KINDS[kind] in verdict.reason and name in verdict.remedy


@pytest.mark.parametrize("code", sorted(MEMBER_PARTITIONS))
def test_members_that_carry_no_signature(code: str) -> None:
    """The refusal names type, partition, and what frees the disk."""
    below = replace(part("sda1", "sda"), properties={"ID_PART_ENTRY_TYPE": code.upper()})
    verdict = judged(device(signatures=(Signature(kind="gpt"),)), below).verdict
    what = f"{MEMBER_PARTITIONS[code]} (partition type {code})"
    assert verdict.standing is Usability.REFUSE and verdict.reason.startswith(f"sda1 is a member of {what}")
    frees = "ceph-volume lvm zap --destroy /dev/sda1" if "Ceph" in what else "wipefs --all /dev/sda"
    assert frees in verdict.remedy
