"""Contents of devices: libblkid's signatures, and whether sampled blocks are empty. Read-only: closing a writable
descriptor makes udev probe, and md assemble. Without root udev's database is used, marked as such.

libblkid's signatures of a device through ctypes, several per device (24 processes take longer than reading 24
disks). Reads by the caller's read-only descriptor. Without the library nothing is known.
"""

import ctypes
import functools
import os
import stat
import struct
from collections.abc import Callable, Container, Iterator, Sequence

import msgspec

from raidtui.core.arrays.superblock import TOLD
from raidtui.core.digest import sha256
from raidtui.core.disks.machine import Signature
from raidtui.core.text import clean
from raidtui.system import drive_locks, md
from raidtui.system.process import side_by_side

_LIBRARY = "libblkid.so.1"  # the name that util-linux has kept since 2.15
# blkid.h: what to look for. BADCSUM: a damaged superblock is somebody's data, too.
_LABEL, _UUID, _TYPE, _BADCSUM = 1 << 1, 1 << 3, 1 << 5, 1 << 10
_FORCE_GPT = 1 << 1
_PROTECTIVE = "PMBR"  # every gpt has one
_MOST_SIGNATURES = 64  # signatures of one device; a broken library must not keep us here


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL(_LIBRARY, use_errno=True)
        library.blkid_new_probe.restype = ctypes.c_void_p
        library.blkid_new_probe.argtypes = ()
        for name, arguments in {
            "blkid_free_probe": (ctypes.c_void_p,),
            "blkid_probe_set_device": (ctypes.c_void_p, ctypes.c_int, ctypes.c_int64, ctypes.c_int64),
            "blkid_probe_enable_superblocks": (ctypes.c_void_p, ctypes.c_int),
            "blkid_probe_set_superblocks_flags": (ctypes.c_void_p, ctypes.c_int),
            "blkid_probe_enable_partitions": (ctypes.c_void_p, ctypes.c_int),
            "blkid_probe_set_partitions_flags": (ctypes.c_void_p, ctypes.c_int),
            "blkid_do_probe": (ctypes.c_void_p,),
            "blkid_probe_lookup_value": (
                ctypes.c_void_p,
                ctypes.c_char_p,
                ctypes.POINTER(ctypes.c_char_p),
                ctypes.POINTER(ctypes.c_size_t),
            ),
        }.items():
            getattr(library, name).argtypes = arguments
            getattr(library, name).restype = None if name == "blkid_free_probe" else ctypes.c_int
    except (OSError, AttributeError):
        return None
    return library


def probe(descriptor: int) -> tuple[Signature, ...] | None:
    """One per kind; None if unreadable."""
    library = _library()
    if library is None:
        return None
    handle = library.blkid_new_probe()
    if not handle:
        return None
    try:
        if library.blkid_probe_set_device(handle, descriptor, 0, 0) != 0:
            return None
        library.blkid_probe_enable_superblocks(handle, 1)
        library.blkid_probe_set_superblocks_flags(handle, _LABEL | _UUID | _TYPE | _BADCSUM)
        library.blkid_probe_enable_partitions(handle, 1)
        library.blkid_probe_set_partitions_flags(handle, _FORCE_GPT)
        by_kind: dict[str, Signature] = {}
        for _ in range(_MOST_SIGNATURES):
            answer = library.blkid_do_probe(handle)
            if answer == 1:  # nothing more
                return tuple(by_kind.values())
            if answer != 0:
                return None
            for signature in _signatures(library, handle):
                by_kind.setdefault(signature.kind, signature)
        return tuple(by_kind.values())
    finally:
        library.blkid_free_probe(handle)


def _signatures(library: ctypes.CDLL, handle: int) -> Iterator[Signature]:
    if kind := _value(library, handle, "TYPE"):
        yield Signature(kind=kind, label=_value(library, handle, "LABEL"), uuid=_value(library, handle, "UUID"))
    table = _value(library, handle, "PTTYPE")
    if table and table != _PROTECTIVE:
        yield Signature(kind=table, uuid=_value(library, handle, "PTUUID"))


def _value(library: ctypes.CDLL, handle: int, name: str) -> str:
    value, length = ctypes.c_char_p(), ctypes.c_size_t()
    if library.blkid_probe_lookup_value(handle, name.encode(), ctypes.byref(value), ctypes.byref(length)) != 0:
        return ""
    return clean((value.value or b"").decode(errors="replace"))


_AT_ONCE = 32  # a probe waits for some forty small reads: disks seek side by side
_BLOCK_BYTES = 4096


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """`signatures`: None if unknown; others as in BlockDevice. `sample`: digest of sampled blocks, "" if not read."""

    signatures: tuple[Signature, ...] | None = None
    read_error: str = ""
    unknown_blocks: int | None = None
    sample: str = ""
    answers: dict[str, str] = {}


