"""Which disks are volumes of a hardware RAID controller: by vendor and model, as SCSI's INQUIRY or udev tells them.

A model that is not in the tables is taken for a disk. Sources: the kernel's drivers/scsi, smartmontools' and
controllers' public reports.
"""

import re

_WORDS = re.compile(  # in the vendor and model together
    r"RAID"  # MegaRAID, ServeRAID, PRAID, UCSC-MRAID12G, UCS-M2-HWRAID, H/W RAID1, RAID 930-8i
    r"|LOGICAL ?(VOLUME|DISK|DR)|SMART ARRAY"  # HP, HPE, Microchip, 3ware, Adaptec ("LogicalDrv 0")
    r"|\bPERC\b|DELL ?BOSS|\bBOSS-"
    r"|\bMR-?\d{3,4}|\bMRSAS|\bMRROMB|\bSMC\d{4}|\bRS[23][A-Z]{2}\d|\bRMS\d\d?[A-Z]|\bSROMB"  # LSI's, by any maker
    r"|\b(ADAPTEC|ARECA|3WARE|AMCC)\b|\bASR-?\d{4}|\bIPR-\d|\bARC-?(\d{4}|VOL)|\b[789]\d{3}\S*\s+DISK\b"
    r"|\bVD( ?\d+)?$|\bNS204\w|\bPDUAL\b",  # Marvell's, by Dell, Lenovo, HPE and Fujitsu
    re.I,
)
_OF_VENDORS = tuple(  # vendors whose disks, of these models, are volumes
    (re.compile(vendor, re.I), re.compile(model, re.I))
    for vendor, model in (
        (r"^(LSI|AVAGO|BROADCOM)", r"^(?!NWD)"),  # they make no disks, but for flash cards called Nytro WarpDrive
        (r"^(HPT|HIGHPOINT|PROMISE|MSCC|FTS)\b", r""),
        (r"^CISCO", r"^UCS"),
    )
)


def is_raid_volume(vendor: str, model: str) -> bool:
    """Is a disk of this vendor and model what a controller makes of several, or of one?"""
    return _WORDS.search(f"{vendor} {model}") is not None or any(
        of_vendor.search(vendor) and of_model.search(model) for of_vendor, of_model in _OF_VENDORS
    )
