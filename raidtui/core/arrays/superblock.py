"""A member's md superblock, version 1 (include/uapi/linux/raid/md_p.h: struct mdp_superblock_1).

Whether older kernels refuse an array, by the logical block size in its superblock (`core/raid/block_size.py`).
"""

import struct
from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from raidtui.core.raid.block_size import SINCE, is_written_by

BYTES = 4096
_MAGIC, _VERSION = 0xA92B4EFC, 1
_RESHAPING, _WITH_JOURNAL = 4, 512  # feature_map
_ROLES_AT, _MOST_SLOTS = 256, 1920
_CLEAN = (1 << 64) - 1  # resync_offset
_SECTOR_BYTES = 512


class Superblock(msgspec.Struct, frozen=True, kw_only=True):
    """`updated_s`: UTC. `level`: as in Array; `layout`: md's number. `slot`: None for a spare, a journal, a failed
    member. `clean`: no resync waits. `with_journal`: the array has one. `reshape_at_bytes`: of an unfinished reshape.
    `block_bytes`: logical block size; 0: none.
    """

    updated_s: int
    events: int
    level: str = ""
    layout: int = 0
    slots: int = 0
    slot: int | None = None
    clean: bool = True
    with_journal: bool = False
    reshape_at_bytes: int | None = None
    block_bytes: int = 0


def superblock_of(page: bytes) -> Superblock | None:
    """None if these 4 KiB are no superblock of version 1."""
    if len(page) < BYTES or struct.unpack_from("<II", page) != (_MAGIC, _VERSION):
        return None
    (features,) = struct.unpack_from("<I", page, 8)
    level, layout = struct.unpack_from("<ii", page, 72)
    slots, number, block_bytes = (struct.unpack_from("<I", page, at)[0] for at in (92, 160, 224))
    reshape_sectors, updated_s, events, resync_sectors = (
        struct.unpack_from("<Q", page, at)[0] for at in (104, 192, 200, 208)
    )
    slot = struct.unpack_from("<H", page, _ROLES_AT + 2 * number)[0] if number < _MOST_SLOTS else slots
    return Superblock(
        updated_s=updated_s & (1 << 40) - 1,
        events=events,
        level="linear" if level == -1 else str(level),
        layout=layout,
        slots=slots,
        slot=slot if slot < slots else None,
        clean=resync_sectors == _CLEAN,
        with_journal=bool(features & _WITH_JOURNAL),
        reshape_at_bytes=reshape_sectors * _SECTOR_BYTES if features & _RESHAPING else None,
        block_bytes=block_bytes,
    )


OlderKernels = Literal["", "refuse it", "not known"]
TOLD = "md block size"  # of a member, read from its superblock: BlockDevice.told
_SAID: dict[OlderKernels, tuple[str, str]] = {
    "refuse it": (
        f"created or started by {SINCE} or later (logical block size in its superblock): older kernels refuse it",
        f"use {SINCE} or later, for a rescue system too",
    ),
    "not known": (
        f"if {SINCE} or later created or started it, older kernels refuse it",
        f"if `dmesg` has `does not have a valid v1.2 superblock`, start it with {SINCE} or later",
    ),
}


def of_running(block_size: str) -> OlderKernels:
    """`block_size`: md/logical_block_size; "" before 6.19."""
    return "refuse it" if block_size.strip("0") else ""


def of_stopped(told: Iterable[str], kernel: str) -> OlderKernels:
    """`told`: of its members, where read; `kernel`: the running one, which takes what a later one wrote."""
    sizes = {size for size in told if size}
    if sizes:
        return "refuse it" if sizes != {"0"} else ""
    return "" if is_written_by(kernel) else "not known"


def facts(older_kernels: OlderKernels) -> Iterator[dict[str, str]]:
    """Of the row `older-kernels`."""
    if older_kernels:
        said, do = _SAID[older_kernels]
        yield {"said": said, "do": do}
