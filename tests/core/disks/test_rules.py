"""The rules of which disk may be erased: the first that refuses wins, warnings are joined, unread is never ok."""

import pytest

from raidtui.core.disks.disk import Usability
from raidtui.core.disks.machine import Machine, Mount, Signature
from raidtui.core.disks.rules import RULES, is_raid_volume
from raidtui.core.disks.verdicts import disks_of
from tests.builders.machines import device, judged, machine, part

OK, WARN, REFUSE = Usability.OK, Usability.WARN, Usability.REFUSE


def test_what_may_be_served_and_cannot_be_told_is_not_free() -> None:
    disk = judged(device(), not_read=("exports",))
    assert (disk.verdict.standing, disk.checked) == (WARN, False)
    assert "configfs is not mounted" in disk.verdict.reason
    assert disk.verdict.remedy == "mount -t configfs configfs /sys/kernel/config, and look again"


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
        (WARN, "etherd/e1.0", {}, {}, "it is a disk of the network"),
        (WARN, "rnbd0", {}, {}, "it is a disk of the network"),
        (WARN, "nvme2n1", {}, {"transports": "tcp"}, "it is a disk of the network"),
        (WARN, "nvme2n1", {}, {"transports": "pcie rdma"}, "it is a disk of the network"),
        (WARN, "ublkb0", {}, {}, "it is served by a program on this machine (ublk)"),
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
    standing: Usability, name: str, properties: dict[str, str], attributes: dict[str, str], reason: str
) -> None:
    disk = judged(device(name, properties=properties, attributes=attributes))
    assert disk.verdict.standing is standing, disk.verdict
    assert reason in disk.verdict.reason


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
def test_what_a_disk_told_when_it_was_asked(told: dict[str, str], standing: Usability, reason: str) -> None:
    verdict = judged(device(told=told)).verdict
    assert (verdict.standing, verdict.reason.startswith(reason)) == (standing, True)
    assert bool(verdict.remedy) == (standing is not OK)


def test_a_disk_whose_size_is_not_known_is_not_checked() -> None:
    disk = judged(device(attributes={"size": ""}))
    assert (disk.verdict.standing, disk.verdict.reason) == (WARN, "not checked: its size")
    assert not disk.checked and disk.found == "not checked"


@pytest.mark.parametrize(
    "missing", ["mounts", "swaps", "holders", "sizes", "signatures", "loops", "exports", "openers", "which disk it is"]
)
def test_whatever_was_not_read_leaves_a_disk_unchecked(missing: str) -> None:
    disk = judged(device(), not_read=(missing,))
    assert (disk.verdict.standing, disk.checked) == (WARN, False)
    assert disk.verdict.reason.startswith("not checked: ")
    assert judged(device()).checked


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
    ("vendor", "model"),
    [
        ("LSI", "MR SAS 6G 1GB"),  # /proc/scsi/scsi of public reports
        ("LSI", "MR9271-8i"),
        ("LSI", "MRSASRoMB-8i"),
        ("AVAGO", "SMC3108"),
        ("Intel", "RS3DC080"),
        ("INTEL", "RMS25CB080"),
        ("BROADCOM", "MR9660-16i"),
        ("HPE", "MR416i-o Gen10+"),
        ("", "HPE NS204i-p Gen10+ Boot Controller"),
        ("HP", "LOGICAL VOLUME"),
        ("MSCC", "LOGICAL VOLUME"),
        ("Cisco", "UCS-M2-HWRAID"),
        ("CISCO", "UCSB-MRAID12G"),
        ("FTS", "PRAID CP400i"),
        ("FUJITSU", "PRAID EP420i"),
        ("LENOVO", "RAID 930-8i-2GB"),
        ("ATA", "LENOVO ThinkSystem M.2 VD"),
        ("ATA", "DELLBOSS VD"),
        ("DELL", "BOSS VD"),
        ("", "Dell BOSS-N1"),
        ("3ware", "Logical Disk 00"),
        ("AMCC", "9650SE-4LP DISK"),
        ("HPT", "DISK_0_0"),
        ("Areca", "ARC-1880-VOL#00"),
        ("ASR8805", "LogicalDrv 0"),
        ("IBM", "IPR-0   5EC2001D"),
        ("IBM", "ServeRAID M5110e"),
    ],
)
def test_a_volume_is_known_by_vendor_and_model(vendor: str, model: str) -> None:
    assert is_raid_volume(vendor, model)


@pytest.mark.parametrize(
    ("vendor", "model"),
    [
        ("ATA", "ST4000NM0035-1V4"),
        ("SEAGATE", "ST10000NM0096"),
        ("WDC", "WD40EFRX-68N32N0"),
        ("WD", "WD4001FYYG"),
        ("HGST", "HUH721010AL5200"),
        ("TOSHIBA", "MG08SCA16TE"),
        ("ATA", "INTEL SSDSC2BB480G7"),
        ("", "INTEL SSDPE2KX040T8"),
        ("ATA", "Micron_5200_MTFDDAK960TDD"),
        ("SAMSUNG", "MZILS960HEHP/007"),
        ("", "SAMSUNG MZVLB512HAJQ-00000"),
        ("NETAPP", "X357_S163A3T8ATE"),
        ("HP", "EG0600FBVFP"),
        ("ATA", "MB4000GCWDC"),
        ("LSI", "NWD-BLP4-400"),  # a flash card
        ("LIO-ORG", "FILEIO"),
        ("IET", "VIRTUAL-DISK"),
        ("QEMU", "QEMU HARDDISK"),
        ("VMware", "Virtual disk"),
        ("Msft", "Virtual Disk"),
        ("Linux", "scsi_debug"),
        ("", ""),
    ],
)
def test_a_disk_is_no_volume(vendor: str, model: str) -> None:
    assert not is_raid_volume(vendor, model)
    assert "RAID" not in judged_reason(vendor, model)


def judged_reason(vendor: str, model: str) -> str:
    (disk,) = disks_of(machine(device(properties={"ID_VENDOR": vendor, "ID_MODEL": model})))
    return disk.verdict.reason
