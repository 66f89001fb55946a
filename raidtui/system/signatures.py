"""What devices hold: libblkid's signatures, and whether blocks without one are empty.

Everything is opened for reading only: closing a writable descriptor makes udev probe the device, and md assemble
what was stopped. As root the devices are read; else udev's word is taken, and said to be that.
"""

import hashlib
import os
import stat
from collections.abc import Container, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from raidtui.core.disks.machine import Signature
from raidtui.system import blkid, drive_locks

_AT_ONCE = 32  # a probe waits for some forty small reads: disks seek side by side
_BLOCK_BYTES = 4096


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one device said. `signatures` is None where it could not be asked; see BlockDevice for the others.

    `sample`: a digest of the blocks that were sampled, "" where they were not read.
    """

    signatures: tuple[Signature, ...] | None = None
    read_error: str = ""
    unknown_blocks: int | None = None
    sample: str = ""
    answers: dict[str, str] = {}


def read(names: Sequence[str], scsi: Container[str] = ()) -> dict[str, Reading]:
    """Kernel name -> reading, of whole disks and partitions. Those in `scsi` are also asked who has reserved them."""
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        return dict(zip(names, pool.map(lambda name: _read_signatures(name, name in scsi), names), strict=True))


def _read_signatures(name: str, scsi: bool) -> Reading:
    path = f"/dev/{name}"
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except PermissionError:
        return Reading()  # a sandbox's word, not the disk's
    except OSError as error:
        return Reading(read_error=f"{error.strerror} when {path} is opened")
    try:
        if not stat.S_ISBLK(os.fstat(descriptor).st_mode):
            return Reading()
        signatures = blkid.probe(descriptor)
        failure, unknown, sample = _sample(descriptor)
        return Reading(
            signatures=signatures,
            read_error=failure,
            unknown_blocks=unknown if signatures == () else None,
            sample=sample,
            answers=drive_locks.answers(descriptor, scsi=scsi) | _btrfs(descriptor, signatures or ()),
        )
    finally:
        os.close(descriptor)


def _btrfs(descriptor: int, signatures: Sequence[Signature]) -> dict[str, str]:
    """How many devices a btrfs has, connected or not: fs/btrfs/accessors.h, struct btrfs_super_block's num_devices."""
    if not any(signature.kind == "btrfs" for signature in signatures):
        return {}
    try:
        return {"btrfs devices": str(int.from_bytes(os.pread(descriptor, 8, (1 << 16) + 0x88), "little"))}
    except OSError:
        return {}


def sample(name: str) -> str:
    """The digest of the blocks that `read` samples, as they are now; "" where they cannot be read."""
    try:
        descriptor = os.open(f"/dev/{name}", os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return ""
    try:
        return _sample(descriptor)[2]
    except OSError:
        return ""
    finally:
        os.close(descriptor)


def _sample(descriptor: int) -> tuple[str, int | None, str]:
    """An error in words, how many of nine sampled blocks are not empty, and their digest. Ends and between."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)  # no read-ahead: nine blocks, not nine windows
    unknown, digest = 0, hashlib.sha256()
    for offset in _offsets(size):
        try:
            block = os.pread(descriptor, _BLOCK_BYTES, offset)
        except OSError as error:
            return f"{error.strerror} at byte {offset}", None, ""
        unknown += any(block)
        digest.update(block)
    return "", unknown, digest.hexdigest()


def _offsets(size: int) -> list[int]:
    """Start, 64 KiB (btrfs), 1 MiB (first partition), quarters, and the end (GPT, md 1.0), in whole blocks."""
    last = max(size - _BLOCK_BYTES, 0)
    offsets = (0, 1 << 16, 1 << 20, size // 4, size // 2, size * 3 // 4, size - (1 << 20), size - (1 << 16), last)
    return sorted({min(max(offset, 0), last) // _BLOCK_BYTES * _BLOCK_BYTES for offset in offsets})
