"""Volumes of RAID controllers, and disks that are none, by vendor and model."""

import pytest

from raidtui.core.disks.verdicts import disks_of
from raidtui.core.disks.volumes import is_raid_volume
from tests.builders.machines import device, machine


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