def read(names: Sequence[str], scsi: Container[str] = (), paths: Container[str] = ()) -> dict[str, Reading]:
    """By kernel name, disks and partitions. `scsi`: also asked for reservations. `paths`: of multipath maps (and
    partitions), whose cache does not show writes by the map.
    """
    readings = side_by_side(lambda name: _read_signatures(name, name in scsi, anew=name in paths), names, _AT_ONCE)
    return dict(zip(names, readings, strict=True))


def _read_signatures(name: str, scsi: bool, *, anew: bool) -> Reading:
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
        if anew:
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        signatures = probe(descriptor)
        failure, unknown, sample = _sample(descriptor)
        return Reading(
            signatures=signatures,
            read_error=failure,
            unknown_blocks=unknown if signatures == () else None,
            sample=sample,
            answers=drive_locks.answers(descriptor, scsi=scsi)
            | _btrfs(descriptor, signatures or ())
            | _ext(descriptor, signatures or ())
            | _md(path, signatures or ()),
        )
    finally:
        os.close(descriptor)


def _btrfs(descriptor: int, signatures: Sequence[Signature]) -> dict[str, str]:
    """Number of devices: fs/btrfs/accessors.h, struct btrfs_super_block's num_devices."""
    if not any(signature.kind == "btrfs" for signature in signatures):
        return {}
    try:
        return {"btrfs devices": str(int.from_bytes(os.pread(descriptor, 8, (1 << 16) + 0x88), "little"))}
    except OSError:
        return {}


def _md(path: str, signatures: Sequence[Signature]) -> dict[str, str]:
    """The logical block size in a superblock of version 1.2; 0: none."""
    is_member = any(signature.kind == "linux_raid_member" for signature in signatures)
    block = md.superblock_record(path) if is_member else None
    return {TOLD: str(block.block_bytes)} if block else {}


# fs/ext4/ext4.h: struct ext4_super_block, struct mmp_struct
_EXT_AT, _EXT_BYTES, _EXT_MAGIC = 1024, 1024, 0xEF53
_VALID, _RECOVER, _WITH_MMP = 0x1, 0x4, 0x100
_MMP_MAGIC, _MMP_CLEAN = 0x004D4D50, 0xFF4D4D50


def _ext(descriptor: int, signatures: Sequence[Signature]) -> dict[str, str]:
    """ext2, 3, 4: left mounted, last mount point; with MMP the active host."""
    if not any(signature.kind in ("ext2", "ext3", "ext4") for signature in signatures):
        return {}
    try:
        return ext_facts(os.pread(descriptor, _EXT_BYTES, _EXT_AT), lambda at: os.pread(descriptor, _BLOCK_BYTES, at))
    except OSError:
        return {}


def ext_facts(superblock: bytes, read_at: Callable[[int], bytes]) -> dict[str, str]:
    """From a superblock and its MMP block, which `read_at` reads."""
    if len(superblock) < _EXT_BYTES or struct.unpack_from("<H", superblock, 0x38)[0] != _EXT_MAGIC:
        return {}
    (state,), (incompat,) = struct.unpack_from("<H", superblock, 0x3A), struct.unpack_from("<I", superblock, 0x60)
    facts = {}
    if not state & _VALID or incompat & _RECOVER:
        facts["ext not unmounted"] = _until_zero(superblock[0x88 : 0x88 + 64])
    if incompat & _WITH_MMP:
        block_bytes = 1024 << min(struct.unpack_from("<I", superblock, 0x18)[0], 6)
        block = read_at(struct.unpack_from("<Q", superblock, 0x168)[0] * block_bytes)
        magic, sequence = struct.unpack_from("<II", block) if len(block) >= 80 else (0, 0)
        is_free = magic == _MMP_MAGIC and sequence == _MMP_CLEAN
        facts["ext mmp"] = "" if is_free else _until_zero(block[16:80]) or "a host that is not told"
    return facts


def _until_zero(text: bytes) -> str:
    return clean(text.split(b"\0")[0].decode(errors="replace"))


def sample(name: str) -> str:
    """Digest of `read`'s sample now; "" if unreadable."""
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
    """Error; non-empty blocks of nine; digest."""
    size = os.lseek(descriptor, 0, os.SEEK_END)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)  # no read-ahead: nine blocks, not nine windows
    unknown, digest = 0, sha256()
    for offset in _offsets(size):
        try:
            block = os.pread(descriptor, _BLOCK_BYTES, offset)
        except OSError as error:
            return f"{error.strerror} at byte {offset}", None, ""
        unknown += any(block)
        digest.update(block)
    return "", unknown, digest.hexdigest()


def _offsets(size: int) -> list[int]:
    """Start, 64 KiB (btrfs), 1 MiB (first partition), quarters, end (GPT, md 1.0), in whole blocks."""
    last = max(size - _BLOCK_BYTES, 0)
    offsets = (0, 1 << 16, 1 << 20, size // 4, size // 2, size * 3 // 4, size - (1 << 20), size - (1 << 16), last)
    return sorted({min(max(offset, 0), last) // _BLOCK_BYTES * _BLOCK_BYTES for offset in offsets})
