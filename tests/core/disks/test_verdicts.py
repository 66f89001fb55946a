"""Given this machine, this disk is refused, because: every class of disk that must not be erased, or not silently."""

from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from raidtui.core.disks.disk import Standing
from raidtui.core.disks.dumps import read
from raidtui.core.disks.machine import (
    BlockDevice,
    Export,
    Machine,
    Mount,
    Signature,
    Swap,
)
from raidtui.core.disks.rules import RULES
from raidtui.core.disks.usage import MEMBER_KINDS, MEMBER_PARTITIONS
from raidtui.core.disks.verdicts import disks_of, warnings_of
from tests.builders.machines import MACHINES, device, judged, machine, part

OK, WARN, REFUSE = Standing.OK, Standing.WARN, Standing.REFUSE


def test_a_blank_disk_is_ok() -> None:
    disk = judged(device())
    assert (disk.verdict.standing, disk.verdict.reason, disk.found) == (OK, "", "blank")
    assert disk.id.startswith("wwn-0x5000")


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
    assert disk.verdict.remedy.startswith("none")


def test_mounted_wins_over_what_is_found_on_it() -> None:
    disk = judged(
        device(),
        part("sda2", "sda", "ext4"),
        mounts=(Mount(devnum="259:2", source="/dev/sda2", mountpoint="/home"),),
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
            "the loop device loop3, which stands on it, is mounted at /srv",
        ),
        (
            (Mount(devnum="259:9", source="/dev/loop3p9", mountpoint="/"),),
            "the loop device loop3p9, which stands on it, is mounted at /: this disk holds the running system",
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
    assert disk.verdict.reason == "the loop device loop1, which stands on it, is mounted at /srv"


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


def test_how_a_drbd_device_is_taken_apart_is_said() -> None:
    disk = judged(device(), BlockDevice(name="drbd1", slaves=("sda",)))
    assert disk.verdict.remedy.startswith("if nothing on it is needed: drbdadm down")


def test_what_may_be_served_and_cannot_be_told_is_not_free() -> None:
    disk = judged(device(), not_read=("exports",))
    assert (disk.verdict.standing, disk.checked) == (WARN, False)
    assert "configfs is not mounted" in disk.verdict.reason
    assert disk.verdict.remedy == "mount -t configfs configfs /sys/kernel/config, and look again"


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


def test_one_disk_by_two_paths_without_multipath() -> None:
    same = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "Z1"}
    first, second = disks_of(machine(device("sdq", properties=same), device("sdb", properties=same)))
    assert [disk.verdict.standing for disk in (first, second)] == [REFUSE, REFUSE]
    reason = "it is the same disk as {}, seen by a second path, and no multipath map joins them"
    assert [disk.verdict.reason for disk in (first, second)] == [reason.format("sdq"), reason.format("sdb")]
    assert "multipath -v2" in first.verdict.remedy
    assert (first.id, second.id) == ("wwn-0x5000c5", "name-sdq")
    assert (first.nodes, second.nodes) == (("/dev/sdq",), ("/dev/sdb",))


def test_two_disks_that_claim_one_wwn_are_told_apart_by_serial() -> None:
    disks = disks_of(
        machine(
            device("sda", properties={"ID_WWN": "0x1", "ID_SCSI_SERIAL": "A"}),
            device("sdb", properties={"ID_WWN": "0x1", "ID_SCSI_SERIAL": "B"}),
        )
    )
    assert [disk.id for disk in disks] == ["serial-ST4000_A", "serial-ST4000_B"]
    assert disks[0].verdict.reason == "its WWN is also that of sdb; told apart by serial-ST4000_A"
    assert disks[0].verdict.standing is WARN


@pytest.mark.parametrize(
    ("bus", "one"), [("sas", True), ("fc", True), ("iscsi", True), ("sata", False), ("usb", False)]
)
def test_two_paths_of_a_disk_without_a_wwn(bus: str, one: bool) -> None:
    """Where disks have several paths, the same serial number is the same disk; bridges double theirs."""
    said = {"ID_WWN": "", "ID_SCSI_SERIAL": "S1", "ID_TRAN": bus}
    first, second = disks_of(
        machine(
            device("sda", properties={**said, "ID_PATH": "pci-1"}),
            device("sdb", properties={**said, "ID_PATH": "pci-2"}),
        )
    )
    assert [disk.verdict.standing for disk in (first, second)] == [REFUSE if one else WARN] * 2
    words = "it is the same disk as sda, seen by a second path" if one else "its serial number is also that of sda"
    assert words in second.verdict.reason
    assert first.id != second.id


