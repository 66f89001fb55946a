"""The disks of a lab server as values, and what QEMU is told to have them: NVMe, SAS behind a MegaRAID, SATA.

Serial numbers and WWNs come from the server's name and the disk's place, so that a disk is the same after every boot.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal
from zlib import crc32

import msgspec

Kind = Literal["nvme", "sas", "sata"]
_WWN = 0x5000C50000000000  # the IEEE's 5 and a disk maker's number: what a real one looks like
_NAMED = 13  # characters of the server's name in a serial number
_SATA_FROM = 128  # of the last byte of a WWN
_SATA_PORTS = 6  # of the board's own AHCI controller


class Disk(msgspec.Struct, frozen=True):
    """`number` counts the disks of a kind from 1. The throttles are QEMU's, of reads and writes together; 0: none."""

    kind: Kind
    number: int
    size_bytes: int
    bytes_per_s: int = 0
    iops: int = 0

    @property
    def name(self) -> str:
        return f"{self.kind}{self.number}"

    def serial(self, server: str) -> str:
        """Its number is at the end: of a SATA or NVMe disk QEMU keeps 20 characters, and all would have the same."""
        return f"{server[:_NAMED]}-{self.kind.upper()}-{self.number}"

    def wwn(self, server: str) -> int:
        """Of a SAS or SATA disk; QEMU's NVMe disks get none."""
        of_kind = _SATA_FROM if self.kind == "sata" else 0
        return _WWN + (crc32(server.encode()) & 0xFFFFFF) * 256 + of_kind + self.number


def rack(
    size_bytes: int, *, nvme: int = 0, sas: int = 0, sata: int = 0, bytes_per_s: int = 0, iops: int = 0
) -> tuple[Disk, ...]:
    """So many disks of each kind, all alike. Raises ValueError for more SATA disks than the board has ports."""
    if sata > _SATA_PORTS:
        raise ValueError(f"{sata} SATA disks: the board has {_SATA_PORTS} ports")
    counts: tuple[tuple[Kind, int], ...] = (("nvme", nvme), ("sas", sas), ("sata", sata))
    return tuple(
        Disk(kind, number, size_bytes, bytes_per_s, iops) for kind, many in counts for number in range(1, many + 1)
    )


def arguments(disks: Sequence[Disk], server: str, folder: Path) -> list[str]:
    """QEMU's words for these disks, whose contents are files NAME.img in `folder`.

    NVMe disks and the MegaRAID sit in PCIe slots of their own, as on the chip itself nothing has a link.
    """
    words: list[str] = []
    slots = [disk.name for disk in disks if disk.kind == "nvme"]
    if any(disk.kind == "sas" for disk in disks):
        slots.append("raid")
    for number, name in enumerate(slots, 1):
        words += ["-device", f"pcie-root-port,id=slot-{name},chassis={number},slot={number},x-speed=8,x-width=4"]
    if "raid" in slots:
        words += ["-device", "megasas-gen2,id=raid,bus=slot-raid"]
    for disk in disks:
        throttles = {"bps-total": disk.bytes_per_s, "iops-total": disk.iops}
        held = "".join(f",throttling.{key}={limit}" for key, limit in throttles.items() if limit)
        file = f"file={folder / disk.name}.img,format=raw,if=none,id={disk.name}"
        words += ["-drive", f"{file},cache=none,aio=threads,discard=unmap{held}", "-device", _device(disk, server)]
    return words


def _device(disk: Disk, server: str) -> str:
    told = f"drive={disk.name},serial={disk.serial(server)}"
    if disk.kind == "nvme":
        return f"nvme,bus=slot-{disk.name},{told}"
    if disk.kind == "sas":
        return f"scsi-hd,bus=raid.0,{told},wwn={disk.wwn(server)}"
    return f"ide-hd,bus=ide.{disk.number - 1},{told},wwn={disk.wwn(server)}"
