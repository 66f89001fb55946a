"""What devices hold: libblkid's signatures, and whether blocks without one are empty.

Everything is opened for reading only: closing a writable descriptor makes udev probe the device, and md assemble
what was stopped. As root the devices are read; else udev's word is taken, and said to be that.
"""

import os
import stat
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from raidtui.core.machine import Signature, clean
from raidtui.system.process import ProcessError, run

_TIMEOUT_S = 30.0
_AT_ONCE = 8  # disks answer side by side; more processes only queue for the processors
_BLOCK_BYTES = 4096
_PROTECTIVE = "PMBR"  # every gpt has one


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What one device said. `signatures` is None where libblkid could not be asked; see BlockDevice for the others."""

    signatures: tuple[Signature, ...] | None
    read_error: str = ""
    unknown_blocks: int | None = None


def of_udev(properties: dict[str, str]) -> tuple[Signature, ...] | None:
    """The signatures in udev's database; None where udev has not looked at the device."""
    if "USEC_INITIALIZED" not in properties:
        return None
    found = []
    if table := properties.get("ID_PART_TABLE_TYPE"):
        found.append(Signature(kind=table, uuid=properties.get("ID_PART_TABLE_UUID", "")))
    if kind := properties.get("ID_FS_TYPE"):
        label = properties.get("ID_FS_LABEL", "")
        found.append(Signature(kind=kind, label=label, uuid=properties.get("ID_FS_UUID", "")))
    elif properties.get("ID_FS_AMBIVALENT"):
        found.append(Signature(kind="several signatures", label=properties["ID_FS_AMBIVALENT"]))
    return tuple(found)


def read(families: Sequence[Sequence[str]]) -> dict[str, Reading]:
    """Kernel name -> reading, of disks with their partitions (a sequence each, the disk first)."""
    readings: dict[str, Reading] = {}
    with ThreadPoolExecutor(max_workers=_AT_ONCE) as pool:
        for part in pool.map(_family, families):
            readings |= part
    return readings


def _family(names: Sequence[str]) -> dict[str, Reading]:
    found = _wipefs(names)
    readings = {}
    for name in names:
        signatures = found.get(name, ()) if found is not None else None
        error, unknown = _sample(f"/dev/{name}")
        readings[name] = Reading(
            signatures=signatures,
            read_error=error,
            unknown_blocks=unknown if signatures == () else None,
        )
    return readings


def _wipefs(names: Sequence[str]) -> dict[str, tuple[Signature, ...]] | None:
    """All signatures of these devices, also several on one; None where one of them could not be probed."""
    try:
        done = run(("wipefs", "--no-act", "--json", *(f"/dev/{name}" for name in names)), _TIMEOUT_S)
        rows = _rows(done.stdout)
    except (ProcessError, ValueError):
        return None
    # A device that cannot be probed is warned of on stderr, whatever the exit code.
    if done.returncode != 0 or done.stderr.strip():
        return None
    found: dict[str, dict[str, Signature]] = {name: {} for name in names}
    for row in rows:
        kind = clean(str(row.get("type") or ""))
        if kind and kind != _PROTECTIVE:
            one = Signature(kind=kind, label=clean(str(row.get("label") or "")), uuid=clean(str(row.get("uuid") or "")))
            found.setdefault(str(row.get("device")), {}).setdefault(kind, one)
    return {name: tuple(kinds.values()) for name, kinds in found.items()}


def _rows(text: str) -> list[dict[str, Any]]:
    """wipefs prints nothing at all for devices without signatures."""
    if not text.strip():
        return []
    return msgspec.convert(msgspec.json.decode(text), dict[str, list[dict[str, Any]]]).get("signatures", [])


def _sample(path: str) -> tuple[str, int | None]:
    """An error in words, and how many of nine sampled blocks are not empty. Ends and between."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except PermissionError:
        return "", None  # a sandbox, not the disk: nothing was read, and `read` says so
    except OSError as error:
        return f"{error.strerror} when opened", None
    try:
        if not stat.S_ISBLK(os.fstat(descriptor).st_mode):
            return "", None
        size = os.lseek(descriptor, 0, os.SEEK_END)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)  # no read-ahead: nine blocks, not nine windows
        unknown = 0
        for offset in _offsets(size):
            try:
                unknown += any(os.pread(descriptor, _BLOCK_BYTES, offset))
            except OSError as error:
                return f"{error.strerror} at byte {offset}", None
        return "", unknown
    finally:
        os.close(descriptor)


def _offsets(size: int) -> list[int]:
    """Start, 64 KiB (btrfs), 1 MiB (first partition), quarters, and the end (GPT, md 1.0), in whole blocks."""
    last = max(size - _BLOCK_BYTES, 0)
    wanted = (0, 1 << 16, 1 << 20, size // 4, size // 2, size * 3 // 4, size - (1 << 20), size - (1 << 16), last)
    return sorted({min(max(offset, 0), last) // _BLOCK_BYTES * _BLOCK_BYTES for offset in wanted})