def test_three_that_claim_one_wwn_are_two_paths_and_another_disk() -> None:
    same = {"ID_WWN": "0x5000c5", "ID_SCSI_SERIAL": "Z1"}
    first, second, other = disks_of(
        machine(
            device("sda", properties={**same, "ID_PATH": "pci-1"}),
            device("sdb", properties={**same, "ID_PATH": "pci-2"}),
            device("sdc", properties={**same, "ID_SCSI_SERIAL": "Z2", "ID_PATH": "pci-3"}),
        )
    )
    assert (first.id, second.id, other.id) == ("serial-ST4000_Z1", "path-pci-2", "serial-ST4000_Z2")
    assert [disk.verdict.standing for disk in (first, second, other)] == [REFUSE, REFUSE, WARN]
    assert "the same disk as sdb" in first.verdict.reason
    assert "the same disk as sda" in second.verdict.reason


def doubled(name: str, place: str) -> BlockDevice:
    return device(name, properties={"ID_WWN": "", "ID_SCSI_SERIAL": "000000000001", "ID_PATH": place})


def test_doubled_serials_are_told_apart_by_their_place() -> None:
    first, second = disks_of(machine(doubled("sda", "pci-1"), doubled("sdb", "pci-2")))
    assert (first.id, second.id) == ("path-pci-1", "path-pci-2")
    assert first.verdict.reason == "its serial number is also that of sdb; told apart by path-pci-1"


def test_disks_that_nothing_tells_apart_are_refused() -> None:
    disks = disks_of(machine(doubled("sda", "pci-1"), doubled("sdb", "pci-1"), doubled("sdc", "")))
    assert [disk.verdict.standing for disk in disks] == [REFUSE, REFUSE, REFUSE]
    assert "nothing tells it apart from" in disks[0].verdict.reason
    assert len({disk.id for disk in disks}) == 3


def test_a_disk_without_any_identity_is_warned_of() -> None:
    anonymous = {"ID_WWN": "", "ID_SCSI_SERIAL": "", "ID_MODEL": ""}
    disk = judged(device("vdb", properties=anonymous))
    assert disk.id == "name-vdb"
    assert disk.verdict.reason == "it has no WWN, no serial number and no path; only its name vdb tells it apart"


