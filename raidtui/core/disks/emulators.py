"""Emulated disks by model; unknown models count as hardware. What backs them cannot be detected inside."""

from collections.abc import Iterable
from typing import Literal

Emulator = Literal["", "QEMU", "scsi_debug", "LIO fileio"]

_BY_MODEL: dict[str, Emulator] = {
    "scsi_debug": "scsi_debug",  # drivers/scsi/scsi_debug.c: the kernel's own, in its memory
    "FILEIO": "LIO fileio",  # drivers/target/target_core_file.c: a file of this machine's or another one's
    "QEMU NVMe Ctrl": "QEMU",  # hw/nvme/ctrl.c
    "QEMU HARDDISK": "QEMU",  # hw/ide/core.c, hw/scsi/scsi-disk.c
}

# Of a disk's speed while md syncs (parity, mirrors), which has few commands in flight: here each takes a tick, 10 ms.
# Measured at 94 MB/s a disk: 36 to 43 MB/s on RAID 4, 5 and 6, 60 to 81 on RAID 1 and 10.
_SYNC_SHARES: dict[Emulator, tuple[float, float]] = {"scsi_debug": (0.42, 0.7)}
_IN_MEMORY: frozenset[Emulator] = frozenset({"scsi_debug"})  # what is on these ends with the machine


def emulator_of(model: str) -> Emulator:
    """ "" for hardware, as far as known."""
    return _BY_MODEL.get(" ".join(model.split()), "")


def are_in_memory(emulators: Iterable[Emulator]) -> bool:
    """All of them, at least one, are in memory, and vanish with the machine."""
    given = frozenset(emulators)
    return bool(given) and given <= _IN_MEMORY


def sync_share(emulators: Iterable[Emulator], *, parity: bool) -> float:
    """Speed share during resync or rebuild: 1, except for some emulated disks."""
    shares = [_SYNC_SHARES[emulator] for emulator in emulators if emulator in _SYNC_SHARES]
    return min((of_parity if parity else of_mirrors for of_parity, of_mirrors in shares), default=1.0)
