"""A disk of which nothing is known, by kind: one table of rates and failures a year. Slowest kind first."""

from collections.abc import Iterable

import msgspec


class DiskKind(msgspec.Struct, frozen=True):
    """`afr`: annual failure rate, share of disks; `afr_source`: with its date."""

    title: str
    bytes_per_s: float
    iops: float
    afr: float
    afr_source: str


# NVMe: 3 GB/s, what four lanes of PCIe 3.0 let through with some room, and the writes of the drive that `depth_curve`
# assumes. Failures of HDDs: Backblaze's 2024 of 280,000 drives; of SSDs: its 2022 (report of 26 September 2023), 25 of
# 2,906 boot drives, most of them SATA. No mean of NVMe drives was found.
KINDS = (
    DiskKind("HDD", 180e6, 150.0, 0.0157, "Backblaze 2024"),
    DiskKind("SSD", 450e6, 50_000.0, 0.0098, "Backblaze 2022"),
    DiskKind("NVMe", 3e9, 250_000.0, 0.0098, "assumed, as SSD"),
)
HDD, SSD, NVME = KINDS
ASSUMED_RATES = {"hdd": HDD, "sata-ssd": SSD, "nvme": NVME}  # by the names of `depth_curve`


def kind_of(rotational: bool | None, nvme: bool) -> DiskKind:
    """Unknown ones count as rotating."""
    if rotational is not False:
        return HDD
    return NVME if nvme else SSD


def slowest(kinds: Iterable[DiskKind]) -> DiskKind:
    """HDD of none."""
    return min(kinds, key=KINDS.index, default=HDD)