@pytest.mark.parametrize(
    ("standing", "name", "properties", "attributes", "reason"),
    [
        (REFUSE, "sda", {}, {"size": "0"}, "it has no size"),
        (REFUSE, "sda", {}, {"ro": "1"}, "it is read-only"),
        (REFUSE, "sda", {}, {"queue/zoned": "host-managed"}, "host-managed zoned disk"),
        (REFUSE, "sda", {}, {"queue/logical_block_size": "520"}, "logical sectors of 520 bytes"),
        (REFUSE, "sda", {}, {"device/state": "offline"}, "the kernel has set it offline"),
        (REFUSE, "sda", {"ID_BUS": "usb", "ID_MODEL": "Virtual_HDisk0"}, {}, "virtual media"),
        (REFUSE, "sda", {"DM_MULTIPATH_DEVICE_PATH": "1"}, {}, "it is one path of a multipath map"),
        (WARN, "sda", {"ID_BUS": "usb"}, {}, "it is connected by USB"),
        (WARN, "sda", {}, {"removable": "1"}, "it is a removable medium"),
        (WARN, "sda", {"ID_VENDOR": "DELL", "ID_MODEL": "PERC_H730_Mini"}, {}, "hardware RAID controller"),
        (WARN, "sda", {"ID_VENDOR": "AVAGO", "ID_MODEL": "MR9361-8i"}, {}, "hardware RAID controller"),
        (WARN, "sda", {"ID_VENDOR": "HP", "ID_MODEL": "LOGICAL_VOLUME"}, {}, "hardware RAID controller"),
        (WARN, "sda", {}, {"queue/zoned": "host-aware"}, "shingled"),
        (WARN, "sda", {}, {"integrity/format": "T10-DIF-TYPE1-CRC"}, "protection information (T10-DIF-TYPE1-CRC)"),
        (WARN, "nbd0", {}, {}, "it is a disk of the network"),
        (WARN, "sda", {"ID_VENDOR": "Lenovo", "ID_MODEL": "RAID_930-8i-2GB"}, {}, "hardware RAID controller"),
        (WARN, "sda", {"ID_VENDOR": "Cisco", "ID_MODEL": "UCSC-RAID12G-2GB"}, {}, "hardware RAID controller"),
        (WARN, "sda", {"ID_VENDOR": "ASR8805", "ID_MODEL": "LogicalDrv_0"}, {}, "hardware RAID controller"),
        (REFUSE, "sda", {"ID_BUS": "usb", "ID_VENDOR": "PepPCon", "ID_MODEL": "Disk"}, {}, "virtual media"),
        (REFUSE, "sda", {"ID_BUS": "usb", "ID_VENDOR": "HP_iLO", "ID_MODEL": "LUN_01_Media_0"}, {}, "virtual media"),
        (REFUSE, "sda", {"ID_BUS": "usb", "ID_VENDOR": "iDRAC", "ID_MODEL": "MAS022"}, {}, "virtual media"),
        (OK, "sda", {"ID_VENDOR": "Msft", "ID_MODEL": "Virtual_Disk"}, {}, ""),
        (OK, "sda", {}, {"queue/logical_block_size": "4096", "device/state": "running"}, ""),
        (OK, "nvme0n1", {}, {"device/state": "live", "integrity/format": "none"}, ""),
    ],
)
def test_kinds_of_disks(
    standing: Standing, name: str, properties: dict[str, str], attributes: dict[str, str], reason: str
) -> None:
    disk = judged(device(name, properties=properties, attributes=attributes))
    assert disk.verdict.standing is standing, disk.verdict
    assert reason in disk.verdict.reason


@pytest.mark.parametrize(
    "name",
    [
        *("loop0", "ram1", "zram0", "fd0", "sr0", "md0", "dm-0", "bcache0", "drbd0", "zd0"),
        *("mmcblk0boot0", "mmcblk1boot1", "mmcblk0rpmb", "mmcblk0gp0", "nvme0c0n1", "nvme12c3n4"),
    ],
)
def test_what_can_never_be_a_member_is_left_out(name: str) -> None:
    assert disks_of(machine(device(name))) == ()


def test_hidden_nvme_paths_and_unconnected_network_disks_are_left_out() -> None:
    assert (
        disks_of(machine(device("nvme0c0n1", attributes={"hidden": "1"}), device("nbd3", attributes={"size": "0"})))
        == ()
    )


@pytest.mark.parametrize(
    ("told", "standing", "reason"),
    [
        ({"opal": "locked"}, REFUSE, "it is locked (Opal self-encryption)"),
        ({"reservation": "2 registered keys"}, REFUSE, "another host may be using it: 2 registered keys on it"),
        ({"health": "failing: SPARE LOW"}, WARN, "its own health check (SMART) says that it is failing: SPARE LOW"),
        ({"health": "passed"}, OK, ""),
        ({}, OK, ""),
    ],
)
def test_what_a_disk_told_when_it_was_asked(told: dict[str, str], standing: Standing, reason: str) -> None:
    verdict = judged(device(told=told)).verdict
    assert (verdict.standing, verdict.reason.startswith(reason)) == (standing, True)
    assert bool(verdict.remedy) == (standing is not OK)


def test_a_disk_whose_size_is_not_known_is_not_checked() -> None:
    disk = judged(device(attributes={"size": ""}))
    assert (disk.verdict.standing, disk.verdict.reason) == (WARN, "not checked: its size")
    assert not disk.checked and disk.found == "not checked"


@pytest.mark.parametrize(
    "missing",
    ["mounts", "swaps", "holders", "sizes", "signatures", "loops", "exports", "openers", "which disk it is"],
)
def test_whatever_was_not_read_leaves_a_disk_unchecked(missing: str) -> None:
    disk = judged(device(), not_read=(missing,))
    assert (disk.verdict.standing, disk.checked) == (WARN, False)
    assert disk.verdict.reason.startswith("not checked: ")
    assert judged(device()).checked


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


