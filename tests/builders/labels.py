"""Sizes of disks as their labels have them."""

from raidtui.core.raid.capacity import SECTOR_BYTES


def nominal_bytes(gigabytes: int) -> int:
    """A disk's bytes from the GB on its label, 50 and more (500 GB = 500 107 862 016 B). IDEMA LBA1-03."""
    if gigabytes < 50:
        raise ValueError(f"IDEMA's sizes begin at 50 GB, {gigabytes} GB has none: give the size in bytes.")
    return SECTOR_BYTES * (97_696_368 + 1_953_504 * (gigabytes - 50))