@pytest.mark.parametrize("code", sorted(MEMBER_PARTITIONS))
def test_parts_of_a_ceph_cluster_that_carry_no_signature(code: str) -> None:
    journal = msgspec.structs.replace(part("sda1", "sda"), properties={"ID_PART_ENTRY_TYPE": code.upper()})
    verdict = judged(device(signatures=(Signature(kind="gpt"),)), journal).verdict
    assert verdict.standing is REFUSE and verdict.reason.startswith("sda1 is a member of a Ceph cluster")


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


def test_one_that_is_worse_than_refused_is_said_first() -> None:
    """The disk of the system stays the disk of the system, whatever else is wrong with it."""
    broken = device(
        told={"opal": "locked", "reservation": "x", "health": "failing"},
        read_error="Input/output error",
        attributes={"ro": "1", "queue/zoned": "host-managed"},
        properties={"ID_BUS": "usb", "ID_MODEL": "Virtual"},
    )
    disk = judged(broken, part("sda1", "sda"), mounts=(Mount(devnum="259:1", source="x", mountpoint="/boot"),))
    assert "this disk holds the running system" in disk.verdict.reason


def test_what_is_on_it_is_named_before_it_is_erased() -> None:
    table = (Signature(kind="gpt", uuid="x"),)
    disk = judged(device(signatures=table), part("sda1", "sda", "vfat"), part("sda2", "sda"))
    assert disk.verdict.standing is WARN
    assert disk.verdict.reason == "holds gpt, vfat on sda1, partition on sda2; it will be erased"


def test_data_without_a_signature() -> None:
    disk = judged(device(unknown_blocks=3))
    assert (disk.verdict.standing, disk.found) == (WARN, "unknown data")


def test_a_disk_that_cannot_be_read() -> None:
    disk = judged(device(read_error="Input/output error at byte 0"))
    assert disk.verdict.standing is REFUSE and "Input/output error" in disk.verdict.reason


def test_what_was_not_read_is_a_warning_and_never_ok() -> None:
    disk = disks_of(Machine(devices=(device(read=False),), not_read=("signatures",)))[0]
    assert (disk.verdict.standing, disk.verdict.reason) == (WARN, "not checked: what it holds")
    assert disk.verdict.remedy == "run raidtui as root"
    assert disk.found == "not checked"


def test_warnings_are_joined() -> None:
    disk = judged(device(properties={"ID_BUS": "usb"}, signatures=(Signature(kind="xfs", label="media"),)))
    assert disk.verdict.reason == (
        "holds xfs (media); it will be erased; it is connected by USB: slow, shared, and it may vanish"
    )


def test_refusals_stand_before_warnings_in_the_table() -> None:
    standings = [rule.standing for rule in RULES]
    assert standings == sorted(standings, key=(REFUSE, WARN).index)
    assert all(rule.reason and rule.remedy for rule in RULES)


@pytest.mark.parametrize(
    ("name", "standings"),
    [
        ("rack-of-three.json", [OK] * 3),
        ("rack-of-six.json", [OK] * 6),
        ("rack-of-24.json", [OK] * 24),
        ("in-use.json", [OK] + [REFUSE] * 5),
        ("in-use.lsblk.json", [WARN] + [REFUSE] * 5),
        ("in-use.udevadm.txt", [WARN] * 3 + [REFUSE] * 3),
        ("left-behind.json", [WARN, WARN, REFUSE, REFUSE, WARN, OK]),
        ("stopped-array.json", [REFUSE] * 5 + [OK]),
        ("two-paths.json", [REFUSE] * 13),
        ("stacked.json", [OK] + [REFUSE] * 4 + [OK] * 2),
    ],
)
def test_recorded_machines(name: str, standings: list[Standing]) -> None:
    disks = disks_of(read((MACHINES / name).read_bytes(), name))
    assert [disk.verdict.standing for disk in disks] == standings
    assert len({disk.id for disk in disks}) == len(disks)
    assert all(disk.verdict.reason and disk.verdict.remedy for disk in disks if disk.verdict.standing is not OK)


@pytest.mark.parametrize("name", ["in-use.lsblk.json", "in-use.udevadm.txt"])
def test_the_same_disk_has_the_same_identity_in_every_dump(name: str) -> None:
    ours, theirs = (disks_of(read((MACHINES / file).read_bytes(), file)) for file in ("in-use.json", name))
    assert [(disk.name, disk.id, disk.serial, disk.model) for disk in ours] == [
        (disk.name, disk.id, disk.serial, disk.model) for disk in theirs
    ]


@pytest.mark.parametrize(
    ("one", "other", "warning"),
    [
        ({}, {}, ""),
        ({"size_bytes": 1000}, {"size_bytes": 991}, ""),
        ({"size_bytes": 1000}, {"size_bytes": 980}, "sizes differ: sdb has"),
        ({}, {"logical_sector_bytes": 4096}, "sectors differ: disks of 512 and 4096 bytes; the array will have 4096"),
        ({}, {"physical_sector_bytes": 4096}, "physical sectors differ: 512 and 4096 bytes"),
        ({"rotational": True}, {"rotational": False}, "media differ: sda rotate, sdb are flash"),
        ({"serial": "S", "model": "M"}, {"serial": "S", "model": "M"}, "sda and sdb have one serial number"),
    ],
)
def test_what_speaks_against_disks_together(one: dict[str, Any], other: dict[str, Any], warning: str) -> None:
    first, second = disks_of(machine(device("sda"), device("sdb")))
    found = warnings_of((msgspec.structs.replace(first, **one), msgspec.structs.replace(second, **other)))
    assert len(found) == bool(warning)
    assert not warning or found[0].startswith(warning)


NAMES = st.sampled_from(["sda", "sda1", "sdb", "md0", "dm-0", "nvme0n1", "loop0", "", "X[/]Y", "{0}", "sd\u0669"])
TEXT = st.one_of(st.sampled_from(["", "0", "1", "512", "host-managed", "mpath-3x", "{name}", "%s", "LVM-"]), st.text())
DEVICES = st.builds(
    BlockDevice,
    name=NAMES,
    devnum=st.sampled_from(["", "8:0", "8:1"]),
    kind=st.sampled_from(["disk", "partition", "?"]),
    parent=NAMES,
    properties=st.dictionaries(
        st.sampled_from(["ID_WWN", "ID_SERIAL", "ID_PATH", "ID_MODEL_ENC", "DEVNAME", "DEVLINKS", "ID_BUS", "DM_UUID"]),
        TEXT,
    ),
    attributes=st.dictionaries(
        st.sampled_from(["size", "ro", "hidden", "diskseq", "queue/logical_block_size", "dm/uuid", "dm/name", "wwid"]),
        TEXT,
    ),
    holders=st.lists(NAMES, max_size=3).map(tuple),
    slaves=st.lists(NAMES, max_size=3).map(tuple),
    signatures=st.none()
    | st.lists(
        st.builds(
            Signature, kind=st.sampled_from(["ext4", "btrfs", "linux_raid_member", "{x}"]), label=TEXT, uuid=TEXT
        ),
        max_size=2,
    ).map(tuple),
    read=st.booleans(),
    read_error=st.sampled_from(["", "{error}"]),
    told=st.dictionaries(st.sampled_from(["opal", "reservation", "health"]), TEXT),
    unknown_blocks=st.none() | st.integers(0, 9),
)


@settings(max_examples=300, deadline=None)
@given(
    st.builds(
        Machine,
        root=st.booleans(),
        devices=st.lists(DEVICES, max_size=6).map(tuple),
        mounts=st.lists(st.builds(Mount, devnum=st.sampled_from(["8:0", "0:5"]), source=TEXT, mountpoint=TEXT)).map(
            tuple
        ),
        swaps=st.lists(st.builds(Swap, source=st.sampled_from(["/dev/sda", "/swap"]))).map(tuple),
        exports=st.lists(
            st.builds(
                Export,
                kind=st.sampled_from(["SCSI target", "NVMe target"]),
                name=TEXT,
                devnum=st.sampled_from(["8:0", "0:5", "", "{on}"]),
            ),
            max_size=2,
        ).map(tuple),
        not_read=st.lists(TEXT, max_size=2).map(tuple),
    )
)
def test_any_machine_has_verdicts(any_machine: Machine) -> None:
    disks = disks_of(any_machine)
    for disk in disks:
        assert disk.id
        assert (disk.verdict.standing is OK) == (disk.verdict.reason == "")
        if disk.verdict.standing is OK:
            assert disk.checked and not disk.contents
    chosen = [disk.id for disk in disks if disk.verdict.standing is not REFUSE]
    assert len(set(chosen)) == len(chosen)
